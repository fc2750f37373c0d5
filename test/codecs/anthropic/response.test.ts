import { describe, expect, it } from 'vitest'
import { blocksOf } from '../../../src/core/content.ts'
import { ApiError, InterruptedError } from '../../../src/core/errors.ts'
import type { AssistantMessage, ChatResponse, ContentBlock, StopReason } from '../../../src/core/messages.ts'
import { decodeResponse, encodeResponse } from '../../../src/formats/anthropic/index.ts'
import { block } from '../../../src/messages/block.ts'
import { oracle } from './oracle.ts'

const usage = { input_tokens: 1, output_tokens: 2 }
function body(fields: object): object {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage,
    ...fields,
  }
}
function answer(
  content: ContentBlock[],
  stopReason: StopReason = 'stop',
  more: Partial<AssistantMessage> = {},
): ChatResponse {
  return { message: { role: 'assistant', content, stopReason, ...more }, stopReason }
}
const call = block.toolCall('x', 'f', { a: 1 })

it('a result of a tool that the provider runs has the name of the tool, which the wire has except for MCP', () => {
  const types = ['web_search_tool_result', 'code_execution_tool_result', 'mcp_tool_result']
  const content = types.map((type) => ({ type, tool_use_id: type, content: [] }))
  const { message } = decodeResponse({ type: 'message', role: 'assistant', content, stop_reason: 'end_turn' })
  const names = blocksOf(message.content).map((block) => block.type === 'server_tool_result' && block.name)
  expect(names).toEqual(['web_search', 'code_execution', undefined])
})

describe('a body', () => {
  it.each<[string, object]>([
    [
      'each kind of citation',
      {
        content: [
          {
            type: 'text',
            text: 'a',
            citations: [
              {
                type: 'char_location',
                cited_text: 'x',
                document_index: 0,
                document_title: null,
                start_char_index: 0,
                end_char_index: 1,
              },
              {
                type: 'page_location',
                cited_text: 'x',
                document_index: 0,
                document_title: 'Doc',
                start_page_number: 1,
                end_page_number: 2,
                file_id: null,
              },
              {
                type: 'content_block_location',
                cited_text: 'x',
                document_index: 0,
                document_title: 'Doc',
                start_block_index: 0,
                end_block_index: 1,
              },
              {
                type: 'web_search_result_location',
                cited_text: 'x',
                url: 'https://e.com',
                title: 'T',
                encrypted_index: 'e',
              },
              {
                type: 'search_result_location',
                cited_text: 'x',
                source: 's',
                title: null,
                search_result_index: 0,
                start_block_index: 0,
                end_block_index: 1,
              },
              { type: 'of_next_year', where: 1 },
            ],
          },
        ],
      },
    ],
    ['citations that are null', { content: [{ type: 'text', text: 'a', citations: null }] }],
    ['citations that are none', { content: [{ type: 'text', text: 'a', citations: ['x'] }] }],
    [
      'thinking',
      {
        content: [
          { type: 'thinking', thinking: 'a', signature: 's' },
          { type: 'redacted_thinking', data: 'd' },
        ],
      },
    ],
    ['thinking that is not signed', { content: [{ type: 'thinking', thinking: 'a', signature: '' }] }],
    [
      'blank text',
      {
        content: [
          { type: 'text', text: '\n' },
          { type: 'text', text: '' },
        ],
      },
    ],
    [
      'blocks of next year',
      {
        content: [
          { type: 'hologram', a: 1 },
          { type: 'hologram_tool_result', tool_use_id: 'x' },
        ],
      },
    ],
    ['a container', { container: { id: 'c', expires_at: 't' }, content: [{ type: 'container_upload', file_id: 'f' }] }],
    ['a stop sequence', { stop_reason: 'stop_sequence', stop_sequence: 'END' }],
    ['a word of next year', { stop_reason: 'of_next_year' }],
    ['calls beside end_turn', { content: [{ type: 'tool_use', id: 'x', name: 'f', input: {} }] }],
    [
      'figures of next year',
      { usage: { ...usage, cache_read_input_tokens: null, cache_creation_input_tokens: 3, sparkles: { a: 1 } } },
    ],
  ])('with %s is written as it was read', (_, fields) => {
    expect(encodeResponse(decodeResponse(body(fields))).body).toEqual(body(fields))
  })

  it.each<[string, unknown, string]>([
    ['no object', 5, ''],
    ['null', null, ''],
    ['an array', [], ''],
    ['no content', body({ content: undefined }), 'content'],
    ['a content that is none', body({ content: 'a' }), 'content'],
    ['a block that is none', body({ content: [null] }), 'content[0]'],
  ])('that is wrong is an error with its place: %s', (_, given, path) => {
    expect(() => decodeResponse(given)).toThrow(expect.objectContaining({ name: 'DecodeError', path }))
  })

  it('that is an error throws it', () => {
    expect(() => decodeResponse({ type: 'error', error: { type: 'overloaded_error', message: 'm' } })).toThrow(ApiError)
  })

  it('without a stop reason is incomplete', () => {
    expect(() => decodeResponse(body({ stop_reason: null }))).toThrow(InterruptedError)
  })

  it.each([
    {
      content: [{ type: 5 }, {}, { type: 'text' }, { type: 'thinking', thinking: 5 }, { type: 'image', source: null }],
    },
    {
      content: [
        { type: 'tool_use' },
        { type: 'tool_use', id: 5, name: {}, input: 'x' },
        { type: 'server_tool_use', input: null },
      ],
    },
    { content: [{ type: 'web_search_tool_result', tool_use_id: 5 }, { type: 'constructor' }, { type: '__proto__' }] },
    { id: 5, model: {}, usage: 'none', role: 5 },
    { usage: { input_tokens: '5', output_tokens: 1e308 * 10, output_tokens_details: 5 } },
  ])('with wrong types is read as far as it can be: %j', (fields) => {
    expect(() => encodeResponse(decodeResponse(body(fields)))).not.toThrow()
  })

  it('joins the texts around citations without a separator', () => {
    const content = ['a', ' b', 'c.'].map((text) => ({ type: 'text', text }))
    const { message } = decodeResponse(body({ content }))
    expect((message.content as unknown as { text: string }[]).map(({ text }) => text).join('')).toBe('a bc.')
  })
})

describe('an answer of another provider', () => {
  it.each<[StopReason, string | null]>([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['refusal', 'refusal'],
    ['pause', 'pause_turn'],
    ['other', 'end_turn'],
    ['interrupted', null],
    ['error', null],
    ['aborted', null],
  ])('that ended with %s has %s', (reason, word) => {
    expect(encodeResponse(answer([{ type: 'text', text: 'a' }], reason)).body.stop_reason).toBe(word)
  })

  it("has tool_use for calls, whatever the other provider's stop reason was", () => {
    expect(encodeResponse(answer([call], 'tool_calls', { rawStopReason: 'stop' })).body.stop_reason).toBe('tool_use')
    expect(encodeResponse(answer([call], 'tool_calls', { rawStopReason: 'end_turn' })).body.stop_reason).toBe(
      'tool_use',
    )
  })

  it('has an id, a model and figures, always', () => {
    expect(encodeResponse(answer([]), {}).body).toEqual({
      id: 'msg_0',
      type: 'message',
      role: 'assistant',
      model: '',
      content: [],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    })
    const response = { id: 'r', model: 'm' }
    expect(encodeResponse(answer([], 'stop', { response })).body).toMatchObject(response)
    expect(encodeResponse(answer([], 'stop', { response }), { id: 'a', model: 'b' }).body).toMatchObject({
      id: 'a',
      model: 'b',
    })
  })

  it('counts cached input apart, and never below 0', () => {
    const figures = (inputTokens: number) =>
      encodeResponse({
        ...answer([]),
        usage: { inputTokens, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 4, reasoningTokens: 2 },
      }).body.usage
    expect(figures(10)).toEqual({
      input_tokens: 3,
      cache_read_input_tokens: 3,
      cache_creation_input_tokens: 4,
      output_tokens: 5,
      output_tokens_details: { thinking_tokens: 2 },
    })
    expect(figures(1).input_tokens).toBe(0)
  })

  it('has reasoning without another provider’s proof, and reports that', () => {
    const opaque = { provider: 'openai', model: 'o3', format: 'openai-responses', data: { encrypted_content: 'x' } }
    const { body: written, losses } = encodeResponse(
      answer([
        { type: 'reasoning', text: 'hm', opaque },
        { type: 'reasoning', text: '', opaque },
      ]),
    )
    expect(written.content).toEqual([{ type: 'thinking', thinking: 'hm', signature: '' }])
    expect(losses.map(({ severity }) => severity)).toEqual(['info', 'info'])
  })

  it('shows citations of others, and takes them back as such', () => {
    const citations = [{ type: 'citation', url: 'https://e.com', title: 'T', startIndex: 0, endIndex: 1 } as const]
    const { body: written } = encodeResponse(answer([{ type: 'text', text: 'a', citations }]))
    expect(written.content).toEqual([
      {
        type: 'text',
        text: 'a',
        citations: [
          { type: 'web_search_result_location', url: 'https://e.com', title: 'T', cited_text: '', encrypted_index: '' },
        ],
      },
    ])
    const { message } = decodeResponse(written)
    expect(message.content).toEqual([
      { type: 'text', text: 'a', citations: [{ type: 'citation', url: 'https://e.com', title: 'T' }] },
    ])
  })

  it('leaves out content that the format cannot express, and never throws', () => {
    const invalidToolCalls = [
      {
        type: 'invalid_tool_call',
        id: 'x',
        name: 'f',
        index: 0,
        argumentsText: '{',
        reason: 'malformed_json',
        error: '',
      } as const,
    ]
    const { body: written, losses } = encodeResponse(
      answer(
        [
          { type: 'image', data: 'x', mimeType: 'image/png' },
          { type: 'text', text: 'a' },
        ],
        'tool_calls',
        { invalidToolCalls },
      ),
    )
    expect(written.content).toEqual([{ type: 'text', text: 'a' }])
    expect(written.stop_reason).toBe('end_turn') // the only call was invalid
    expect(losses.map(({ path, severity }) => [path, severity])).toEqual([
      ['message.content[0]', 'major'],
      ['message.invalidToolCalls[0]', 'minor'],
    ])
  })

  it('is read by the SDK', async () => {
    const written = encodeResponse(answer([{ type: 'text', text: 'a' }, call], 'tool_calls')).body
    expect(await oracle.response(written)).toMatchObject(JSON.parse(JSON.stringify(written)))
  })
})
