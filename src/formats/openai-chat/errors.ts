/**
 * OpenAI Chat Completions: decodes and encodes errors. An error can come with an error status, with status 200, or inside a stream.
 *
 * @module
 */

import type { CodecOptions, ErrorAnswer } from '../../core/codec.ts'
import type { ApiError } from '../../core/errors.ts'
import { arrayOf, field, isObject, numberOr, objectIn } from '../../core/lookup.ts'
import type { JsonObject } from '../../core/model.ts'
import { readApiError } from '../../kit/api-error.ts'
import type { ChatDialect } from './dialect.ts'
import { openai } from './dialects.ts'
import { errorAnswers, errorKinds, finalErrors, generalErrorKinds } from './tables.ts'

/** Decodes an error answer of any host of this format. */
export function decodeError(answer: ErrorAnswer, { dialect = openai }: CodecOptions<ChatDialect> = {}): ApiError {
  const { kinds, statuses, emptyStatuses } = dialect.errors ?? {}
  const { status, body } = answer
  const isEmpty = body === '' || body === undefined
  const error = errorBeside(body)
  return readApiError(error ? { ...answer, body: { error } } : answer, {
    provider: dialect.provider,
    kinds: { ...errorKinds, ...(status === 0 && generalErrorKinds), ...kinds },
    final: finalErrors,
    statuses: { ...statuses, ...(isEmpty && emptyStatuses) },
  })
}

/** Decodes an error with status 200. */
export function errorOf(body: unknown, dialect: ChatDialect): ApiError {
  return decodeError({ status: 0, headers: { get: () => null }, body }, { dialect })
}

/** Whether a body or chunk with status 200 is an error. Most hosts send `error`, Mistral and old vLLM `object`, Gemini an array. */
export function isError(body: unknown): boolean {
  if (Array.isArray(body)) return isObject(field(body[0], 'error'))
  if (field(body, 'error') || field(body, 'object') === 'error') return true
  return !field(body, 'choices') && errorBeside(body) !== undefined
}

/** Returns an error that is not in the field `error`. Cloudflare sends `errors`, MiniMax `base_resp`. */
function errorBeside(body: unknown): JsonObject | undefined {
  const [first] = arrayOf(field(body, 'errors'))
  if (first !== undefined && !isObject(first)) return { message: first }
  if (first !== undefined) return typeof first.code === 'number' ? { ...first, code: `${first.code}` } : first
  const { status_code, status_msg: message = '' } = objectIn(body, 'base_resp')
  const code = numberOr(status_code, 0)
  return code === 0 ? undefined : { message, code: `minimax_${code}` }
}

/** Encodes an error as OpenAI sends it. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: unknown } {
  const { status, type, code } = errorAnswers[error.kind]
  const isFinal = error.providerCode !== undefined && finalErrors.has(error.providerCode)
  const body = { error: { message: error.message, type, param: null, code: isFinal ? error.providerCode : code } }
  return { status, body }
}
