/** When events of a stream are written: separately, or together with the events that follow immediately. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ollama } from '../../src/formats/ollama/index.ts'
import { gatewayOf } from './gateway-of.ts'

const joinMs = 10
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** A client's reader of a stream, and a provider that the test controls. */
async function startStream() {
  let provider: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      provider = controller
    },
  })
  const fetch = async () => new Response(body, { headers: { 'content-type': 'application/x-ndjson' } })
  const say = (content: string, done = false) => {
    const event = { model: 'm', created_at: '2026-11-22T00:00:00Z', message: { role: 'assistant', content }, done }
    provider?.enqueue(
      new TextEncoder().encode(`${JSON.stringify({ ...event, ...(done && { done_reason: 'stop' }) })}\n`),
    )
  }
  const asked = gatewayOf({ models: { m: { model: ollama('m', { fetch }) } } }).ask('ollama', 'm', 'Hi')
  say('first')
  const reader = ((await asked).body as ReadableStream<Uint8Array>).getReader()
  const writings: string[][] = []
  const read = (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const lines = new TextDecoder().decode(next.value).trim().split('\n')
      writings.push(lines.map((line) => JSON.parse(line).message.content))
    }
  })()
  const end = () => {
    say('', true)
    provider?.close()
  }
  return { say, writings, read, end }
}

it('writes the first event immediately, and the events within the next 10 ms together', async () => {
  const { say, writings, read, end } = await startStream()
  await vi.advanceTimersByTimeAsync(0)
  expect(writings).toEqual([['first']])
  for (const word of ['a', 'b', 'c']) {
    await vi.advanceTimersByTimeAsync(2)
    say(word)
  }
  await vi.advanceTimersByTimeAsync(joinMs - 6 - 1)
  expect(writings).toEqual([['first']])
  await vi.advanceTimersByTimeAsync(3)
  expect(writings).toEqual([['first'], ['a', 'b', 'c']])
  end()
  await vi.advanceTimersByTimeAsync(2 * joinMs)
  await read
  expect(writings).toEqual([['first'], ['a', 'b', 'c'], ['']])
})

it('writes a later event immediately, and each event of a slow provider', async () => {
  const { say, writings, end, read } = await startStream()
  for (const word of ['a', 'b', 'c']) {
    await vi.advanceTimersByTimeAsync(joinMs + 1)
    const before = writings.length
    say(word)
    await vi.advanceTimersByTimeAsync(0)
    expect(writings.slice(before)).toEqual([[word]])
  }
  end()
  await vi.advanceTimersByTimeAsync(2 * joinMs)
  await read
})

it('continues to write while the provider never pauses: it joins at most the events of twice that time', async () => {
  const { say, writings, end, read } = await startStream()
  await vi.advanceTimersByTimeAsync(0)
  for (let word = 0; word < 120; word++) {
    say(`${word}`)
    await vi.advanceTimersByTimeAsync(0.5)
  }
  const most = (2 * joinMs) / 0.5 + 1
  expect(writings.length).toBeGreaterThan(2)
  expect(Math.max(...writings.map((words) => words.length))).toBeLessThanOrEqual(most)
  end()
  await vi.advanceTimersByTimeAsync(2 * joinMs)
  await read
})

it('continues to write while the provider sends as fast as it is read', async () => {
  const { say, writings, end, read } = await startStream()
  const long = 'x'.repeat(10_000)
  for (let word = 0; word < 100; word++) say(long)
  end()
  await vi.advanceTimersByTimeAsync(20 * joinMs)
  await read
  expect(Math.max(...writings.map((words) => words.length))).toBeLessThan(20)
  expect(writings.flat()).toHaveLength(102)
})

it('ends immediately after its last event', async () => {
  const { writings, end, read } = await startStream()
  await vi.advanceTimersByTimeAsync(joinMs + 1)
  end()
  await vi.advanceTimersByTimeAsync(0)
  await read
  expect(writings).toEqual([['first'], ['']])
})
