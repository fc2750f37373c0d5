/** Whole answers of this wire, read and written. */

import { describe, expect, it } from 'vitest'
import { ApiError, DecodeError, InterruptedError } from '../../../src/core/errors.ts'
import type { AssistantMessage, ChatResponse, StopReason, Usage } from '../../../src/core/messages.ts'
import { decodeResponse, encodeResponse } from '../../../src/formats/gemini/index.ts'
import { block } from '../../../src/messages/block.ts'
import { oracle } from './oracle.ts'

const answer = (message: Partial<AssistantMessage>, more: Partial<ChatResponse> = {}): ChatResponse => {
  const stopReason = message.stopReason ?? 'stop'
  return { message: { role: 'assistant', content: 'Hi', stopReason, ...message }, stopReason, ...more }
}
const write = (message: Partial<AssistantMessage>, more: Partial<ChatResponse> = {}) =>
  encodeResponse(answer(message, more))

describe('a body', () => {
  it.each([
    ['null', null],
    ['text', 'x'],
    ['a number', 5],
  ])('that is %s is not valid', (_, body) => {
    expect(() => decodeResponse(body)).toThrow(DecodeError)
  })
  it.each([[{}], [{ candidates: [] }], [[]], [{ promptFeedback: {} }]])(
    'that holds neither an answer nor a reason is not an answer: %j',
    (body) => {
      expect(() => decodeResponse(body)).toThrow('Cannot decode Gemini response: "candidates" is missing')
    },
  )
  it('that is an error is thrown, by itself and in an array', () => {
    const body = { error: { code: 429, message: 'slow', status: 'RESOURCE_EXHAUSTED' } }
    expect(() => decodeResponse(body)).toThrow(ApiError)
    expect(() => decodeResponse([body])).toThrow('slow')
  })
  it('that does not say that it is whole is interrupted, and keeps what there is', () => {
    const read = () => decodeResponse({ candidates: [{ content: { parts: [{ text: 'half' }] } }] })
    expect(read).toThrow(InterruptedError)
    expect(read).toThrow(
      expect.objectContaining({ partial: expect.objectContaining({ content: [{ type: 'text', text: 'half' }] }) }),
    )
  })
  it('numbers its calls after those of the conversation', () => {
    const body = { candidates: [{ content: { parts: [{ functionCall: { name: 'f' } }] }, finishReason: 'STOP' }] }
    expect(decodeResponse(body, { callsBefore: 4 }).message.content).toMatchObject([{ id: 'gemini_4' }])
  })
  it('of a blocked prompt is read with its reason, and goes back as it came', () => {
    const body = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT', blockReasonMessage: 'no' } }
    expect(decodeResponse(body)).toMatchObject({ stopReason: 'content_filter', message: { content: [] } })
    expect(encodeResponse(decodeResponse(body)).body).toEqual(body)
  })
  it('of a filtered answer without content is not a blocked prompt', () => {
    const body = { candidates: [{ finishReason: 'SAFETY', index: 0 }], promptFeedback: { safetyRatings: [] } }
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
  it('has its index, role, model and id', () => {
    const { body, losses } = write({ response: { provider: 'openai', model: 'gpt', id: 'r1' } })
    expect(body).toEqual({
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP', index: 0 }],
      modelVersion: 'gpt',
      responseId: 'r1',
    })
    expect(losses).toEqual([])
    expect(encodeResponse(answer({}), { model: 'mine', id: 'r2' }).body).toMatchObject({
      modelVersion: 'mine',
      responseId: 'r2',
    })
  })

  const call = block.toolCall('call_1', 'f', { a: 1 })
  it('has the ids of its calls, except those that mean "no id" on this wire', () => {
    const content = [
      call,
      { ...call, id: 'ollama_0', generatedId: true as const },
      { ...call, id: 'gemini_2', generatedId: true as const },
    ]
    const parts = write({ content, stopReason: 'tool_calls' }).body.candidates?.[0]?.content?.parts
    expect(parts?.map((part) => part.functionCall?.id)).toEqual(['call_1', 'ollama_0', undefined])
  })
  it('reports an invalid call at its end, since a client would run it without arguments', () => {
    const invalid = {
      type: 'invalid_tool_call' as const,
      name: 'f',
      index: 0,
      argumentsText: '{"a":',
      reason: 'malformed_json' as const,
      error: 'x',
    }
    const { body, losses } = write({ content: [], invalidToolCalls: [invalid], stopReason: 'stop' })
    expect(body.candidates).toEqual([
      { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed function call: f({"a":)', index: 0 },
    ])
    expect(losses).toMatchObject([{ action: 'changed', severity: 'minor' }])
  })
  it('keeps its reasoning, without the proof of another provider', () => {
    const opaque = { provider: 'anthropic', model: 'claude', format: 'anthropic', data: { signature: 's' } }
    const { body, losses } = write({ content: [{ type: 'reasoning', text: 'Hm', opaque }] })
    expect(body.candidates?.[0]?.content?.parts).toEqual([{ text: 'Hm', thought: true }])
    expect(losses).toMatchObject([{ path: 'message.content[0].opaque', severity: 'info' }])
  })

  it.each<[Usage, object]>([
    [
      { inputTokens: 10, outputTokens: 25, reasoningTokens: 20, cacheReadTokens: 4, totalTokens: 35 },
      {
        promptTokenCount: 10,
        candidatesTokenCount: 5,
        thoughtsTokenCount: 20,
        cachedContentTokenCount: 4,
        totalTokenCount: 35,
      },
    ],
    [
      { inputTokens: 10, outputTokens: 20, reasoningTokens: 20 },
      { promptTokenCount: 10, thoughtsTokenCount: 20, totalTokenCount: 30 },
    ],
    [{ inputTokens: 10 }, { promptTokenCount: 10 }],
    [{}, {}],
    [
      {
        inputTokens: 17,
        outputTokens: 5,
        providerData: { gemini: { promptTokenCount: 10, toolUsePromptTokenCount: 7, candidatesTokenCount: 0 } },
      },
      { promptTokenCount: 10, toolUsePromptTokenCount: 7, candidatesTokenCount: 5, totalTokenCount: 22 },
    ],
  ])('counts %j as %j', (usage, wire) => {
    expect(write({}, { usage }).body.usageMetadata).toEqual(wire)
  })
  it('is read by the official client', async () => {
    const { body } = write({
      content: [{ type: 'reasoning', text: 'Hm' }, { type: 'text', text: 'Hi' }, call],
      stopReason: 'tool_calls',
    })
    expect(decodeResponse(await oracle.response(body))).toMatchObject({
      stopReason: 'tool_calls',
      message: { content: [{ type: 'reasoning', text: 'Hm' }, { type: 'text', text: 'Hi' }, call] },
    })
  })
})
