/** Readers that leave, by every way of the language to leave an iteration, and callbacks that do not hear of it. */
import { getEventListeners } from 'node:events'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { createChat, generate, type Run, type RunRequest, stream, streamObject, t } from '../../src/index.ts'
import { readEvents } from '../../src/page/read.ts'
import { toResponse } from '../../src/page/response.ts'
import { mockModel, runOf } from '../../src/test/index.ts'
import { pause } from '../support/upstream.ts'

type Reading = AsyncIterable<unknown> & Pick<Run, 'response'>
type Asked = Pick<RunRequest, 'model'> & { readonly signal?: AbortSignal }

/** The responses that `readEvents` reads. A reader that leaves before the first event has not opened its response, so the server continues. */
const responses: Promise<Response>[] = []
afterEach(async () => {
  for (const response of responses.splice(0)) await (await response).body?.cancel().catch(() => {})
})

/** Each kind of run there is. */
const kinds: Readonly<Record<string, (asked: Asked) => Reading>> = {
  stream: (asked) => stream({ ...asked, prompt: 'x' }),
  'the batches of stream': (asked) => readBy(stream({ ...asked, prompt: 'x' }), 'batches'),
  'the text of stream': (asked) => readBy(stream({ ...asked, prompt: 'x' }), 'text'),
  'a chat': ({ signal, ...asked }) => createChat(asked).stream('x', { ...(signal && { signal }) }),
  streamObject: (asked) => streamObject({ ...asked, prompt: 'x', schema: t.object({ a: t.integer() }) }),
  readEvents({ signal, ...asked }) {
    const response = toResponse(stream({ ...asked, prompt: 'x' }), { heartbeatMs: 1 })
    responses.push(response)
    return readEvents(response, { ...(signal && { signal }) })
  },
}

function readBy(run: Run, way: 'batches' | 'text'): Reading {
  return { [Symbol.asyncIterator]: () => run[way]()[Symbol.asyncIterator](), response: run.response }
}

/** A model that never answers, or never ends its answer, and notes what becomes of its requests. */
function silent(body?: string) {
  const noted = { asked: 0, aborted: 0 }
  const model = openaiChat('m', {
    apiKey: 'k',
    fetch: async (_url, init) => {
      noted.asked++
      init?.signal?.addEventListener('abort', () => noted.aborted++)
      if (body === undefined) return new Promise(() => {})
      const start = (controller: ReadableStreamDefaultController) => controller.enqueue(new TextEncoder().encode(body))
      return new Response(new ReadableStream({ start }), { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  return { model, noted }
}
const half = 'data: {"id":"1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"{"}}]}\n\n'

describe.each(Object.entries(kinds))('a reader of %s', (name, begin) => {
  it.each(['return', 'throw'] as const)('that leaves by `%s` before the first event ends the run', async (way) => {
    const { model, noted } = silent()
    const run = begin({ model })
    const events = run[Symbol.asyncIterator]()
    await events[way]?.(new RangeError('mine')).catch((cause) => expect(cause).toEqual(new RangeError('mine')))
    await expect(run.response).rejects.toMatchObject({ name: 'AbortError' })
    await expect(events.next()).resolves.toMatchObject({ done: true })
    if (name !== 'readEvents') expect(noted.asked).toBe(0) // its request was sent before
  })

  it.each([
    ['before the first byte', undefined],
    ['in the middle of an answer', half],
  ])('that leaves while it waits for an event ends the request, %s', async (_when, body) => {
    for (const way of ['return', 'throw'] as const) {
      const { model, noted } = silent(body)
      const { signal } = new AbortController()
      const run = begin({ model, signal })
      const events = run[Symbol.asyncIterator]()
      const read = (async () => {
        for (;;) if ((await events.next()).done) return 'ended'
      })()
      await pause(20)
      await events[way]?.(new RangeError('mine')).catch((cause) => expect(cause).toEqual(new RangeError('mine')))
      expect(await read).toBe('ended')
      await expect(run.response).rejects.toMatchObject({ name: 'AbortError' })
      await pause(5)
      expect([noted, getEventListeners(signal, 'abort')]).toEqual([{ asked: 1, aborted: 1 }, []])
    }
  })

  it('that is a stream of the runtime ends the request when it is cancelled', async () => {
    const destroying = (error?: Error) => async (run: Reading) => {
      const readable = Readable.from(run).resume()
      const failed = new Promise((resolve) => readable.on('error', resolve).on('close', resolve))
      await pause(20)
      readable.destroy(error)
      expect(await failed).toBe(error)
    }
    const ways = [destroying(new Error('The client left')), destroying()]
    if ('from' in ReadableStream) {
      const from = ReadableStream.from as (run: Reading) => ReadableStream
      ways.push(async (run) => {
        const reader = from(run).getReader()
        reader.read().catch(() => {})
        await pause(20)
        await reader.cancel('The client left')
      })
    }
    for (const leave of ways) {
      const { model, noted } = silent(half)
      const run = begin({ model })
      await leave(run)
      await expect(run.response).rejects.toMatchObject({ name: 'AbortError' })
      await pause(5)
      expect(noted).toEqual({ asked: 1, aborted: 1 })
    }
  })

  it('may take the response from the run before it reads', async () => {
    const run = begin({ model: mockModel(['{"a":1}']) })
    const { response } = run
    await pause(1)
    let steps = 0
    for await (const _ of run) steps++
    expect(steps).toBeGreaterThan(0)
    expect((await response).text).toBe('{"a":1}')
    expect(() => run[Symbol.asyncIterator]()).toThrow('Cannot read the run twice; await its "response"')
  })

  // The request of `readEvents` is the application's.
  if (name !== 'readEvents')
    it('whose signal has fired before it begins sends nothing', async () => {
      const { model, noted } = silent()
      const signal = AbortSignal.abort(new RangeError('mine'))
      await expect(begin({ model, signal }).response).rejects.toEqual(new RangeError('mine'))
      expect([noted, getEventListeners(signal, 'abort')]).toEqual([{ asked: 0, aborted: 0 }, []])
    })
})

it('a run of given events is read and left as a real one is', async () => {
  const events = [{ type: 'message_start' }, { type: 'text_delta', index: 0, text: 'Hi' }] as const
  const waiting = runOf(events, { delayMs: 60_000 })
  const reader = waiting[Symbol.asyncIterator]()
  const next = reader.next()
  await reader.return?.()
  expect(await next).toMatchObject({ done: true })
  await expect(waiting.response).rejects.toMatchObject({ name: 'AbortError' })

  const run = runOf(events, { error: new RangeError('mine') })
  const { response } = run
  await pause(1)
  const texts: string[] = []
  const read = async () => {
    for await (const text of run.text()) texts.push(text)
  }
  await expect(read()).rejects.toEqual(new RangeError('mine'))
  await expect(response).rejects.toEqual(new RangeError('mine'))
  expect(texts).toEqual(['Hi'])
  expect(() => run.batches()).toThrow('Cannot read the run')
})

/** Callbacks of a model that never settle, and hear of no signal. */
const deaf: readonly [string, Parameters<typeof openaiChat>[1]][] = [
  ['fetch', { apiKey: 'k', fetch: () => new Promise(() => {}) }],
  ['key', { apiKey: () => new Promise(() => {}), fetch: () => expect.fail('nothing may be sent') }],
]
it.each(deaf)('a %s that never comes holds up neither a cancelled run nor a time limit', async (_what, settings) => {
  const asked = { model: openaiChat('m', settings), prompt: 'x' }
  await expect(generate({ ...asked, signal: AbortSignal.timeout(20) })).rejects.toMatchObject({ name: 'TimeoutError' })
  await expect(generate({ ...asked, timeouts: { firstByteMs: 20 } })).rejects.toMatchObject({ phase: 'first_byte' })
  await expect(generate({ ...asked, timeouts: { totalMs: 20 } })).rejects.toMatchObject({ phase: 'total' })
})

it('an answer that comes after the run was cancelled is not read', async () => {
  const cancelled: unknown[] = []
  const body = () => new ReadableStream({ cancel: (reason) => void cancelled.push(reason) })
  const fetch = async () => {
    await pause(30)
    return new Response(body(), { headers: { 'content-type': 'text/event-stream' } })
  }
  const model = openaiChat('m', { apiKey: 'k', fetch })
  await expect(generate({ model, prompt: 'x', signal: AbortSignal.timeout(5) })).rejects.toThrow()
  await pause(60)
  expect(cancelled).toHaveLength(1)
})
