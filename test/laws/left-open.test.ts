/**
 * An answer is complete once its provider has said why the model stopped, even if the provider then neither sends its last mark nor closes the
 * connection (waybarrios/vllm-mlx#101). Without that word it is not, and its calls do not run.
 */
import { describe, expect, it, vi } from 'vitest'
import { generate, type RunRequest, t, tool } from '../../src/index.ts'
import { facts } from '../formats/index.ts'
import { servers } from '../formats/servers.ts'
import { speakers, toWire } from '../gateway/provider.ts'
import { wires } from '../support/answers.ts'

const types = {
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  'event-stream': 'application/vnd.amazon.eventstream',
}

/** A body of these pieces that stays open. */
function leftOpen(pieces: readonly string[]): ReadableStream<Uint8Array> {
  const wire = toWire(pieces.join(''))
  const bytes = typeof wire === 'string' ? new TextEncoder().encode(wire) : wire
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes)
    },
  })
}

describe.each(wires)('an answer of %s', (wire) => {
  const { pieces } = speakers[wire]
  const calls = pieces({ calls: [{ id: 'call_1', name: 'pay', args: { city: 'Oslo' } }] })
  const text = pieces({ text: 'Paid.' })
  const { reasonPiece } = facts[wire].gateway
  /** How many pieces follow the one with the stop reason. */
  const after = reasonPiece === undefined ? 0 : text.length - 1 - text.findIndex((piece) => piece.includes(reasonPiece))

  /** Asks a model whose first answer is left open, and whose second is whole. Returns the result, and what its tool was given. */
  function ask(first: readonly string[], request: Partial<RunRequest> = {}) {
    const paid: string[] = []
    const pay = tool({
      name: 'pay',
      parameters: t.object({ city: t.string() }),
      execute: ({ city }) => {
        paid.push(city)
        return 'ok'
      },
    })
    const model = servers[wire].modelAt('http://localhost')
    const answers = [leftOpen(first), leftOpen(text)]
    const headers = { 'content-type': types[model.codec.framing] }
    const fetch = async () => new Response(answers.shift(), { headers })
    const result = generate({
      model: { ...model, fetch },
      prompt: 'Pay',
      tools: [pay],
      timeouts: { idleMs: 20 },
      ...request,
    })
    return { paid, result }
  }

  it('that is left open after its stop reason is complete, and its calls run', async () => {
    for (let end = calls.length - after; end <= calls.length; end++) {
      const { result, paid } = ask(calls.slice(0, end))
      expect([end, (await result).text, paid]).toEqual([end, 'Paid.', ['Oslo']])
    }
  })

  it('that is left open before its stop reason is not, and its calls do not run', async () => {
    for (let end = 1; end < calls.length - after; end++) {
      const { result, paid } = ask(calls.slice(0, end))
      await expect(result).rejects.toMatchObject({ code: 'timeout', phase: 'idle' })
      expect([end, paid]).toEqual([end, []])
    }
  })

  it('waits for its last mark for two seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { result, paid } = ask(calls.slice(0, calls.length - after), { timeouts: {} })
    for (const _ of [1, 2]) await vi.advanceTimersByTimeAsync(2000)
    expect([(await result).text, paid]).toEqual(['Paid.', ['Oslo']])
  })
})
