/**
 * Every refusal of this Worker: one row each, with a fixed message. The gateway reports refusals of a provider.
 *
 * @module
 */
import { ApiError, type ApiErrorKind } from '../core/errors.ts'

interface Row {
  readonly status: number
  readonly kind: ApiErrorKind
  readonly message: string
  /** Whether the same request may succeed later. Official SDKs obey `x-should-retry`. */
  readonly retryable?: boolean
}

const refusals: Readonly<Record<RefusalCode, Row>> = {
  misconfigured: { status: 503, kind: 'server', message: 'The service is not configured' },
  unknown_route: { status: 404, kind: 'not_found', message: 'There is no such route' },
  method_not_allowed: { status: 405, kind: 'invalid_request', message: 'This route does not take that method' },
  origin_not_allowed: { status: 403, kind: 'permission', message: 'This origin may not use the service' },
  invalid_session: {
    status: 401,
    kind: 'authentication',
    message: 'The session token is missing, wrong or expired; ask POST /session for one',
  },
  not_logged_in: { status: 401, kind: 'authentication', message: 'There is no token for you' },
  login_unavailable: { status: 503, kind: 'server', message: 'The user check is not available now', retryable: true },
  invalid_request: { status: 400, kind: 'invalid_request', message: 'The request is not allowed' },
  too_many_requests: { status: 429, kind: 'rate_limit', message: 'There were too many requests', retryable: true },
  too_many_live: { status: 429, kind: 'rate_limit', message: 'Too many answers are being written', retryable: true },
  no_client_secret: { status: 502, kind: 'server', message: 'OpenAI gave no client secret', retryable: true },
  unknown_stream: { status: 404, kind: 'not_found', message: 'There is no such stream' },
  stream_gone: { status: 410, kind: 'not_found', message: 'The stream is not kept any more' },
  key_reused: {
    status: 409,
    kind: 'invalid_request',
    message: 'This Idempotency-Key stands for another request',
  },
  /** The word that official clients know for it. */
  insufficient_quota: {
    status: 429,
    kind: 'rate_limit',
    message: 'The limit of the day is reached; it starts anew at midnight UTC',
  },
}

/** One row of the table above. */
export type RefusalCode =
  | 'misconfigured'
  | 'unknown_route'
  | 'method_not_allowed'
  | 'origin_not_allowed'
  | 'invalid_session'
  | 'not_logged_in'
  | 'login_unavailable'
  | 'invalid_request'
  | 'too_many_requests'
  | 'too_many_live'
  | 'no_client_secret'
  | 'unknown_stream'
  | 'stream_gone'
  | 'key_reused'
  | 'insufficient_quota'

/**
 * The error of a request that is not let through. `detail` is added to the fixed words: names of fields and limits, and of a request's values
 * only its `Origin`.
 */
export function refuse(code: RefusalCode, detail?: string, retryAfterSeconds?: number): ApiError {
  const { status, kind, message, retryable = false } = refusals[code]
  return new ApiError(detail === undefined ? message : `${message}: ${detail}`, {
    status,
    kind,
    retryable,
    providerCode: code,
    ...(retryAfterSeconds !== undefined && { retryAfterMs: retryAfterSeconds * 1000 }),
  })
}
