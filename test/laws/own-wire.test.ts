/**
 * The stream of isoglot's own wire, cut at random. In pieces it gives the same events. Cut off, it gives those that came, and an error with the
 * part that they say: no call of it that was not whole.
 */
import { describe, expect, it } from 'vitest'
import { blocksOf, toolCallsOf } from '../../src/core/content.ts'
import type { MessageEvent, ToolCall } from '../../src/core/messages.ts'
import { createGateway, isoglotFormat } from '../../src/gateway/index.ts'
import { type InterruptedError, stream } from '../../src/index.ts'
import { remote } from '../../src/remote/index.ts'
import { casesOf } from '../support/corpus.ts'
import { isExhaustive } from '../support/cuts.ts'
import { formats } from '../support/formats.ts'
import { cut, seeded } from '../support/random.ts'
import { recordedModel } from '../support/recorded-model.ts'

const url = 'https://a.example/answer'

/** The stream of a recorded answer, as the server of a page sends it. */
async function sentFor(
  client: (typeof formats)[number]['client'],
  one: ReturnType<typeof casesOf>[number],
): Promise<Uint8Array> {
  const gateway = createGateway({ formats: [isoglotFormat], models: { m: recordedModel(client, one) } })
  const context = { messages: [{ role: 'user', content: 'x' }] }
  const body = JSON.stringify({ version: 1, model: 'm', context, options: { strict: false }, retries: 0 })
  const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  const response = await gateway.fetch(new Request(url, asked))
  return response.status === 200 ? new Uint8Array(await response.arrayBuffer()) : new Uint8Array()
}

/** The events that a page reads of these chunks, and the error. */
async function told(chunks: readonly Uint8Array[]) {
  const left = [...chunks]
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = left.shift()
      if (chunk === undefined) controller.close()
      else controller.enqueue(chunk)
    },
  })
  const headers = { 'content-type': 'text/event-stream', 'x-isoglot-answer': '1' }
  const model = remote('m', { url, fetch: async () => new Response(body, { headers }) })
  const events: MessageEvent[] = []
  try {
    for await (const event of stream({ model, prompt: 'x', maxRounds: 1, retries: 0 }))
      events.push(event as MessageEvent)
    return { events }
  } catch (error) {
    return { events, error: error as InterruptedError }
  }
}

const textIn = (events: readonly MessageEvent[]) =>
  events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('')
const callsIn = (events: readonly MessageEvent[]): readonly ToolCall[] =>
  events.flatMap((event) => (event.type === 'tool_call' ? [event.call] : []))

describe.each(formats)('the stream of an answer of $folder on the own wire', ({ folder, client }) => {
  it('is read in any pieces, and as far as it came', { timeout: 1_200_000 }, async () => {
    const random = seeded(50)
    const answers = (await Promise.all(casesOf(folder).map((one) => sentFor(client, one)))).filter(
      ({ length }) => length > 0,
    )
    const wholes = await Promise.all(answers.map((bytes) => told([bytes])))
    let interrupted = 0
    // 10,000 cuts of all formats, or a few of each: a cut of any answer may show the same fault.
    for (let turn = 0; turn < (isExhaustive ? 10_000 / formats.length : 8); turn++) {
      const at = Math.floor(random() * answers.length)
      const [bytes, whole] = [answers[at] as Uint8Array, wholes[at] as Awaited<ReturnType<typeof told>>]
      expect(await told(cut(bytes, 1 + Math.floor(random() * 40), random))).toEqual(whole)

      const { events, error } = await told([bytes.subarray(0, Math.floor(random() * bytes.length))])
      // Only the end of the stream is missing if its last event is there.
      if (error === undefined || error.code !== 'interrupted') continue
      interrupted++
      expect(events).toEqual(whole.events.slice(0, events.length))
      const { partial } = error
      const text = blocksOf(partial?.content ?? null)
        .map((one) => (one.type === 'text' ? one.text : ''))
        .join('')
      expect(text).toBe(textIn(events))
      expect(partial === undefined ? [] : toolCallsOf(partial)).toEqual(callsIn(events))
    }
    expect(interrupted).toBeGreaterThan(2)
  })
})
