/**
 * OpenAI Chat Completions: decodes and encodes errors. An error can come with an error status, with status 200, or inside a stream.
 *
 * @module
 */

import type { CodecOptions, ErrorAnswer } from '../../core/codec.ts'
import { shortJson } from '../../core/depth.ts'
import type { ApiError } from '../../core/errors.ts'
import { arrayOf, field, isObject, objectIn } from '../../core/lookup.ts'
import type { JsonObject } from '../../core/model.ts'
import { type ErrorWords, readApiError } from '../../kit/api-error.ts'
import type { ChatDialect } from './dialect.ts'
import { openai } from './dialects.ts'
import { errorAnswers, errorKinds, finalErrors, generalErrorKinds } from './tables.ts'

/** Decodes an error answer of any host of this format. */
export function decodeError(answer: ErrorAnswer, { dialect = openai }: CodecOptions<ChatDialect> = {}): ApiError {
  const { kinds, statuses, emptyStatuses } = dialect.errors ?? {}
  const isEmpty = answer.body === '' || answer.body === undefined
  const words: ErrorWords = {
    provider: dialect.provider,
    kinds: { ...errorKinds, ...(answer.status === 0 && generalErrorKinds), ...kinds },
    final: finalErrors,
    statuses: { ...statuses, ...(isEmpty && emptyStatuses) },
  }
  return readApiError({ ...answer, body: plainError(answer.body) }, words)
}

const noHeaders: ErrorAnswer['headers'] = { get: () => null }

/** Returns the error in a body or chunk with status 200; `undefined` if it is not an error. */
export function errorWithin(body: unknown, dialect: ChatDialect): ApiError | undefined {
  return isError(body) ? errorOf(body, dialect) : undefined
}

/** Decodes an error with status 200. */
export function errorOf(body: unknown, dialect: ChatDialect): ApiError {
  return decodeError({ status: 0, headers: noHeaders, body }, { dialect })
}

/** OpenAI and most hosts send `error`. Mistral and old vLLM: `object`. Cloudflare: `errors`. MiniMax: `base_resp`. Gemini: an array. */
function isError(body: unknown): boolean {
  if (Array.isArray(body)) return isObject(field(body[0], 'error'))
  if (field(body, 'error') || field(body, 'object') === 'error') return true
  const isAnswer = !isObject(body) || body.choices
  return !isAnswer && (arrayOf(body.errors).length > 0 || refusalOfMiniMax(body) !== undefined)
}

function refusalOfMiniMax(body: unknown): JsonObject | undefined {
  const { status_code: code, status_msg: message = '' } = objectIn(body, 'base_resp')
  return code === undefined || code === 0 ? undefined : { message, code: `minimax_${code}` }
}

/** Converts the error bodies of single hosts to the common form. */
function plainError(body: unknown): unknown {
  const long = field(body, 'message')
  if (isObject(long)) return { ...(body as JsonObject), message: shortJson(long, 300) } // Mistral's 422
  const [first] = arrayOf(field(body, 'errors'))
  const error = isObject(first)
    ? { ...first, code: typeof first.code === 'number' ? `${first.code}` : first.code }
    : refusalOfMiniMax(body)
  return error ? { error } : body
}

/** Encodes an error as OpenAI sends it. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: unknown } {
  const { status, type, code } = errorAnswers[error.kind]
  const isFinal = error.providerCode !== undefined && finalErrors.has(error.providerCode)
  const body = { error: { message: error.message, type, param: null, code: isFinal ? error.providerCode : code } }
  return { status, body }
}
