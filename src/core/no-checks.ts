/** The checks of options in a bundle for production: none. See `check-options.ts`. @module */
import type { Forms, Habits } from './check-options.ts'

export function checkOptions(_attempt: string, _given: unknown, _forms: Forms, _habits?: Habits): void {}

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
