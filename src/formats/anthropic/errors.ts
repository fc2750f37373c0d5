/**
 * Anthropic Messages: decodes and encodes errors.
 *
 * @see https://platform.claude.com/docs/en/api/errors (read 2026-11)
 *
 * @module
 */

import type { CodecOptions, ErrorAnswer } from '../../core/codec.ts'
import { ApiError, type ApiErrorKind } from '../../core/errors.ts'
import { compact, field, lookup, textOr } from '../../core/lookup.ts'
import { messageWith, readApiError } from '../../kit/api-error.ts'
import { type AnthropicDialect, errorWords, wireErrors } from './tables.ts'
import type { WireError } from './wire.ts'

/** Reads an answer with an error status, or (with status 0) the error event of a stream. */
export function decodeError(answer: ErrorAnswer, { dialect = {} }: CodecOptions<AnthropicDialect> = {}): ApiError {
  const provider = dialect.provider ?? errorWords.provider
  const error = readApiError(answer, { ...errorWords, provider })
  const kind = readKind(error)
  const spent = spendLimit(answer.body)
  if (kind === error.kind && spent === undefined) return error
  const providerCode = spent ?? error.providerCode
  return new ApiError(error.message, {
    kind,
    ...compact({
      status: error.status,
      retryable: error.retryable && spent === undefined,
      retryAfterMs: error.retryAfterMs,
      requestId: error.requestId,
      providerCode,
      provider,
      body: error.body,
    }),
    cause: error.cause,
  })
}

/** Returns the kind of two errors that have no error type: no credit, and a request that is too large (an HTML or text answer). */
function readKind({ kind, message, status }: ApiError): ApiErrorKind {
  if (/credit balance is too low/i.test(message)) return 'permission'
  return status === 413 ? 'context_length' : kind
}

/** Returns the error code of a spending limit. Anthropic reports it as a rate limit, but a retry does not help. */
function spendLimit(body: unknown): string | undefined {
  const word = textOr(field(field(field(body, 'error'), 'details'), 'error_code'), undefined)
  return word?.includes('spend_limit') ? word : undefined
}

/** Decodes an error event of a stream. */
export function decodeErrorEvent(event: unknown, provider: string): ApiError {
  return decodeError({ status: 0, headers: { get: () => null }, body: event }, { dialect: { provider } })
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
