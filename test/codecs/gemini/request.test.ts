/** Requests of Gemini, in both directions: `wire/gemini.md` §2, and the types of the official client. */
import { describe, expect, it } from 'vitest'
import { toolCallsOf } from '../../../src/core/content.ts'
import type { ContentBlock, Context, Message, RequestOptions, ToolMessage } from '../../../src/core/messages.ts'
import {
  codeExecution,
  createClientCodec,
  decodeRequest,
  encodeDefinitions,
  encodeRequest,
  geminiDialect,
  googleSearch,
  urlContext,
} from '../../../src/formats/gemini/index.ts'
import { fromOpenApi, isEmptySchema } from '../../../src/formats/gemini/schema.ts'
import { toolCall as call } from '../../../src/messages/block.ts'
import { encodesRequests, hi } from '../rows.ts'
import type { GoogleHosted } from '../types.ts'

const older = 'gemini-2.5-flash'
const gemini3 = 'gemini-3-pro-preview'
const encode = (context: Context, options: Partial<RequestOptions> = {}, dialect = geminiDialect) =>
  encodeRequest(context, { model: older, ...options, dialect })
const hello = { messages: [hi] }
const user = (...parts: object[]) => ({ role: 'user', parts })
const sentHi = user({ text: 'Hi' })
const says = (...content: ContentBlock[]): Message => ({ role: 'assistant', content })
const resultOf = (content: ToolMessage['content'], more: Partial<ToolMessage> = {}): ToolMessage => ({
  ...{ role: 'tool', toolCallId: 'x', name: 'f', content, ...more },
})

it('the key is in a header of its own', () => {
  expect(createClientCodec().headers('secret')).toEqual({ 'x-goog-api-key': 'secret' })
  expect(createClientCodec().headers(undefined)).toEqual({})
})

describe('the path', () => {
  it.each([
    ['gemini-2.5-flash', false, '/models/gemini-2.5-flash:generateContent'],
    ['gemini-2.5-flash', true, '/models/gemini-2.5-flash:streamGenerateContent?alt=sse'],
    ['models/gemini-2.5-flash', false, '/models/gemini-2.5-flash:generateContent'],
    ['tunedModels/mine-123', false, '/tunedModels/mine-123:generateContent'],
    ['a b:c?d#e', false, '/models/a%20b%3Ac%3Fd%23e:generateContent'],
  ])('of %s, streamed %s, is %s', (model, stream, path) => {
    expect(encode(hello, { model, stream }).path).toBe(path)
  })

  it.each(['', '..', 'models/..', 'a//b', './x'])(
    'is never made of the name "%s", which would lead elsewhere',
    (model) => {
      expect(() => encode(hello, { model })).toThrow(TypeError)
    },
  )

  it.each([
    ['/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse', { model: 'gemini-2.5-flash', stream: true }],
    ['/v1beta/tunedModels/mine:generateContent', { model: 'tunedModels/mine' }],
    ['/v1beta/models/a%20b:generateContent', { model: 'a b' }],
    ['/v1beta/models/openai/gpt-5:generateContent', { model: 'openai/gpt-5' }],
    ['models/%E0%A4%A:generateContent', { model: '%E0%A4%A' }],
    ['', { model: '' }],
  ])('%s is read as %j', (path, options) => {
    expect(decodeRequest({ contents: 'Hi' }, { path }).options).toEqual(options)
  })
})

describe('a request', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const asked = { responseFormat: { type: 'json', schema } } as const
  const asJson = { responseMimeType: 'application/json', responseJsonSchema: schema }
  const tools = [{ name: 'f' }]
  const picture = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const
  const round = [
    hi,
    says(call('x', 'f'), { ...call('y', 'f'), index: 1 }),
    resultOf([{ type: 'text', text: 'see' }, picture]),
    resultOf('ok', { toolCallId: 'y' }),
  ]
  const calls = { role: 'model', parts: ['x', 'y'].map((id) => ({ functionCall: { id, name: 'f', args: {} } })) }
  const response = (id: string, output: string, more = {}) => ({
    functionResponse: { id, name: 'f', response: { output }, ...more },
  })
  const inlineData = { mimeType: 'image/png', data: 'AAAA' }
  const unsent = says(call('call_1', 'f', {}, { generatedId: true }))
  const withoutIds = [
    sentHi,
    { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
    user({ functionResponse: { name: 'f', response: { output: 'ok' } } }),
  ]
  const content = (...blocks: ContentBlock[]) => ({ messages: [{ role: 'user', content: blocks } as const] })

  encodesRequests(encode, [
    [
      'has instructions of a developer as user text',
      { messages: [{ role: 'developer', content: 'Be brief.' }, hi] },
      { contents: [{ ...sentHi, parts: [{ text: 'Be brief.' }, { text: 'Hi' }] }], systemInstruction: undefined },
      ['messages[0] changed minor'],
    ],
    [
      'has them after the system text if the dialect requires it',
      {
        messages: [{ role: 'developer', content: 'Be brief.' }, { role: 'system', content: 'A cat.' }, hi],
      },
      { contents: [sentHi], systemInstruction: { parts: [{ text: 'A cat.' }, { text: 'Be brief.' }] } },
      [],
      { ...geminiDialect, developer: 'system' },
    ],
    [
      'has no turns without content: a content without parts is refused',
      {
        messages: [
          hi,
          says({ type: 'text', text: '' }),
          { role: 'assistant', content: null },
          { ...hi, content: '' },
          hi,
        ],
      },
      { contents: [user({ text: 'Hi' }, { text: 'Hi' })] },
      [
        'messages[1].content[0] dropped info',
        'messages[1] dropped info',
        'messages[2] dropped info',
        'messages[3] dropped info',
      ],
    ],
    [
      'leaves out a paused answer where its token asks for more of it',
      {
        messages: [
          hi,
          { role: 'assistant', content: 'Half', stopReason: 'pause', rawStopReason: 'CONTINUATION' } as Message,
        ],
        providerState: { continuationToken: 'next' },
      },
      { contents: [sentHi], continuationToken: 'next' },
    ],
    [
      '[0.60] [0.85] never has an id that isoglot made',
      { messages: [hi, unsent, resultOf('ok', { toolCallId: 'call_1' })] },
      { contents: withoutIds },
    ],
    [
      'never has one even if its mark was lost',
      { messages: [hi, says(call('gemini_0', 'f')), resultOf('ok', { toolCallId: 'gemini_0' })] },
      { contents: withoutIds },
    ],
    [
      'never has one at a host that refuses them',
      { messages: [hi, says(call('w6geog7o', 'f')), resultOf('ok', { toolCallId: 'w6geog7o' })] },
      { contents: withoutIds },
      [],
      { ...geminiDialect, callIds: false },
    ],
    [
      'has the options of sampling in generationConfig',
      {
        ...{ maxTokens: 100, temperature: 0, topP: 0.5, topK: 3, seed: 7, stop: ['END'] },
        ...{ frequencyPenalty: 0.1, presencePenalty: 0.2 },
      },
      {
        generationConfig: {
          ...{ maxOutputTokens: 100, temperature: 0, topP: 0.5, topK: 3, seed: 7, stopSequences: ['END'] },
          ...{ frequencyPenalty: 0.1, presencePenalty: 0.2 },
        },
      },
    ],
    [
      'has five stop sequences',
      { stop: ['1', '2', '3', '4', '5', '6'] },
      { generationConfig: { stopSequences: ['1', '2', '3', '4', '5'] } },
      ['options.stop changed'],
    ],
    [
      'has JSON as it is',
      { responseFormat: { type: 'json' } },
      { generationConfig: { responseMimeType: 'application/json' } },
    ],
    // gemini.md §2.3: "Together with functions: Gemini 3 only".
    ['has a schema', asked, { generationConfig: asJson, systemInstruction: undefined }],
    [
      'has a schema in words beside tools of older models',
      { ...asked, tools },
      {
        generationConfig: undefined,
        systemInstruction: { parts: [{ text: expect.stringContaining(JSON.stringify(schema)) }] },
      },
      ['options.responseFormat'],
    ],
    ...['gemini-3-flash', 'gemini-flash-latest'].map(
      (model) =>
        [`has a schema beside tools of ${model}`, { ...asked, tools, model }, { generationConfig: asJson }] as const,
    ),
    // gemini.md §2.3: "`cachedContent` forbids `systemInstruction`, `tools`, `toolConfig` in the same request".
    [
      'leaves system text and tools out beside a cached content',
      {
        ...{ system: 'Be brief', tools, toolChoice: 'required', responseFormat: { type: 'json' } },
        providerOptions: { gemini: { cachedContent: 'cachedContents/1' } },
      },
      {
        ...{ cachedContent: 'cachedContents/1', systemInstruction: undefined, tools: undefined, toolConfig: undefined },
        generationConfig: { responseMimeType: 'application/json' },
      },
      ['tools', 'system', 'options.toolChoice'],
    ],
    [
      'has media of results inside on Gemini 3',
      { messages: round, model: 'gemini-3-pro' },
      {
        contents: [
          sentHi,
          expect.anything(),
          user(response('x', 'see', { parts: [{ inlineData }] }), response('y', 'ok')),
        ],
      },
      ['contents invented info'],
    ],
    [
      'has them after all results on older models',
      { messages: round },
      {
        contents: [
          sentHi,
          calls,
          user(response('x', 'see\n[image: see the message after the results]'), response('y', 'ok')),
          user({ text: '<tool_result id="x" name="f">' }, { inlineData }, { text: '</tool_result>' }),
        ],
      },
      ['messages[2].content[1] changed minor'],
    ],
    [
      'drops an unknown block without a part in it',
      content({ type: 'unknown', format: 'gemini', providerType: 'x', value: null }, { type: 'text', text: 'Hi' }),
      { contents: [sentHi] },
      ['messages[0].content[0] dropped'],
    ],
    [
      'has a data URL as data',
      content({ type: 'image', url: 'data:image/gif;base64,AAAA' }),
      { contents: [user({ inlineData: { mimeType: 'image/gif', data: 'AAAA' } })] },
    ],
    [
      'has an address, which not every model fetches',
      content({ type: 'image', url: 'https://a.example/b.png', mimeType: 'image/png' }),
      { contents: [user({ fileData: { mimeType: 'image/png', fileUri: 'https://a.example/b.png' } })] },
      ['messages[0].content[0].url changed minor'],
    ],
    [
      'has a usual type for media without one',
      content({ type: 'image', data: 'AAAA' }),
      { contents: [user({ inlineData })] },
      ['messages[0].content[0].mimeType invented minor'],
    ],
  ])

  it.each([
    ['gemini-2.5-flash', { effort: 'none' }, { thinkingBudget: 0 }],
    ['gemini-2.5-pro', { effort: 'none' }, { thinkingBudget: 128 }],
    ['gemini-2.5-flash', { effort: 'low' }, { thinkingBudget: 2048, includeThoughts: true }],
    ['gemini-2.5-flash', { effort: 'max' }, { thinkingBudget: 24576, includeThoughts: true }],
    ['gemini-2.5-pro', { effort: 'max' }, { thinkingBudget: 32768, includeThoughts: true }],
    ['gemini-3-pro-preview', { effort: 'none' }, { thinkingLevel: 'MINIMAL' }],
    ['gemini-3-pro-preview', { effort: 'medium' }, { thinkingLevel: 'MEDIUM', includeThoughts: true }],
    ['gemini-3.5-flash', { effort: 'xhigh' }, { thinkingLevel: 'HIGH', includeThoughts: true }],
    ['gemini-flash-latest', { effort: 'minimal' }, { thinkingLevel: 'MINIMAL', includeThoughts: true }],
    ['gemini-3-pro-preview', { effort: 'high', budgetTokens: 500 }, { thinkingBudget: 500, includeThoughts: true }],
    ['gemini-2.5-flash', {}, { includeThoughts: true }],
  ] as const)(
    'asks %s for reasoning %j by %j, never a budget and a level together',
    (model, reasoning, thinkingConfig) => {
      expect(encode(hello, { model, reasoning }).body.generationConfig).toEqual({ thinkingConfig })
    },
  )

  it.each([
    ['auto', { mode: 'AUTO' }],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [{ name: 'f' }, { mode: 'ANY', allowedFunctionNames: ['f'] }],
    [
      { names: ['f', 'g'], mode: 'required' },
      { mode: 'ANY', allowedFunctionNames: ['f', 'g'] },
    ],
    [
      { names: ['f', 'g'], mode: 'auto' },
      { mode: 'VALIDATED', allowedFunctionNames: ['f', 'g'] },
    ],
  ] as const)('has the choice %j as %j, and it is read', (toolChoice, functionCallingConfig) => {
    const { body } = encode({ ...hello, tools: [{ name: 'f' }, { name: 'g' }] }, { toolChoice })
    expect(body.toolConfig).toEqual({ functionCallingConfig })
    expect(decodeRequest(body).options.toolChoice).toEqual(toolChoice)
  })

  it('has the documented placeholder on the first call of each step that another model made, only for Gemini 3', () => {
    const step = (...ids: string[]): Message[] => [
      says(...ids.map((id) => call(id, 'f'))),
      ...ids.map((toolCallId) => resultOf('ok', { toolCallId })),
    ]
    const signaturesFor = (model: string) =>
      encode({ messages: [hi, ...step('a', 'b'), ...step('c')] }, { model })
        .body.contents.filter(({ role }) => role === 'model')
        .map(({ parts }) => parts.map((part) => part.thoughtSignature))
    const placeholder = 'skip_thought_signature_validator'
    expect(signaturesFor(gemini3)).toEqual([[placeholder, undefined], [placeholder]])
    expect(signaturesFor(older)).toEqual([[undefined, undefined], [undefined]])
  })

  it('has the signature of a model for an alias of it', () => {
    const data = { thoughtSignature: 'c2ln' }
    const opaque = { provider: 'gemini', model: 'gemini-3.6-flash', format: 'gemini', data }
    const messages = [hi, says(call('x', 'f', {}, { opaque })), resultOf('ok')]
    expect(encode({ messages }, { model: 'gemini-flash-latest' }).body.contents[1]?.parts[0]).toMatchObject(data)
  })
})

describe('tools', () => {
  it('that Google runs have every option of the API', () => {
    const search = googleSearch({
      ...{ blockedDomains: ['example.com'], blockingConfidence: 'BLOCK_HIGH_AND_ABOVE', searchTypes: ['web', 'image'] },
      timeRange: { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' },
    })
    expect(encodeDefinitions([googleSearch(), search, codeExecution(), urlContext()])).toEqual<GoogleHosted[]>([
      { googleSearch: {} },
      {
        googleSearch: {
          excludeDomains: ['example.com'],
          blockingConfidence: 'BLOCK_HIGH_AND_ABOVE',
          searchTypes: { webSearch: {}, imageSearch: {} },
          timeRangeFilter: { startTime: '2026-01-01T00:00:00Z', endTime: '2026-02-01T00:00:00Z' },
        },
      },
      { codeExecution: {} },
      { urlContext: {} },
    ])
  })

  it('in one entry with a tool of the provider are read as two', () => {
    const tools = [{ functionDeclarations: [{ name: 'f' }], googleSearch: {} }]
    expect(decodeRequest({ contents: 'Hi', tools }).context.tools).toEqual([
      { name: 'f' },
      { type: 'provider_tool', format: 'gemini', value: { googleSearch: {} } },
    ])
  })

  it('have schemas of OpenAPI with small types, and nullable as a type', () => {
    const properties = {
      a: { type: 'STRING', nullable: true },
      b: { type: 'ARRAY', items: { anyOf: [{ type: 'NUMBER' }] } },
      c: { type: 'BOOLEAN', default: true },
    }
    expect(fromOpenApi({ type: 'OBJECT', additionalProperties: true, properties })).toEqual({
      type: 'object',
      additionalProperties: true,
      properties: {
        a: { type: ['string', 'null'] },
        b: { type: 'array', items: { anyOf: [{ type: 'number' }] } },
        c: { type: 'boolean', default: true },
      },
    })
  })

  it.each([
    [{}, true],
    [{ type: 'object', properties: {}, additionalProperties: false }, true],
    [{ type: 'object', properties: { a: {} } }, false],
    [{ $ref: '#/a' }, false],
    [{ anyOf: [] }, false],
  ])('of the schema %j take nothing: %s', (schema, isEmpty) => {
    expect(isEmptySchema(schema)).toBe(isEmpty)
  })
})

describe('a request of a client', () => {
  it('has other ids than those that it has already', () => {
    const parts = [{ functionCall: { id: 'gemini_1', name: 'f' } }, { functionCall: { name: 'f' } }]
    const { context } = decodeRequest({ contents: [{ role: 'model', parts }] })
    expect(context.messages[0]?.content).toMatchObject([{ id: 'gemini_1' }, { id: 'gemini_2', generatedId: true }])
  })

  it('has no choice of tools once that was taken out, and keeps what stood beside it', () => {
    const beside = { includeServerSideToolInvocations: true }
    const toolConfig = { functionCallingConfig: { mode: 'ANY' }, ...beside }
    const tools = [{ functionDeclarations: [{ name: 'f' }] }]
    const { context, options } = decodeRequest({ contents: 'Hi', tools, toolConfig })
    const { toolChoice, ...rest } = options
    expect(toolChoice).toBe('required')
    expect(encodeRequest(context, { ...rest, model: older }).body.toolConfig).toEqual({
      ...{ functionCallingConfig: {}, ...beside },
    })
  })

  it('may be in snake_case everywhere but in what belongs to others', () => {
    const parameters = { type: 'object', properties: { my_arg: {} } }
    const { context, options } = decodeRequest({
      system_instruction: { parts: [{ text: 'Be brief.' }], role: 'system' },
      contents: [
        user(
          { inline_data: { mime_type: 'image/png', data: 'AAAA' } },
          { file_data: { file_uri: 'gs://a/b', mime_type: 'video/mp4' } },
        ),
        { role: 'model', parts: [{ function_call: { name: 'f', args: { my_arg: 1 } }, thought_signature: 'c2ln' }] },
        { role: 'function', parts: [{ function_response: { name: 'f', response: { output: 'my_output' } } }] },
      ],
      tools: [{ function_declarations: [{ name: 'f', parameters_json_schema: parameters }] }],
      tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['f'] } },
      generation_config: { max_output_tokens: 5, thinking_config: { thinking_budget: 10 } },
      safety_settings: [],
    })
    const picture = { type: 'image', mimeType: 'image/png', data: 'AAAA' }
    const opaque = { data: { thoughtSignature: 'c2ln' } }
    expect(context).toMatchObject({
      system: 'Be brief.',
      messages: [
        { role: 'user', content: [picture, { type: 'video', fileId: 'gs://a/b' }] },
        { role: 'assistant', content: [{ type: 'tool_call', name: 'f', arguments: { my_arg: 1 }, opaque }] },
        { role: 'tool', name: 'f', content: 'my_output' },
      ],
      tools: [{ name: 'f', parameters }],
    })
    expect(options).toMatchObject({ maxTokens: 5, reasoning: { budgetTokens: 10 }, toolChoice: { name: 'f' } })
    expect(options.providerOptions?.gemini).toHaveProperty('safetySettings', [])
  })

  // The SDK's chat keeps the chunks of a stream with `streamFunctionCallArguments` as contents: js-genai, recordings of Vertex.
  const by = { jsonPath: '$.by', numberValue: 2 }
  const of = { jsonPath: '$.of', stringValue: '1', willContinue: true }
  const more = { jsonPath: '$.of', stringValue: '00' }
  const snake = [
    { json_path: '$.by', number_value: 2 },
    { json_path: '$.of', string_value: '100' },
  ]
  it.each([
    ['in one part', [[{ functionCall: { name: 'divide', partialArgs: [by, of, more] } }]]],
    [
      'in parts after the name',
      [
        [{ name: 'divide' }, { partialArgs: [by] }].map((part) => ({ functionCall: { ...part, willContinue: true } })),
        [{ partialArgs: [of, more], willContinue: true }, {}].map((functionCall) => ({ functionCall })),
      ],
    ],
    [
      'in contents of their own, in snake_case',
      [{ name: 'divide', will_continue: true }, { partial_args: snake, will_continue: true }, {}].map(
        (function_call) => [{ function_call }],
      ),
    ],
  ])('may have arguments in pieces, %s', (_, turns) => {
    const response = { functionResponse: { id: 'of the client', name: 'divide', response: { result: 50 } } }
    const contents = [sentHi, ...turns.map((parts) => ({ role: 'model', parts })), user(response)]
    const { context, losses } = decodeRequest({ contents })
    const [, turn, result, ...others] = context.messages
    expect(turn?.content).toMatchObject([{ type: 'tool_call', name: 'divide', arguments: { by: 2, of: '100' } }])
    const [called] = toolCallsOf(turn as Message)
    expect(result).toMatchObject({ role: 'tool', toolCallId: called?.id, name: 'divide' })
    expect([others, losses]).toEqual([[], []])
  })

  it.each([
    [{ output: 'ok' }, 'ok', undefined],
    [{ error: 'gone' }, 'gone', 'error'],
    [{ output: { a: 1 } }, '{"a":1}', undefined],
    [{ temperature: '71' }, '{"temperature":"71"}', undefined],
    [{ output: 'ok', more: 1 }, '{"output":"ok","more":1}', undefined],
    [{ error: { code: 5 } }, '{"code":5}', 'error'],
    [{}, '{}', undefined],
  ])('has the response %j as text, which goes back as it came, or as it was edited', (response, content, status) => {
    const turn = { role: 'model', parts: [{ functionCall: { id: 'x', name: 'f', args: {} } }] }
    const contents = [sentHi, turn, user({ functionResponse: { id: 'x', name: 'f', response, scheduling: 'SILENT' } })]
    const { context } = decodeRequest({ contents })
    const message = context.messages[2] as ToolMessage
    expect([message.content, message.status]).toEqual([content, status])
    expect(encode(context).body.contents).toEqual(contents)
    const edited = { ...message, content: 'edited', status: 'success' as const }
    const again = encode({ messages: [...context.messages.slice(0, 2), edited] }).body.contents[2]?.parts[0]
    expect(again?.functionResponse?.response).toEqual({ output: 'edited' })
  })
})
