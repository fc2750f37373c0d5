/** A response that is cut, wherever that is, is an error with what came before. No proxy can make a finished answer of half of one. */
import { expect, it } from 'vitest'
import { blocksOf, InterruptedError, textOf } from '../../src/index.ts'
import { readEvents } from '../../src/page/read.ts'
import { toResponse } from '../../src/page/response.ts'
import { bytesOf, outcomeOf, recorded, recordedRun } from './runs.ts'

const headers = { 'content-type': 'text/event-stream' }
/** Calls are cut by a clean end, text by a connection that breaks. */
const names = ['anthropic/tools-stream'].concat(
  ['anthropic', 'gemini', 'ollama', 'openai-chat', 'openai-responses'].map((format) => `${format}/text-stream`),
)
const cases = recorded.filter(([id]) => names.includes(id))

it('is tried with text of each format, and with calls', () => {
  expect(cases.map(([id]) => id).sort()).toEqual(names.sort())
})

it.each(cases)('%s: cut at each byte is interrupted, and keeps what came', async (id, format, one) => {
  const bytes = await bytesOf(await toResponse(recordedRun(format, one), { page: { tools: 'arguments' } }))
  for (let at = 0; at < bytes.length; at++) {
    const run = readEvents(
      new Response(id.includes('text') ? brokenAfter(bytes.slice(0, at)) : bytes.slice(0, at), { headers }),
    )
    const { events, error } = await outcomeOf(run)
    expect(error).toBeInstanceOf(InterruptedError)
    const hasBegun = events.some(({ type }) => type === 'message_start')
    const said = events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('')
    expect(error.partial === undefined).toBe(!hasBegun)
    if (!hasBegun) continue
    expect(textOf(error.partial)).toBe(said)
    expect(blocksOf(error.partial.content).filter(({ type }) => type.endsWith('chunk'))).toEqual([])
    const isWhole = events.some(({ type }) => type === 'message_end')
    expect(error.partial.stopReason === 'interrupted').toBe(!isWhole)
    expect(run.messages).toEqual([error.partial])
  }
})

/** A body that fails where a clean one would end. */
function brokenAfter(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let isSent = false
  return new ReadableStream({
    pull(controller) {
      if (isSent || bytes.length === 0) return controller.error(new TypeError('terminated'))
      isSent = true
      controller.enqueue(bytes)
    },
  })
}
