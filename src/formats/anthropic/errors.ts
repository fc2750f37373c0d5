/**
 * Anthropic Messages: decodes and encodes errors.
 *
 * @see https://platform.claude.com/docs/en/api/errors (read 2026-11)
 *
 * @module
 */

import type { CodecOptions, ErrorAnswer } from '../../core/codec.ts'
import { ApiError, type ApiErrorDetails, DecodeError } from '../../core/errors.ts'
import { compact, field, lookup, stringOr } from '../../core/lookup.ts'
import { messageWith, readApiError } from '../../kit/api-error.ts'
import { type AnthropicDialect, errorKinds, format, wireErrors } from './tables.ts'
import type { WireError } from './wire.ts'

/** Reads an answer with an error status, or (with status 0) the error event of a stream. */
export function decodeError(
  answer: ErrorAnswer,
  { dialect: { provider = format } = {} }: CodecOptions<AnthropicDialect> = {},
): ApiError {
  const error = readApiError(answer, {
    provider,
    kinds: errorKinds,
    statuses: { 413: 'context_length' },
    final: new Set(),
  })
  const providerCode = stringOr(field(field(field(answer.body, 'error'), 'details'), 'error_code'), '')
  // Anthropic reports a spending limit as a rate limit, and missing credit as an invalid request. A retry helps with neither.
  const details = providerCode.includes('spend_limit')
    ? { providerCode, retryable: false }
    : /credit balance is too low/i.test(error.message) && { kind: 'permission', retryable: false }
  return details ? new ApiError(error.message, { ...error, ...details } as ApiErrorDetails) : error
}

/** Decodes an error event of a stream. */
export function decodeErrorEvent(body: unknown, provider: string = format): ApiError {
  return decodeError({ status: 0, headers: { get: () => null }, body }, { dialect: { provider } })
}

/** Returns the error for JSON that does not follow the format. `what` is a request, a response or a stream. */
export function wrong(what: string, path: string, finding: string, cause?: unknown): DecodeError {
  const place = path === '' ? '' : `"${path}" `
  return new DecodeError(`Cannot decode Anthropic ${what}: ${place}${finding}`, { path, cause })
}

/** Clients look for this text to detect a conversation that is too long. */
const tooLong = /prompt is too long|exceed context limit/i

/** Error types for two statuses of kinds that have another type too. */
const typesByStatus: Readonly<Record<string, string>> = { 402: 'billing_error', 413: 'request_too_large' }

/** Encodes an error as this API reports it: the body and the HTTP status. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireError } {
  const own = lookup(typesByStatus, `${error.status}`)
  const [type, status] = own === undefined ? wireErrors[error.kind] : [own, error.status as number]
  const message = error.status === 413 ? error.message : messageWith('prompt is too long', error, tooLong)
  return {
    status,
    body: compact({ type: 'error', error: { type, message }, request_id: error.requestId }),
  }
}
