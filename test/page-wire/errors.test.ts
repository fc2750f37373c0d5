/** The error that a page gets: its class and a sentence of ours, whether it comes before the first event or in the middle of a stream. */
import { describe, expect, it } from 'vitest'
import {
  ApiError,
  type ApiErrorKind,
  ConnectionError,
  DecodeError,
  InterruptedError,
  IsoglotError,
  LimitError,
  OutputError,
  type StreamEvent,
  TimeoutError,
  UnsupportedError,
} from '../../src/index.ts'
import { readEvents } from '../../src/page/read.ts'
import { toResponse } from '../../src/page/response.ts'
import { sse } from '../support/makers.ts'
import { outcomeOf, scripted, start, text } from './runs.ts'

const words = 'the secret words of the provider: sk-123'
const told = { status: 418, provider: 'p', providerMessage: words, providerCode: words, body: words }
const api = (kind: ApiErrorKind) => new ApiError(words, { kind, ...told, retryAfterMs: 1500 })
const loss = { path: words, action: 'dropped', reason: words, severity: 'major' } as const

/** The error on the server, the status where nothing has come yet, and what the page throws. */
const errors: readonly (readonly [string, unknown, number, object])[] = [
  ['authentication', api('authentication'), 502, { code: 'api', kind: 'server', retryable: false }],
  ['permission', api('permission'), 502, { code: 'api', kind: 'server', retryable: false }],
  ['not_found', api('not_found'), 502, { code: 'api', kind: 'not_found' }],
  ['invalid_request', api('invalid_request'), 400, { code: 'api', kind: 'invalid_request', retryable: false }],
  ['context_length', api('context_length'), 400, { code: 'api', kind: 'context_length' }],
  ['rate_limit', api('rate_limit'), 429, { code: 'api', kind: 'rate_limit', retryable: true, retryAfterMs: 1500 }],
  ['overloaded', api('overloaded'), 503, { code: 'api', kind: 'overloaded', retryable: true }],
  ['server', api('server'), 502, { code: 'api', kind: 'server', retryable: true }],
  ['timeout of the provider', api('timeout'), 504, { code: 'api', kind: 'timeout' }],
  ['timeout', new TimeoutError(words, 'idle', 60_000), 504, { code: 'timeout', phase: 'idle', timeoutMs: 60_000 }],
  ['connection', new ConnectionError(words), 502, { code: 'connection' }],
  ['interrupted', new InterruptedError(words), 502, { code: 'interrupted' }],
  ['decode', new DecodeError(words, { path: words }), 502, { code: 'decode', path: '' }],
  ['limit', new LimitError(words, 'maxEventBytes', 9), 502, { code: 'limit', limit: 'maxEventBytes', max: 9 }],
  ['unsupported', new UnsupportedError(words, loss), 400, { code: 'api' }],
  ['output', new OutputError(words, { reason: 'empty', text: words }), 502, { code: 'api' }],
  ['a mistake in the server', new TypeError(words), 500, { code: 'api', kind: 'server' }],
  ['anything that is thrown', words, 500, { code: 'api', kind: 'server' }],
  ['an abort', new DOMException(words, 'AbortError'), 503, { name: 'AbortError' }],
]
const events: readonly StreamEvent[] = [start, text('Hel')]

describe.each(errors)('%s', (_, error, status, thrown) => {
  it('before the first event is a status and JSON', async () => {
    const warning = { type: 'warning', warning: loss } as const
    const response = await toResponse(scripted([warning], error), { page: { warnings: true } })
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('retry-after')).toBe(error instanceof ApiError ? '2' : null)
    expect(await response.clone().text()).not.toContain('secret')
    const anyError = { code: expect.any(String), message: expect.any(String) }
    expect(await response.clone().json()).toMatchObject({ error: anyError })
    const read = await outcomeOf(readEvents(response))
    expect(read.error).toMatchObject(thrown)
    if (read.error instanceof IsoglotError) expect(read.error.message).toContain(`the server answered ${status}`)
  })

  it('in the middle of a stream is the last event, and keeps the received part', async () => {
    const response = await toResponse(scripted(events, error))
    expect(response.status).toBe(200)
    expect(await response.clone().text()).not.toContain('secret')
    const run = readEvents(response)
    const read = await outcomeOf(run)
    expect(read.events).toEqual(events)
    expect(read.error).toMatchObject(thrown)
    const partial = { content: [{ type: 'text', text: 'Hel' }] }
    expect(run.partial).toMatchObject(partial)
    if (read.error instanceof IsoglotError) expect(read.error.partial).toMatchObject(partial)
    await expect(run.response).rejects.toBe(read.error)
  })

  it('breaks a body of text, which has no other way to say so', async () => {
    const response = await toResponse(scripted(events, error), { as: 'text' })
    await expect(response.text()).rejects.not.toThrow('secret')
  })
})

it('the words of the page are those that its rules say', async () => {
  const error = (cause: unknown) => {
    return { code: 'api', status: 402, message: `Top up: ${(cause as Error).message.length}` }
  }
  const response = await toResponse(scripted([], api('permission')), { page: { error } })
  expect([response.status, await response.json()]).toEqual([402, { error: error(api('permission')) }])
})

describe('an answer that is not of toResponse', () => {
  it.each([
    ['HTML', new Response('<!doctype html><title>Login', { headers: { 'content-type': 'text/html' } })],
    ['JSON', Response.json({ hello: 1 })],
  ])('%s is named, with its status, type and beginning', async (_, response) => {
    const { error } = await outcomeOf(readEvents(response))
    const named = /the server answered 200 with (text\/html|application\/json).*(doctype|hello)/
    expect(error).toBeInstanceOf(DecodeError)
    expect((error as Error).message).toMatch(named)
  })

  it.each([
    ['', InterruptedError],
    ['data: [DONE]\n\n', DecodeError],
    ['data: {"no":"type"}\n\n', DecodeError],
    ['data: {"type":"content_block","index":0}\n\n', DecodeError],
    [`data: "${'x'.repeat(100)}"\n\n`, LimitError],
  ])('a stream of %j is an error', async (text, type) => {
    const { error } = await outcomeOf(readEvents(sse(text), { maxEventBytes: 90 }))
    expect(error).toBeInstanceOf(type)
  })

  it('no answer is a ConnectionError', async () => {
    const { error } = await outcomeOf(readEvents(fetch('http://localhost:1/')))
    expect(error).toBeInstanceOf(ConnectionError)
  })

  it.each([
    [401, 'authentication'],
    [413, 'invalid_request'],
    [500, 'server'],
    [502, 'server'],
  ])('status %i, as of a proxy, is of kind %s', async (status, kind) => {
    const { error } = await outcomeOf(readEvents(new Response('no', { status })))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ code: 'api', status, kind, retryable: kind === 'server', body: 'no' })
  })
})

it('reads events with other line ends, several lines of data, a BOM and comments', async () => {
  const events = ['{"type":"message_start"}', '{"type":"text_delta",\n"index":0,"text":"Hi"}', '{"type":"end"}']
  for (const eol of ['\n', '\r', '\r\n']) {
    const frames = events.map((data) => `id: 1\n:x\nevent: y\n${data.replace(/^/gm, 'data:')}\n\n`)
    const whole = `\ufeff${frames.join('')}`.replaceAll('\n', eol)
    const { events: read, error } = await outcomeOf(readEvents(sse(whole)))
    expect(read).toEqual([start, text('Hi')])
    expect(error).toMatchObject({ code: 'decode' }) // the end came, and no "done" that says how the run went
  }
})

describe('a mistake in JavaScript', () => {
  it.each<[string, unknown]>([
    ['an address', '/chat'],
    ['a body', new Response('x').body],
    ['nothing', undefined],
  ])('readEvents of %s throws where the run is read, and says what it takes', async (_what, given) => {
    for (const response of [given, Promise.resolve(given)]) {
      const { error } = await outcomeOf(readEvents(response as Response))
      expect((error as Error).message).toContain('readEvents takes the Response of fetch, or its promise')
    }
  })

  it.each([
    ['a result', { text: 'Hi', messages: [] }],
    ['the promise of a result', Promise.resolve({ text: 'Hi' })],
    ['a text', 'Hi'],
    ['nothing', undefined],
  ])('toResponse of %s is a TypeError, and not an answer with the status 500', async (_what, given) => {
    await expect(toResponse(given as never)).rejects.toThrow(
      new TypeError('Cannot answer: expected the run of stream() or streamObject()'),
    )
  })
})

describe('the end on the server', () => {
  it('is called before the page gets the end, and its exception is the error of the run', async () => {
    const response = await toResponse(scripted(events), {
      onEnd: async ({ left, error }) => {
        expect([left, error]).toEqual([false, undefined])
        throw new Error(words)
      },
    })
    const { error } = await outcomeOf(readEvents(response))
    expect(error).toMatchObject({ code: 'api', kind: 'server', message: 'The server failed' })
  })

  it('is called after a failure, and after the page has left', async () => {
    const ends: unknown[] = []
    await (await toResponse(scripted(events, 'broken'), { onEnd: (end) => void ends.push(end) })).text()
    expect(ends).toEqual([{ messages: [], left: false, error: 'broken' }])
  })
})
