/** Converts the errors of the Prompt API, which are `DOMException`s, to isoglot's errors. @module */
import { ApiError, type ApiErrorKind, ConnectionError } from '../core/errors.ts'
import { lookup } from '../core/json.ts'

/** The provider's name, in errors and `message.response`. */
export const provider = 'browser-model'

/** By the name of the exception. All other names are `server`. */
const kinds: Readonly<Record<string, ApiErrorKind>> = {
  NotSupportedError: 'invalid_request',
  NotAllowedError: 'permission',
  QuotaExceededError: 'context_length',
  SyntaxError: 'server', // the answer did not fit the constraint: another try may succeed
  InvalidStateError: 'invalid_request',
  EncodingError: 'invalid_request',
  SecurityError: 'invalid_request',
  TypeError: 'invalid_request',
  RangeError: 'invalid_request',
  AbortError: 'invalid_request', // without our signal, this means that the session was destroyed
}
const passing = new Set(['SyntaxError', 'UnknownError'])

/** Converts an exception of the API. */
export function readError(cause: unknown, attempt: string): Error {
  const { name = '', message = String(cause) } = cause instanceof Error || isException(cause) ? cause : {}
  const text = `Cannot ${attempt}: ${message}`
  if (name === 'NetworkError') return new ConnectionError(text, { cause })
  const kind = lookup(kinds, name) ?? 'server'
  return failure(text, kind, { cause, providerCode: name, retryable: passing.has(name) })
}

/** An error of the model. */
export function failure(
  message: string,
  kind: ApiErrorKind,
  details: { readonly cause?: unknown; readonly providerCode?: string; readonly retryable?: boolean } = {},
): ApiError {
  return new ApiError(message, { kind, provider, retryable: false, ...details })
}

/** In some runtimes, a `DOMException` is not an `Error`. */
function isException(cause: unknown): cause is { readonly name: string; readonly message: string } {
  return typeof cause === 'object' && cause !== null && 'name' in cause && 'message' in cause
}
