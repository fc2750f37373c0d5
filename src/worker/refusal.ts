/**
 * A table of all errors of this Worker, each with a fixed message. The gateway reports the errors of a provider.
 *
 * @module
 */

import { ApiError, type ApiErrorKind } from '../core/errors.ts'
import { compact } from '../core/json.ts'

/** Each message follows `The Worker refused the request:`. `retryable`: whether the same request may succeed later. Official SDKs obey `x-should-retry`. */
type Row = readonly [status: number, message: string, retryable?: true]

const refusals: Readonly<Record<RefusalCode, Row>> = {
  misconfigured: [503, 'it is not configured'],
  unknown_route: [404, 'there is no such route'],
  method_not_allowed: [405, 'this route does not take that method'],
  origin_not_allowed: [403, 'this origin may not use it'],
  invalid_session: [401, 'the session token is missing, wrong or expired; get one with POST /session'],
  not_logged_in: [401, 'this visitor is not logged in or not allowed'],
  login_unavailable: [503, 'the user check is not available now', true],
  invalid_request: [400, 'it is not allowed'],
  too_many_requests: [429, 'too many requests', true],
  too_many_live: [429, 'too many concurrent requests', true],
  storage_unavailable: [503, 'the storage is not available now', true],
  unknown_stream: [404, 'there is no such stream'],
  stream_gone: [410, 'the stream is no longer stored'],
  key_reused: [409, 'this Idempotency-Key belongs to another request'],
  /** The code that official clients know for this error. The detail says whose budget it is. */
  insufficient_quota: [429, ''],
}

/** The kind of each status in the table. Any other status is an `invalid_request`. */
const kinds: Readonly<Record<number, ApiErrorKind>> = {
  401: 'authentication',
  403: 'permission',
  404: 'not_found',
  410: 'not_found',
  429: 'rate_limit',
  503: 'server',
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
  const [status, message, retryable = false] = refusals[code]
  const retryAfterMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000
  const details = compact({
    status,
    kind: kinds[status] ?? 'invalid_request',
    retryable,
    providerCode: code,
    retryAfterMs,
  })
  const reason = [message, detail].filter(Boolean).join(': ')
  // A budget says itself when it resets.
  const wait = retryAfterSeconds === undefined || message === '' ? '' : `; try again in ${retryAfterSeconds} s`
  return new ApiError(`The Worker refused the request: ${reason}${wait}`, details)
}
