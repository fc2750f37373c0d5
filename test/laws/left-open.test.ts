/**
 * An answer is complete once its provider has said why the model stopped, even if the provider then neither sends its last mark nor closes the
 * connection (waybarrios/vllm-mlx#101). Without that word it is not, and its calls do not run.
 */
import { describe, expect, it, vi } from 'vitest'
import { generate, type RunRequest, t, tool } from '../../src/index.ts'
import { bedrockLine } from '../formats/bedrock-converse/provider.ts'
import { facts } from '../formats/index.ts'
import { servers } from '../formats/servers.ts'
import { speakers, toWire } from '../gateway/provider.ts'
import { wires } from '../support/answers.ts'
import { clients } from '../support/formats.ts'
import { contentTypes } from '../support/recorded-model.ts'

const keepAlives = { sse: ': still here\n\n', ndjson: '\n', 'event-stream': bedrockLine('keepAlive', {}) }

function bytesOf(text: string): Uint8Array {
  const wire = toWire(text)
  return typeof wire === 'string' ? new TextEncoder().encode(wire) : wire
}

/** A body of these pieces that stays open, and may then send keep-alive comments. */
function leftOpen(pieces: readonly string[], keepAlive?: string): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setTimeout>
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytesOf(pieces.join('')))
      const goOn = () => {
        controller.enqueue(bytesOf(keepAlive as string))
        timer = setTimeout(goOn, 300)
      }
      if (keepAlive !== undefined) timer = setTimeout(goOn, 300)
    },
    cancel: () => clearTimeout(timer),
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
  function ask(first: ReadableStream<Uint8Array>, request: Partial<RunRequest> = {}) {
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
    const answers = [first, leftOpen(text)]
    const headers = { 'content-type': contentTypes[model.codec.framing] }
    const fetch = async () => new Response(answers.shift(), { headers })
    const result = generate({
      model: { ...model, fetch },
      prompt: 'Pay',
      tools: [pay],
      ...request,
    })
    return { paid, result }
  }

  /** Answers in the time that a test lets pass: first the one that is left open, then the second. */
  async function settled(first: readonly string[], keepAlive?: string): Promise<unknown> {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { result, paid } = ask(leftOpen(first, keepAlive))
    for (const _ of [1, 2]) await vi.advanceTimersByTimeAsync(2000)
    return [(await result).text, paid]
  }

  it('that is left open after its stop reason is complete two seconds later, and its calls run', async () => {
    for (let end = calls.length - after; end <= calls.length; end++) {
      for (const keepAlive of [undefined, keepAlives[clients[wire].framing]]) {
        expect([end, await settled(calls.slice(0, end), keepAlive)]).toEqual([end, ['Paid.', ['Oslo']]])
      }
    }
  })

  it('that is left open before its stop reason is not, and its calls do not run', async () => {
    for (let end = 1; end < calls.length - after; end++) {
      const { result, paid } = ask(leftOpen(calls.slice(0, end)), { timeouts: { idleMs: 20 } })
      await expect(result).rejects.toMatchObject({ code: 'timeout', phase: 'idle' })
      expect([end, paid]).toEqual([end, []])
    }
  })
})
