/** Requests of Messages, by `wire/anthropic.md` §2 and the types of the official client. */
import type Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { UnsupportedError } from '../../../src/core/errors.ts'
import { compact } from '../../../src/core/json.ts'
import type {
  ChatResponse,
  ContentBlock,
  Context,
  Message,
  Metadata,
  ProviderTool,
  RequestOptions,
} from '../../../src/core/messages.ts'
import {
  codeExecution,
  createClientCodec,
  decodeRequest,
  encodeDefinitions,
  encodeRequest,
  headers,
  webFetch,
  webSearch,
} from '../../../src/formats/anthropic/index.ts'
import { toolCall } from '../../../src/messages/block.ts'
import { ownCase } from '../../support/corpus.ts'
import { decodeChunks } from '../../support/decode.ts'
import { encodesRequests, hi } from '../rows.ts'

const older = 'claude-sonnet-4-5-20250929'
const adaptive = 'claude-opus-4-6'
const newer = 'claude-sonnet-5'
const pixel = 'iVBORw0KGgo='
const tools = [{ name: 'f' }, { name: 'g' }]
const call = toolCall('x', 'f', { a: 1 })
const result: Message = { role: 'tool', toolCallId: 'x', content: 'r' }
const says = (...content: ContentBlock[]): Message => ({ role: 'assistant', content })
const hears = (...content: ContentBlock[]): Message => ({ role: 'user', content })
const marked = (text: string, cacheHint: Metadata['cacheHint'] = 'ephemeral') =>
  ({ type: 'text', text, metadata: { cacheHint } }) as const
const encode = (context: Context, options: Partial<RequestOptions> = {}, dialect = {}) =>
  encodeRequest(context, { model: older, maxTokens: 4000, ...options, dialect })

it.each([
  ['k', {}, { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' }],
  [undefined, {}, { 'anthropic-version': '2023-06-01' }],
  ['k', { version: '2026-10-21' }, { 'x-api-key': 'k', 'anthropic-version': '2026-10-21' }],
  [undefined, { beta: [] }, { 'anthropic-version': '2023-06-01' }],
  [undefined, { beta: ['a', 'b'] }, { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b' }],
  [
    undefined,
    { browser: true },
    { 'anthropic-version': '2023-06-01', 'anthropic-dangerous-direct-browser-access': 'true' },
  ],
] as const)('the key %j and %j have their headers', (apiKey, dialect, expected) => {
  expect(headers(apiKey, dialect)).toEqual(expected)
  expect(createClientCodec(dialect).headers(apiKey)).toEqual(expected)
})

describe('options', () => {
  const thinking = { type: 'enabled', budget_tokens: 2000 }
  const budgetTokens = 2000
  const schema = { type: 'object', properties: {}, additionalProperties: false }

  encodesRequests(encode, [
    [
      'max_tokens leaves room for the budget of thinking',
      { maxTokens: undefined as never, reasoning: { budgetTokens: 10_000 } },
      { max_tokens: 18_192, thinking: { type: 'enabled', budget_tokens: 10_000 } },
      ['options.maxTokens invented'],
    ],
    [
      'a limit that is too small for thinking turns it off',
      { maxTokens: 1024, reasoning: { effort: 'low' } },
      { thinking: { type: 'disabled' } },
      ['options.reasoning dropped'],
    ],
    [
      'thinking with a budget does not allow a forced call',
      { tools, reasoning: { budgetTokens }, toolChoice: 'required', parallelToolCalls: false },
      { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      ['options.toolChoice changed minor'],
    ],
    [
      'thinking takes no other sampling',
      { reasoning: { budgetTokens }, temperature: 0.5, topK: 4, topP: 0.9 },
      { thinking, temperature: undefined, top_k: undefined, top_p: undefined },
      ['options.temperature', 'options.topP', 'options.topK'],
    ],
    [
      'thinking takes this sampling',
      { reasoning: { budgetTokens }, temperature: 1, topP: 0.96 },
      { temperature: 1, top_p: 0.96 },
    ],
    [
      'thinking is off in a tool round that began without it',
      { messages: [hi, says(call), result], tools, reasoning: { budgetTokens } },
      { thinking: { type: 'disabled' } },
      ['options.reasoning changed minor'],
    ],
    ['newer models take this sampling', { model: newer, temperature: 1, topP: 0.99 }, { temperature: 1, top_p: 0.99 }],
    [
      'newer models take no other sampling',
      { model: newer, temperature: 0.5, topP: 0.5, topK: 4 },
      { temperature: undefined, top_p: undefined, top_k: undefined },
      ['options.temperature dropped minor', 'options.topP dropped minor', 'options.topK dropped minor'],
    ],
    [
      'version 2026-10-21 takes no sampling',
      { temperature: 1, topP: 0.99, topK: 4 },
      { temperature: undefined, top_p: undefined, top_k: undefined },
      ['options.temperature', 'options.topP', 'options.topK'],
      { version: '2026-10-21' },
    ],
    ['a temperature is at most 1', { temperature: 1.7 }, { temperature: 1 }, ['options.temperature changed']],
    [
      'a list of names sends only these tools',
      { tools, toolChoice: { names: ['g'], mode: 'auto' } },
      { tools: [expect.objectContaining({ name: 'g' })] },
      ['tools[0] dropped info'],
    ],
    [
      'JSON without a schema is requested in the prompt',
      { responseFormat: { type: 'json' } },
      { system: [{ type: 'text', text: 'Give the final answer as JSON only.' }] },
      ['options.responseFormat changed minor'],
    ],
    [
      'stop sequences of only white space are refused',
      { stop: ['\n', 'a'] },
      { stop_sequences: ['a'] },
      ['options.stop'],
    ],
  ])

  it.each([{ effort: 'none' }, { budgetTokens: 0 }] as const)('%j is no room to spare', (reasoning) => {
    const { body } = encodeRequest({ messages: [] }, { model: older, reasoning })
    expect(body).toMatchObject({ max_tokens: 8192, thinking: { type: 'disabled' } })
  })

  it.each([
    [older, { effort: 'low' }, { type: 'enabled', budget_tokens: 2048 }, undefined],
    [older, { effort: 'max' }, { type: 'enabled', budget_tokens: 3999 }, undefined],
    [older, { budgetTokens: 5 }, { type: 'enabled', budget_tokens: 1024 }, undefined],
    [older, { effort: 'none' }, { type: 'disabled' }, undefined],
    [adaptive, { effort: 'minimal' }, { type: 'adaptive' }, { effort: 'low' }],
    [adaptive, { budgetTokens: 2000 }, { type: 'enabled', budget_tokens: 2000 }, undefined],
    [newer, { effort: 'xhigh' }, { type: 'adaptive' }, { effort: 'xhigh' }],
    [newer, { budgetTokens: 9000 }, { type: 'adaptive' }, { effort: 'medium' }],
    [newer, { effort: 'none' }, { type: 'disabled' }, undefined],
    ['claude-opus-4-20250514', { effort: 'low' }, { type: 'enabled', budget_tokens: 2048 }, undefined],
    ['claude-opus-4-7', { effort: 'high' }, { type: 'adaptive' }, { effort: 'high' }],
    ['claude-haiku-4-5@20251001', { effort: 'low' }, { type: 'enabled', budget_tokens: 2048 }, undefined],
    ['claude-opus-4.5', { effort: 'low' }, { type: 'enabled', budget_tokens: 2048 }, undefined],
    ['claude-opus-4-10', { effort: 'high' }, { type: 'adaptive' }, { effort: 'high' }],
    [newer, undefined, undefined, undefined],
  ] as const)('%s, asked for %j, thinks by %j and %j', (model, reasoning, thinking, output) => {
    const { body } = encode({ messages: [hi] }, { model, ...(reasoning && { reasoning }) })
    expect([body.thinking, body.output_config]).toEqual([thinking, output])
  })

  /** langchain-ai/langchain-aws#1141. */
  it.each([
    ['claude-sonnet-4-6', 'auto'],
    ['claude-opus-4-7', 'auto'],
    ['claude-opus-4-8', 'any'],
    ['claude-sonnet-5', 'any'],
  ])('adaptive thinking of %s goes with the choice %s where a call is forced', (model, type) => {
    const options = { model, toolChoice: 'required', reasoning: { effort: 'high' } } as const
    const { body, losses } = encode({ messages: [], tools }, options)
    expect(body).toMatchObject({ thinking: { type: 'adaptive' }, tool_choice: { type } })
    expect(losses.map(({ path }) => path)).toEqual(type === 'any' ? [] : ['options.toolChoice'])
  })

  it.each([
    [{}, undefined],
    [{ toolChoice: 'auto' }, { type: 'auto' }],
    [{ toolChoice: 'none' }, { type: 'none' }],
    [{ toolChoice: 'required' }, { type: 'any' }],
    [{ toolChoice: { name: 'f' } }, { type: 'tool', name: 'f' }],
    [{ toolChoice: { names: ['f'], mode: 'required' } }, { type: 'tool', name: 'f' }],
    [{ toolChoice: { names: ['f'], mode: 'auto' } }, { type: 'auto' }],
    [{ parallelToolCalls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [{ parallelToolCalls: true }, undefined],
    [
      { toolChoice: 'required', parallelToolCalls: false },
      { type: 'any', disable_parallel_tool_use: true },
    ],
    [
      { toolChoice: { name: 'f' }, parallelToolCalls: true },
      { type: 'tool', name: 'f', disable_parallel_tool_use: false },
    ],
    [{ toolChoice: 'none', parallelToolCalls: false }, { type: 'none' }],
  ] as const)('%j is the choice %j', (options, choice) => {
    expect(encode({ messages: [hi], tools }, options).body.tool_choice).toEqual(choice)
  })

  it('a format by its older name is read', () => {
    const { options } = decodeRequest({ model: 'm', messages: [], output_format: { type: 'json_schema', schema } })
    expect(options.responseFormat).toEqual({ type: 'json', schema })
  })
})

describe('a cache hint', { meta: { promise: '4.22' } }, () => {
  it.each([
    ['ephemeral', { type: 'ephemeral' }, []],
    [{ ttl: '5m' }, { type: 'ephemeral', ttl: '5m' }, []],
    [{ ttl: '1h' }, { type: 'ephemeral', ttl: '1h' }, []],
    [{ ttl: '12h' }, { type: 'ephemeral', ttl: '1h' }, [{ action: 'changed', severity: 'info' }]],
  ] as const)('%j is the mark %j on its block', (cacheHint, cache_control, losses) => {
    const encoded = encode({ messages: [hears(marked('a', cacheHint))] })
    expect(encoded.body.messages[0]?.content).toEqual([{ type: 'text', text: 'a', cache_control }])
    expect(encoded.losses).toMatchObject(losses)
  })

  it('beyond the fourth is not sent: the last four cover the largest part', () => {
    const { body, losses } = encode({
      tools: [{ name: 'tool', metadata: { cacheHint: 'ephemeral' } }],
      system: [marked('system')],
      messages: [hears(...['a', 'b', 'c', 'd'].map((text) => marked(text)))],
    })
    expect(JSON.stringify([body.tools, body.system])).not.toContain('cache_control')
    expect(JSON.stringify(body.messages).match(/cache_control/g)).toHaveLength(4)
    const reason = 'it takes 4 cache marks, and the last were kept'
    expect(losses).toEqual([
      { action: 'dropped', path: 'tools[0].metadata.cacheHint', severity: 'info', reason },
      { action: 'dropped', path: 'system[0].metadata.cacheHint', severity: 'info', reason },
    ])
    const hosted = Array.from({ length: 5 }, () => codeExecution({ cacheHint: 'ephemeral' }))
    const sent = encode({ messages: [], tools: hosted }).body.tools ?? []
    expect(sent.filter((tool) => tool.cache_control !== undefined)).toHaveLength(4)
  })

  it('for an hour after one for five minutes is for five minutes too', () => {
    const hour = { ttl: '1h' } as const
    const { body, losses } = encode({ messages: [hears(marked('a', hour), marked('b'), marked('c', hour))] })
    const [first, ...others] = (body.messages[0]?.content ?? []) as { cache_control: object }[]
    expect(first).toMatchObject({ cache_control: { ttl: '1h' } })
    expect(others.map((one) => one.cache_control)).toEqual([{ type: 'ephemeral' }, { type: 'ephemeral' }])
    expect(losses).toMatchObject([{ action: 'changed' }])
  })

  it('on a tool that loads late is not sent', () => {
    const late = { providerData: { anthropic: { defer_loading: true } } }
    const { body, losses } = encode({ messages: [], tools: [{ name: 'f', metadata: marked('').metadata, ...late }] })
    expect(JSON.stringify(body)).not.toContain('cache_control')
    expect(losses).toMatchObject([{ path: 'tools[0].metadata.cacheHint', action: 'dropped' }])
  })
})

describe('tools', () => {
  const place = { city: 'Berlin', region: 'Berlin', country: 'DE', timezone: 'Europe/Berlin' }
  const named = (name: string) => ({ type: 'tool_reference' as const, name })

  it.each<[ProviderTool, Anthropic.ToolUnion]>([
    [webSearch(), { type: 'web_search_20250305', name: 'web_search' }],
    [webFetch(), { type: 'web_fetch_20250910', name: 'web_fetch' }],
    [codeExecution(), { type: 'code_execution_20250825', name: 'code_execution' }],
    [codeExecution({ version: '20260521' }), { type: 'code_execution_20260521', name: 'code_execution' }],
    [
      webSearch({
        ...{ version: '20260318', allowedDomains: ['nature.com'], maxUses: 3, userLocation: place },
        ...{ responseInclusion: 'excluded', allowedCallers: ['direct', 'code_execution_20260120'] },
        ...{ cacheHint: { ttl: '1h' }, deferLoading: false, strict: true },
      }),
      {
        type: 'web_search_20260318',
        name: 'web_search',
        ...{ allowed_domains: ['nature.com'], max_uses: 3 },
        user_location: { type: 'approximate', ...place },
        response_inclusion: 'excluded',
        ...{ allowed_callers: ['direct', 'code_execution_20260120'], cache_control: { type: 'ephemeral', ttl: '1h' } },
        ...{ defer_loading: false, strict: true },
      },
    ],
    [
      webFetch({
        ...{ version: '20260318', blockedDomains: ['example.com'], citations: true, maxContentTokens: 5000 },
        ...{ maxUses: 1, useCache: false, responseInclusion: 'full' },
        urlSources: {
          ...{ userInput: 'none', clientToolResults: { only: ['find'] }, serverToolResults: { except: ['web_fetch'] } },
        },
      }),
      {
        type: 'web_fetch_20260318',
        name: 'web_fetch',
        ...{ blocked_domains: ['example.com'], citations: { enabled: true }, max_content_tokens: 5000, max_uses: 1 },
        use_cache: false,
        response_inclusion: 'full',
        url_sources: {
          user_input: { type: 'none' },
          client_tool_results: { type: 'only', tools: [named('find')] },
          server_tool_results: { type: 'except', tools: [named('web_fetch')] },
        },
      },
    ],
    [
      webFetch({ citations: false, urlSources: { clientToolResults: 'none', serverToolResults: 'all' } }),
      {
        type: 'web_fetch_20250910',
        name: 'web_fetch',
        citations: { enabled: false },
        url_sources: { client_tool_results: { type: 'none' }, server_tool_results: { type: 'all' } },
      },
    ],
  ])('%j is written as %j', (tool, value) => {
    expect(encodeDefinitions([tool])).toEqual([value])
  })

  it.each([
    [undefined, { type: 'object', properties: {} }],
    [{}, { type: 'object', properties: {} }],
    [{ properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
    [
      { type: ['object', 'null'], properties: {} },
      { type: 'object', properties: {} },
    ],
  ])('the schema %j takes an object', (parameters, input_schema) => {
    expect(encodeDefinitions([{ name: 'f', ...(parameters && { parameters }) }])).toEqual([{ name: 'f', input_schema }])
  })

  // https://github.com/anthropics/anthropic-sdk-typescript, `Tool.InputSchema`: both fields may be `null`.
  it('a schema whose properties or required names are null is read like one without them', () => {
    const schema = { type: 'object', title: 't', properties: null, required: null }
    const { context } = decodeRequest({ model: 'm', messages: [], tools: [{ name: 'f', input_schema: schema }] })
    expect(context.tools).toEqual([{ name: 'f', parameters: { type: 'object', title: 't' } }])
  })
})

describe('messages', () => {
  const image = (media_type: string, data: string) => ({ type: 'image', source: { type: 'base64', media_type, data } })
  const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'ä' } }
  const file: ContentBlock = { type: 'file', fileId: 'file_1' }
  const unknown: ContentBlock = { type: 'unknown', format: 'gemini', providerType: 'x', value: {} }

  encodesRequests(encode, [
    [
      'text moves before the calls that it follows',
      { messages: [hi, says(call, { type: 'text', text: 'One moment' }), result] },
      {
        messages: [
          hi,
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'One moment' },
              { type: 'tool_use', id: 'x', name: 'f', input: { a: 1 } },
            ],
          },
          expect.anything(),
        ],
      },
      ['messages[1] changed info'],
    ],
    ...(['so: \n', [{ type: 'text', text: 'so: \n' }]] as const).map(
      (content) =>
        [
          `a prefilled answer does not end in white space: ${JSON.stringify(content)}`,
          { messages: [hi, { role: 'assistant', content }] },
          { messages: [hi, JSON.parse(JSON.stringify({ role: 'assistant', content }).replace(' \\n', ''))] },
          ['messages[1] changed info'],
        ] as const,
    ),
  ])

  it('of the user stay turns even if none of their content can be sent', () => {
    expect(encode({ messages: [hears(unknown), { role: 'assistant', content: 'a' }] }).body.messages).toEqual([
      { role: 'user', content: '(Nothing that can be shown here.)' },
      { role: 'assistant', content: 'a' },
    ])
  })

  it('have the system text in its own field: its own, then that of leading system and developer messages', {
    meta: { promise: '0.26 0.75' },
  }, () => {
    const messages: Message[] = [{ role: 'system', content: 'two' }, { role: 'developer', content: 'three' }, hi]
    const { body } = encode({ system: 'one', messages })
    expect(body.system).toEqual(['one', 'two', 'three'].map((text) => ({ type: 'text', text })))
    expect(body.messages).toEqual([hi])
  })

  it.each<[ContentBlock, object]>([
    [{ type: 'image', data: pixel }, image('image/png', pixel)], // as its bytes tell
    [{ type: 'image', url: 'data:image/gif;base64,R0lG' }, image('image/gif', 'R0lG')],
    [{ type: 'image', data: 'x', mimeType: 'image/jpg' }, image('image/jpeg', 'x')],
    [{ type: 'file', data: pixel, mimeType: 'image/png' }, image('image/png', pixel)],
    [{ type: 'file', data: 'w6Q=', mimeType: 'text/csv' }, document],
    [{ type: 'file', url: 'data:text/plain,%C3%A4' }, document],
    [
      { type: 'plain_text', text: 'ä', title: 't' },
      { ...document, title: 't' },
    ],
  ])('take %j as %j', (block, wire) => {
    expect(encode({ messages: [hears(block)] }).body.messages[0]?.content).toEqual([wire])
  })

  it('have the beta header of files for a file, in a result too, on the version that wants it', () => {
    const files = 'files-api-2025-04-14'
    const headersOf = (messages: Message[], dialect = {}) => encode({ messages }, {}, dialect).headers
    expect(headersOf([hears(file)], { beta: ['a'] })).toEqual({ 'anthropic-beta': `a,${files}` })
    expect(headersOf([hears(file)], { version: '2026-10-21' })).toEqual({})
    const inResult: Message = { ...result, content: [{ type: 'image', fileId: 'file_1' }] }
    expect(headersOf([hi, says(call), inResult])).toEqual({ 'anthropic-beta': files })
  })

  it('have proofs for the model family that made them, byte for byte', { meta: { promise: '0.76' } }, () => {
    const thought = (data: object) => ({ provider: 'anthropic', model: older, format: 'anthropic', data })
    const turn = (block: object, dialect = {}) =>
      encode(
        { messages: [hi, says(block as ContentBlock, { type: 'text', text: 'a' })] },
        { model: 'claude-sonnet-4-5' },
        dialect,
      ).body.messages[1]?.content[0]
    const reasoning = { type: 'reasoning', text: 'hm' }
    const thinking = { type: 'thinking', thinking: 'hm' }
    expect(turn({ ...reasoning, opaque: thought({ signature: 'sig' }) })).toEqual({ ...thinking, signature: 'sig' })
    const redacted = { type: 'redacted_thinking', data: 'enc' }
    expect(turn({ ...reasoning, opaque: thought({ data: 'enc' }) })).toEqual(redacted)
    // A host that signs nothing.
    expect(turn(reasoning, { provider: 'kimi', unsignedThinking: true })).toEqual({ ...thinking, signature: '' })
  })

  it.each([0, 1])('give a system message that holds only settings back as it came, at place %i', (at) => {
    const settings = { role: 'system', output_config: { effort: 'low' } } as never
    const messages = [hi, { ...hi, content: 'go on' }].toSpliced(at, 1, settings)
    const { context, options } = decodeRequest({ model: 'm', max_tokens: 9, messages })
    expect(encodeRequest(context, options)).toMatchObject({ body: { messages }, losses: [] })
  })

  it.each([undefined, 'hoist'] as const)(
    'keep tools that come and go where other instructions move ("%s"): the API takes them nowhere else',
    (lateInstructions) => {
      const value = { type: 'tool_addition', tool: { type: 'tool_reference', name: 'f' } }
      const addition: ContentBlock = { type: 'unknown', format: 'anthropic', providerType: 'tool_addition', value }
      const output_config = { effort: 'low' }
      const effort: Message = { role: 'system', content: [], providerData: { anthropic: { output_config } } }
      const messages = [
        hi,
        says({ type: 'text', text: 'Yes?' }),
        { role: 'system', content: [addition] },
        hi,
        effort,
        hi,
      ]
      const codec = createClientCodec(compact({ lateInstructions }))
      const { body } = codec.encodeRequest({ messages: messages as Message[] }, { model: older, maxTokens: 100 })
      const sent = [{ role: 'system', content: [value] }, hi, { role: 'system', output_config }, hi]
      expect((body as { messages: object[] }).messages.slice(2)).toEqual(sent)
    },
  )
})

describe('a container whose code waits for a result', () => {
  const turn = decodeChunks(createClientCodec(), [ownCase('anthropic/programmatic-stream').bytes])
    .response as ChatResponse
  const state = compact({ providerState: turn.providerState })
  const asked: Message = { role: 'user', content: 'Roll for Ann.' }
  const round: Message[] = [asked, turn.message, { role: 'tool', toolCallId: 'toolu_01L', content: '4' }]

  it('is named with the result of its call, as the documented request names it, and has the skills of the caller', () => {
    const documented = ownCase('anthropic/programmatic-results').request as { container: string }
    expect(encode({ messages: round, ...state }).body.container).toBe(documented.container)
    const skills = [{ type: 'anthropic', skill_id: 'pptx' }]
    const providerOptions = { anthropic: { container: { skills } } }
    const { body } = encode({ messages: round, ...state }, { providerOptions })
    expect(body.container).toEqual({ id: 'container_011CPR5CNjB747bTd36fQLFk', skills })
  })

  it('takes only results: text beside them is refused here, and not by the API', () => {
    const messages: Message[] = [...round, { role: 'user', content: 'Hurry!' }]
    expect(() => encode({ messages, ...state })).toThrow(UnsupportedError)
    const { body } = encode({ messages, ...state }, { strict: false })
    const sent = [{ type: 'tool_result', tool_use_id: 'toolu_01L', content: '4' }]
    expect(body.messages.at(-1)).toEqual({ role: 'user', content: sent })
  })

  it.each([
    ['nobody knows it', round, {}],
    ['a user speaks in place of the results', [asked, turn.message, { role: 'user', content: 'Stop' }], state],
  ] as const)('is left, with its code, when %s: the API refuses calls that nothing answers', (_, messages, known) => {
    const { body, losses } = encode({ messages, ...known })
    expect(body.container).toBeUndefined()
    const rolled = { type: 'tool_use', id: 'toolu_01L', name: 'roll_die', input: { player: 'ann' } }
    expect(body.messages[1]?.content).toEqual([rolled])
    const reason = expect.stringContaining('result')
    const dropped = losses.filter(({ action }) => action === 'dropped')
    expect(dropped).toMatchObject([
      { action: 'dropped', path: 'messages[1].content[0]', severity: 'minor', reason },
      ...('providerState' in known ? [{ path: 'providerState.containerId' }] : []),
    ])
  })
})
