/**
 * Bedrock: reads errors. They are the same for Converse and for `InvokeModel`, which loads nothing else of this format.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors (read 2026-11)
 *
 * @module
 */
import type { CodecOptions, ErrorAnswer } from '../../core/codec.ts'
import { ApiError, type ApiErrorDetails, type ApiErrorKind } from '../../core/errors.ts'
import { compact, field, textOr } from '../../core/json.ts'
import type { Json } from '../../core/messages.ts'
import { inStream, readApiError } from '../shared/api-error.ts'
import { errorWords } from './tables.ts'

// The name of an error is in a header. In streams, it is the type of the exception.

export const tooLong: RegExp =
  /input is too long|input tokens exceeded|prompt is too long|maximum length|context (?:length|window)/i
const noModel = /model identifier is invalid|on-demand throughput/i
const badKey = /authentication failed|api key/i

/** Reads an error answer. */
export function decodeError(answer: ErrorAnswer, _options: CodecOptions = {}): ApiError {
  const { body, headers } = answer
  const type = textOr(field(body, '__type'), textOr(field(body, 'code'), ''))
  const name = headers.get('x-amzn-errortype')?.split(':')[0] ?? type.slice(type.indexOf('#') + 1)
  return named(answer, name)
}

/** Reads an exception of a stream, by its type. */
export function decodeException(type: string, body: unknown): ApiError {
  return named(inStream(body), type.charAt(0).toUpperCase() + type.slice(1))
}

function named(answer: ErrorAnswer, name: string): ApiError {
  const message = textOr(field(answer.body, 'message'), textOr(field(answer.body, 'Message'), undefined))
  const fields = message === undefined ? answer.body : { message, code: name }
  const error = readApiError({ ...answer, body: fields }, errorWords)
  const requestId = answer.headers.get('x-amzn-requestid') ?? error.requestId
  const providerCode = textOr(name, undefined)
  const details = compact({ requestId, providerCode, body: answer.body as Json | undefined })
  return new ApiError(error.message, { ...(error as ApiErrorDetails), kind: kindOf(error), ...details })
}

/** The kind of an error. The texts of some errors are more exact than their names. */
function kindOf({ kind, message }: ApiError): ApiErrorKind {
  if (kind === 'invalid_request' && noModel.test(message)) return 'not_found'
  if (kind === 'invalid_request' && tooLong.test(message)) return 'context_length'
  return kind === 'permission' && badKey.test(message) ? 'authentication' : kind
}
