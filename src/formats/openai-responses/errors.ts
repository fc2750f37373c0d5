/**
 * OpenAI Responses: errors as an HTTP answer, and errors within a stream.
 *
 * @see https://platform.openai.com/docs/guides/error-codes
 *
 * @module
 */

import type { CodecOptions, ErrorAnswer } from '../../core/codec.ts'
import type { ApiError } from '../../core/errors.ts'
import { field, stringOr } from '../../core/lookup.ts'
import type { JsonObject } from '../../core/model.ts'
import { readApiError } from '../../kit/api-error.ts'
import { openaiDialect, type ResponsesDialect } from './dialect.ts'
import { errorAnswers, errorWords } from './tables.ts'

/** Reads an error answer. Servers of this format have several forms of it; all are accepted. */
export function decodeError(
  answer: ErrorAnswer,
  { dialect = openaiDialect }: CodecOptions<ResponsesDialect> = {},
): ApiError {
  return readApiError(answer, errorWords(dialect.provider))
}

/** Codes of requests that are refused each time, such as `invalid_prompt`, `bio_policy` and `image_too_large`. */
const refused = /^invalid_|_policy|image|mismatch/

/**
 * Reads an error that comes after the HTTP status 200. Its body is an `error` event, flat or nested, or a `response` that failed. Without a
 * status, its code or its type gives the kind.
 */
export function midStreamError(body: JsonObject, { provider }: ResponsesDialect): ApiError {
  const code = stringOr(field(body.error ?? body, 'code'), '')
  const words = errorWords(provider, {
    ...(refused.test(code) && { [code]: 'invalid_request' as const }),
    invalid_request_error: 'invalid_request',
    server_error: 'server',
  })
  return readApiError({ status: 0, headers: { get: () => null }, body }, words)
}

export interface WireErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
  }
}

/** Encodes an error in the form of OpenAI's server. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireErrorBody } {
  const [status, type, code] = errorAnswers[error.kind]
  const isFinal = error.kind === 'rate_limit' && !error.retryable
  return {
    status: error.status ?? status,
    body: { error: { message: error.message, type, param: null, code: isFinal ? 'insufficient_quota' : code } },
  }
}
