/**
 * Gemini: decodes and encodes error answers: a `google.rpc.Status` in the field `error`. The body may be an array with such an object.
 *
 * @see https://ai.google.dev/gemini-api/docs/troubleshooting (read 2026-11)
 * @see https://cloud.google.com/apis/design/errors#error_details (read 2026-11)
 *
 * @module
 */

import type { CodecOptions, ErrorAnswer } from '../../core/codec.ts'
import type { ApiError } from '../../core/errors.ts'
import { arrayOf, field } from '../../core/lookup.ts'
import { type ErrorWords, messageWith, readApiError } from '../../kit/api-error.ts'
import { errorKinds, errorStatuses, type GeminiDialect, geminiDialect } from './tables.ts'
import type { WireError } from './wire.ts'

/** Decodes an error answer: one with an HTTP status, or one in the middle of a stream (status 0). */
export function decodeError(
  answer: ErrorAnswer,
  { dialect: { provider } = geminiDialect }: CodecOptions<GeminiDialect> = {},
): ApiError {
  const kinds = isKeyInvalid(answer.body) ? { ...errorKinds, INVALID_ARGUMENT: 'authentication' as const } : errorKinds
  const words: ErrorWords = { provider, kinds, final: new Set() }
  return readApiError(answer, words)
}

/** Whether the API key is wrong. Gemini answers status 400 in this case, and only the error's details have the reason. */
function isKeyInvalid(body: unknown): boolean {
  const error = field(Array.isArray(body) ? body[0] : body, 'error')
  return arrayOf(field(error, 'details')).some((detail) => field(detail, 'reason') === 'API_KEY_INVALID')
}

const retryInfo = 'type.googleapis.com/google.rpc.RetryInfo'

const tooLong = 'input token count exceeds the maximum number of tokens'

/** Encodes an error of any provider in this format. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireError } {
  const [code, status] = errorStatuses[error.kind]
  const wait = error.retryAfterMs
  const details = wait === undefined ? {} : { details: [{ '@type': retryInfo, retryDelay: `${wait / 1000}s` }] }
  return { status: code, body: { error: { code, message: messageWith(tooLong, error), status, ...details } } }
}
