/**
 * The error that a page receives: its code and a fixed message. A provider's own message may quote a key or name an account.
 *
 * @module
 */
import { type AnyIsoglotError, ApiError, type ApiErrorKind, IsoglotError, type TimeoutError } from '../core/errors.ts'
import { compact, lookup } from '../core/json.ts'
import type { Loss } from '../core/messages.ts'

/** An error in the form that a page may see: plain data. */
export interface PageError {
  /** The `code` of our errors; `aborted` for an abort by the server, `server` for any other error. */
  readonly code: string
  /** A sentence for the user. */
  readonly message: string
  /** For code `api`. A problem with the server's own key is `server`, since pages take `authentication` as a request to log in. */
  readonly kind?: ApiErrorKind
  /** The status of a response whose stream has not begun. Never 401. */
  readonly status?: number
  /** Whether the same request may succeed later. */
  readonly retryable?: boolean
  readonly retryAfterMs?: number
  /** For code `timeout`. */
  readonly phase?: TimeoutError['phase']
  /** For code `timeout`. */
  readonly timeoutMs?: number
  /** For code `limit`: the option that sets the limit. */
  readonly limit?: string
  /** For code `limit`. */
  readonly max?: number
  /** For code `unsupported`, of a server that answers with isoglot's own wire. */
  readonly loss?: Loss
}

const ownTrouble = { message: 'The server cannot use its model provider', kind: 'server', status: 502 } as const

/** By the kind of an `ApiError`. */
const ofKinds: Readonly<Record<ApiErrorKind, Pick<PageError, 'message' | 'kind' | 'status'>>> = {
  authentication: ownTrouble,
  permission: ownTrouble,
  not_found: { message: 'The model was not found', status: 502 },
  invalid_request: { message: 'The model does not accept this request', status: 400 },
  context_length: { message: 'The conversation is too long for the model', status: 400 },
  rate_limit: { message: 'Too many requests to the model; try again later', status: 429 },
  overloaded: { message: 'The model is overloaded; try again later', status: 503 },
  server: { message: 'The model provider failed', status: 502 },
  timeout: { message: 'The model did not answer in time', status: 504 },
}

/** By the code of our other errors. */
const ofCodes: Readonly<Record<string, Pick<PageError, 'message' | 'status' | 'retryable'>>> = {
  timeout: { message: 'The model did not answer in time', status: 504, retryable: true },
  connection: { message: 'The model provider cannot be reached', status: 502, retryable: true },
  interrupted: { message: 'The answer of the model was cut off', status: 502, retryable: true },
  decode: { message: 'The answer of the model cannot be read', status: 502 },
  limit: { message: 'The answer of the model is larger than its limit', status: 502 },
  unsupported: { message: 'The model does not support this request', status: 400 },
  output: { message: 'The answer of the model does not match the requested form', status: 502 },
}

/** The error for a page, from an exception of a run. */
export function toPageError(cause: unknown): PageError {
  if (cause instanceof ApiError) {
    const { kind, retryable, retryAfterMs } = cause
    return compact({ code: 'api', kind, ...ofKinds[kind], retryable, retryAfterMs })
  }
  if (cause instanceof IsoglotError) {
    const { code, phase, timeoutMs, limit, max } = cause as Partial<TimeoutError & { limit: string; max: number }> &
      AnyIsoglotError
    const said = lookup(ofCodes, code)
    if (said !== undefined) return compact({ code, ...said, phase, timeoutMs, limit, max })
  }
  const name = cause instanceof Error ? cause.name : undefined
  if (name === 'AbortError') return { code: 'aborted', message: 'The server stopped the run', status: 503 }
  if (name === 'TimeoutError') return { code: 'timeout', ...ofKinds.timeout }
  return { code: 'server', message: 'The server failed', status: 500 }
}

/** The error as a response, for a run that failed before its first event. @param form `text`: only the sentence */
export function errorResponse(error: PageError, form?: 'json' | 'text'): Response {
  const { status = 500, retryAfterMs } = error
  const headers = compact({
    'content-type': form === 'text' ? 'text/plain; charset=utf-8' : 'application/json',
    'cache-control': 'no-store',
    'retry-after': retryAfterMs === undefined ? undefined : `${Math.ceil(retryAfterMs / 1000)}`,
  })
  return new Response(form === 'text' ? error.message : JSON.stringify({ error }), { status, headers })
}
