/**
 * Cohere Chat v2: reads and writes errors. An error is a status and a sentence.
 *
 * @see https://docs.cohere.com/reference/errors (read 2026-11)
 *
 * @module
 */
import type { CodecOptions, ErrorAnswer } from '../../core/codec.ts'
import { ApiError, type ApiErrorDetails } from '../../core/errors.ts'
import { compact, field, textOr } from '../../core/lookup.ts'
import { messageWith, readApiError, statusOf } from '../../kit/api-error.ts'
import { errorWords } from './tables.ts'
import type { WireError } from './wire.ts'

/** The `error_type` of a conversation that is too long. */
const tooManyTokens = 'TOO_MANY_TOKENS'

/** Reads an error answer, or the error at the end of a stream. The status of an error in a stream is 0. */
export function decodeError(answer: ErrorAnswer, _options: CodecOptions = {}): ApiError {
  const error = readApiError(answer, errorWords)
  const { kind, message, status, retryAfterMs, provider, body } = error
  const type = textOr(field(answer.body, 'error_type'), undefined)
  const change: Partial<ApiErrorDetails> = {
    ...(type === tooManyTokens && { kind: 'context_length' }),
    ...(kind === 'invalid_request' && /\bmodel\b.*(?:not found|not supported)/i.test(message) && { kind: 'not_found' }),
    // A monthly limit or the limit of a trial key does not end soon, so a retry would fail.
    ...(kind === 'rate_limit' && /trial key|calls? \/ month|per month|monthly/i.test(message) && { retryable: false }),
  }
  const requestId = error.requestId ?? answer.headers.get('x-debug-trace-id') ?? undefined
  const providerCode = type ?? error.providerCode
  const details = compact({ status, retryAfterMs, requestId, providerCode, provider, body })
  return new ApiError(message, { kind, retryable: error.retryable, ...details, ...change })
}

/** Returns the status and the body of an error for a client of this format. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireError } {
  const { kind } = error
  const status = kind === 'permission' && error.status === 402 ? 402 : statusOf[kind]
  const message = messageWith('too many tokens', error)
  return { status, body: kind === 'context_length' ? { message, error_type: tooManyTokens } : { message } }
}
