/**
 * Every way this Worker says no: one row each, with its own fixed words. A provider's words, and our secrets, are in none of them.
 *
 * @see https://platform.openai.com/docs/guides/error-codes and https://docs.claude.com/en/api/errors (read 2026-11)
 * @module
 */

interface Row {
  readonly status: number
  readonly message: string
  /** Whether the same request may succeed later. Official SDKs obey `x-should-retry`. */
  readonly retryable?: true
}

/** Code, status and words. */
export const refusals = {
  misconfigured: { status: 503, message: 'The service is not configured' },
  unknown_route: { status: 404, message: 'There is no such route' },
  method_not_allowed: { status: 405, message: 'This route does not take that method' },
  origin_not_allowed: { status: 403, message: 'This origin may not use the service' },
  invalid_session: {
    status: 401,
    message: 'The session token is missing, wrong or expired; ask POST /session for one',
  },
  unsupported_media_type: { status: 415, message: 'The body must be application/json without content-encoding' },
  body_too_large: { status: 413, message: 'The body is too large' },
  body_too_slow: { status: 408, message: 'The body took too long to arrive' },
  invalid_json: { status: 400, message: 'The body is not a JSON object, or is nested too deeply' },
  invalid_request: { status: 400, message: 'The request is not allowed' },
  unknown_model: { status: 404, message: 'There is no such model here' },
  model_not_in_session: { status: 403, message: 'The session does not cover this model' },
  upstream_refused: { status: 400, message: 'The provider refused the request' },
  upstream_credentials: { status: 502, message: 'The provider refused the credentials of the service' },
  upstream_redirect: { status: 502, message: 'The provider answered with a redirect, which is not followed' },
  upstream_rate_limited: { status: 429, message: 'The provider is limiting requests', retryable: true },
  upstream_overloaded: { status: 503, message: 'The provider is overloaded', retryable: true },
  upstream_failed: { status: 502, message: 'The provider failed', retryable: true },
  upstream_timeout: { status: 504, message: 'The provider took too long', retryable: true },
  upstream_truncated: { status: 502, message: 'The provider ended the answer before its end', retryable: true },
  upstream_too_large: { status: 502, message: 'The answer of the provider is too large' },
  internal: { status: 500, message: 'The service failed' },
} as const satisfies Record<string, Row>

/** One row of the table above. */
export type RefusalCode = keyof typeof refusals

/** What a request ends in when it is not let through. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  readonly status: number
  readonly retryable: boolean
  /** Seconds, from the provider. */
  readonly retryAfter: number | undefined

  /** `detail` is added to the fixed words: names of fields and limits, never a value of the request or an upstream. */
  constructor(code: RefusalCode, detail?: string, retryAfter?: number) {
    const row: Row = refusals[code]
    super(detail ? `${row.message}: ${detail}` : row.message)
    this.code = code
    this.status = row.status
    this.retryable = row.retryable ?? false
    this.retryAfter = retryAfter
  }
}

/** Whatever was thrown, as a refusal; what is not ours becomes `internal`, its own words unsaid. */
export function toRefusal(thrown: unknown): Refusal {
  return thrown instanceof Refusal ? thrown : new Refusal('internal')
}
