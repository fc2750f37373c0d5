/** Requests of this wire, written from conversations by hand and read from what clients send. */
import { describe, expect, it } from 'vitest'
import { toolCallsOf } from '../../../src/core/content.ts'
import type { Context, Message, RequestOptions, ToolCall } from '../../../src/core/messages.ts'
import { decodeRequest, encodeRequest, geminiDialect } from '../../../src/formats/gemini/index.ts'
import { toolCall as call } from '../../../src/messages/block.ts'

const model = 'gemini-2.5-flash'
const encode = (context: Partial<Context>, options: Partial<RequestOptions> = {}) =>
  encodeRequest({ messages: [{ role: 'user', content: 'Hi' }], ...context }, { model, ...options })
const bodyOf = (messages: readonly Message[], options: Partial<RequestOptions> = {}) =>
  encode({ messages }, options).body
const contentsOf = (messages: readonly Message[], options: Partial<RequestOptions> = {}) =>
  bodyOf(messages, options).contents

/** gemini.md §4: values of arguments, each at its place. */
const pieces = [
  { jsonPath: '$.by', numberValue: 2 },
  { jsonPath: '$.of', stringValue: '1', willContinue: true },
  { jsonPath: '$.of', stringValue: '00' },
]
const snakePieces = [
  { json_path: '$.by', number_value: 2 },
  { json_path: '$.of', string_value: '100' },
]

describe('the path', () => {
  it.each([
    ['gemini-2.5-flash', false, '/models/gemini-2.5-flash:generateContent'],
    ['gemini-2.5-flash', true, '/models/gemini-2.5-flash:streamGenerateContent?alt=sse'],
    ['models/gemini-2.5-flash', false, '/models/gemini-2.5-flash:generateContent'],
    ['tunedModels/mine-123', false, '/tunedModels/mine-123:generateContent'],
    ['a b:c?d#e', false, '/models/a%20b%3Ac%3Fd%23e:generateContent'],
  ])('of %s, streamed %s, is %s', (name, stream, path) => {
    expect(encode({}, { model: name, stream }).path).toBe(path)
  })

  it.each(['', '..', 'models/..', 'a//b', './x'])(
    'is never made of the name "%s", which would lead elsewhere',
    (name) => {
      expect(() => encode({}, { model: name })).toThrow(TypeError)
    },
  )

  it.each([
    ['/v1beta/models/gemini-2.5-flash:generateContent', { model: 'gemini-2.5-flash' }],
    ['/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse', { model: 'gemini-2.5-flash', stream: true }],
    ['/v1beta/tunedModels/mine:generateContent', { model: 'tunedModels/mine' }],
    ['/v1beta/models/a%20b:generateContent', { model: 'a b' }],
    ['/v1beta/models/openai/gpt-5:generateContent', { model: 'openai/gpt-5' }],
    ['models/%E0%A4%A:generateContent', { model: '%E0%A4%A' }],
    ['', { model: '' }],
  ])('%s is read as its model and method', (path, options) => {
    expect(decodeRequest({ contents: 'Hi' }, { path }).options).toEqual(options)
  })
})

describe('instructions', () => {
  it('of a developer become user text by default, which is reported', () => {
    const { body, losses } = encode({ messages: [{ role: 'developer', content: 'Be brief.' }] })
    expect(body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Be brief.' }] }] })
    expect(losses).toMatchObject([{ path: 'messages[0]', action: 'changed', severity: 'minor' }])
  })

  it('of a developer come after the system text if the dialect requires it', () => {
    const messages: Message[] = [
      { role: 'developer', content: 'Be brief.' },
      { role: 'system', content: 'You are a cat.' },
    ]
    const { body } = encodeRequest({ messages }, { model, dialect: { ...geminiDialect, developer: 'system' } })
    expect(body.systemInstruction?.parts).toEqual([{ text: 'You are a cat.' }, { text: 'Be brief.' }])
    expect(body.contents).toEqual([])
  })
})

describe('turns', () => {
  it('without content are not sent: a content without parts is refused', () => {
    const contents = contentsOf([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'text', text: '' }] },
      { role: 'assistant', content: null },
      { role: 'user', content: '' },
    ])
    expect(contents).toEqual([{ role: 'user', parts: [{ text: 'Hi' }] }])
  })

  it('leave out a paused answer where its token asks for more of it', () => {
    const messages: Message[] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Half', stopReason: 'pause', rawStopReason: 'CONTINUATION' },
    ]
    const { body } = encode({ messages, providerState: { continuationToken: 'next' } })
    expect(body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], continuationToken: 'next' })
  })
})

describe('ids of calls', () => {
  const round = (made: ToolCall): Message[] => [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [made] },
    { role: 'tool', toolCallId: made.id, content: 'ok' },
  ]
  const idsIn = (messages: readonly Message[], dialect = geminiDialect) =>
    encodeRequest({ messages }, { model, dialect })
      .body.contents.flatMap(({ parts }) => parts)
      .flatMap((part) => part.functionCall ?? part.functionResponse ?? [])
      .map(({ id }) => id)

  it('are never sent if isoglot made them', () => {
    expect(idsIn(round(call('call_1', 'f', {}, { generatedId: true })))).toEqual([undefined, undefined])
  })
})

it('ids that a client has are not made a second time', () => {
  const { context } = decodeRequest({
    contents: [
      { role: 'model', parts: [{ functionCall: { id: 'gemini_1', name: 'f' } }, { functionCall: { name: 'f' } }] },
    ],
  })
  expect(context.messages[0]?.content).toMatchObject([{ id: 'gemini_1' }, { id: 'gemini_2', generatedId: true }])
})

describe('signatures', () => {
  const gemini3 = 'gemini-3-pro-preview'
  const loop = (content: readonly ToolCall[]): Message[] => [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content },
    ...content.map(({ id }): Message => ({ role: 'tool', toolCallId: id, content: 'ok' })),
  ]
  const signaturesIn = (messages: readonly Message[], target: string) =>
    contentsOf(messages, { model: target }).flatMap(({ parts }) => parts.map((part) => part.thoughtSignature))

  it('are the documented placeholder on the first call of each step that another model made, only for Gemini 3', () => {
    const messages: Message[] = [
      ...loop([call('a', 'f'), call('b', 'f')]),
      { role: 'assistant', content: [call('c', 'g')] },
      { role: 'tool', toolCallId: 'c', content: 'ok' },
    ]
    const placeholder = 'skip_thought_signature_validator'
    expect(signaturesIn(messages, gemini3).filter(Boolean)).toEqual([placeholder, placeholder])
    expect(contentsOf(messages, { model: gemini3 })[1]?.parts.map((part) => part.thoughtSignature)).toEqual([
      placeholder,
      undefined,
    ])
    expect(signaturesIn(messages, model).filter(Boolean)).toEqual([])
  })
})

describe('options', () => {
  it('have their places in generationConfig', () => {
    const { body, losses } = encode(
      {},
      {
        maxTokens: 100,
        temperature: 0,
        topP: 0.5,
        topK: 3,
        seed: 7,
        stop: ['END'],
        frequencyPenalty: 0.1,
        presencePenalty: 0.2,
      },
    )
    expect(body.generationConfig).toEqual({
      maxOutputTokens: 100,
      temperature: 0,
      topP: 0.5,
      topK: 3,
      seed: 7,
      stopSequences: ['END'],
      frequencyPenalty: 0.1,
      presencePenalty: 0.2,
    })
    expect(losses).toEqual([])
  })

  it('stop at five stop sequences, and report the others', () => {
    const { body, losses } = encode({}, { stop: ['1', '2', '3', '4', '5', '6'] })
    expect(body.generationConfig?.stopSequences).toEqual(['1', '2', '3', '4', '5'])
    expect(losses).toMatchObject([{ action: 'changed', path: 'options.stop' }])
  })

  // gemini.md §2.3: "Together with functions: Gemini 3 only".
  it.each([
    ['gemini-2.5-flash', { tools: [{ name: 'f' }] }, false],
    ['gemini-2.5-flash', {}, true],
    ['gemini-3-flash', { tools: [{ name: 'f' }] }, true],
    ['gemini-flash-latest', { tools: [{ name: 'f' }] }, true],
  ] as const)('ask %s with %j for JSON as it can be asked', (model, context, takesFormat) => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const { body, losses } = encode(context, { model, responseFormat: { type: 'json', schema } })
    expect(body.generationConfig?.responseJsonSchema).toEqual(takesFormat ? schema : undefined)
    expect(body.systemInstruction).toEqual(
      takesFormat ? undefined : { parts: [{ text: expect.stringContaining(JSON.stringify(schema)) }] },
    )
    expect(losses.map(({ path }) => path)).toEqual(takesFormat ? [] : ['options.responseFormat'])
  })

  // gemini.md §2.3: "`cachedContent` forbids `systemInstruction`, `tools`, `toolConfig` in the same request".
  it('leave system text and tools out beside a cached content', () => {
    const providerOptions = { gemini: { cachedContent: 'cachedContents/1' } }
    const { body, losses } = encode(
      { system: 'Be brief', tools: [{ name: 'f' }] },
      { model: 'gemini-2.5-flash', providerOptions, toolChoice: 'required', responseFormat: { type: 'json' } },
    )
    expect(body).toEqual({
      cachedContent: 'cachedContents/1',
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      generationConfig: { responseMimeType: 'application/json' },
    })
    expect(losses.map(({ path }) => path)).toEqual(['tools', 'system', 'options.toolChoice'])
  })

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
    'ask %s for reasoning %j, never with a budget and a level together',
    (name, reasoning, thinkingConfig) => {
      expect(encode({}, { model: name, reasoning }).body.generationConfig).toEqual({ thinkingConfig })
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
  ] as const)('write and read the choice %j', (toolChoice, functionCallingConfig) => {
    const { body } = encode({ tools: [{ name: 'f' }, { name: 'g' }] }, { toolChoice })
    expect(body.toolConfig).toEqual({ functionCallingConfig })
    expect(decodeRequest(body).options.toolChoice).toEqual(toolChoice)
  })
})

describe('a request that is decoded and changed', () => {
  it('has no choice of tools once that was taken out, and keeps what stood beside it', () => {
    const toolConfig = { functionCallingConfig: { mode: 'ANY' }, includeServerSideToolInvocations: true }
    const tools = [{ functionDeclarations: [{ name: 'f' }] }]
    const { context, options } = decodeRequest({ contents: 'Hi', tools, toolConfig })
    const { toolChoice, ...rest } = options
    expect(toolChoice).toBe('required')
    expect(encodeRequest(context, { ...rest, model }).body.toolConfig).toEqual({
      functionCallingConfig: {},
      includeServerSideToolInvocations: true,
    })
  })

  it('may be in snake_case everywhere but in what belongs to others', () => {
    const { context, options } = decodeRequest({
      system_instruction: { parts: [{ text: 'Be brief.' }], role: 'system' },
      contents: [
        {
          role: 'user',
          parts: [
            { inline_data: { mime_type: 'image/png', data: 'AAAA' } },
            { file_data: { file_uri: 'gs://a/b', mime_type: 'video/mp4' } },
          ],
        },
        { role: 'model', parts: [{ function_call: { name: 'f', args: { my_arg: 1 } }, thought_signature: 'c2ln' }] },
        { role: 'function', parts: [{ function_response: { name: 'f', response: { output: 'my_output' } } }] },
      ],
      tools: [
        {
          function_declarations: [
            { name: 'f', parameters_json_schema: { type: 'object', properties: { my_arg: {} } } },
          ],
        },
      ],
      tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['f'] } },
      generation_config: { max_output_tokens: 5, thinking_config: { thinking_budget: 10 } },
      safety_settings: [],
    })
    expect(context).toMatchObject({
      system: 'Be brief.',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', mimeType: 'image/png', data: 'AAAA' },
            { type: 'video', fileId: 'gs://a/b' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'tool_call', name: 'f', arguments: { my_arg: 1 }, opaque: { data: { thoughtSignature: 'c2ln' } } },
          ],
        },
        { role: 'tool', name: 'f', content: 'my_output' },
      ],
      tools: [{ name: 'f', parameters: { type: 'object', properties: { my_arg: {} } } }],
    })
    expect(options).toMatchObject({ maxTokens: 5, reasoning: { budgetTokens: 10 }, toolChoice: { name: 'f' } })
    expect(options.providerOptions?.gemini).toHaveProperty('safetySettings', [])
  })
  // The SDK's chat keeps the chunks of a stream with `streamFunctionCallArguments` as contents: js-genai, recordings of Vertex.
  it.each([
    ['in one part', [[{ functionCall: { name: 'divide', partialArgs: pieces } }]]],
    [
      'in parts after the name',
      [
        [
          { functionCall: { name: 'divide', willContinue: true } },
          { functionCall: { partialArgs: pieces.slice(0, 1), willContinue: true } },
          { functionCall: { partialArgs: pieces.slice(1), willContinue: true } },
          { functionCall: {} },
        ],
      ],
    ],
    [
      'in contents of their own, in snake_case',
      [
        [{ function_call: { name: 'divide', will_continue: true } }],
        [{ function_call: { partial_args: snakePieces, will_continue: true } }],
        [{ function_call: {} }],
      ],
    ],
  ])('may have arguments in pieces, %s', (_, turns) => {
    const contents = [
      { role: 'user', parts: [{ text: 'What is 100/2?' }] },
      ...turns.map((parts) => ({ role: 'model', parts })),
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'of the client', name: 'divide', response: { result: 50 } } }],
      },
    ]
    const { context, losses } = decodeRequest({ contents })
    const [, turn, result, ...more] = context.messages
    expect(turn?.content).toMatchObject([{ type: 'tool_call', name: 'divide', arguments: { by: 2, of: '100' } }])
    const [call] = toolCallsOf(turn as Message)
    expect(result).toMatchObject({ role: 'tool', toolCallId: call?.id, name: 'divide' })
    expect([more, losses]).toEqual([[], []])
  })
})
