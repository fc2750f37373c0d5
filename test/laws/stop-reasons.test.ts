/** Words for the end of an answer: a wire says its own, whatever word the provider of another wire used. */
import { describe, expect, it } from 'vitest'
import { settleStopReason } from '../../src/core/content.ts'
import type { ChatResponse, StopReason } from '../../src/core/messages.ts'
import { facts } from '../formats/index.ts'
import type { Wire } from '../support/answers.ts'
import { formats } from '../support/formats.ts'

const stops = Object.entries(facts).flatMap(([name, { samples }]) =>
  samples.stop === undefined ? [] : [{ name: name as Wire, ...samples.stop }],
)

/** An answer as another wire's provider ended it, with a call and without. */
function answer(provider: string, raw: string, meaning: StopReason, hasCall: boolean): ChatResponse {
  const stopReason = settleStopReason(meaning, hasCall)
  const call = {
    type: 'tool_call',
    id: 'c1',
    name: 'f',
    arguments: {},
    argumentsText: '{}',
    index: 0,
    complete: true,
  } as const
  const content = hasCall ? [call] : [{ type: 'text', text: 'Hi' } as const]
  return {
    message: { role: 'assistant', content, stopReason, rawStopReason: raw, response: { provider, model: 'm' } },
    stopReason,
  }
}

const targets = stops.flatMap(({ name: folder, words, wordIn }) =>
  formats.filter((one) => one.folder === folder).map(({ server }) => ({ folder, words, wordIn, server })),
)

describe.each(targets)('$folder', ({ folder, words, wordIn, server }) => {
  it.each(stops.filter(({ name }) => name !== folder))('never says a word of $name that it lacks', (other) => {
    const own = [...Object.keys(words), null] // `null`: it did not end by itself
    for (const [raw, meaning] of Object.entries(other.words)) {
      for (const hasCall of [false, true]) {
        const { body } = server.encodeResponse(answer(other.name, raw, meaning, hasCall))
        expect(own, `${raw}, ${hasCall ? 'with' : 'without'} a call`).toContain(wordIn(body))
      }
    }
  })
})

it('has wires to try', () => {
  expect(targets.length).toBe(stops.length)
})
