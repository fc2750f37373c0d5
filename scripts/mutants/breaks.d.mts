/** The table of breaks as mutants of the source in `root`, and their tests in `tree`. @throws {Error} if an expression is not there exactly once. */
export function findBreaks(
  root: string,
  tree: string,
): readonly { readonly name: string; readonly tests: readonly { readonly file: string }[] }[]
