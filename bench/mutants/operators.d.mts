/** The file with these changes compiled in: `globalThis.$m` says which of them is made, by its number. */
export function compileIn(
  text: string,
  mutants: readonly {
    readonly number: number
    readonly start: number
    readonly end: number
    readonly to: string
    readonly opensStatement: boolean
  }[],
): string
