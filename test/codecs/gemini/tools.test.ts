/** Definitions, calls and results of this wire on their own. */

import { describe, expect, it } from 'vitest'
import type { ContentBlock, Message, ToolMessage } from '../../../src/core/messages.ts'
import { decodeRequest, encodeRequest } from '../../../src/formats/gemini/index.ts'
import { block } from '../../../src/messages/block.ts'

it('definitions in one entry with a tool of the provider are read as two', () => {
  const tools = [{ functionDeclarations: [{ name: 'f' }], googleSearch: {} }]
  expect(decodeRequest({ contents: 'Hi', tools }).context.tools).toEqual([
    { name: 'f' },
    { type: 'provider_tool', format: 'gemini', value: { googleSearch: {} } },
  ])
})

describe('results', () => {
  const result = (content: ToolMessage['content'], more: Partial<ToolMessage> = {}): ToolMessage => ({
    role: 'tool',
    toolCallId: 'x',
    name: 'f',
    content,
    ...more,
  })

  const image: ContentBlock = { type: 'image', mimeType: 'image/png', data: 'AAAA' }
  const call = block.toolCall('x', 'f')
  const other = { ...call, id: 'y', index: 1 }
  const round: Message[] = [
    { role: 'assistant', content: [call, other] },
    result([{ type: 'text', text: 'see' }, image]),
    result('ok', { toolCallId: 'y' }),
  ]
  it('hold media inside on Gemini 3', () => {
    const { body, losses } = encodeRequest({ messages: round }, { model: 'gemini-3-pro', strict: true })
    expect(body.contents[1]?.parts[0]?.functionResponse).toEqual({
      id: 'x',
      name: 'f',
      response: { output: 'see' },
      parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
    })
    expect(losses.filter(({ severity }) => severity !== 'info')).toEqual([])
  })
  it('have media in a content of its own after all results on older models, which is reported', () => {
    const { body, losses } = encodeRequest({ messages: round }, { model: 'gemini-2.5-flash' })
    expect(body.contents.slice(1)).toEqual([
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'x', name: 'f', response: { output: 'see' } } },
          { functionResponse: { id: 'y', name: 'f', response: { output: 'ok' } } },
        ],
      },
      { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
    ])
    expect(losses).toMatchObject([{ action: 'changed', severity: 'minor' }])
  })

  it.each([
    [{ output: 'ok' }, 'ok', undefined],
    [{ error: 'gone' }, 'gone', 'error'],
    [{ output: { a: 1 } }, '{"a":1}', undefined],
    [{ temperature: '71' }, '{"temperature":"71"}', undefined],
    [{ output: 'ok', more: 1 }, '{"output":"ok","more":1}', undefined],
    [{ error: { code: 5 } }, '{"code":5}', 'error'],
    [{}, '{}', undefined],
  ])('with the response %j are read as text, and go back as they came', (response, content, status) => {
    const contents = [
      { role: 'model', parts: [{ functionCall: { id: 'x', name: 'f', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'x', name: 'f', response, scheduling: 'SILENT' } }] },
    ]
    const { context } = decodeRequest({ contents })
    const message = context.messages[1] as ToolMessage
    expect([message.content, message.status]).toEqual([content, status])
    expect(encodeRequest(context, { model: 'gemini-2.5-flash' }).body.contents).toEqual(contents)
    const edited = { ...message, content: 'edited', status: 'success' as const }
    const again = encodeRequest({ messages: [context.messages[0] as Message, edited] }, { model: 'gemini-2.5-flash' })
    expect(again.body.contents[1]?.parts[0]?.functionResponse?.response).toEqual({ output: 'edited' })
  })
})
