/** The checks of options in a bundle for production: none. See `index.ts`. @module */

export function checkOptions(_name: string, _given: unknown, _attempt?: string): void {}

export function explainReads(_name: string, _run: object): void {}

export function checkValue(
  _attempt: string,
  _name: string,
  _value: unknown,
  _wanted: string,
  _method?: unknown,
): void {}

export function checkThat(
  _holds: boolean,
  _attempt: string,
  _name: string,
  _wanted: string,
  _found: string | number,
): void {}
