/**
 * Anthropic Messages: errors, both ways.
 *
 * @see https://platform.claude.com/docs/en/api/errors (read 2026-11)
 * @module
 */
import { readApiError } from '../../api-error.ts'
import type { ErrorAnswer } from '../../codec.ts'
import { ApiError } from '../../errors.ts'
import { field, textOr } from '../../lookup.ts'
import { errorWords, wireErrors } from './tables.ts'
import type { WireError } from './wire.ts'

/** Reads an answer with an error status, or (with status 0) the error event of a stream. */
export function decodeError(answer: ErrorAnswer, provider: string = errorWords.provider): ApiError {
  const error = readApiError(answer, { ...errorWords, provider })
  // An account without credit is told as an invalid request, and a spend limit as a rate limit.
  const kind = /credit balance is too low/i.test(error.message) ? 'permission' : error.kind
  const word = textOr(field(field(field(answer.body, 'error'), 'details'), 'error_code'), undefined)
  const isSpent = word !== undefined && (errorWords.final.has(word) || word.includes('spend_limit'))
  if (kind === error.kind && !isSpent) return error
  return new ApiError(error.message, {
    kind,
    ...(error.status !== undefined && { status: error.status }),
    retryable: error.retryable && !isSpent && kind === error.kind,
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
    ...(error.requestId !== undefined && { requestId: error.requestId }),
    ...((isSpent ? word : error.providerCode) !== undefined && {
      providerCode: (isSpent ? word : error.providerCode) as string,
    }),
    provider,
    ...(error.body !== undefined && { body: error.body }),
    cause: error.cause,
  })
}

/** The error event of a stream, thrown where it stands. */
export function decodeErrorEvent(event: unknown, provider?: string): ApiError {
  return decodeError({ status: 0, headers: { get: () => null }, body: event }, provider)
}

/** What clients look for in the message of a conversation that is too long. */
const tooLong = /prompt is too long|exceed context limit/i

/** The body and status with which this API would tell an error. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireError } {
  const isBilling = error.kind === 'permission' && error.status === 402
  const [type, status] = isBilling ? (['billing_error', 402] as const) : wireErrors[error.kind]
  const isUnnamed = error.kind === 'context_length' && !tooLong.test(error.message)
  const message = isUnnamed ? `prompt is too long: ${error.message}` : error.message
  return {
    status,
    body: {
      type: 'error',
      error: { type, message },
      ...(error.requestId !== undefined && { request_id: error.requestId }),
    },
  }
}
