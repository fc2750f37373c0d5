/**
 * The errors of isoglot. A mistake of the caller is a plain `TypeError` or `RangeError`. An abort rejects with the signal's own reason.
 *
 * @module
 */
import type { AssistantMessage, Json, Loss, Message } from './messages.ts'
import { printable } from './printable.ts'

/** The base class of all errors of isoglot. `code` never changes between versions, and a `switch` on it narrows the type. */
export abstract class IsoglotError extends Error {
  /** The class has its name as a field too: Node prints the name of the class, which a minifier changes. */
  override readonly name: string = this.constructor.name
  readonly code: string = (this.constructor as unknown as { readonly code: string }).code
  /** The part of the answer that arrived before the failure. Its `stopReason` says how it ended; its calls never run. */
  partial?: AssistantMessage
  /** Of `fallback`: the errors of the models that it asked before, in order. An error of another class has it, too. */
  declare earlier?: readonly unknown[]
  /**
   * Of `generate`: what the run had added to the conversation before it failed, with the results of tools that ran. It is not enumerable, so
   * that it is not printed. A run of `stream` has its own `messages`.
   */
  declare messages?: readonly Message[]
  /** Marks our errors, across copies of this module too. */
  readonly isIsoglotError = true as const

  /** @param details the fields of the error, and its `cause` */
  constructor(message?: string, details?: ErrorOptions & { readonly [field: string]: unknown }) {
    // A message may quote a provider, and is printed in terminals.
    super(message && printable(message), details)
    Object.assign(this, details)
  }

  /**
   * A program can have several copies of these classes, because some CDNs and bundlers make a file for each public path. So `instanceof`
   * compares a mark and the code, and not the class.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const { code } = this as unknown as { readonly code?: string }
    const error = value as IsoglotError | undefined | null
    return error?.isIsoglotError === true && (code === undefined || error.code === code)
  }
}

/** The kind of failure that an API reported, in the same words for all APIs. */
export type ApiErrorKind =
  | 'authentication'
  | 'permission'
  | 'invalid_request'
  | 'not_found'
  | 'context_length'
  | 'rate_limit'
  | 'overloaded'
  | 'server'
  | 'timeout'

/** Kinds of failures after which a retry can succeed. */
export const passingKinds: ReadonlySet<ApiErrorKind> = /* @__PURE__ */ new Set<ApiErrorKind>([
  'rate_limit',
  'overloaded',
  'server',
  'timeout',
])

/** The content of a provider's error. */
export interface ApiErrorDetails {
  readonly kind: ApiErrorKind
  /** Absent for an error in the middle of a stream. */
  readonly status?: number
  /** Whether the same request can succeed later. Default: true for the kinds `rate_limit`, `overloaded`, `server` and `timeout`. */
  readonly retryable?: boolean
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfterMs?: number
  readonly requestId?: string
  /** The provider's own code, such as `overloaded_error` or `insufficient_quota`. */
  readonly providerCode?: string
  readonly provider?: string
  /** The provider's own message. `message` also has the provider's name and the status. */
  readonly providerMessage?: string
  /** The body: parsed if it is JSON, otherwise text. */
  readonly body?: Json
  readonly cause?: unknown
}

/** The provider answered with an error: with an error status, or in the middle of a stream that began with 200. */
export class ApiError extends IsoglotError {
  static override readonly name = 'ApiError'
  static readonly code = 'api'
  declare readonly name: 'ApiError'
  declare readonly code: 'api'
  declare readonly kind: ApiErrorKind
  declare readonly status: number | undefined
  declare readonly retryable: boolean
  declare readonly retryAfterMs: number | undefined
  declare readonly requestId: string | undefined
  declare readonly providerCode: string | undefined
  declare readonly provider: string | undefined
  declare readonly providerMessage: string | undefined
  declare readonly body: Json | undefined

  constructor(message: string, details: ApiErrorDetails) {
    super(message, { retryable: passingKinds.has(details.kind), ...details })
  }
}

/** The answer or message does not follow its format. `path` is the place, and `cause` the wrong value. */
export class DecodeError extends IsoglotError {
  static override readonly name = 'DecodeError'
  static readonly code = 'decode'
  declare readonly name: 'DecodeError'
  declare readonly code: 'decode'
  /** The place, such as `choices[0].message`. Empty for the whole value. */
  declare readonly path: string

  constructor(message: string, options: { readonly path?: string; readonly cause?: unknown } = {}) {
    super(message, { path: '', ...options })
  }
}

/** The provider's format cannot express a part of the request, and `strict` does not allow leaving it out. `loss` names the part. */
export class UnsupportedError extends IsoglotError {
  static override readonly name = 'UnsupportedError'
  static readonly code = 'unsupported'
  declare readonly name: 'UnsupportedError'
  declare readonly code: 'unsupported'
  declare readonly loss: Loss

  constructor(message: string, loss: Loss) {
    super(message, { loss })
  }
}

/** A size was larger than its limit. `limit` names the option that sets the limit. */
export class LimitError extends IsoglotError {
  static override readonly name = 'LimitError'
  static readonly code = 'limit'
  declare readonly name: 'LimitError'
  declare readonly code: 'limit'
  /** The option that sets the limit, with its unit, such as `maxEventBytes`. */
  declare readonly limit: string
  declare readonly max: number

  constructor(message: string, limit: string, max: number) {
    super(message, { limit, max })
  }
}

/** The stream ended without the end that its format has. The part that arrived is in `partial`. */
export class InterruptedError extends IsoglotError {
  static override readonly name = 'InterruptedError'
  static readonly code = 'interrupted'
  declare readonly name: 'InterruptedError'
  declare readonly code: 'interrupted'
}

/** The answer, or its next event, did not arrive in time. */
export class TimeoutError extends IsoglotError {
  static override readonly name = 'TimeoutError'
  static readonly code = 'timeout'
  declare readonly name: 'TimeoutError'
  declare readonly code: 'timeout'
  declare readonly phase: 'first_byte' | 'first_content' | 'idle' | 'total'
  declare readonly timeoutMs: number

  constructor(message: string, phase: TimeoutError['phase'], timeoutMs: number) {
    super(message, { phase, timeoutMs })
  }
}

/** The request got no answer: the network failed, a name did not resolve, or, in a browser, the answer has no CORS headers. */
export class ConnectionError extends IsoglotError {
  static override readonly name = 'ConnectionError'
  static readonly code = 'connection'
  declare readonly name: 'ConnectionError'
  declare readonly code: 'connection'
}

/** The answer does not match the schema. The answer is in `partial`. */
export class OutputError extends IsoglotError {
  static override readonly name = 'OutputError'
  static readonly code = 'output'
  declare readonly name: 'OutputError'
  declare readonly code: 'output'
  /** `truncated`: the answer reached its length limit. `refused`: the model or a filter refused. */
  declare readonly reason: 'truncated' | 'refused' | 'empty' | 'not_json' | 'does_not_fit'
  /** The model's text, unchanged. */
  declare readonly text: string

  constructor(
    message: string,
    details: { readonly reason: OutputError['reason']; readonly text: string; readonly cause?: unknown },
  ) {
    super(message, details)
  }
}

/** Any error of isoglot. A `switch` on `code` narrows the type. */
export type AnyIsoglotError =
  | ApiError
  | DecodeError
  | UnsupportedError
  | LimitError
  | InterruptedError
  | TimeoutError
  | ConnectionError
  | OutputError

/** Whether the connection failed, and not the request. */
export function isNetworkError(error: unknown): boolean {
  return error instanceof InterruptedError || error instanceof ConnectionError || error instanceof TimeoutError
}

/** Whether the same request may succeed later. */
export function isRetryable(error: unknown): boolean {
  return error instanceof ApiError ? error.retryable : isNetworkError(error)
}

/** The error for an event of a stream that is longer than this. */
export function tooLarge(maxBytes: number): LimitError {
  const message = `Cannot read the stream: an event is larger than ${maxBytes} bytes`
  return new LimitError(message, 'maxEventBytes', maxBytes)
}

/** What was thrown, as an `Error`: any other value is the `cause` of one. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown })
}
