/**
 * Where development builds put their checks of options: `src/checks`. JavaScript ignores a wrong name, and a program then does something else
 * than it says. A bundle for production has none of them. Checks that guard a person, such as those of consent to a call, are elsewhere.
 *
 * @module
 */

/** The checks of a development build. */
export interface Checks {
  /** As {@link checkOptions}. */
  options(name: string, given: unknown, attempt?: string, about?: unknown): void
  /** As {@link explainReads}. */
  reads(name: string, run: object): void
}

let checks: Checks | undefined

/** From now on, these check. */
export function turnOnChecks(given: Checks | undefined): void {
  checks = given
}

/**
 * Checks the options of a function: their names and the types of their values.
 *
 * @param name The name of the function in the table of `src/checks/forms.ts`.
 * @param attempt What it does, if that names a thing.
 * @param about What the rules of this function need besides.
 * @throws {TypeError} for an option that does not exist, with the nearest name, and for a value of another type.
 */
export function checkOptions(name: string, given: unknown, attempt?: string, about?: unknown): void {
  checks?.options(name, given, attempt, about)
}

/** Gives a run the names by which other libraries read theirs: to read one is an error that says what to write. */
export function explainReads(name: string, run: object): void {
  checks?.reads(name, run)
}
