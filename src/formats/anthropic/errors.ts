/**
 * Anthropic Messages: decodes and encodes errors.
 *
 * @see https://platform.claude.com/docs/en/api/errors (read 2026-11)
 *
 * @module
 */

import type { CodecOptions, ErrorAnswer } from '../../core/codec.ts'
import { ApiError, type ApiErrorKind } from '../../core/errors.ts'
import { compact, field, textOr } from '../../core/lookup.ts'
import { readApiError } from '../../kit/api-error.ts'
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

/** Encodes an error as this API reports it: the body and the HTTP status. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireError } {
  const isBilling = error.kind === 'permission' && error.status === 402
  const [type, status] = isBilling ? (['billing_error', 402] as const) : wireErrors[error.kind]
  const isUnnamed = error.kind === 'context_length' && !tooLong.test(error.message)
  const message = isUnnamed ? `prompt is too long: ${error.message}` : error.message
  return {
    status,
    body: compact({ type: 'error', error: { type, message }, request_id: error.requestId }),
  }
}
