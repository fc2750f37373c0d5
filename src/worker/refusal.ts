/**
 * A table of all errors of this Worker, each with a fixed message. The gateway reports the errors of a provider.
 *
 * @module
 */

import { ApiError, type ApiErrorKind } from '../core/errors.ts'
import { compact } from '../core/json.ts'

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
    message: 'The session token is missing, wrong or expired; get one with POST /session',
  },
  not_logged_in: { status: 401, kind: 'authentication', message: 'This visitor is not logged in or not allowed' },
  login_unavailable: { status: 503, kind: 'server', message: 'The user check is not available now', retryable: true },
  invalid_request: { status: 400, kind: 'invalid_request', message: 'The request is not allowed' },
  too_many_requests: { status: 429, kind: 'rate_limit', message: 'Too many requests', retryable: true },
  too_many_live: { status: 429, kind: 'rate_limit', message: 'Too many concurrent requests', retryable: true },
  no_client_secret: { status: 502, kind: 'server', message: 'OpenAI did not return a client secret', retryable: true },
  storage_unavailable: {
    status: 503,
    kind: 'server',
    message: 'The storage of the service is not available now',
    retryable: true,
  },
  unknown_stream: { status: 404, kind: 'not_found', message: 'There is no such stream' },
  stream_gone: { status: 410, kind: 'not_found', message: 'The stream is no longer stored' },
  key_reused: {
    status: 409,
    kind: 'invalid_request',
    message: 'This Idempotency-Key belongs to another request',
  },
  /** The code that official clients know for this error. */
  insufficient_quota: {
    status: 429,
    kind: 'rate_limit',
    message: 'The daily budget is used up; it resets at midnight UTC',
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
  | 'storage_unavailable'
  | 'unknown_stream'
  | 'stream_gone'
  | 'key_reused'
  | 'insufficient_quota'

/**
 * The error of a refused request. `detail` is added to the fixed message. It may have names of fields and limits; of the values of a
 * request, it may have only the `Origin`.
 */
export function refuse(code: RefusalCode, detail?: string, retryAfterSeconds?: number): ApiError {
  const { status, kind, message, retryable = false } = refusals[code]
  const retryAfterMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000
  const details = compact({ status, kind, retryable, providerCode: code, retryAfterMs })
  return new ApiError(detail === undefined ? message : `${message}: ${detail}`, details)
}
