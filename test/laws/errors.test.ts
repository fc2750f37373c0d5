/**
 * An error says the same in each format: what a server writes, the client of the format reads as an error of the same kind, whatever words
 * the error came with.
 */
import { describe, expect, it } from 'vitest'
import { ApiError, type ApiErrorKind } from '../../src/core/errors.ts'
import { errorAnswer } from '../../src/gateway/errors.ts'
import { facts } from '../formats/index.ts'
import { wires } from '../support/answers.ts'
import { errorKinds } from '../support/error-kinds.ts'
import { clients } from '../support/formats.ts'
import { formatsByName as served } from '../support/formats-by-name.ts'

/** The words of the gateway, and of another provider. */
function wordsOf(kind: ApiErrorKind): string[] {
  const long = ['The conversation is too long for the model', 'prompt is too long: 9 tokens > 8 maximum']
  return kind === 'context_length' ? ['Some words', ...long] : ['Some words']
}

const errorOf = (kind: ApiErrorKind, message: string) =>
  new ApiError(message, { kind, retryable: kind !== 'invalid_request', retryAfterMs: 7000 })

describe.each(wires)('%s', (wire) => {
  const { codec } = served[wire]

  it.each(errorKinds)('an error of kind %s is read as one, with its time for a retry', async (kind) => {
    for (const message of wordsOf(kind)) {
      for (const retryable of [true, false]) {
        const error = new ApiError(message, { kind, retryable, retryAfterMs: 7000 })
        const { status, headers, body } = await read(errorAnswer(error, served[wire]))
        const again = clients[wire].decodeError({ status, headers, body })
        expect(again).toMatchObject({ kind, retryable, retryAfterMs: 7000 })
        expect(again.message).toContain(message)
      }
    }
  })

  it.each(facts[wire].answers.streamErrors ?? errorKinds)(
    'an error of kind %s that ends a stream is read as one',
    (kind) => {
      for (const message of wordsOf(kind)) {
        const frames: Parameters<ReturnType<typeof codec.encodeStream>['fail']>[1] = []
        codec.encodeStream({}).fail(errorOf(kind, message), frames)
        const decoder = clients[wire].decodeStream()
        const read = () => {
          for (const frame of frames) decoder.push(frame, [])
          decoder.end([])
        }
        expect(read).toThrow(expect.objectContaining({ kind, message: expect.stringContaining(message) }))
      }
    },
  )
})

it.each(wires)('%s: an object without an answer in it is an error, and no empty answer', (wire) => {
  for (const body of [{}, { id: 'a', model: 'm' }])
    expect(() => clients[wire].decodeResponse(body)).toThrow(expect.objectContaining({ name: 'DecodeError' }))
})

async function read(answer: Response) {
  return { status: answer.status, headers: answer.headers, body: await answer.json() }
}

it('anthropic: a request that is too large has the type of its status', () => {
  const refused = new ApiError('The body is larger than 9 bytes', { kind: 'invalid_request', status: 413 })
  expect(served.anthropic.codec.encodeError(refused)).toEqual({
    status: 413,
    body: { type: 'error', error: { type: 'request_too_large', message: 'The body is larger than 9 bytes' } },
  })
})
