/**
 * OpenAI Responses: errors as an HTTP answer, and errors within a stream.
 *
 * @see https://platform.openai.com/docs/guides/error-codes
 *
 * @module
 */

import type { CodecOptions, ErrorAnswer } from '../../core/codec.ts'
import type { ApiError } from '../../core/errors.ts'
import { readApiError } from '../../kit/api-error.ts'
import { openaiDialect, type ResponsesDialect } from './dialect.ts'
import { errorAnswers, errorWords, midStreamWords } from './tables.ts'

/** Reads an error answer. Servers of this format have several forms of it; all are accepted. */
export function decodeError(
  answer: ErrorAnswer,
  { dialect = openaiDialect }: CodecOptions<ResponsesDialect> = {},
): ApiError {
  return readApiError(answer, errorWords(dialect.provider))
}

const noHeaders = { get: () => null }

/** Reads an error that comes after the HTTP status 200. Its body is an `error` event, flat or nested, or a `response` that failed. */
export function midStreamError(body: unknown, dialect: ResponsesDialect): ApiError {
  return readApiError({ status: 0, headers: noHeaders, body }, midStreamWords(dialect.provider))
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
