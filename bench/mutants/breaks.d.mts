/** The table of breaks as mutants of the source in `root`, and their tests in `tree`. @throws {Error} if an expression is not there exactly once. */
export function findBreaks(
  root: string,
  tree: string,
): readonly {
  readonly name: string
  /** Where it is: the file from the root of the project, the place of the expression in it, and its replacement. */
  readonly number: number
  readonly file: string
  readonly start: number
  readonly end: number
  readonly to: string
  readonly opensStatement: boolean
  readonly tests: readonly { readonly file: string }[]
  /** The check of `npm run attack` that sees it from outside. */
  readonly seenBy?: string
}[]
