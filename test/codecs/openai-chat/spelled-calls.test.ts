import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/core/messages.ts'
import { type ChatDialect, createClientCodec, encodeRequest, openai } from '../../../src/formats/openai-chat/index.ts'
import { block } from '../../../src/messages/block.ts'
import { prepare } from '../../../src/prepare/prepare.ts'
import { ollamaChatDialect } from '../../../src/providers/ollama-chat.ts'
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

it('leaves out a turn with only another provider’s tools, which would be an empty message', () => {
  const search = { type: 'server_tool_call', id: 's', name: 'web_search', arguments: {} } as const
  const { messages, losses } = encode([{ role: 'assistant', content: [search] }], openai)
  expect(messages).toEqual([])
  expect(losses).toMatchObject([{ path: 'messages[0].content[0]' }, { path: 'messages[0]', action: 'dropped' }])
  expect(encode([{ role: 'assistant', content: '' }], openai).messages).toEqual([{ role: 'assistant', content: '' }])
})

it('sends Ollama’s compatible endpoint images as data, and no other media', () => {
  const { messages, losses } = encode(
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', data: 'aGk=', mimeType: 'image/png' },
          { type: 'image', url: 'https://example.com/a.png' },
          { type: 'file', data: 'aGk=', mimeType: 'application/pdf' },
          { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
        ],
      },
    ],
    ollamaChatDialect,
  )
  expect(messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
      ],
    },
  ])
  expect(losses.map(({ path, severity }) => [path, severity])).toEqual([
    ['messages[0].content[2]', 'major'],
    ['messages[0].content[3]', 'major'],
    ['messages[0].content[4]', 'major'],
  ])
})
