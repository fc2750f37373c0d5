import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/core/messages.ts'
import { type ChatDialect, createClientCodec, encodeRequest } from '../../../src/formats/openai-chat/index.ts'
import { block } from '../../../src/messages/block.ts'
import { prepare } from '../../../src/prepare/prepare.ts'
import { perplexityDialect } from '../../../src/providers/perplexity.ts'

function encode(messages: readonly Message[], dialect: ChatDialect) {
  const { body, losses } = encodeRequest({ messages }, { model: 'any', strict: false, dialect })
  return { messages: body.messages, losses }
}

const call = block.toolCall('call_1', 'get_weather', { city: 'Tokyo' })

describe('a host without tools', () => {
  const round: Message[] = [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: [{ type: 'text', text: 'I will look.' }, call] },
    { role: 'tool', toolCallId: 'call_1', name: 'get_weather', content: 'mild' },
    { role: 'user', content: 'And?' },
  ]

  it('gets calls and their results as text, in turns', () => {
    expect(encode(round, perplexityDialect).messages).toEqual([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: 'I will look.<tool_call name="get_weather">{"city":"Tokyo"}</tool_call>',
      },
      { role: 'user', content: '<tool_result name="get_weather">\nmild\n</tool_result>\n\nAnd?' },
    ])
  })

  it('gets which result is an error, and calls that could not run', () => {
    const invalid = {
      type: 'invalid_tool_call',
      id: 'call_1',
      name: 'get_weather',
      index: 0,
      argumentsText: '{"city',
      reason: 'malformed_json',
      error: 'The arguments are not JSON',
    } as const
    const given: Message[] = [
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: null, invalidToolCalls: [invalid] },
      { role: 'tool', toolCallId: 'call_1', content: 'no JSON', status: 'error' },
    ]
    const { rules } = createClientCodec(perplexityDialect)
    const { context } = prepare({ messages: given }, rules, { model: 'any' })
    const { messages, losses } = encode(context.messages, perplexityDialect)
    expect(messages).toEqual([
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: '<tool_call name="get_weather">{"city</tool_call>' },
      { role: 'user', content: '<tool_error name="get_weather">\nno JSON\n</tool_error>' },
    ])
    expect(losses).toMatchObject([
      { path: 'messages[2].status', action: 'changed', severity: 'info' },
      { path: 'messages[1]', action: 'changed', severity: 'minor' },
      { path: 'messages[2]', action: 'changed', severity: 'minor' },
    ])
  })
})
