/** Requests of Responses, in both directions: `wire/openai-responses.md` §2, and the types of the official client. */
import type * as Responses from 'openai/resources/responses/responses'
import { describe, expect, it } from 'vitest'
import type {
  ContentBlock,
  Context,
  JsonObject,
  Message,
  ProviderTool,
  RequestOptions,
} from '../../../src/core/messages.ts'
import {
  azureDialect,
  codeInterpreter,
  createClientCodec,
  decodeRequest,
  encodeDefinitions,
  encodeRequest,
  fileSearch,
  imageGeneration,
  lmStudioDialect,
  mcp,
  openaiDialect,
  openaiResponses,
  openRouterDialect,
  type ResponsesDialect,
  webSearch,
  withNamespaces,
} from '../../../src/formats/openai-responses/index.ts'
import { toolCall } from '../../../src/messages/block.ts'
import { xaiDialect } from '../../../src/providers/xai-responses.ts'
import { askedOf, encodesRequests, hi } from '../rows.ts'

const format = 'openai-responses'
const encode = (context: Context, options: Partial<RequestOptions> = {}, dialect: ResponsesDialect = openaiDialect) =>
  encodeRequest(context, { model: 'gpt-5', ...options, dialect })
/** What comes back of a request that is read and written again. */
function again(request: JsonObject): JsonObject {
  const { context, options } = decodeRequest({ model: 'gpt-5', ...request })
  return encodeRequest(context, options).body as unknown as JsonObject
}
const proofOf = (data: JsonObject) => ({ provider: 'openai', model: 'gpt-5', format, data })
const call = { ...toolCall('call_1', 'f', { a: 1 }), argumentsText: '{"a": 1}' }
const callItem = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a": 1}' }
const owned = { ...call, opaque: proofOf({ id: 'fc_1', reasoningId: 'rs_1' }) }
const says = (...content: ContentBlock[]): Message => ({ role: 'assistant', content })
const result: Message = { role: 'tool', toolCallId: 'call_1', content: '42' }
const outputItem = { type: 'function_call_output', call_id: 'call_1', output: '42' }
const history: Message[] = [hi, { ...says(call), response: { id: 'resp_1' } } as Message, result]
const historyItems = [hi, callItem, outputItem]
const stored = (providerState: NonNullable<Context['providerState']>) => ({ messages: history, providerState })

it('the key is in the header of the server, and there is no header without a key', () => {
  expect(createClientCodec().headers('k')).toEqual({ authorization: 'Bearer k' })
  expect(createClientCodec(azureDialect).headers('k')).toEqual({ 'api-key': 'k' })
  expect(createClientCodec().headers(undefined)).toEqual({})
})

it('stores nothing and asks for encrypted reasoning by default', () => {
  const body = { model: 'gpt-5', store: false, include: ['reasoning.encrypted_content'], input: [hi] }
  expect(encode({ messages: [hi] })).toEqual({
    path: '/responses',
    headers: {},
    body,
    losses: [],
    offered: { offeredTools: [], toolNames: new Map() },
  })
})

describe('a request', () => {
  const state = { previousResponseId: 'resp_1' }
  const json = { type: 'json' } as const
  const own = (fields: JsonObject) => ({ providerOptions: { [format]: fields } })
  const cut = { type: 'reasoning', text: 'Hm', opaque: proofOf({ id: 'rs_1' }) } as const
  const texts: ContentBlock[] = ['a', 'b'].map((text) => ({ type: 'text', text }))

  encodesRequests<ResponsesDialect>(encode, [
    ...['gpt-4o', 'gpt-4.1-mini', 'chatgpt-4o-latest', 'openai/gpt-4.1', 'gpt-5-chat-latest'].map(
      (model) =>
        [`does not ask ${model}, which does not reason`, { model }, { store: false, include: undefined }] as const,
    ),
    [
      'sends the history without the conversation, which has it too, if its last answer is not found',
      stored({ previousResponseId: 'resp_0', conversationId: 'conv_1' }),
      { conversation: undefined, input: historyItems },
      ['providerState.previousResponseId'],
    ],
    [
      'sends the history where the caller does not store',
      { ...stored(state), ...own({ store: false }) },
      { previous_response_id: undefined, input: historyItems },
      ['providerState.previousResponseId dropped info'],
    ],
    [
      'sends what is newer than a stored answer',
      stored(state),
      { store: true, previous_response_id: 'resp_1', input: [outputItem] },
    ],
    [
      'sends the system text as an item to xAI',
      { system: 'Be brief' },
      { instructions: undefined, input: [{ role: 'system', content: 'Be brief' }, hi] },
      [],
      xaiDialect,
    ],
    [
      'sends the system text as an item where it is all there is, since an empty input is refused',
      { system: 'Be brief', messages: [] },
      { instructions: undefined, input: [{ role: 'system', content: 'Be brief' }] },
    ],
    [
      'loses reasoning and ids when the reasoning has no cipher and nothing is stored',
      { messages: [hi, says(cut, owned), result] },
      { input: historyItems },
      ['messages[1].content[0] dropped minor'],
    ],
    [
      'never has the id of an item whose reasoning was taken away',
      { messages: [hi, says(owned), result] },
      { input: historyItems },
    ],
    [
      'has results as text for xAI',
      { messages: [says(call), { ...result, content: texts } as Message] },
      { input: [callItem, { ...outputItem, output: 'a\nb' }] },
      [],
      xaiDialect,
    ],
    [
      'has options under the names of the wire',
      { model: 'gpt-4.1', stream: true, maxTokens: 100, temperature: 0, topP: 0.5, user: 'u' },
      { stream: true, max_output_tokens: 100, temperature: 0, top_p: 0.5, safety_identifier: 'u' },
    ],
    [
      'has a schema with a name beside the options of text',
      { responseFormat: { ...json, schema: {} }, ...own({ text: { verbosity: 'low' } }) },
      { text: { verbosity: 'low', format: { type: 'json_schema', name: 'response', schema: {} } } },
      ['options.responseFormat.name invented'],
    ],
    [
      'has an effort beside the options of reasoning, and in place of theirs',
      { reasoning: { effort: 'low' }, ...own({ reasoning: { summary: 'auto', effort: 'max' } }) },
      { reasoning: { summary: 'auto', effort: 'low' } },
    ],
    ['raises a limit that the server refuses', { maxTokens: 1 }, { max_output_tokens: 16 }, ['options.maxTokens']],
    ['leaves such a limit to LM Studio', { maxTokens: 1 }, { max_output_tokens: 1 }, [], lmStudioDialect],
    [
      'has more fields at OpenRouter',
      { topK: 3, presencePenalty: 1 },
      { top_k: 3, presence_penalty: 1 },
      [],
      openRouterDialect,
    ],
    [
      'brings the word JSON into the input if it is in none of the messages',
      { system: 'JSON please', responseFormat: json },
      {
        text: { format: { type: 'json_object' } },
        input: [{ role: 'developer', content: 'Give the final answer as JSON only.' }, hi],
      },
      ['messages invented'],
    ],
    [
      'does not bring it where a message has it',
      { messages: [{ ...hi, content: 'as json' }], responseFormat: json },
      { input: [{ ...hi, content: 'as json' }] },
    ],
  ])

  it.each([{ previousResponseId: 'x' }, { conversationId: 'x' }])(
    'is refused by a stateless server with %j',
    (state) => {
      const { context } = askedOf({ providerState: state })
      expect(() => encode(context, {}, openRouterDialect)).toThrow(Object.keys(state)[0])
    },
  )

  it('has cache hints as breakpoints of parts, which are read again', () => {
    const metadata = { cacheHint: { ttl: '12h' } } as const
    const { input } = encode({ messages: [{ ...hi, metadata }] }).body
    const part = { type: 'input_text', text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } }
    expect(input).toEqual([{ role: 'user', content: [part] }])
    expect(decodeRequest({ input }).context.messages).toMatchObject([
      { content: [{ type: 'text', text: 'Hi', metadata }] },
    ])
  })

  it('of a client has the deprecated field for the end user, which is written again', () => {
    expect(decodeRequest({ model: 'm', input: 'x', user: 'u' }).options.user).toBe('u')
    expect(again({ input: 'x', user: 'u' })).toMatchObject({ user: 'u' })
    expect(again({ input: 'x', user: 'u' })).not.toHaveProperty('safety_identifier')
  })

  it('of a client has an image that the provider has', () => {
    const input = [{ role: 'user', content: [{ type: 'input_image', file_id: 'file-1', detail: 'auto' }] }]
    const { messages } = decodeRequest({ model: 'gpt-5', input }).context
    expect(messages).toEqual([{ role: 'user', content: [{ type: 'image', fileId: 'file-1', detail: 'auto' }] }])
    expect(again({ input }).input).toEqual(input)
  })

  it('of a client does not send back ids that a gateway of ours made', () => {
    const thought = { type: 'reasoning', id: 'rs_iso_habc_0', summary: [{ type: 'summary_text', text: 'x' }] }
    expect(again({ input: [thought, { ...callItem, id: 'fc_iso_habc_1' }, outputItem] }).input).toEqual([
      callItem,
      outputItem,
    ])
  })
})

describe('tools', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  /** The server refuses a strict tool with any other. */
  const closed = { ...schema, required: ['a'], additionalProperties: false }
  const place = { city: 'Berlin', region: 'Berlin', country: 'DE', timezone: 'Europe/Berlin' }
  const filters = { type: 'and' as const, filters: [{ type: 'eq' as const, key: 'language', value: 'de' }] }
  const secret = { domain: 'api.example.com', name: 'KEY', value: 'not-a-key' }

  it('are flat, and say that they are not strict, since the server would else try to be', () => {
    expect(encodeDefinitions([{ name: 'f', description: 'F', parameters: schema }])).toEqual([
      { type: 'function', name: 'f', description: 'F', parameters: schema, strict: false },
    ])
    expect(encodeDefinitions([{ name: 'f', parameters: closed, strict: true }])).toMatchObject([{ strict: true }])
    expect(encodeDefinitions([{ name: 'f', parameters: schema, strict: true }])).toMatchObject([{ strict: false }])
  })

  it.each([
    { type: 'function', name: 'f', parameters: schema },
    { type: 'function', name: 'f', parameters: null, strict: null, description: null },
    { type: 'function', name: 'f', parameters: closed, strict: true, output_schema: {}, defer_loading: true },
    { type: 'custom', name: 'g', format: { type: 'text' } },
    { type: 'namespace', name: 'n', tools: [] },
    { type: 'function' },
  ])('%j is read and written again without a difference', (tool) => {
    expect(again({ input: 'x', tools: [tool] }).tools).toEqual([tool])
  })

  it('stand together in the namespace that they name', () => {
    const crm = { name: 'crm', description: 'Customers' }
    const providerData = { [format]: { namespace: crm, defer_loading: true, strict: false } }
    const named = (name: string) => ({ name, parameters: schema })
    const tools = [{ ...named('f'), providerData }, named('g'), { ...named('h'), providerData }]
    const { codec } = withNamespaces(openaiResponses('m', { apiKey: 'k' }))
    const { body } = codec.encodeRequest({ messages: [], tools }, { model: 'm' })
    const sent = (name: string, more = {}) => ({ type: 'function', ...named(name), strict: false, ...more })
    const deferred = { defer_loading: true }
    expect((body as { tools: object[] }).tools).toEqual([
      { type: 'namespace', ...crm, tools: [sent('f', deferred), sent('h', deferred)] },
      sent('g'),
    ])
  })

  it.each([
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    [{ name: 'f' }, { type: 'function', name: 'f' }],
    [
      { names: ['f', 'g'], mode: 'required' },
      { type: 'allowed_tools', mode: 'required', tools: ['f', 'g'].map((name) => ({ type: 'function', name })) },
    ],
  ] as const)('the choice %j is %j, both ways, and is kept once', (toolChoice, wire) => {
    expect(encode({ messages: [], tools: [{ name: 'f' }] }, { toolChoice }).body.tool_choice).toEqual(wire)
    const { options } = decodeRequest({ input: 'Hi', tool_choice: wire })
    expect([options.toolChoice, options.providerOptions?.[format]?.tool_choice]).toEqual([toolChoice, undefined])
  })

  it('the choice of a server is kept as it came', () => {
    const tool_choice = { type: 'mcp', server_label: 'x' }
    const { options } = decodeRequest({ input: 'Hi', tool_choice })
    expect([options.toolChoice, options.providerOptions?.[format]?.tool_choice]).toEqual([undefined, tool_choice])
  })

  it.each<[ProviderTool, Responses.Tool]>([
    [
      webSearch({
        ...{ allowedDomains: ['nature.com'], externalWebAccess: false, searchContextSize: 'high' },
        ...{ userLocation: place, version: '2025_08_26' },
      }),
      {
        ...{ type: 'web_search_2025_08_26', filters: { allowed_domains: ['nature.com'] }, external_web_access: false },
        ...{ search_context_size: 'high', user_location: { type: 'approximate', ...place } },
      },
    ],
    [
      fileSearch({
        ...{ vectorStoreIds: ['vs_1'], filters, maxResults: 5 },
        ranking: { ranker: 'auto', scoreThreshold: 0, hybridSearch: { embeddingWeight: 0.7, textWeight: 0.3 } },
      }),
      {
        ...{ type: 'file_search', vector_store_ids: ['vs_1'], filters, max_num_results: 5 },
        ranking_options: {
          ...{ ranker: 'auto', score_threshold: 0, hybrid_search: { embedding_weight: 0.7, text_weight: 0.3 } },
        },
      },
    ],
    [codeInterpreter({ container: 'cntr_1' }), { type: 'code_interpreter', container: 'cntr_1' }],
    [
      codeInterpreter({
        container: {
          ...{ fileIds: ['file_1'], memoryLimit: '4g' },
          network: { allowedDomains: ['api.example.com'], domainSecrets: [secret] },
        },
      }),
      {
        type: 'code_interpreter',
        container: {
          ...{ type: 'auto', file_ids: ['file_1'], memory_limit: '4g' },
          network_policy: { type: 'allowlist', allowed_domains: ['api.example.com'], domain_secrets: [secret] },
        },
      },
    ],
    [
      codeInterpreter({ container: { network: 'disabled' } }),
      { type: 'code_interpreter', container: { type: 'auto', network_policy: { type: 'disabled' } } },
    ],
    [
      imageGeneration({
        ...{ action: 'edit', background: 'transparent', complexity: 'low', frameCount: 4, frameDurationMs: 100 },
        ...{ inputFidelity: 'high', mask: { fileId: 'file_1' }, model: 'gpt-image-1.5', moderation: 'low' },
        ...{ outputCompression: 80, outputFormat: 'webp', partialImages: 0, quality: 'medium', size: '1024x1536' },
        svg: { model: 'gpt-5', reasoningEffort: 'low' },
      }),
      {
        ...{ type: 'image_generation', action: 'edit', background: 'transparent', complexity: 'low', frame_count: 4 },
        ...{ frame_duration_ms: 100, input_fidelity: 'high', input_image_mask: { file_id: 'file_1' } },
        ...{ model: 'gpt-image-1.5', moderation: 'low', output_compression: 80, output_format: 'webp' },
        ...{ partial_images: 0, quality: 'medium', size: '1024x1536' },
        svg: { model: 'gpt-5', reasoning: { effort: 'low' } },
      },
    ],
    [
      mcp({
        ...{ serverLabel: 'docs', tunnelId: 'tunnel_1', serverDescription: 'Our documents', allowedTools: [] },
        ...{ authorization: 'not-a-token', headers: { 'x-team': 'a' }, requireApproval: 'never' },
        ...{ allowedCallers: ['direct'], deferLoading: true },
      }),
      {
        ...{ type: 'mcp', server_label: 'docs', tunnel_id: 'tunnel_1', server_description: 'Our documents' },
        ...{ allowed_tools: [], authorization: 'not-a-token', headers: { 'x-team': 'a' }, require_approval: 'never' },
        ...{ allowed_callers: ['direct'], defer_loading: true },
      },
    ],
    [
      mcp({
        ...{ serverLabel: 'docs', serverUrl: 'https://mcp.example.com', allowedTools: { readOnly: true } },
        requireApproval: { always: { toolNames: ['delete'] }, never: { readOnly: true, toolNames: ['search'] } },
      }),
      {
        ...{ type: 'mcp', server_label: 'docs', server_url: 'https://mcp.example.com' },
        allowed_tools: { read_only: true },
        require_approval: { always: { tool_names: ['delete'] }, never: { read_only: true, tool_names: ['search'] } },
      },
    ],
  ])('%j is written as %j', (tool, value) => {
    expect(encodeDefinitions([tool])).toEqual([value])
  })
})
