/** A page that disconnects ends the run: the provider's request is cancelled, and no more tools run. Over real HTTP on both sides. */
import { afterEach, describe, expect, it } from 'vitest'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { type RunRequest, stream, tool } from '../../src/index.ts'
import { readEvents } from '../../src/page/read.ts'
import { type EndOfRun, toResponse } from '../../src/page/response.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { type Served, serve } from '../support/serve.ts'
import { chatCalls, chatText, chunks, until } from '../support/upstream.ts'

const upstream = ownUpstream()
const heartbeatMs = 20
let served: Served | undefined
afterEach(() => served?.stop())

/** A server with a run for each request. The request's signal is not passed on: cancelling the body must be enough. */
async function serveRun(request: Partial<RunRequest> = {}) {
  const ends: EndOfRun[] = []
  const kept: Promise<unknown>[] = []
  served = await serve(async () =>
    toResponse(stream({ model: openaiChat('m', { baseUrl: upstream.url, apiKey: 'k' }), prompt: 'Hi', ...request }), {
      heartbeatMs,
      onEnd: (end) => void ends.push(end),
      waitUntil: (promise) => void kept.push(promise),
    }),
  )
  return { ends, kept, url: served.url }
}

describe('over node:http', () => {
  const pieces = chatText('one ', 'two ', 'three')
  // The message's start, the three texts; then the provider sends nothing, and keeps the connection open.
  it.each([0, 1, 2, 3])('leaving after event %i cancels the request of the provider', async (count) => {
    upstream.answer(chunks(pieces.slice(0, 4), { after: 'hang' }))
    const { ends, kept, url } = await serveRun()
    const run = readEvents(fetch(url))
    let seen = 0
    for await (const _ of run) if (seen++ === count) break
    expect(seen).toBe(count + 1)
    await until(() => upstream.asked.length > 0)
    await upstream.asked[0]?.closed
    expect(upstream.asked[0]?.isCancelled).toBe(true)
    await Promise.all(kept)
    expect(ends).toMatchObject([{ left: true, messages: [{ role: 'user' }, { stopReason: 'aborted' }] }])
    expect(ends[0]).not.toHaveProperty('error')
  })

  it('stop() and the signal of the reader do the same, while no event arrives', async () => {
    for (const way of ['stop', 'signal'] as const) {
      upstream.answer(chunks(pieces.slice(0, 2), { after: 'hang' }))
      const { url } = await serveRun()
      const controller = new AbortController()
      const run = readEvents(fetch(url), { signal: controller.signal })
      const read = (async () => {
        for await (const event of run) {
          if (event.type === 'text_delta')
            setImmediate(() => (way === 'stop' ? run.stop() : controller.abort('enough')))
        }
      })()
      const reason = way === 'stop' ? expect.objectContaining({ name: 'AbortError' }) : 'enough'
      await expect(read).rejects.toEqual(reason)
      await expect(run.response).rejects.toEqual(reason)
      expect(run.partial).toMatchObject({ content: [{ text: 'one ' }], stopReason: 'aborted' })
      await upstream.asked[0]?.closed
      expect(upstream.asked[0]?.isCancelled).toBe(true)
      await served?.stop()
    }
  })

  it('a running tool is aborted, and the model is not asked again', async () => {
    upstream.answer(chunks(chatCalls(['c1', 'slow', '{}'], ['c2', 'never', '{}'])), chunks(chatText('unasked')))
    const ran: string[] = []
    const slow = tool({
      name: 'slow',
      execute: (_: unknown, { signal }) =>
        new Promise((_, reject) => {
          ran.push('slow')
          signal.addEventListener('abort', () => {
            ran.push('told')
            reject(signal.reason)
          })
        }),
    })
    const never = tool({ name: 'never', execute: () => ran.push('never') })
    const { kept, url } = await serveRun({ tools: [slow, never], toolMode: 'sequential' })
    for await (const event of readEvents(fetch(url))) if (event.type === 'tool_start') break
    await until(() => ran.includes('told'))
    await Promise.all(kept)
    expect(ran).toEqual(['slow', 'told'])
    expect(upstream.asked).toHaveLength(1)
  })
})

it('a response that arrives after the page has disconnected is cancelled', async () => {
  let isCancelled = false
  let answer: (response: Response) => void = () => {}
  const run = readEvents(
    new Promise((resolve) => {
      answer = resolve
    }),
  )
  const read = run.batches()[Symbol.asyncIterator]().next()
  await run.stop()
  await expect(read).rejects.toMatchObject({ name: 'AbortError' })
  const body = new ReadableStream({
    cancel() {
      isCancelled = true
    },
  })
  answer(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
  await until(() => isCancelled)
  expect(isCancelled).toBe(true)
})

it('the run pauses while the page does not read', async () => {
  let taken = 0
  async function* batches() {
    yield [{ type: 'message_start' } as const]
    for (;;) {
      taken++
      yield [{ type: 'text_delta', index: 0, text: 'more' } as const]
    }
  }
  const run = { ...stream({ model: openaiChat('m'), prompt: 'Hi' }), batches }
  const response = await toResponse(run)
  const reader = response.body?.getReader()
  await reader?.read()
  await new Promise((resolve) => setImmediate(resolve))
  expect(taken).toBeLessThan(4)
  await reader?.cancel()
})
