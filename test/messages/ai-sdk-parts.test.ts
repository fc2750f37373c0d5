/** Histories of the AI SDK. Its own schema says that they are ones. */
import { type ModelMessage, modelMessageSchema } from 'ai'
import { describe, expect, it } from 'vitest'
import { anthropic } from '../../src/formats/anthropic/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { normalizeMessages } from '../../src/import/index.ts'
import { block, type Message } from '../../src/index.ts'

function read(...messages: ModelMessage[]): Message[] {
  for (const message of messages) modelMessageSchema.parse(message)
  return normalizeMessages(JSON.parse(JSON.stringify(messages)))
}

const question: ModelMessage = { role: 'user', content: 'Weather in Tokyo?' }
const call: ModelMessage = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'Let me look.' },
    { type: 'tool-call', toolCallId: 'call_1', toolName: 'get_weather', input: { city: 'Tokyo' } },
  ],
}
type Output = Extract<Extract<ModelMessage, { role: 'tool' }>['content'][number], { type: 'tool-result' }>['output']
const result = (output: Output): ModelMessage => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'call_1', toolName: 'get_weather', output }],
})

describe('a call', () => {
  it('keeps its id, its name and its arguments', () => {
    expect(read(question, call)[1]).toEqual({
      role: 'assistant',
      content: [block.text('Let me look.'), block.toolCall('call_1', 'get_weather', { city: 'Tokyo' })],
    })
  })

  it('that the provider ran stays the provider’s, and so does its result', () => {
    const search = { toolCallId: 's', toolName: 'web_search' }
    const [, message] = read(question, {
      role: 'assistant',
      content: [
        { type: 'tool-call', ...search, input: { query: 'Tokyo' }, providerExecuted: true },
        { type: 'tool-result', ...search, output: { type: 'json', value: [{ hits: 3 }] } },
      ],
    })
    expect(message?.content).toEqual([
      { type: 'server_tool_call', id: 's', name: 'web_search', arguments: { query: 'Tokyo' } },
      { type: 'server_tool_result', toolCallId: 's', name: 'web_search', status: 'success', output: [{ hits: 3 }] },
    ])
  })
})

describe('a result', () => {
  it.each<[string, Output, unknown, true?]>([
    ['text', { type: 'text', value: '25 °C' }, '25 °C'],
    ['a value, as JSON', { type: 'json', value: { celsius: 25 } }, '{"celsius":25}'],
    ['text of a value, which it is', { type: 'json', value: '25' }, '25'],
    ['an error', { type: 'error-text', value: 'No such city' }, 'No such city', true],
    ['an error that is a value', { type: 'error-json', value: { code: 404 } }, '{"code":404}', true],
    ['a refusal', { type: 'execution-denied', reason: 'Too dear' }, 'Too dear', true],
    ['a refusal without a reason', { type: 'execution-denied' }, 'The call was not allowed', true],
    [
      'parts',
      {
        type: 'content',
        value: [
          { type: 'text', text: 'a map' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'QUJD' } },
          { type: 'image-url', url: 'https://maps.example/tokyo.png' },
        ],
      },
      [
        block.text('a map'),
        { type: 'image', data: 'QUJD', mimeType: 'image/png' },
        { type: 'image', url: 'https://maps.example/tokyo.png' },
      ],
    ],
  ])('is %s', (_, output, content, isError) => {
    const told = {
      type: 'tool_result',
      toolCallId: 'call_1',
      name: 'get_weather',
      content,
      ...(isError && { isError }),
    }
    expect(read(question, call, result(output))[2]).toEqual({ role: 'user', content: [told] })
  })

  it('goes on to any provider', () => {
    const messages = read(question, call, result({ type: 'text', value: '25 °C' }))
    for (const model of [anthropic('m'), openaiChat('m')]) {
      expect(JSON.stringify(model.codec.encodeRequest({ messages }, { model: 'm' }).body)).toContain('25 °C')
    }
  })
})

describe('media', () => {
  const data = 'QUJD'
  const url = 'https://a.example/b'
  const filename = 'a.pdf'
  const mediaType = 'application/pdf'
  const pdf = { type: 'file', mimeType: mediaType }
  const reference = { openai: 'file-1' }
  it.each<[string, Extract<Extract<ModelMessage, { role: 'user' }>['content'], unknown[]>[number], unknown]>([
    [
      'an image',
      { type: 'image', image: data, mediaType: 'image/png' },
      { type: 'image', data, mimeType: 'image/png' },
    ],
    ['a link to one', { type: 'image', image: url }, { type: 'image', url }],
    ['a file', { type: 'file', data, mediaType, filename }, { ...pdf, data, filename }],
    ['a file at a link', { type: 'file', data: { type: 'url', url: new URL(url) }, mediaType }, { ...pdf, url }],
    [
      'a file that is stored at a provider',
      { type: 'file', data: { type: 'reference', reference }, mediaType },
      { ...pdf, fileId: 'file-1' },
    ],
    [
      'text in a file',
      { type: 'file', data: { type: 'text', text: 'Hello' }, mediaType: 'text/markdown' },
      { type: 'plain_text', text: 'Hello', mimeType: 'text/markdown' },
    ],
  ])('is %s', (_, part, expected) => expect(read({ role: 'user', content: [part] })[0]?.content).toEqual([expected]))
})

describe('a proof', () => {
  const proof = (provider: string, format: string, data: object) => ({ provider, model: '', format, data })

  it.each<[string, Record<string, Record<string, string>>, object]>([
    ['Anthropic’s', { anthropic: { signature: 'sig' } }, proof('anthropic', 'anthropic', { signature: 'sig' })],
    ['Anthropic’s, redacted', { anthropic: { redactedData: 'r' } }, proof('anthropic', 'anthropic', { data: 'r' })],
    ['Gemini’s', { google: { thoughtSignature: 't' } }, proof('gemini', 'gemini', { thoughtSignature: 't' })],
    [
      'OpenAI’s',
      { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'e' } },
      proof('openai', 'openai-responses', { encrypted_content: 'e', id: 'rs_1' }),
    ],
  ])('goes along, so that thinking goes back to whose it is: %s', (_, providerOptions, opaque) => {
    const part = { type: 'reasoning', text: 'hm', providerOptions } as const
    const [message] = read({ role: 'assistant', content: [part] })
    expect(message?.content).toEqual([{ type: 'reasoning', text: 'hm', opaque, metadata: { providerOptions } }])
  })
})
