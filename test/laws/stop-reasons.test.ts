/** Words for the end of an answer: a wire says its own, whatever word the provider of another wire used. */
import { describe, expect, it } from 'vitest'
import type { ChatResponse, StopReason } from '../../src/core/model.ts'
import { settleStopReason } from '../../src/core/stop-reason.ts'
import { stopReasons as anthropic } from '../../src/formats/anthropic/tables.ts'
import { stopReasons as bedrock } from '../../src/formats/bedrock-converse/tables.ts'
import { stopReasons as cohere } from '../../src/formats/cohere/tables.ts'
import { stopReasons as gemini } from '../../src/formats/gemini/tables.ts'
import { stopReasons as chat } from '../../src/formats/openai-chat/tables.ts'
import { formats } from '../support/formats.ts'

type Words = Readonly<Record<string, StopReason>>
const words: Readonly<Record<string, Words>> = {
  anthropic,
  'bedrock-converse': bedrock,
  cohere,
  gemini,
  'openai-chat': chat,
}
/** Where a whole answer has its word. */
const places: Readonly<Record<string, (body: never) => unknown>> = {
  anthropic: (body: { stop_reason: unknown }) => body.stop_reason,
  'bedrock-converse': (body: { stopReason: unknown }) => body.stopReason,
  cohere: (body: { finish_reason: unknown }) => body.finish_reason,
  gemini: (body: { candidates: readonly { finishReason: unknown }[] }) => body.candidates[0]?.finishReason,
  'openai-chat': (body: { choices: readonly { finish_reason: unknown }[] }) => body.choices[0]?.finish_reason,
}

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

const targets = formats.filter(({ folder }) => places[folder] !== undefined)

describe.each(targets)('$folder', ({ folder, server }) => {
  it.each(Object.keys(words).filter((name) => name !== folder))('never says a word of %s that it lacks', (other) => {
    const own = [...Object.keys(words[folder] ?? {}), null] // `null`: it did not end by itself
    for (const [raw, meaning] of Object.entries(words[other] ?? {})) {
      for (const hasCall of [false, true]) {
        const { body } = server.encodeResponse(answer(other, raw, meaning, hasCall))
        const word = places[folder]?.(body as never)
        expect(own, `${raw}, ${hasCall ? 'with' : 'without'} a call`).toContain(word)
      }
    }
  })
})

it('has wires to try', () => {
  expect(targets.length).toBe(Object.keys(places).length)
})
