/**
 * Where development builds put their checks of options: `src/checks`. JavaScript ignores a wrong name, and a program then does something else
 * than it says. A bundle for production has none of them. Checks that guard a person, such as those of consent to a call, are elsewhere.
 *
 * @module
 */

/** As {@link checkOptions}. */
export type Check = (name: string, given: unknown, attempt?: string, about?: unknown) => void

let check: Check | undefined

/** From now on, this checks. */
export function turnOnChecks(given: Check | undefined): void {
  check = given
}

/**
 * Checks the options of a function: their names and the types of their values. What a function returns is made to answer to the names of other
 * libraries: to read one is an error that says what to write.
 *
 * @param name The name of the function, or of what it returns, in the tables of `src/checks/forms.ts`.
 * @param attempt What it does, if that names a thing.
 * @param about What the rules of this function need besides.
 * @throws {TypeError} for an option that does not exist, with the nearest name, and for a value of another type.
 */
export function checkOptions(name: string, given: unknown, attempt?: string, about?: unknown): void {
  check?.(name, given, attempt, about)
}
