/**
 * Ollama: reads and writes errors.
 *
 * @see https://docs.ollama.com/api/errors
 *
 * @module
 */

import type { CodecOptions, ErrorAnswer } from '../../core/codec.ts'
import { ApiError, type ApiErrorDetails } from '../../core/errors.ts'
import { compact } from '../../core/lookup.ts'
import type { InvalidToolCall } from '../../core/model.ts'
import { type ErrorWords, messageWith, readApiError, statusOf } from '../../kit/api-error.ts'
import { format } from './tables.ts'
import type { WireError } from './wire.ts'

/** An error of this format is only a sentence. It has no error code, except in errors of Ollama's cloud, so the tables are empty. */
const words: ErrorWords = { provider: format, kinds: {}, final: new Set() }

/** Recognises a conversation that is too long. The server reports it as a 500 of its runner, or as an error line without a status. */
const contextLength = /exceeds the available context size|input length exceeds/i

/** Reads an error answer, or an error line within a stream. The status of an error line is 0. */
export function decodeError(answer: ErrorAnswer, _options: CodecOptions = {}): ApiError {
  const error = readApiError(answer, words)
  if (error.kind === 'server' && contextLength.test(error.message)) {
    return restated(error, error.message, { kind: 'context_length', retryable: false })
  }
  if (answer.status === 403 && isEmpty(answer.body)) {
    // The server's list does not have the browser's origin. The body is empty, so without this text the error would only have a status.
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

/** Returns the status and the body of an error for a client of this format. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireError } {
  return {
    status: statusOf[error.kind],
    body: { error: messageWith('input length exceeds the context length', error) },
  }
}

/** Returns the error for a call whose arguments cannot be sent. Its message is the message of the Ollama server in this case. */
export function invalidCallError(call: InvalidToolCall): ApiError {
  const raw = call.argumentsText.slice(0, 200)
  const message = `error parsing tool call: raw='${raw}', err=${call.error}`
  return new ApiError(message, { kind: 'server', retryable: true, provider: format, body: { error: message } })
}
