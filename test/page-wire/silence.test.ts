/** The heartbeats that a page gets while a provider is silent. */
import { beforeEach, expect, it, vi } from 'vitest'
import { TimeoutError } from '../../src/index.ts'
import { readEvents } from '../../src/page/read.ts'
import { toResponse } from '../../src/page/response.ts'
import { outcomeOf, scripted } from './runs.ts'

beforeEach(() => void vi.useFakeTimers())

const start = { type: 'message_start' } as const

it('answers 200 after one heartbeat without an event, and sends heartbeats until the reader disconnects', async () => {
  const run = scripted([null])
  const answering = toResponse(run)
  let response: Response | undefined
  answering.then((one) => {
    response = one
  })
  await vi.advanceTimersByTimeAsync(14_999)
  expect(response).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  expect(response?.status).toBe(200)
  const reader = response?.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const reading = (async () => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done) return
      text += value
    }
  })()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(text).toBe(': open\n\n: \n\n: \n\n: \n\n: \n\n')
  await reader?.cancel()
  await reading
  expect(run.isLeft).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

it('sends no heartbeats if they are turned off', async () => {
  const response = await toResponse(scripted([start, null]), { heartbeatMs: 0 })
  const reader = response.body?.getReader()
  let chunks = 0
  const reading = (async () => {
    while (!(await reader?.read())?.done) chunks++
  })()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(chunks).toBe(2)
  await reader?.cancel()
  await reading
})

it('does not time out while heartbeats arrive, but after the last one', async () => {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(one) {
      controller = one
    },
  })
  const send = (text: string) => controller?.enqueue(new TextEncoder().encode(text))
  const run = readEvents(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
  const reading = outcomeOf(run)
  send('data: {"type":"message_start"}\n\ndata: {"type":"text_delta","index":0,"text":"Hel"}\n\n')
  for (let beat = 0; beat < 20; beat++) {
    await vi.advanceTimersByTimeAsync(44_000)
    send(': \n\n')
  }
  await vi.advanceTimersByTimeAsync(45_001)
  const { error } = await reading
  expect(error).toBeInstanceOf(TimeoutError)
  expect(error).toMatchObject({ phase: 'idle', timeoutMs: 45_000, partial: { content: [{ text: 'Hel' }] } })
})

it('times out if a server does not answer', async () => {
  const reading = outcomeOf(readEvents(new Promise(() => {}), { idleMs: 1000 }))
  await vi.advanceTimersByTimeAsync(1001)
  expect((await reading).error).toMatchObject({ code: 'timeout', phase: 'first_byte', timeoutMs: 1000 })
})
