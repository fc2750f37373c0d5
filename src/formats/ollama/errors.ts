/**
 * Ollama: its errors, both ways.
 *
 * @see https://docs.ollama.com/api/errors
 *
 * @module
 */

import type { CodecOptions, ErrorAnswer } from '../../core/codec.ts'
import { ApiError, type ApiErrorDetails } from '../../core/errors.ts'
import { compact } from '../../core/lookup.ts'
import type { InvalidToolCall } from '../../core/model.ts'
import { type ErrorWords, readApiError, statusOf } from '../../kit/api-error.ts'
import { format } from './tables.ts'
import type { WireError } from './wire.ts'

/** Errors of this wire are a sentence: there are no words to look up, but in the errors of its cloud. */
const words: ErrorWords = { provider: format, kinds: {}, final: new Set() }

/** A conversation that is too long is a 500 of the runner, or a line without a status. */
const contextLength = /exceeds the available context size|input length exceeds/i

/** Reads an error answer, or an error line in mid-stream (status 0). */
export function decodeError(answer: ErrorAnswer, _options: CodecOptions = {}): ApiError {
  const error = readApiError(answer, words)
  if (error.kind === 'server' && contextLength.test(error.message)) {
    return restated(error, error.message, { kind: 'context_length', retryable: false })
  }
  if (answer.status === 403 && isEmpty(answer.body)) {
    // The browser's origin is not on the server's list; the body is empty, so that only the status would be shown.
    return restated(error, 'Ollama refused the origin: allow it with OLLAMA_ORIGINS on the server', {})
  }
  return error
}

function isEmpty(body: unknown): boolean {
  return body === undefined || body === null || body === ''
}

function restated(error: ApiError, message: string, change: Partial<ApiErrorDetails>): ApiError {
  const { kind, status, retryable, requestId, provider, body } = error
  return new ApiError(message, { kind, retryable, ...compact({ status, requestId, provider, body }), ...change })
}

/** The status and body that say the error, to a client of this wire. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireError } {
  return { status: statusOf[error.kind], body: { error: error.message } }
}

/** A call whose arguments cannot be sent, in the words in which the server says so. */
export function invalidCallError(call: InvalidToolCall): ApiError {
  const raw = call.argumentsText.slice(0, 200)
  const message = `error parsing tool call: raw='${raw}', err=${call.error}`
  return new ApiError(message, { kind: 'server', retryable: true, provider: format, body: { error: message } })
}
