/** A response that is cut, wherever that is, is an error with the part before it. No proxy can make a finished answer of half of one. */
import { expect, it } from 'vitest'
import { blocksOf, InterruptedError, type Message, textOf } from '../../src/index.ts'
import { readEvents } from '../../src/page/read.ts'
import { toResponse } from '../../src/page/response.ts'
import { allPlacesOf, isExhaustive, placesOf } from '../support/cuts.ts'
import { bodyOf } from '../support/makers.ts'
import { bytesOf, type Outcome, outcomeOf, recorded, recordedRun } from './runs.ts'

const headers = { 'content-type': 'text/event-stream' }
/** Calls are cut by a clean end, text by a connection that breaks. */
const names = ['anthropic/tools-stream'].concat(
  ['anthropic', 'gemini', 'ollama', 'openai-chat', 'openai-responses'].map((format) => `${format}/text-stream`),
)
const cases = recorded.filter(([id]) => names.includes(id))

it('is tried with text of each format, and with calls', () => {
  expect(cases.map(([id]) => id).sort()).toEqual(names.sort())
})

it.each(cases)('%s: cut anywhere is interrupted, and keeps the received part', async (id, format, one) => {
  const bytes = await bytesOf(await toResponse(recordedRun(format, one), { page: { tools: 'arguments' } }))
  const wrong: number[] = []
  const places = isExhaustive ? allPlacesOf(bytes) : placesOf(bytes)
  for (const at of places.filter((place) => place < bytes.length)) {
    const part = bytes.slice(0, at)
    const run = readEvents(
      new Response(id.includes('text') ? bodyOf([part], new TypeError('terminated')) : part, { headers }),
    )
    const outcome = await outcomeOf(run)
    if (!isKept(outcome, run.messages)) wrong.push(at)
  }
  expect(wrong).toEqual([])
})

/** Whether the run was interrupted, and what had come is in its `partial`: no call that is not whole, and an end only if that came. */
function isKept({ events, error }: Outcome, messages: readonly Message[]): boolean {
  if (!(error instanceof InterruptedError)) return false
  const { partial } = error
  const hasBegun = events.some(({ type }) => type === 'message_start')
  if (!hasBegun || partial === undefined) return partial === undefined && !hasBegun
  const isWhole = events.some(({ type }) => type === 'message_end')
  return (
    textOf(partial) === events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('') &&
    blocksOf(partial.content).every(({ type }) => !type.endsWith('chunk')) &&
    (partial.stopReason === 'interrupted') === !isWhole &&
    messages.length === 1 &&
    messages[0] === partial
  )
}
