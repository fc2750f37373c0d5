import { describe, expect, it, vi } from 'vitest'
import { Refusal } from '../../examples/worker/refusal.ts'
import { type Outcome, relayEvents } from '../../examples/worker/relay.ts'
import { openaiChat } from '../../examples/worker/wires.ts'

const delta = 'data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}]}\n\n'
const bytes = new TextEncoder().encode(delta)

/** A provider that would talk for ever, and how much of it was asked for. */
function endless() {
  const provider = { pulled: 0, cancelled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        provider.pulled++
        controller.enqueue(bytes)
      },
      cancel() {
        provider.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { provider, opening: Promise.resolve(new Response(body)) }
}

function relay(opening: Promise<Response>, limits: { maxBytes?: number; idleTimeoutMs?: number } = {}) {
  const stop = new AbortController()
  const onEnd = vi.fn<(outcome: Outcome) => void>()
  const options = {
    wire: openaiChat,
    maxBytes: 1e6,
    idleTimeoutMs: 1e6,
    scrub: (text: string) => text,
    onEnd,
    ...limits,
  }
  return { stop, onEnd, reader: relayEvents(opening, stop, options).getReader() }
}

const silent = () => Promise.resolve(new Response(new ReadableStream<Uint8Array>({ start: (c) => c.enqueue(bytes) })))
const text = (value: Uint8Array | undefined) => new TextDecoder().decode(value)

describe('a stream on its way to the client', () => {
  it('ends the call to the provider when the client cancels it', async () => {
    const { provider, opening } = endless()
    const { reader, stop, onEnd } = relay(opening)
    await reader.read()
    await reader.cancel()
    expect([stop.signal.aborted, provider.cancelled]).toEqual([true, true])
    expect(onEnd.mock.calls).toEqual([['client_left']])
  })

  it('reads from the provider only what the client asks for', async () => {
    const { provider, opening } = endless()
    const { reader } = relay(opening)
    for (let i = 0; i < 3; i++) expect(text((await reader.read()).value)).toBe(delta)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(provider.pulled).toBeLessThanOrEqual(4)
    await reader.cancel()
  })

  it('ends with an error frame when it is longer than an answer may be', async () => {
    const { provider, opening } = endless()
    const { reader, onEnd } = relay(opening, { maxBytes: bytes.length * 2 })
    await reader.read()
    await reader.read()
    expect(text((await reader.read()).value)).toContain('"code":"upstream_too_large"')
    expect((await reader.read()).done).toBe(true)
    expect(provider.cancelled).toBe(true)
    expect(onEnd.mock.calls).toEqual([['upstream_too_large']])
  })

  it('has a comment each second in which the provider says nothing, and an error frame when that is too long', async () => {
    vi.useFakeTimers()
    const { reader } = relay(silent(), { idleTimeoutMs: 2500 })
    await reader.read()
    const next = async (ms: number) => {
      const read = reader.read()
      await vi.advanceTimersByTimeAsync(ms)
      return text((await read).value)
    }
    expect([await next(1000), await next(1000)]).toEqual([':\n\n', ':\n\n'])
    expect(await next(500)).toContain('"code":"upstream_timeout"')
    vi.useRealTimers()
  })

  it('ends with an error frame when the provider turns out badly after the stream has begun', async () => {
    const { reader, onEnd } = relay(Promise.reject(new Refusal('upstream_redirect')))
    expect(text((await reader.read()).value)).toContain('"code":"upstream_redirect"')
    expect(onEnd.mock.calls).toEqual([['upstream_redirect']])
  })
})
