/**
 * OpenAI Chat Completions: errors, by status, as a 200, and in the middle of a stream.
 *
 * @module
 */

import type { CodecOptions, ErrorAnswer } from '../../core/codec.ts'
import { shortJson } from '../../core/depth.ts'
import type { ApiError } from '../../core/errors.ts'
import { arrayOf, compact, field, isObject } from '../../core/lookup.ts'
import { type ErrorWords, readApiError } from '../../kit/api-error.ts'
import type { ChatDialect } from './dialect.ts'
import { openai } from './dialects.ts'
import { errorAnswers, errorKinds, finalErrors, generalErrorKinds } from './tables.ts'

/** Reads an error answer, whichever of the shapes it has that these hosts use. */
export function decodeError(answer: ErrorAnswer, { dialect = openai }: CodecOptions<ChatDialect> = {}): ApiError {
  const { kinds, statuses, emptyStatuses } = dialect.errors ?? {}
  const own = answer.status === 0 ? { ...errorKinds, ...generalErrorKinds } : errorKinds
  const byStatus = answer.body === '' || answer.body === undefined ? { ...statuses, ...emptyStatuses } : statuses
  const table: ErrorWords = compact({
    provider: dialect.provider,
    kinds: { ...own, ...kinds },
    final: finalErrors,
    statuses: byStatus,
  })
  return readApiError({ ...answer, headers: answer.headers, body: plainError(answer.body) }, table)
}

const noHeaders: ErrorAnswer['headers'] = { get: () => null }

/** The error that a body or chunk is, although it came with a 200; else `undefined`. */
export function errorWithin(body: unknown, dialect: ChatDialect): ApiError | undefined {
  return isError(body) ? decodeError({ status: 0, headers: noHeaders, body }, { dialect }) : undefined
}

/** OpenAI and most: `error`. Mistral, old vLLM: `object`. Cloudflare: `errors`. MiniMax: `base_resp`. Gemini: an array. */
function isError(body: unknown): boolean {
  if (Array.isArray(body)) return isObject(field(body[0], 'error'))
  if (field(body, 'error') || field(body, 'object') === 'error') return true
  if (!isObject(body) || body.choices) return false
  return arrayOf(field(body, 'errors')).length > 0 || isRefusedByMiniMax(body)
}

function isRefusedByMiniMax(body: unknown): boolean {
  const code = field(field(body, 'base_resp'), 'status_code')
  return code !== undefined && code !== 0
}

/** The two shapes that only one host has, as the shape that all others have. */
function plainError(body: unknown): unknown {
  const long = field(body, 'message')
  if (isObject(body) && isObject(long)) return { ...body, message: shortJson(long, 300) } // Mistral's 422
  const first = arrayOf(field(body, 'errors'))[0]
  if (isObject(first)) {
    const { code } = first
    return { error: { ...first, code: typeof code === 'number' ? `${code}` : code } }
  }
  if (!isRefusedByMiniMax(body)) return body
  const said = field(body, 'base_resp')
  return { error: { message: field(said, 'status_msg') ?? '', code: `minimax_${field(said, 'status_code')}` } }
}

/** An error as OpenAI would answer it. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: unknown } {
  const { status, type, code } = errorAnswers[error.kind]
  const isFinal = error.providerCode !== undefined && finalErrors.has(error.providerCode)
  const body = { error: { message: error.message, type, param: null, code: isFinal ? error.providerCode : code } }
  return { status, body }
}
