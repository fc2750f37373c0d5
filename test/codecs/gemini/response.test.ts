/** Whole answers of this wire, read and written. */

import { describe, expect, it } from 'vitest'
import type { AssistantMessage, ChatResponse, StopReason } from '../../../src/core/messages.ts'
import { decodeResponse, encodeResponse } from '../../../src/formats/gemini/index.ts'

const answer = (message: Partial<AssistantMessage>, more: Partial<ChatResponse> = {}): ChatResponse => {
  const stopReason = message.stopReason ?? 'stop'
  return { message: { role: 'assistant', content: 'Hi', stopReason, ...message }, stopReason, ...more }
}
const write = (message: Partial<AssistantMessage>, more: Partial<ChatResponse> = {}) =>
  encodeResponse(answer(message, more))

describe('a body', () => {
  it('of a blocked prompt is read with its reason, and goes back as it came', () => {
    const body = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT', blockReasonMessage: 'no' } }
    expect(decodeResponse(body)).toMatchObject({ stopReason: 'content_filter', message: { content: [] } })
    expect(encodeResponse(decodeResponse(body)).body).toEqual(body)
  })
})

describe('an answer of any provider', () => {
  it.each<[StopReason, string]>([
    ['stop', 'STOP'],
    ['tool_calls', 'STOP'],
    ['length', 'MAX_TOKENS'],
    ['content_filter', 'SAFETY'],
    ['refusal', 'SAFETY'],
    ['pause', 'OTHER'],
    ['other', 'OTHER'],
    ['error', 'OTHER'],
    ['interrupted', 'OTHER'],
    ['aborted', 'OTHER'],
    ['max_rounds', 'STOP'],
  ])('that ends with %s has %s, whatever its original stop reason', (stopReason, finishReason) => {
    for (const rawStopReason of ['end_turn', 'constructor', undefined]) {
      const message = { stopReason, ...(rawStopReason && { rawStopReason }) }
      expect(write(message).body.candidates?.[0]?.finishReason).toBe(finishReason)
    }
  })
  it("has the format's own stop reason if that still has the same meaning", () => {
    const word = (stopReason: StopReason, rawStopReason: string) =>
      write({ stopReason, rawStopReason }).body.candidates?.[0]?.finishReason
    expect(word('content_filter', 'RECITATION')).toBe('RECITATION')
    expect(word('other', 'A_WORD_FROM_NEXT_YEAR')).toBe('A_WORD_FROM_NEXT_YEAR')
    expect(word('stop', 'RECITATION')).toBe('STOP')
  })
})
