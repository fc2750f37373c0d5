import { describe, expect, it } from 'vitest'
import type { AssistantMessage, ChatResponse, InvalidToolCall, StopReason } from '../../../src/core/messages.ts'
import { decodeResponse, encodeResponse } from '../../../src/formats/ollama/index.ts'

function answer(message: Partial<AssistantMessage> = {}, stopReason: StopReason = 'stop'): ChatResponse {
  return { message: { role: 'assistant', content: 'Hi', ...message }, stopReason }
}

describe('decodeResponse', () => {
  const end = (fields: object) => ({ message: { role: 'assistant', content: 'x' }, done: true, ...fields })

  it.each([
    ['stop', 'stop'],
    ['', 'stop'],
    [undefined, 'stop'],
    ['length', 'length'],
    ['load', 'other'],
    ['unload', 'other'],
    ['a_word_from_next_year', 'other'],
    ['constructor', 'other'],
  ])('reads done_reason %s as %s, and keeps the original value', (word, stopReason) => {
    const { message } = decodeResponse(end({ done_reason: word }))
    expect([message.stopReason, message.rawStopReason]).toEqual([stopReason, word])
  })
})

describe('encodeResponse', () => {
  it.each<[StopReason, string, number]>([
    ['stop', 'stop', 0],
    ['tool_calls', 'stop', 0],
    ['length', 'length', 0],
    ['content_filter', 'stop', 1],
    ['refusal', 'stop', 1],
    ['pause', 'stop', 1],
    ['other', 'stop', 1],
  ])('writes %s as %s, with %i losses', (stopReason, word, count) => {
    const { body, losses } = encodeResponse(answer({}, stopReason))
    expect(body.done_reason).toBe(word)
    expect(losses).toHaveLength(count)
  })

  const invalid = (reason: InvalidToolCall['reason']): InvalidToolCall => ({
    type: 'invalid_tool_call',
    id: 'c',
    name: 'f',
    index: 0,
    argumentsText: '{"a":',
    reason,
    error: 'unexpected end',
  })

  it('fails as the server does on an invalid call, since an empty object would run the tool with nothing', () => {
    expect(() => encodeResponse(answer({ invalidToolCalls: [invalid('malformed_json')] }))).toThrow(
      expect.objectContaining({
        code: 'api',
        kind: 'server',
        message: `error parsing tool call: raw='{"a":', err=unexpected end`,
      }),
    )
  })
})
