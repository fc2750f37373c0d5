/**
 * Every error that isoglot throws by itself. Caller's mistakes are plain `TypeError` and `RangeError`; an abort rejects with the
 * signal's own reason.
 *
 * @module
 */
import type { AssistantMessage, Json, Loss } from './model.ts'

/** The common base: `code` never changes between versions, so that a `switch` on it narrows. */
export abstract class IsoglotError extends Error {
  abstract readonly code: string
  /** The part of the answer that arrived before the failure. Its `stopReason` says how it ended; its calls never run. */
  partial?: AssistantMessage
  /** Marks our errors, across copies of this module too. */
  readonly isIsoglotError = true as const

  /**
   * A program can hold several copies of these classes: some CDNs and bundlers make a file of each public path. So a mark and the code
   * decide, and not the identity of the class.
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

/** Kinds of failures that may pass by themselves. */
export const passingKinds: ReadonlySet<ApiErrorKind> = /* @__PURE__ */ new Set<ApiErrorKind>([
  'rate_limit',
  'overloaded',
  'server',
  'timeout',
])

/** The content of a provider's error. */
export interface ApiErrorDetails {
  readonly kind: ApiErrorKind
  /** Absent in mid-stream. */
  readonly status?: number
  /** Whether the same request may succeed later. Default: what the kind says; that of `rate_limit`, `overloaded`, `server` and `timeout` may. */
  readonly retryable?: boolean
  /** How long the provider asks us to wait. */
  readonly retryAfterMs?: number
  readonly requestId?: string
  /** The provider's own word, such as `overloaded_error` or `insufficient_quota`. */
  readonly providerCode?: string
  readonly provider?: string
  /** The provider's own words, where more stands in `message`: the provider and its status. */
  readonly providerMessage?: string
  /** The body as it came: parsed where it was JSON, else text. */
  readonly body?: Json
  readonly cause?: unknown
}

/** The provider answered with an error: by its status, or in the middle of a stream that began with a 200. */
export class ApiError extends IsoglotError {
  static readonly code = 'api'
  override readonly name = 'ApiError'
  override readonly code = 'api'
  declare readonly kind: ApiErrorKind
  declare readonly status: number | undefined
  declare readonly retryable: boolean
  declare readonly retryAfterMs: number | undefined
  declare readonly requestId: string | undefined
  declare readonly providerCode: string | undefined
  declare readonly provider: string | undefined
  declare readonly providerMessage: string | undefined
  declare readonly body: Json | undefined

  constructor(message: string, { cause, ...details }: ApiErrorDetails) {
    super(message, { cause })
    Object.assign(this, { retryable: passingKinds.has(details.kind) }, details)
  }
}

/** The other side sent what its format does not allow. `cause` is the value that was wrong, `path` the place. */
export class DecodeError extends IsoglotError {
  static readonly code = 'decode'
  override readonly name = 'DecodeError'
  override readonly code = 'decode'
  /** Such as `choices[0].message`; empty for the whole. */
  readonly path: string

  constructor(message: string, options: { readonly path?: string; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.path = options.path ?? ''
  }
}

/** The target cannot express something, and leaving it out would not be faithful. */
export class UnsupportedError extends IsoglotError {
  static readonly code = 'unsupported'
  override readonly name = 'UnsupportedError'
  override readonly code = 'unsupported'
  readonly loss: Loss

  constructor(message: string, loss: Loss) {
    super(message)
    this.loss = loss
  }
}

/** Something was larger than its limit. */
export class LimitError extends IsoglotError {
  static readonly code = 'limit'
  override readonly name = 'LimitError'
  override readonly code = 'limit'
  /** The option that sets the limit, with its unit, such as `maxEventBytes`. */
  readonly limit: string
  readonly max: number

  constructor(message: string, limit: string, max: number) {
    super(message)
    this.limit = limit
    this.max = max
  }
}

/** The stream ended without the end that its format has. The part that arrived is in `partial`. */
export class InterruptedError extends IsoglotError {
  static readonly code = 'interrupted'
  override readonly name = 'InterruptedError'
  override readonly code = 'interrupted'
}

/** Nothing came in time. */
export class TimeoutError extends IsoglotError {
  static readonly code = 'timeout'
  override readonly name = 'TimeoutError'
  override readonly code = 'timeout'
  readonly phase: 'first_byte' | 'first_content' | 'idle' | 'total'
  readonly timeoutMs: number

  constructor(message: string, phase: TimeoutError['phase'], timeoutMs: number) {
    super(message)
    this.phase = phase
    this.timeoutMs = timeoutMs
  }
}

/** No answer: the network, a name that does not resolve, or, in a browser, an answer without CORS headers. */
export class ConnectionError extends IsoglotError {
  static readonly code = 'connection'
  override readonly name = 'ConnectionError'
  override readonly code = 'connection'
}

/** The answer does not match the schema. The answer is in `partial`. */
export class OutputError extends IsoglotError {
  static readonly code = 'output'
  override readonly name = 'OutputError'
  override readonly code = 'output'
  /** `truncated`: it hit its length; `refused`: the model or a filter declined. */
  readonly reason: 'truncated' | 'refused' | 'empty' | 'not_json' | 'does_not_fit'
  /** The model's text, unchanged. */
  readonly text: string

  constructor(
    message: string,
    details: { readonly reason: OutputError['reason']; readonly text: string; readonly cause?: unknown },
  ) {
    super(message, { cause: details.cause })
    this.reason = details.reason
    this.text = details.text
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
