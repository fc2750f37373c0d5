/**
 * Gemini Interactions: decodes and encodes errors, as an answer or in the middle of a stream.
 *
 * @see https://ai.google.dev/gemini-api/docs/api-errors (read 2026-11)
 *
 * @module
 */
import type { ErrorAnswer } from '../../core/codec.ts'
import type { ApiError } from '../../core/errors.ts'
import { arrayOf, field } from '../../core/lookup.ts'
import { messageWith, readApiError } from '../../kit/api-error.ts'
import { errorAnswers, errorWords } from './tables.ts'

/** Decodes an error answer: in the shape of this format, or as a `google.rpc.Status`, which may be in an array. */
export function decodeError(answer: ErrorAnswer): ApiError {
  return readApiError(answer, isKeyInvalid(answer.body) ? { ...errorWords, statuses: {}, kinds: keyKinds } : errorWords)
}

const keyKinds = { ...errorWords.kinds, INVALID_ARGUMENT: 'authentication', invalid_request: 'authentication' } as const

/** Whether the API key is wrong. Google's front end answers status 400 in this case, and only the error's details have the reason. */
function isKeyInvalid(body: unknown): boolean {
  const error = field(Array.isArray(body) ? body[0] : body, 'error')
  return arrayOf(field(error, 'details')).some((detail) => field(detail, 'reason') === 'API_KEY_INVALID')
}

/** Returns the error of an answer with status 200: an `error` event, or an answer that failed. */
export function midStreamError(body: unknown): ApiError {
  return decodeError({ status: 0, headers: { get: () => null }, body })
}

export interface WireErrorBody {
  readonly error: { readonly code: string; readonly message: string }
}

const tooLong = 'input token count exceeds the maximum number of tokens'

/** Encodes an error as a server of this format does. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireErrorBody } {
  const [status, code] = errorAnswers[error.kind]
  const isFinal = error.kind === 'rate_limit' && !error.retryable
  return {
    status: error.status ?? status,
    body: { error: { code: isFinal ? 'quota_exceeded' : code, message: messageWith(tooLong, error) } },
  }
}
