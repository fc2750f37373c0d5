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

// ---- what hosts say -----------------------------------------------------------------------------------

/** A conversation that is too long, in the words of hosts that serve several formats. */
const tooLong: readonly object[] = [
  { error: { message: 'Context length exceeded', code: 'CONTEXT_LENGTH_EXCEEDED' } },
  { error: { message: 'Context length exceeded' } },
  { error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4800' },
  {
    error: {
      message: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4800',
      http_status_code: 422,
    },
  },
  {
    object: 'error',
    message: "This model's maximum context length is 4096 tokens",
    type: 'BadRequestError',
    code: 400,
  },
  { detail: "This model's maximum context length is 4096 tokens" },
]

describe.each(wires)('%s', (wire) => {
  const decode = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    clients[wire].decodeError({ status, headers: new Headers(headers), body })

  it.each(tooLong)('a full context is one, with a status and in a stream: %o', (body) => {
    for (const status of [400, 422, 0])
      expect(decode(status, body), `${status}`).toMatchObject({ kind: 'context_length', retryable: false })
  })

  it.each([503, '503', 529])(
    'an error without a status has the one in its body, whatever its general words: %s',
    (code) => {
      const error = decode(0, { error: { message: 'Try later', type: 'server_error', code } })
      expect(error).toMatchObject({ kind: 'overloaded', retryable: true })
    },
  )

  const quota = (quotaId: string) => ({
    '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
    violations: [{ quotaMetric: 'm', quotaId, quotaValue: '250' }],
  })
  const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '0.5s' }
  const google = (...details: object[]) => ({
    error: { code: 429, message: 'You exceeded your current quota', status: 'RESOURCE_EXHAUSTED', details },
  })
  const said = (message: string) => ({ error: { message } })
  const inMessages = {
    'a day of Groq': 'Rate limit reached for model `m` on tokens per day (TPD): Limit 100000, Used 99000',
    'a day of OpenRouter': 'Rate limit exceeded: free-models-per-day. Add credits to unlock more',
    'a day of Cloudflare': 'You have used up your daily free allocation of 10,000 neurons',
  }

  it('the quota of a day is not asked for again at once, though it is a rate limit', () => {
    const body = google(quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier'), retryInfo)
    for (const one of [body, [body], ...Object.values(inMessages).map(said)]) {
      expect(decode(429, one), JSON.stringify(one)).toMatchObject({ kind: 'rate_limit', retryable: false })
    }
  })

  it('a quota of a minute is, and one of a day that says how soon it has room', () => {
    const body = google(quota('GenerateRequestsPerMinutePerProjectPerModel'), retryInfo)
    expect(decode(429, body)).toMatchObject({ kind: 'rate_limit', retryable: true, retryAfterMs: 500 })
    for (const message of Object.values(inMessages)) {
      const error = decode(429, said(message), { 'retry-after': '8' })
      expect(error).toMatchObject({ kind: 'rate_limit', retryable: true, retryAfterMs: 8000 })
    }
  })
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
