import { describe, expect, it } from 'vitest'
import { blocksOf } from '../../../src/core/content.ts'
import { UnsupportedError } from '../../../src/core/errors.ts'
import { compact } from '../../../src/core/json.ts'
import type { ChatResponse, ContentBlock, Context, Message, RequestOptions } from '../../../src/core/messages.ts'
import { createClientCodec, decodeRequest, encodeRequest } from '../../../src/formats/anthropic/index.ts'
import { prepare } from '../../../src/prepare/prepare.ts'
import { ownCase } from '../../support/corpus.ts'
import { decodeChunks } from '../../support/decode.ts'

const model = 'claude-sonnet-4-5'
const pixel = 'iVBORw0KGgo='

function encode(context: Partial<Context>, options: Partial<RequestOptions> = {}, dialect = {}) {
  return encodeRequest({ messages: [], ...context }, { model, maxTokens: 100, ...options, dialect })
}
function messagesOf(...messages: Message[]) {
  return encode({ messages }).body.messages
}
/** As a run sends them. */
function sent(...messages: Message[]) {
  const prepared = prepare({ messages }, createClientCodec().rules, { model })
  const { body, losses } = encode(prepared.context)
  return { messages: body.messages, losses: [...prepared.losses, ...losses] }
}
function userBlocks(...content: ContentBlock[]) {
  return messagesOf({ role: 'user', content })[0]?.content
}
const call = { type: 'tool_call', name: 'f', arguments: { a: 1 }, argumentsText: '{"a":1}', complete: true } as const

it('an empty message is left out, which is reported', () => {
  const { messages, losses } = sent({ role: 'user', content: '' }, { role: 'user', content: 'hi' })
  expect(messages).toEqual([{ role: 'user', content: 'hi' }])
  expect(losses).toMatchObject([{ path: 'messages[0]', action: 'dropped', severity: 'info' }])
})

it('moves text before the calls that it follows, and reports it', () => {
  const ask = { ...call, id: 'toolu_1', index: 0 } as const
  const { body, losses } = encode({
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [ask, { type: 'text', text: 'One moment' }] },
      { role: 'tool', toolCallId: 'toolu_1', content: 'ok' },
    ],
  })
  expect(body.messages[1]?.content).toMatchObject([{ type: 'text', text: 'One moment' }, { type: 'tool_use' }])
  expect(losses).toContainEqual(expect.objectContaining({ path: 'messages[1]', action: 'changed', severity: 'info' }))
})

describe('system text', () => {
  it('stands in the system field: its own, then that of leading system and developer messages', {
    meta: { promise: '0.26 0.75' },
  }, () => {
    const messages: Message[] = [
      { role: 'system', content: 'two' },
      { role: 'developer', content: 'three' },
      { role: 'user', content: 'hi' },
    ]
    const { body } = encode({ system: 'one', messages })
    expect(body.system).toEqual(['one', 'two', 'three'].map((text) => ({ type: 'text', text })))
    expect(body.messages).toEqual([{ role: 'user', content: 'hi' }])
  })

  it('stays a string where it is one', () => {
    expect(encode({ system: 'one' }).body.system).toBe('one')
    expect(encode({ messages: [{ role: 'system', content: 'one' }] }).body.system).toBe('one')
  })

  it('stays in its place in the middle of a conversation that was not prepared', () => {
    const messages: Message[] = [
      { role: 'user', content: 'hi' },
      { role: 'developer', content: 'now in French' },
    ]
    expect(messagesOf(...messages)).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'system', content: 'now in French' },
    ])
  })

  it('holds only text: an image in it is refused', () => {
    const system: ContentBlock[] = [{ type: 'image', url: 'https://example.com/a.png' }]
    expect(() => encode({ system })).toThrow(UnsupportedError)
  })
})

describe('turns', () => {
  it('join neighbours of one role', () => {
    expect(messagesOf({ role: 'user', content: 'a' }, { role: 'user', content: 'b' })).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ])
  })

  it('hold the results of parallel calls in one user message, before any text', () => {
    const [, , answer] = sent(
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [
          { ...call, id: 'x', index: 0 },
          { ...call, id: 'y', index: 1 },
        ],
      },
      { role: 'tool', toolCallId: 'x', content: '1' },
      { role: 'user', content: 'and?' },
      { role: 'tool', toolCallId: 'y', content: '2', status: 'error' },
    ).messages
    expect(answer).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'x', content: '1' },
        { type: 'tool_result', tool_use_id: 'y', content: '2', is_error: true },
        { type: 'text', text: 'and?' },
      ],
    })
  })

  it('put calls after the text of an assistant, and nothing across thinking', () => {
    const thinking = {
      type: 'reasoning',
      text: 'hm',
      opaque: { provider: 'anthropic', model, format: 'anthropic', data: { signature: 's' } },
    } as const
    const [, turn] = messagesOf(
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [
          { ...call, id: 'x', index: 0 },
          { type: 'text', text: 'one' },
          thinking,
          { type: 'text', text: 'two' },
          { ...call, id: 'y', index: 1 },
        ],
      },
    )
    expect(((turn?.content ?? []) as { type: string }[]).map(({ type }) => type)).toEqual([
      'text',
      'tool_use',
      'thinking',
      'text',
      'tool_use',
    ])
  })

  it('do not end with thinking', () => {
    const opaque = { provider: 'anthropic', model, format: 'anthropic', data: { signature: 's' } }
    const { messages, losses } = sent(
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [{ type: 'reasoning', text: 'hm', opaque }] },
    )
    expect(messages).toEqual([{ role: 'user', content: 'go' }])
    expect(losses.map(({ severity }) => severity)).toContain('minor')
  })

  it('do not end a prefilled answer in white space', () => {
    const prefill = (content: string | ContentBlock[]) =>
      messagesOf({ role: 'user', content: 'go' }, { role: 'assistant', content })[1]?.content
    expect(prefill('so: \n')).toBe('so:')
    expect(prefill([{ type: 'text', text: 'so: \n' }])).toEqual([{ type: 'text', text: 'so:' }])
  })

  it('leave out blank text and empty messages, which are refused', () => {
    expect(
      messagesOf({
        role: 'user',
        content: [
          { type: 'text', text: ' ' },
          { type: 'text', text: 'a' },
        ],
      }),
    ).toEqual([{ role: 'user', content: [{ type: 'text', text: 'a' }] }])
    expect(sent({ role: 'user', content: '' }, { role: 'assistant', content: null }).messages).toEqual([])
  })

  it('of the user stay turns even if none of their content can be sent', () => {
    const unknown: ContentBlock = { type: 'unknown', format: 'gemini', providerType: 'x', value: {} }
    expect(messagesOf({ role: 'user', content: [unknown] }, { role: 'assistant', content: 'a' })).toEqual([
      { role: 'user', content: '(Nothing that can be shown here.)' },
      { role: 'assistant', content: 'a' },
    ])
  })

  it('hold calls that stand beside the content, once', () => {
    const toolCalls = [{ ...call, id: 'x', index: 0 }]
    const [, turn] = messagesOf({ role: 'user', content: 'go' }, { role: 'assistant', content: null, toolCalls })
    expect(turn?.content).toEqual([{ type: 'tool_use', id: 'x', name: 'f', input: { a: 1 } }])
  })

  describe('with an invalid call', () => {
    const turn: Message = {
      role: 'assistant',
      content: null,
      invalidToolCalls: [
        {
          type: 'invalid_tool_call',
          id: 'x',
          name: 'f',
          index: 0,
          argumentsText: '{"a',
          reason: 'truncated',
          error: '',
        },
      ],
    }

    it('hold it with an empty input, and report it', () => {
      const { messages, losses } = sent({ role: 'user', content: 'go' }, turn)
      expect(messages[1]?.content).toEqual([{ type: 'tool_use', id: 'x', name: 'f', input: {} }])
      expect(losses).toContainEqual(
        expect.objectContaining({ action: 'changed', path: 'messages[1].invalidToolCalls', severity: 'minor' }),
      )
    })

    it('are refused if they were not prepared', () => {
      expect(() => messagesOf(turn)).toThrow(UnsupportedError)
    })
  })
})

describe('content', () => {
  const image = (source: object) => ({ type: 'image', source })
  const document = (source: object, more = {}) => ({ type: 'document', source, ...more })
  it.each<[string, ContentBlock, object]>([
    [
      'an image by URL',
      { type: 'image', url: 'https://e.com/a.png' },
      image({ type: 'url', url: 'https://e.com/a.png' }),
    ],
    ['an image by file id', { type: 'image', fileId: 'file_1' }, image({ type: 'file', file_id: 'file_1' })],
    [
      'an image',
      { type: 'image', data: pixel, mimeType: 'image/png' },
      image({ type: 'base64', media_type: 'image/png', data: pixel }),
    ],
    [
      'an image whose type its bytes tell',
      { type: 'image', data: pixel },
      image({ type: 'base64', media_type: 'image/png', data: pixel }),
    ],
    [
      'a data URL',
      { type: 'image', url: `data:image/gif;base64,R0lG` },
      image({ type: 'base64', media_type: 'image/gif', data: 'R0lG' }),
    ],
    [
      'image/jpg',
      { type: 'image', data: 'x', mimeType: 'image/jpg' },
      image({ type: 'base64', media_type: 'image/jpeg', data: 'x' }),
    ],
    [
      'an image told as a file',
      { type: 'file', data: pixel, mimeType: 'image/png' },
      image({ type: 'base64', media_type: 'image/png', data: pixel }),
    ],
    [
      'a PDF',
      { type: 'file', data: 'JVBERi0=', mimeType: 'application/pdf', filename: 'a.pdf' },
      document({ type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }, { title: 'a.pdf' }),
    ],
    [
      'a PDF by URL',
      { type: 'file', url: 'https://e.com/a.pdf' },
      document({ type: 'url', url: 'https://e.com/a.pdf' }),
    ],
    ['a file by id', { type: 'file', fileId: 'file_1' }, document({ type: 'file', file_id: 'file_1' })],
    [
      'a text file',
      { type: 'file', data: 'w6Q=', mimeType: 'text/csv' },
      document({ type: 'text', media_type: 'text/plain', data: 'ä' }),
    ],
    [
      'a text file as a data URL',
      { type: 'file', url: 'data:text/plain,%C3%A4' },
      document({ type: 'text', media_type: 'text/plain', data: 'ä' }),
    ],
    [
      'a plain text document',
      { type: 'plain_text', text: 'ä', title: 't' },
      document({ type: 'text', media_type: 'text/plain', data: 'ä' }, { title: 't' }),
    ],
    [
      'its own unknown block',
      { type: 'unknown', format: 'anthropic', providerType: 'new', value: { type: 'new', a: 1 } },
      { type: 'new', a: 1 },
    ],
  ])('takes %s', (_, block, wire) => {
    expect(userBlocks(block)).toEqual([wire])
  })

  it.each<[string, ContentBlock]>([
    ['audio', { type: 'audio', data: 'x', mimeType: 'audio/wav' }],
    ['video', { type: 'video', url: 'https://e.com/a.mp4' }],
    ['an image of another type', { type: 'image', data: 'x', mimeType: 'image/svg+xml' }],
    ['an image that is nowhere', { type: 'image' }],
    ['a file of another type', { type: 'file', data: 'x', mimeType: 'application/zip' }],
    ['a text file that is not text', { type: 'file', data: '/////w==', mimeType: 'text/plain' }],
  ])('refuses %s', (_, block) => {
    expect(() => userBlocks(block)).toThrow(UnsupportedError)
  })

  it.each<[string, ContentBlock]>([
    ['an unknown block of another wire', { type: 'unknown', format: 'gemini', providerType: 'x', value: {} }],
    ['a call that another provider ran', { type: 'server_tool_call', id: 'a', name: 'search', arguments: {} }],
    ['a result that another provider made', { type: 'server_tool_result', toolCallId: 'a', output: 1 }],
    ['a citation of its own', { type: 'citation', url: 'https://e.com' }],
    ['a piece of a call', { type: 'tool_call_chunk', argumentsDelta: '{' }],
    ['reasoning without a signature', { type: 'reasoning', text: 'hm' }],
  ])('leaves out %s, and reports it', (_, block) => {
    const { body, losses } = encode({
      messages: [{ role: 'assistant', content: [block, { type: 'text', text: 'a' }] }],
    })
    expect(body.messages[0]?.content).toEqual([{ type: 'text', text: 'a' }])
    expect(losses).toContainEqual(
      expect.objectContaining({ action: 'dropped', severity: 'minor', path: 'messages[0].content[0]' }),
    )
  })

  it('keeps the beta header of files, on the version that wants it', () => {
    const messages: Message[] = [{ role: 'user', content: [{ type: 'file', fileId: 'file_1' }] }]
    expect(encode({ messages }, {}, { beta: ['a'] }).headers).toEqual({ 'anthropic-beta': 'a,files-api-2025-04-14' })
    expect(encode({ messages }, {}, { version: '2026-10-21' }).headers).toEqual({})
  })

  it('has the beta header of files for a file in a result too', () => {
    const turn: Message = { role: 'assistant', content: [{ ...call, id: 'x', index: 0 }] }
    const result: Message = { role: 'tool', toolCallId: 'x', content: [{ type: 'image', fileId: 'file_1' }] }
    const { headers } = encode({ messages: [{ role: 'user', content: 'go' }, turn, result] })
    expect(headers).toEqual({ 'anthropic-beta': 'files-api-2025-04-14' })
  })
})

describe('proofs', () => {
  const reasoning = (provider: string, madeBy: string, data: object = { signature: 'sig' }) =>
    ({ type: 'reasoning', text: 'hm', opaque: { provider, model: madeBy, format: 'anthropic', data } }) as ContentBlock
  const turn = (block: ContentBlock, dialect = {}) =>
    encode({ messages: [{ role: 'assistant', content: [block, { type: 'text', text: 'a' }] }] }, {}, dialect).body
      .messages[0]?.content[0]

  it('go back to the model family that made them, byte for byte', { meta: { promise: '0.76' } }, () => {
    expect(turn(reasoning('anthropic', 'claude-sonnet-4-5-20250929'))).toEqual({
      type: 'thinking',
      thinking: 'hm',
      signature: 'sig',
    })
    expect(turn(reasoning('anthropic', model, { data: 'enc' }))).toEqual({ type: 'redacted_thinking', data: 'enc' })
  })

  it.each([
    ['another provider', reasoning('deepseek', model)],
    ['another model', reasoning('anthropic', 'claude-opus-4-5')],
    [
      'another wire',
      {
        type: 'reasoning',
        text: 'hm',
        opaque: { provider: 'openai', model: 'o3', format: 'openai-responses', data: { encrypted_content: 'x' } },
      } as ContentBlock,
    ],
  ])('of %s do not go', (_, block) => {
    expect(turn(block)).toEqual({ type: 'text', text: 'a' })
  })

  it('are not needed for a host that signs nothing', () => {
    expect(turn({ type: 'reasoning', text: 'hm' }, { provider: 'kimi', unsignedThinking: true })).toEqual({
      type: 'thinking',
      thinking: 'hm',
      signature: '',
    })
  })
})

describe('version 2026-10-21', () => {
  const dialect = { version: '2026-10-21' }

  it('gets no sampling fields', () => {
    const { body, losses } = encode({}, { temperature: 1, topP: 0.99, topK: 4 }, dialect)
    expect(body).not.toHaveProperty('temperature')
    expect(body).not.toHaveProperty('top_p')
    expect(body).not.toHaveProperty('top_k')
    expect(losses.map(({ path }) => path)).toEqual(['options.temperature', 'options.topP', 'options.topK'])
  })

  it("gets no document in an assistant's turn", () => {
    const messages: Message[] = [{ role: 'assistant', content: [{ type: 'plain_text', text: 'a' }] }]
    expect(() => encode({ messages }, {}, dialect)).toThrow(UnsupportedError)
    expect(encode({ messages }).body.messages[0]?.content).toMatchObject([{ type: 'document' }])
  })

  it("gets no citations on a user's text, and those on the assistant's", () => {
    const cited = {
      type: 'char_location',
      cited_text: 'x',
      document_index: 0,
      document_title: null,
      start_char_index: 0,
      end_char_index: 1,
    }
    const content = [{ type: 'text', text: 'a', citations: [cited] }]
    const body = {
      model,
      max_tokens: 1,
      messages: [
        { role: 'user', content },
        { role: 'assistant', content },
      ],
    }
    const { context, options } = decodeRequest(body)
    expect(encodeRequest(context, options).body).toEqual(body)
    expect(encodeRequest(context, { ...options, dialect: { version: '2026-10-21' } }).body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'a' }] },
      { role: 'assistant', content },
    ])
  })
})

describe('a request that is read and written', () => {
  it.each<[string, object]>([
    [
      'a search result',
      {
        type: 'search_result',
        source: 's',
        title: 't',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
        citations: { enabled: true },
      },
    ],
    [
      'a document with a context',
      {
        type: 'document',
        source: { type: 'text', media_type: 'text/plain', data: 'x' },
        title: 't',
        context: 'c',
        citations: { enabled: true },
      },
    ],
    ['a document in parts', { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'x' }] } }],
    [
      'a document without a title',
      { type: 'document', source: { type: 'url', url: 'https://e.com/a.pdf' }, title: null },
    ],
    ['an upload to a container', { type: 'container_upload', file_id: 'file_1' }],
    ['a block of next year', { type: 'hologram', data: { deep: [1, null] } }],
    ['an image of next year', { type: 'image', source: { type: 'hologram', id: 1 } }],
    ['a transformed image', { type: 'image', source: { type: 'file', file_id: 'f' }, transformations: { crop: true } }],
    ['a cache mark', { type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    ['a cache mark of next year', { type: 'text', text: 'a', cache_control: { type: 'eternal' } }],
    ['no cache mark', { type: 'text', text: 'a', cache_control: null }],
    ['fields of next year', { type: 'text', text: 'a', sparkle: { x: 1 } }],
    ['a text that is none', { type: 'text', text: 5 }],
  ])('keeps %s', (_, block) => {
    const body = { model, max_tokens: 1, messages: [{ role: 'user', content: [block] }] }
    const { context, options } = decodeRequest(body)
    expect(encodeRequest(context, { ...options, strict: true }).body).toEqual(body)
  })

  // https://github.com/anthropics/anthropic-sdk-typescript, `Tool.InputSchema`: both fields may be `null`.
  it('reads a schema whose properties or required names are null like one without them', () => {
    const schema = { type: 'object', title: 't', properties: null, required: null }
    const tools = [{ name: 'f', input_schema: schema }]
    const { context } = decodeRequest({ model, max_tokens: 1, messages: [], tools })
    expect(context.tools).toEqual([{ name: 'f', parameters: { type: 'object', title: 't' } }])
  })

  it('keeps a whole round of tools, with everything beside it', () => {
    const body = {
      model: 'claude-opus-4-6',
      max_tokens: 2048,
      system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
      tools: [
        {
          name: 'f',
          description: 'd',
          input_schema: { type: 'object', properties: {} },
          strict: true,
          eager_input_streaming: true,
        },
        { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
        {
          type: 'custom',
          name: 'g',
          input_schema: { type: 'object', properties: {} },
          cache_control: { type: 'ephemeral' },
        },
      ],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      messages: [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: '', signature: 'sig' },
            { type: 'redacted_thinking', data: 'enc' },
            { type: 'text', text: 'so' },
            {
              type: 'server_tool_use',
              id: 'srvtoolu_1',
              name: 'web_search',
              input: { query: 'q' },
              caller: { type: 'direct' },
            },
            {
              type: 'web_search_tool_result',
              tool_use_id: 'srvtoolu_1',
              content: [{ type: 'web_search_result', url: 'u', title: 't', encrypted_content: 'e', page_age: null }],
            },
            { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'echo', input: {}, server_name: 's' },
            { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', is_error: false, content: [] },
            { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: [1] }, caller: { type: 'direct' } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              is_error: true,
              content: [
                { type: 'text', text: 'x' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
                { type: 'tool_reference', tool_name: 'f' },
              ],
              cache_control: { type: 'ephemeral' },
            },
            { type: 'text', text: 'well?' },
          ],
        },
      ],
      stop_sequences: ['END'],
      stream: false,
      thinking: { type: 'adaptive', display: 'omitted' },
      output_config: {
        effort: 'high',
        format: { type: 'json_schema', schema: { type: 'object', properties: {}, additionalProperties: false } },
        later: 1,
      },
      metadata: { user_id: 'u1', later: 2 },
      service_tier: 'auto',
      container: { id: 'c', skills: [] },
      mcp_servers: [{ type: 'url', url: 'https://e.com', name: 's' }],
    }
    const { context, options } = decodeRequest(body)
    expect(options).toMatchObject({
      user: 'u1',
      stop: ['END'],
      parallelToolCalls: false,
      reasoning: { effort: 'high' },
    })
    expect(context.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(context.messages[2]).toMatchObject({
      toolCallId: 'toolu_1',
      name: 'f',
      status: 'error',
      metadata: { cacheHint: 'ephemeral' },
    })
    expect(encodeRequest(context, { ...options, strict: true }).body).toEqual(body)
  })

  it('lets an edit win over what was kept', () => {
    const body = {
      model,
      max_tokens: 1,
      messages: [
        {
          role: 'user',
          content: [{ type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'a' }] }],
        },
      ],
    }
    const { context, options } = decodeRequest(body)
    const [block] = (context.messages[0]?.content ?? []) as ContentBlock[]
    const messages: Message[] = [{ role: 'user', content: [{ ...block, text: 'b', title: 'u' } as ContentBlock] }]
    expect(encodeRequest({ ...context, messages }, options).body.messages[0]?.content).toEqual([
      { type: 'search_result', source: 's', title: 'u', content: [{ type: 'text', text: 'b' }] },
    ])
  })
})

describe("a gateway's client", () => {
  const read = (fields: object) => decodeRequest({ model: 'm', messages: [], ...fields })

  it.each<[string, object, object[]]>([
    ['a string', { role: 'user', content: 'a' }, [{ role: 'user', content: 'a' }]],
    ['system in the middle', { role: 'system', content: 'a' }, [{ role: 'system', content: 'a' }]],
    [
      'a result without content',
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x' }] },
      [{ role: 'tool', toolCallId: 'x', content: '' }],
    ],
    [
      'results and text mixed',
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'tool_result', tool_use_id: 'x', content: 'r' },
        ],
      },
      [
        { role: 'tool', toolCallId: 'x', content: 'r' },
        { role: 'user', content: [{ type: 'text', text: 'a' }] },
      ],
    ],
  ])('may send %s', (_, message, messages) => {
    expect(read({ messages: [message] }).context.messages).toEqual(messages)
  })

  it('may send several user messages in a row, which become one turn', () => {
    const { context, options } = read({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
      ],
    })
    expect(encodeRequest(context, options).body.messages).toHaveLength(1)
  })

  it('may send input that is not an object: the call is invalid, but kept', () => {
    const content = [{ type: 'tool_use', id: 'x', name: 'f', input: [1] }]
    expect(read({ messages: [{ role: 'assistant', content }] }).context.messages).toMatchObject([
      { content: [], invalidToolCalls: [{ id: 'x', reason: 'not_an_object', argumentsText: '[1]' }] },
    ])
  })

  it.each<[string, unknown, string]>([
    ['no object', 5, ''],
    ['null', null, ''],
    ['no model', { messages: [] }, 'model'],
    ['a model that is not a string', { model: 5, messages: [] }, 'model'],
    ['no messages', { model: 'm' }, 'messages'],
    ['messages of another type', { model: 'm', messages: {} }, 'messages'],
    ['a message that is none', { model: 'm', messages: [null] }, 'messages[0]'],
    ['a role that is none', { model: 'm', messages: [{ role: 'constructor', content: '' }] }, 'messages[0].role'],
    ['a content of another type', { model: 'm', messages: [{ role: 'user', content: 5 }] }, 'messages[0].content'],
    ['no content', { model: 'm', messages: [{ role: 'assistant' }] }, 'messages[0].content'],
    ['a block that is none', { model: 'm', messages: [{ role: 'user', content: ['a'] }] }, 'messages[0].content[0]'],
    [
      'a block without a type',
      { model: 'm', messages: [{ role: 'user', content: [{}] }] },
      'messages[0].content[0].type',
    ],
    ['a system of another type', { model: 'm', messages: [], system: 5 }, 'system'],
    ['tools of another type', { model: 'm', messages: [], tools: 5 }, 'tools'],
    ['a tool that is none', { model: 'm', messages: [], tools: [5] }, 'tools[0]'],
    ['a choice that is none', { model: 'm', messages: [], tool_choice: 'auto' }, 'tool_choice'],
    ['a limit that is not a number', { model: 'm', messages: [], max_tokens: '5' }, 'max_tokens'],
    ['a limit beyond numbers', JSON.parse('{"model":"m","messages":[],"max_tokens":1e999}'), 'max_tokens'],
    ['stop sequences of another type', { model: 'm', messages: [], stop_sequences: [5] }, 'stop_sequences[0]'],
    ['a stream that is not a boolean', { model: 'm', messages: [], stream: 'yes' }, 'stream'],
    ['a temperature of another type', { model: 'm', messages: [], temperature: {} }, 'temperature'],
  ])('gets an error with the reason: %s', (_, body, path) => {
    expect(() => decodeRequest(body)).toThrow(expect.objectContaining({ name: 'DecodeError', path }))
  })

  it('cannot reach a prototype', () => {
    const body = JSON.parse(
      '{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a","__proto__":{"x":1}}]}],"__proto__":{"y":1}}',
    )
    const { context, options } = decodeRequest(body)
    expect(({} as { x?: unknown }).x).toBeUndefined()
    expect(JSON.stringify(encodeRequest(context, { ...options, maxTokens: 1 }).body)).toContain('"__proto__":{"x":1}')
  })

  it('may nest deeply: input that is too deep for a call is kept unchanged', () => {
    const input = JSON.parse(`${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`)
    const content = [{ type: 'tool_use', id: 'x', name: 'f', input }]
    const { context, options } = read({ max_tokens: 1, messages: [{ role: 'assistant', content }] })
    expect(context.messages[0]?.content).toMatchObject([{ type: 'unknown', providerType: 'tool_use' }])
    expect(encodeRequest(context, options).body.messages[0]?.content).toEqual(content)
  })
})

it('gives an unknown block of a system message back as it came', () => {
  const block = { type: 'tool_addition', tool: { type: 'tool_reference', name: 'f' } }
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'system', content: [block, { type: 'text', text: 'Use it' }] },
  ]
  const { context, options } = decodeRequest({ model: 'm', max_tokens: 9, messages })
  const { body, losses } = encodeRequest(context, options)
  expect(body.messages).toEqual(messages)
  expect(losses).toEqual([])
})

it.each([0, 1])('gives a system message that holds only settings back as it came, at place %i', (at) => {
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'user', content: 'go on' },
  ].toSpliced(at, 1, { role: 'system', output_config: { effort: 'low' } } as never)
  const { context, options } = decodeRequest({ model: 'm', max_tokens: 9, messages })
  const { body, losses } = encodeRequest(context, options)
  expect(body.messages).toEqual(messages)
  expect(losses).toEqual([])
})

describe('tools that come and go in mid-conversation', () => {
  const value = { type: 'tool_addition', tool: { type: 'tool_reference', name: 'f' } }
  const change: Message = {
    role: 'system',
    content: [{ type: 'unknown', format: 'anthropic', providerType: 'tool_addition', value }],
  }
  const messages: Message[] = [{ role: 'user', content: 'hi' }, { role: 'assistant', content: 'Yes?' }, change]

  it.each([undefined, 'hoist'] as const)(
    'stay system messages where other instructions move ("%s"): the API takes them nowhere else',
    (lateInstructions) => {
      const effort: Message = {
        role: 'system',
        content: [],
        providerData: { anthropic: { output_config: { effort: 'low' } } },
      }
      const codec = createClientCodec(compact({ lateInstructions }))
      const { context } = prepare(
        { messages: [...messages, { role: 'user', content: 'a' }, effort, { role: 'user', content: 'b' }] },
        codec.rules,
        { model },
      )
      const { body } = codec.encodeRequest(context, { model, maxTokens: 100 })
      expect((body as { messages: object[] }).messages.slice(2)).toEqual([
        { role: 'system', content: [value] },
        { role: 'user', content: 'a' },
        { role: 'system', output_config: { effort: 'low' } },
        { role: 'user', content: 'b' },
      ])
    },
  )

  it('are written in a separate system message, and read again', () => {
    const codec = createClientCodec({ lateInstructions: 'inline' })
    const { context } = prepare({ messages }, codec.rules, { model })
    const { body, losses } = codec.encodeRequest(context, { model, maxTokens: 100 })
    const wire = (body as { messages: object[] }).messages.at(-1)
    expect(wire).toEqual({ role: 'system', content: [value] })
    expect(losses).toEqual([])
    expect(decodeRequest(body).context.messages.at(-1)).toEqual(change)
  })
})

describe('a container whose code waits for a result', () => {
  const turn = decodeChunks(createClientCodec(), [ownCase('anthropic/programmatic-stream').bytes])
    .response as ChatResponse
  const { providerState } = turn
  const round: Message[] = [
    { role: 'user', content: 'Roll for Ann.' },
    turn.message,
    { role: 'tool', toolCallId: 'toolu_01L', content: '4' },
  ]
  const fetchedByCode: ContentBlock = {
    type: 'server_tool_call',
    id: 'srvtoolu_02',
    name: 'web_fetch',
    arguments: {},
    argumentsText: '{}',
    providerData: { anthropic: { type: 'server_tool_use', caller: { type: 'code', tool_id: 'srvtoolu_01F' } } },
  }
  const fetched: ContentBlock = {
    type: 'server_tool_result',
    toolCallId: 'srvtoolu_02',
    output: {},
    providerData: { anthropic: { type: 'web_fetch_tool_result' } },
  }
  const byModel: Message = { role: 'assistant', content: [{ ...call, id: 'c', index: 0 }] }
  const containerOf = (messages: readonly Message[], options: Partial<RequestOptions> = {}) =>
    encode({ messages, ...compact({ providerState }) }, options).body.container

  it('is named with the result of its call, as the documented request names it', () => {
    const documented = ownCase('anthropic/programmatic-results').request as { container: string }
    expect(containerOf(round)).toBe(documented.container)
  })

  it('takes only results: text beside them is refused here, and not by the API', () => {
    const messages: Message[] = [...round, { role: 'user', content: 'Hurry!' }]
    expect(() => encode({ messages, ...compact({ providerState }) })).toThrow(UnsupportedError)
    const { body } = encode({ messages, ...compact({ providerState }) }, { strict: false })
    expect(body.messages.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_01L', content: '4' }],
    })
  })

  it('is named with an answer that paused in its code, which goes back as it is', () => {
    const paused: Message = {
      ...turn.message,
      content: blocksOf(turn.message.content).slice(0, 1),
      stopReason: 'pause',
    }
    const nested: Message = { ...paused, content: [...blocksOf(paused.content), fetchedByCode] }
    const { body } = encode({ messages: [round[0] as Message, nested], ...compact({ providerState }) })
    expect(body.container).toBe('container_011CPR5CNjB747bTd36fQLFk')
    expect(body.messages.at(-1)).toMatchObject({ content: [{ type: 'server_tool_use' }, { type: 'server_tool_use' }] })
  })

  it('is not named, and a message may follow, when its code has ended', () => {
    const ended: ContentBlock = {
      type: 'server_tool_result',
      toolCallId: 'srvtoolu_01F',
      output: { type: 'code_execution_result', stdout: '' },
      providerData: { anthropic: { type: 'code_execution_tool_result' } },
    }
    const content = [...blocksOf(turn.message.content).slice(0, 1), fetchedByCode, fetched, ended]
    const question: Message = { role: 'user', content: [{ type: 'text', text: 'And?' }] }
    const messages: Message[] = [round[0] as Message, { role: 'assistant', content }, question]
    const { body } = encode({ messages, ...compact({ providerState }) })
    expect(body.container).toBeUndefined()
    expect(body.messages.at(-1)).toEqual({ role: 'user', content: [{ type: 'text', text: 'And?' }] })
  })

  it.each([
    ['nobody knows it', [...round], undefined],
    ['a user speaks in place of the results', [...round.slice(0, 2), { role: 'user', content: 'Stop' }], providerState],
  ] as const)('is left, with its code, when %s: the API refuses calls that nothing answers', (_, messages, state) => {
    const prepared = prepare({ messages, ...compact({ providerState: state }) }, createClientCodec().rules, {
      model: 'm',
    })
    const { body, losses } = encode(prepared.context)
    expect(body.container).toBeUndefined()
    expect(body.messages[1]?.content).toEqual([
      { type: 'tool_use', id: 'toolu_01L', name: 'roll_die', input: { player: 'ann' } },
    ])
    expect(losses).toMatchObject([
      {
        action: 'dropped',
        path: 'messages[1].content[0]',
        severity: 'minor',
        reason: expect.stringContaining('result'),
      },
      ...(state === undefined ? [] : [{ path: 'providerState.containerId' }]),
    ])
  })

  it('has the skills that the caller asks for', () => {
    const skills = [{ type: 'anthropic', skill_id: 'pptx' }]
    const providerOptions = { anthropic: { container: { skills } } }
    expect(containerOf(round, { providerOptions })).toEqual({ id: 'container_011CPR5CNjB747bTd36fQLFk', skills })
  })

  it('is another one if the caller says so', () => {
    expect(containerOf(round, { providerOptions: { anthropic: { container: 'mine' } } })).toBe('mine')
  })

  it.each([
    [
      'a question that follows, since it may have ended',
      [...round, { role: 'assistant', content: 'A 4.' }, { role: 'user', content: 'And Bob?' }],
    ],
    ['results of calls that the model made itself', [byModel, { role: 'tool', toolCallId: 'c', content: '4' }]],
  ] as [string, Message[]][])('is not named with %s', (_, messages) => {
    expect(containerOf(messages)).toBeUndefined()
  })
})

describe('what is sent differently is reported', () => {
  const hi: Message = { role: 'user', content: 'Hi' }
  const said = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] })
  it.each<[string, Context, object, string]>([
    [
      'a blank text',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a' },
              { type: 'text', text: ' ' },
            ],
          },
        ],
      },
      { action: 'dropped', path: 'messages[0].content[1]', severity: 'info' },
      '[{"role":"user","content":[{"type":"text","text":"a"}]}]',
    ],
    [
      'white space at the end of a beginning of the answer',
      { messages: [hi, said('Dear \n')] },
      { action: 'changed', path: 'messages[1]', severity: 'info' },
      '[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"text","text":"Dear"}]}]',
    ],
  ])('%s', (_, context, loss, messages) => {
    const { body, losses } = encode(context)
    expect(losses).toMatchObject([loss])
    expect(JSON.stringify(body.messages)).toBe(messages)
  })

  it('arguments that are not an object', () => {
    const tools = [{ name: 'f', parameters: { type: 'array', items: {} } }]
    const { body, losses } = encode({ messages: [hi], tools })
    expect(losses).toMatchObject([{ action: 'dropped', path: 'tools[0]', reason: expect.stringContaining('"f"') }])
    expect(body.tools).toBeUndefined()
  })
})
