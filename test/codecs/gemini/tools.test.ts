/** Definitions, calls and results of this wire on their own. */

import { describe, expect, it } from 'vitest'
import type { ContentBlock, Message, ToolMessage } from '../../../src/core/messages.ts'
import {
  decodeRequest,
  decodeToolCalls,
  encodeDefinitions,
  encodeRequest,
  encodeResult,
} from '../../../src/formats/gemini/index.ts'
import { block } from '../../../src/messages/block.ts'

/** A value nested 80 deep. */
const nested = (open: string, inside: string, close: string): unknown =>
  JSON.parse(`${open.repeat(80)}${inside}${close.repeat(80)}`)

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

describe('definitions', () => {
  it('of functions go together, each tool of the provider by itself, in their order', () => {
    expect(
      encodeDefinitions([
        { name: 'a', description: 'A', parameters: schema },
        { name: 'b' },
        { type: 'provider_tool', format: 'gemini', value: { googleSearch: {} } },
        { name: 'c', parameters: { type: 'object', properties: {} } },
      ]),
    ).toEqual([
      { functionDeclarations: [{ name: 'a', description: 'A', parametersJsonSchema: schema }, { name: 'b' }] },
      { googleSearch: {} },
      { functionDeclarations: [{ name: 'c' }] },
    ])
  })
  it('in one entry with a tool of the provider are read as two', () => {
    const tools = [{ functionDeclarations: [{ name: 'f' }], googleSearch: {} }]
    expect(decodeRequest({ contents: 'Hi', tools }).context.tools).toEqual([
      { name: 'f' },
      { type: 'provider_tool', format: 'gemini', value: { googleSearch: {} } },
    ])
  })
  it('of other providers are left out, and reported', () => {
    const tools = [{ type: 'provider_tool' as const, format: 'anthropic', value: { type: 'web_search_20250305' } }]
    const { body, losses } = encodeRequest({ messages: [], tools }, { model: 'gemini-2.5-flash' })
    expect(body.tools).toBeUndefined()
    expect(losses).toMatchObject([{ path: 'tools[0]', action: 'dropped', severity: 'minor' }])
  })
  it.each([
    [{ functionDeclarations: [{ name: 'f', description: null, parameters: { type: 'object', properties: {} } }] }],
    [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: schema, behavior: 'NON_BLOCKING', response: {} }] }],
    [{ googleSearch: { timeRangeFilter: {} } }],
  ])('%j go back as they came', (tool) => {
    const { context } = decodeRequest({ contents: 'Hi', tools: [tool] })
    expect(encodeRequest(context, { model: 'gemini-2.5-flash' }).body.tools).toEqual([tool])
  })
})

describe('calls', () => {
  const bodyOf = (...parts: object[]) => ({ candidates: [{ content: { parts } }] })

  it('are read from a body, whether or not it says that it is whole', () => {
    const body = bodyOf(
      { functionCall: { name: 'f', args: { a: 1 }, id: 'x' } },
      { text: 'and' },
      { functionCall: { name: 'f' } },
    )
    expect(decodeToolCalls(body)).toEqual({
      toolCalls: [
        {
          type: 'tool_call',
          id: 'x',
          name: 'f',
          arguments: { a: 1 },
          argumentsText: '{"a":1}',
          index: 0,
          complete: true,
        },
        {
          type: 'tool_call',
          id: 'gemini_1',
          generatedId: true,
          name: 'f',
          arguments: {},
          argumentsText: '',
          index: 1,
          complete: true,
        },
      ],
      invalidToolCalls: [],
    })
  })
  it('with arguments as text are read, as some hosts write them', () => {
    expect(decodeToolCalls(bodyOf({ functionCall: { name: 'f', args: '{"a":1}' } })).toolCalls).toMatchObject([
      { arguments: { a: 1 } },
    ])
  })
  it.each([
    [{ args: {} }, 'missing_name'],
    [{ name: 7, args: {} }, 'missing_name'],
    [{ name: 'f', args: [1] }, 'not_an_object'],
    [{ name: 'f', args: 3 }, 'not_an_object'],
    [{ name: 'f', args: '{"a":' }, 'malformed_json'],
    [{ name: 'f', args: nested('{"a":', '1', '}') }, 'too_deep'],
    [{ name: 'f', args: nested('[', '', ']') }, 'malformed_json'],
  ])('that are not valid are reported and never repaired: %#', (functionCall, reason) => {
    const { toolCalls, invalidToolCalls } = decodeToolCalls(bodyOf({ functionCall }))
    expect(toolCalls).toEqual([])
    expect(invalidToolCalls).toMatchObject([{ reason, id: 'gemini_0', index: 0 }])
  })
  it('take `__proto__` for a key like any other', () => {
    const { toolCalls } = decodeToolCalls(
      JSON.parse('{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"__proto__":{"a":1}}}}]}}]}'),
    )
    expect(toolCalls[0]?.argumentsText).toBe('{"__proto__":{"a":1}}')
    expect(Object.hasOwn(toolCalls[0]?.arguments ?? {}, '__proto__')).toBe(true)
  })
})

describe('results', () => {
  const result = (content: ToolMessage['content'], more: Partial<ToolMessage> = {}): ToolMessage => ({
    role: 'tool',
    toolCallId: 'x',
    name: 'f',
    content,
    ...more,
  })

  it.each([
    [result('ok'), { output: 'ok' }],
    [result(''), { output: '' }],
    [result('gone', { status: 'error' }), { error: 'gone' }],
    [
      result([
        { type: 'text', text: 'a' },
        { type: 'plain_text', text: 'b' },
      ]),
      { output: 'ab' },
    ],
  ])('are an object under `output` or `error`: %#', (message, response) => {
    expect(encodeResult(message)).toEqual({
      role: 'user',
      parts: [{ functionResponse: { id: 'x', name: 'f', response } }],
    })
  })
  it('do not name an id of isoglot', () => {
    expect(encodeResult(result('ok', { toolCallId: 'gemini_3' }))).toEqual({
      role: 'user',
      parts: [{ functionResponse: { name: 'f', response: { output: 'ok' } } }],
    })
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
  it.each(['image', 'audio', 'video', 'file'] as const)('hold %s inside', (type) => {
    const mimeType = { image: 'image/png', audio: 'audio/wav', video: 'video/mp4', file: 'application/pdf' }[type]
    const sent = encodeResult(result([{ type, mimeType, data: 'AAAA' }])) as { parts: { functionResponse: object }[] }
    expect(sent.parts[0]?.functionResponse).toMatchObject({ parts: [{ inlineData: { mimeType, data: 'AAAA' } }] })
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
  it('of a declaration with a JSON Schema nothing is kept beside what has a word of isoglot', () => {
    const declaration = { name: 'f', description: 'd', parametersJsonSchema: { type: 'object' } }
    const { context } = decodeRequest({
      contents: [{ parts: [{ text: 'a' }] }],
      tools: [{ functionDeclarations: [declaration] }],
    })
    expect(context.tools).toEqual([{ name: 'f', description: 'd', parameters: { type: 'object' } }])
  })
  it('with media inside are read whole', () => {
    const functionResponse = {
      id: 'x',
      name: 'f',
      response: { output: 'see' },
      parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
    }
    const { context } = decodeRequest({ contents: [{ parts: [{ functionResponse }] }] })
    expect(context.messages[0]?.content).toEqual([{ type: 'text', text: 'see' }, image])
  })
})
