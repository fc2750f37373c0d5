/**
 * OpenAI Chat Completions: decodes chunks to fragments. `encode-stream.ts` encodes them.
 *
 * @module
 */
import type { DecodeStreamOptions, Fragment, Frame } from '../../core/codec.ts'
import { DecodeError } from '../../core/errors.ts'
import { isObject } from '../../core/lookup.ts'
import type { JsonObject } from '../../core/model.ts'
import type { Machine } from '../../core/reducer.ts'
import type { ChatDialect } from './dialect.ts'
import { openai } from './dialects.ts'
import { errorOf, isError } from './errors.ts'
import { AnswerReader } from './read.ts'

/**
 * Decodes one answer.
 *
 * The answer ends at `[DONE]`. If `[DONE]` is missing, it ends at the end of the stream if there was a finish reason.
 *
 * @throws {ApiError} if a chunk is an error. This can happen after status 200 and a part of the answer.
 * @throws {DecodeError} if a chunk is not a JSON object.
 */
export function decodeStream({
  parse = JSON.parse,
  dialect = openai,
}: DecodeStreamOptions<ChatDialect> = {}): Machine<Frame, Fragment> {
  const reader = new AnswerReader(dialect, false)
  return {
    push(frame, out) {
      const data = frame.data.trim()
      if (reader.isEnded || data === '') return
      if (data === '[DONE]') return reader.end(out, true)
      let chunk: unknown
      try {
        chunk = parse(data)
      } catch (cause) {
        throw new DecodeError(`Cannot decode ${dialect.title} stream: a chunk is not valid JSON`, { cause })
      }
      if (frame.event === 'error') throw errorOf(chunk, dialect)
      reader.read(objectOf(chunk, dialect, 'stream: a chunk is'), out)
    },
    end: (out) => reader.end(out, false),
  }
}

/**
 * Returns a chunk or body as an object.
 *
 * @throws {ApiError} if it is an error.
 * @throws {DecodeError} if it is not an object.
 */
export function objectOf(body: unknown, dialect: ChatDialect, what: string): JsonObject {
  if (isError(body)) throw errorOf(body, dialect)
  if (!isObject(body)) throw new DecodeError(`Cannot decode ${dialect.title} ${what} not an object`)
  return body
}
