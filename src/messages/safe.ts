/** Readers that return their error. @module */
import { DecodeError } from '../core/errors.ts'

/** The value that a reader returned, or its error. */
export type Safe<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: DecodeError }

/** Calls a reader, and returns a `DecodeError` that it throws. */
export function safely<Value>(read: () => Value): Safe<Value> {
  try {
    return { ok: true, value: read() }
  } catch (error) {
    if (error instanceof DecodeError) return { ok: false, error }
    throw error
  }
}
