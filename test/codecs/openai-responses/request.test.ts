import { describe, expect, it } from 'vitest'
import type { DecodedRequest } from '../../../src/core/codec.ts'
import { DecodeError } from '../../../src/core/errors.ts'
import type {
  AssistantMessage,
  ContentBlock,
  Context,
  Json,
  JsonObject,
  Message,
  Opaque,
  ReasoningBlock,
  RequestOptions,
  ToolCall,
} from '../../../src/core/messages.ts'
import {
  azureDialect,
  createClientCodec,
  decodeRequest,
  decodeResponse,
  encodeRequest,
  lmStudioDialect,
  openaiDialect,
  openRouterDialect,
  type ResponsesDialect,
} from '../../../src/formats/openai-responses/index.ts'
import { block } from '../../../src/messages/block.ts'
import { prepare } from '../../../src/prepare/prepare.ts'
import { xaiDialect } from '../../../src/providers/xai-responses.ts'
import { ownCase } from '../../support/corpus.ts'

const format = 'openai-responses'
const proofOf = (data: JsonObject, provider = 'openai', model = 'gpt-5'): Opaque => ({ provider, model, format, data })

function encode(
  context: Partial<Context>,
  options: Partial<RequestOptions> = {},
  dialect: ResponsesDialect = openaiDialect,
) {
  const encoded = encodeRequest({ messages: [], ...context }, { model: 'gpt-5', ...options, dialect })
  return { body: encoded.body as unknown as JsonObject, losses: encoded.losses, path: encoded.path }
}
const encodeMessages = (messages: readonly Message[], options: Partial<RequestOptions> = {}, dialect = openaiDialect) =>
  encode({ messages }, options, dialect)
const inputOf = (messages: readonly Message[], options: Partial<RequestOptions> = {}) =>
  encodeMessages(messages, options).body.input

const preparedInputOf = (messages: readonly Message[]) =>
  inputOf(prepare({ messages }, createClientCodec().rules, { model: 'gpt-5' }).context.messages) as readonly Json[]

const user: Message = { role: 'user', content: 'Hi' }
const call = (id: string, more: Partial<ToolCall> = {}): ToolCall =>
  block.toolCall(id, 'f', { a: 1 }, { argumentsText: '{"a": 1}', ...more })
const reasoning = (data: JsonObject, more: Partial<ReasoningBlock> = {}): ReasoningBlock => ({
  type: 'reasoning',
  text: 'Hm',
  opaque: proofOf(data),
  ...more,
})
const assistant = (...content: ContentBlock[]): AssistantMessage => ({ role: 'assistant', content })
const encrypted = { id: 'rs_1', encrypted_content: 'cipher' }

describe('where state is kept', () => {
  it('stores nothing and asks for encrypted reasoning by default', () => {
    const { body, path } = encodeMessages([user])
    expect(path).toBe('/responses')
    expect(body).toEqual({
      model: 'gpt-5',
      store: false,
      include: ['reasoning.encrypted_content'],
      input: [{ role: 'user', content: 'Hi' }],
    })
  })

  it.each(['gpt-4o', 'gpt-4.1-mini', 'chatgpt-4o-latest', 'openai/gpt-4.1', 'gpt-5-chat-latest'])(
    'does not ask %s, which does not reason and would refuse',
    (model) => {
      expect(encodeMessages([user], { model }).body).toMatchObject({ store: false })
      expect(encodeMessages([user], { model }).body).not.toHaveProperty('include')
    },
  )

  it('keeps what the caller includes beside what it asks for itself', () => {
    const providerOptions = { [format]: { include: ['web_search_call.action.sources'] } }
    const include = ['web_search_call.action.sources', 'reasoning.encrypted_content']
    expect(encodeMessages([user], { providerOptions }).body.include).toEqual(include)
  })

  it('lets the caller store', () => {
    const { body } = encodeMessages([user], { providerOptions: { [format]: { store: true } } })
    expect(body).toEqual({ model: 'gpt-5', store: true, input: [user] })
  })

  const history: Message[] = [
    { role: 'system', content: 'Be brief' },
    user,
    { role: 'assistant', content: [call('call_1')], response: { id: 'resp_1' } },
    { role: 'tool', toolCallId: 'call_1', content: '42' },
  ]
  const providerState = { previousResponseId: 'resp_1' }

  it('sends what is newer than the stored answer, and the instructions again', () => {
    const { body } = encode({ messages: history, providerState })
    expect(body).toEqual({
      model: 'gpt-5',
      store: true,
      previous_response_id: 'resp_1',
      instructions: 'Be brief',
      input: [{ type: 'function_call_output', call_id: 'call_1', output: '42' }],
    })
  })

  it('sends all messages if none is the stored answer', () => {
    const { body } = encode({ messages: [user], providerState: { previousResponseId: 'resp_0' } })
    expect(body).toMatchObject({ previous_response_id: 'resp_0', input: [user] })
  })

  describe('in a conversation that OpenAI stores', () => {
    const conversationId = 'conv_1'

    it('sends only the id of the conversation and the messages after its last answer', () => {
      const { body, losses } = encode({ messages: history, providerState: { ...providerState, conversationId } })
      expect(body).toEqual({
        model: 'gpt-5',
        conversation: 'conv_1',
        instructions: 'Be brief',
        input: [{ type: 'function_call_output', call_id: 'call_1', output: '42' }],
      })
      expect(losses).toEqual([])
    })

    it('sends all messages while it has no answer of this history', () => {
      const { body } = encode({ messages: history, providerState: { conversationId } })
      expect(body).toMatchObject({ conversation: 'conv_1' })
      expect(body.input).toHaveLength(3)
    })

    it('sends the history without the conversation, which has it too, if its last answer is not found', () => {
      const state = { previousResponseId: 'resp_0', conversationId }
      const { body, losses } = encode({ messages: history, providerState: state })
      expect(body).not.toHaveProperty('conversation')
      expect(body.input).toHaveLength(3)
      expect(losses).toMatchObject([{ path: 'providerState.previousResponseId' }])
    })

    it('continues in one that the caller named by an option of the wire', () => {
      const providerOptions = { [format]: { conversation: { id: 'conv_1' } } }
      const { body } = encode({ messages: history, providerState }, { providerOptions })
      expect(body).toMatchObject({ conversation: { id: 'conv_1' } })
      expect(body.input).toHaveLength(1)
      expect(body).not.toHaveProperty('previous_response_id')
      expect(body).not.toHaveProperty('store')
    })

    it('does not go to a server that stores nothing', () => {
      expect(() => encode({ messages: [user], providerState: { conversationId } }, {}, openRouterDialect)).toThrow(
        'conversationId',
      )
    })

    it.each(['conv_1', { id: 'conv_1' }])('is read from a request: %j', (conversation) => {
      const { context, options } = decodeRequest({ model: 'm', input: 'Hi', conversation })
      expect(context.providerState).toEqual({ conversationId: 'conv_1' })
      expect(options.providerOptions?.[format]).not.toHaveProperty('conversation')
    })

    it('is in the state of an answer, with the answer that the next request comes after', () => {
      const { text } = ownCase('openai-responses/conversation')
      const { providerState: state } = decodeResponse(JSON.parse(text))
      expect(state).toEqual({ conversationId: 'conv_01primes', previousResponseId: 'resp_01conv' })
    })

    it('leaves results of calls that only the conversation has', () => {
      const result: Message = { role: 'tool', toolCallId: 'call_9', content: '42' }
      const context = { messages: [result], providerState: { conversationId } }
      expect(prepare(context, createClientCodec().rules, { model: 'gpt-5' }).context.messages).toEqual([result])
    })
  })

  it('sends the history where the caller does not store', () => {
    const { body, losses } = encode(
      { messages: history, providerState },
      { providerOptions: { [format]: { store: false } } },
    )
    expect(body).not.toHaveProperty('previous_response_id')
    expect(body.input).toHaveLength(3)
    expect(losses).toMatchObject([{ path: 'providerState.previousResponseId', severity: 'info' }])
  })

  it('refuses to continue from an answer that a stateless server cannot have', () => {
    expect(() =>
      encode({ messages: [user], providerState: { previousResponseId: 'x' } }, {}, openRouterDialect),
    ).toThrow('previousResponseId')
  })

  it('leaves system text out of a chained request to xAI, which has it', () => {
    const { body } = encode({ system: 'Be brief', messages: history.slice(1), providerState }, {}, xaiDialect)
    expect(body).not.toHaveProperty('instructions')
    expect(body.input).toHaveLength(1)
  })
})

describe('system and developer text', () => {
  it('joins leading system text to instructions, and keeps what is later in its place', () => {
    const messages: Message[] = [
      { role: 'system', content: [{ type: 'text', text: 'Two' }] },
      user,
      { role: 'system', content: 'Three' },
      { role: 'developer', content: 'Four' },
    ]
    expect(encode({ system: 'One', messages }).body).toMatchObject({
      instructions: 'One\n\nTwo',
      input: [user, { role: 'system', content: 'Three' }, { role: 'developer', content: 'Four' }],
    })
  })

  it('makes an item of it for xAI, and where it is all there is, since an empty input is refused', () => {
    const item = { role: 'system', content: 'Be brief' }
    expect(encode({ system: 'Be brief', messages: [user] }, {}, xaiDialect).body.input).toEqual([item, user])
    const alone = encode({ system: 'Be brief' }).body
    expect(alone.input).toEqual([item])
    expect(alone).not.toHaveProperty('instructions')
  })

  it('keeps developer text native', () => {
    expect(inputOf([{ role: 'developer', content: 'Do' }, user])).toEqual([{ role: 'developer', content: 'Do' }, user])
  })
})

describe('reasoning and the item it belongs to', () => {
  const own = [reasoning(encrypted), call('call_1', { opaque: proofOf({ id: 'fc_1', reasoningId: 'rs_1' }) })]
  const result: Message = { role: 'tool', toolCallId: 'call_1', content: 'ok' }
  const callItem = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a": 1}' }

  it('go back together, with their ids', () => {
    expect(inputOf([user, assistant(...own), result])).toEqual([
      user,
      { type: 'reasoning', ...encrypted, summary: [{ type: 'summary_text', text: 'Hm' }] },
      { ...callItem, id: 'fc_1' },
      { type: 'function_call_output', call_id: 'call_1', output: 'ok' },
    ])
  })

  it('lose reasoning and ids when the reasoning has no cipher and nothing is stored', () => {
    const blocks = [reasoning({ id: 'rs_1' }), own[1] as ToolCall]
    const { body, losses } = encodeMessages([user, assistant(...blocks), result])
    expect((body.input as JsonObject[])[1]).toEqual(callItem)
    expect(losses).toMatchObject([{ path: 'messages[1].content[0]', severity: 'minor' }])
  })

  it('keep both when the server stores them', () => {
    const blocks = [reasoning({ id: 'rs_1' }), own[1] as ToolCall]
    const options = { providerOptions: { [format]: { store: true } } }
    expect(inputOf([assistant(...blocks), result], options)).toMatchObject([{ id: 'rs_1' }, { id: 'fc_1' }, {}])
  })

  it('never send the id of an item whose reasoning was taken away', () => {
    expect(inputOf([user, assistant(own[1] as ToolCall), result])).toContainEqual(callItem)
  })

  it.each([
    ['provider', proofOf(encrypted, 'xai')],
    ['model family', proofOf(encrypted, 'openai', 'o3')],
    ['wire', { ...proofOf(encrypted), format: 'anthropic' }],
  ])('of another %s lose the reasoning and every id', (_, opaque) => {
    const foreign = call('call_1', { opaque: { ...opaque, data: { id: 'fc_1' } } })
    const { body } = encodeMessages([user, assistant(reasoning({}, { opaque }), foreign), result])
    expect((body.input as JsonObject[])[1]).toEqual(callItem)
  })

  it('go back to a dated version of the same model', () => {
    const opaque = proofOf(encrypted, 'openai', 'gpt-5-2025-08-07')
    expect(inputOf([assistant(reasoning({}, { opaque }), call('call_1')), result])).toMatchObject([
      { id: 'rs_1' },
      {},
      {},
    ])
  })

  it('are not sent when nothing follows the reasoning', () => {
    const { body, losses } = encodeMessages([user, assistant(reasoning(encrypted)), user])
    expect(body.input).toEqual([user, user])
    expect(losses).toHaveLength(1)
  })

  it('carry a summary that was changed since, and no null status', () => {
    const parts = [
      { type: 'summary_text', text: 'One' },
      { type: 'summary_text', text: 'Two' },
    ]
    const data = { ...encrypted, summary: parts, status: null }
    const same = reasoning(data, { text: 'One\n\nTwo' })
    expect(inputOf([assistant(same, call('c'))])).toMatchObject([{ summary: parts }, {}])
    expect((inputOf([assistant(same, call('c'))]) as JsonObject[])[0]).not.toHaveProperty('status')
    const changed = reasoning(data, { text: 'Three' })
    expect(inputOf([assistant(changed, call('c'))])).toMatchObject([{ summary: [{ text: 'Three' }] }, {}])
  })
})

describe("the assistant's turn", () => {
  it('is the short form where one text says it all', () => {
    expect(inputOf([{ role: 'assistant', content: 'Yes' }])).toEqual([{ role: 'assistant', content: 'Yes' }])
    expect(inputOf([assistant({ type: 'text', text: 'Yes' })])).toEqual([{ role: 'assistant', content: 'Yes' }])
  })

  it('is output text and never input text', () => {
    expect(inputOf([assistant({ type: 'text', text: 'a' }, { type: 'text', text: 'No', refusal: true })])).toEqual([
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'a', annotations: [] },
          { type: 'refusal', refusal: 'No' },
        ],
      },
    ])
  })

  it('keeps the order of text and calls, and calls of its toolCalls field once', () => {
    const message: AssistantMessage = {
      ...assistant({ type: 'text', text: 'a' }, call('c1')),
      toolCalls: [call('c1'), call('c2')],
    }
    expect(inputOf([message])).toMatchObject([{ content: 'a' }, { call_id: 'c1' }, { call_id: 'c2' }])
  })

  it('writes arguments that were edited, and else the very text that came', () => {
    const edited = call('c', { arguments: { a: 2 } })
    expect(inputOf([assistant(edited)])).toMatchObject([{ arguments: '{"a":2}' }])
    const empty = call('c', { arguments: {}, argumentsText: '' })
    expect(inputOf([assistant(empty)])).toMatchObject([{ arguments: '{}' }])
  })

  it('writes invalid calls with {}, because servers parse them, in their place', () => {
    const message: AssistantMessage = {
      ...assistant(call('c0'), call('c2', { index: 2 })),
      invalidToolCalls: [
        {
          type: 'invalid_tool_call',
          id: 'c1',
          name: 'f',
          index: 1,
          argumentsText: '{"a',
          reason: 'truncated',
          error: '',
        },
      ],
    }
    expect(preparedInputOf([message]).slice(0, 3)).toMatchObject([
      { call_id: 'c0' },
      { call_id: 'c1', arguments: '{}' },
      { call_id: 'c2' },
    ])
    expect(() => inputOf([message])).toThrow('messages[0].invalidToolCalls')
  })

  it('has no fields that only answers have, at any depth', () => {
    const output = { stdout: '1', stderr: '', outcome: { type: 'exit', exit_code: 0 } }
    const item = (type: string, more: object): ContentBlock => ({
      type: 'unknown',
      format,
      providerType: type,
      value: { type, call_id: 'call_s', status: 'completed', created_by: 'x', ...more },
    })
    const ran = item('shell_call_output', { output: [{ ...output, created_by: 'x' }] })
    expect(inputOf([assistant(item('shell_call', { action: { commands: ['ls'] } }), ran)])).toEqual([
      { type: 'shell_call', call_id: 'call_s', status: 'completed', action: { commands: ['ls'] } },
      { type: 'shell_call_output', call_id: 'call_s', status: 'completed', output: [output] },
    ])
    // Nothing answers it: the server would refuse the request.
    expect(inputOf([assistant(reasoning(encrypted), item('shell_call', {})), user])).toEqual([user])
  })

  it('drops what other providers ran, with a loss for each', () => {
    const blocks: ContentBlock[] = [
      { type: 'server_tool_call', id: 's1', name: 'web_search', arguments: {} },
      { type: 'server_tool_result', toolCallId: 's1', output: [] },
      { type: 'unknown', format: 'anthropic', providerType: 'compaction', value: {} },
      { type: 'text', text: 'Done' },
    ]
    const { body, losses } = encodeMessages([assistant(...blocks)])
    expect(body.input).toEqual([{ role: 'assistant', content: 'Done' }])
    expect(losses.map(({ path, severity }) => [path, severity])).toEqual([
      ['messages[0].content[0]', 'minor'],
      ['messages[0].content[1]', 'minor'],
      ['messages[0].content[2]', 'minor'],
    ])
  })

  it('refuses to lose an image', () => {
    expect(() => inputOf([assistant({ type: 'image', data: 'AA==', mimeType: 'image/png' })])).toThrow('messages[0]')
  })
})

describe('results of tools', () => {
  it('mark errors in the text, and read the mark again', () => {
    const message: Message = { role: 'tool', toolCallId: 'c', name: 'f', content: 'Boom', status: 'error' }
    const input = inputOf([assistant(call('c')), message]) as JsonObject[]
    expect(input[1]).toEqual({ type: 'function_call_output', call_id: 'c', output: '[tool error] Boom' })
    expect(decodeRequest({ model: 'm', input }).context.messages[1]).toEqual(message)
  })

  it('hold images, where the server takes them', () => {
    const content: ContentBlock[] = [
      { type: 'text', text: 'See' },
      { type: 'image', url: 'https://a/b.png' },
    ]
    expect(inputOf([{ role: 'tool', toolCallId: 'c', content }])).toMatchObject([
      {
        output: [
          { type: 'input_text', text: 'See' },
          { type: 'input_image', image_url: 'https://a/b.png' },
        ],
      },
    ])
  })

  it('are only text for xAI', () => {
    const content: ContentBlock[] = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]
    const { body } = encodeMessages([{ role: 'tool', toolCallId: 'c', content }], {}, xaiDialect)
    expect(body.input).toMatchObject([{ output: 'a\nb' }])
  })

  it('come before the text of the user message that holds them', () => {
    const content: ContentBlock[] = [
      { type: 'text', text: 'Go on' },
      { type: 'tool_result', toolCallId: 'c', content: 'r', isError: true },
    ]
    expect(preparedInputOf([assistant(call('c')), { role: 'user', content }]).slice(1)).toEqual([
      { type: 'function_call_output', call_id: 'c', output: '[tool error] r' },
      { role: 'user', content: [{ type: 'input_text', text: 'Go on' }] },
    ])
    expect(() => inputOf([{ role: 'user', content }])).toThrow('messages[0].content[1]')
  })

  it('answer custom calls and programs as these ask', () => {
    const custom = call('c', {
      arguments: { input: 'free' },
      argumentsText: '{"input":"free"}',
      providerData: { [format]: { type: 'custom_tool_call' } },
    })
    const caller = { type: 'program', caller_id: 'p' }
    const programmed = call('d', { index: 1, providerData: { [format]: { caller } } })
    const results = ['c', 'd'].map((toolCallId): Message => ({ role: 'tool', toolCallId, content: 'x' }))
    expect(inputOf([assistant(custom, programmed), ...results])).toEqual([
      { type: 'custom_tool_call', call_id: 'c', name: 'f', input: 'free' },
      { type: 'function_call', call_id: 'd', name: 'f', arguments: '{"a": 1}', caller },
      { type: 'custom_tool_call_output', call_id: 'c', output: 'x' },
      { type: 'function_call_output', call_id: 'd', output: 'x', caller },
    ])
  })
})

describe('options', () => {
  it.each<[Partial<RequestOptions>, JsonObject]>([
    [{ stream: true }, { stream: true }],
    [
      { maxTokens: 100, temperature: 0, topP: 0.5 },
      { max_output_tokens: 100, temperature: 0, top_p: 0.5 },
    ],
    [{ reasoning: { effort: 'high' } }, { reasoning: { effort: 'high' } }],
    [
      { responseFormat: { type: 'json', schema: { type: 'object' } } },
      { text: { format: { type: 'json_schema', name: 'response', schema: { type: 'object' } } } },
    ],
    [{ user: 'u' }, { safety_identifier: 'u' }],
    [
      { responseFormat: { type: 'json', schema: {} }, providerOptions: { [format]: { text: { verbosity: 'low' } } } },
      { text: { verbosity: 'low', format: { type: 'json_schema', name: 'response', schema: {} } } },
    ],
    [
      {
        reasoning: { effort: 'low' },
        providerOptions: { [format]: { reasoning: { summary: 'auto', effort: 'max' } } },
      },
      { reasoning: { summary: 'auto', effort: 'low' } },
    ],
  ])('%j are written as %j', (options, fields) => {
    const { body, losses } = encodeMessages([user], { model: 'gpt-4.1', ...options })
    expect(body).toMatchObject(fields)
    expect(losses.filter(({ action }) => action !== 'invented')).toEqual([])
  })

  it.each([
    [500, 'minimal'],
    [2048, 'low'],
    [2049, 'low'],
    [10_000, 'medium'],
    [13_000, 'high'],
    [1_000_000, 'max'],
  ])('a budget of %i tokens is the effort %s, with a loss', (budgetTokens, effort) => {
    const { body, losses } = encodeMessages([user], { reasoning: { budgetTokens } })
    expect(body.reasoning).toEqual({ effort })
    expect(losses).toMatchObject([{ action: 'changed', severity: 'minor' }])
  })

  it('raises a limit that the server refuses', () => {
    expect(encodeMessages([user], { maxTokens: 1 })).toMatchObject({
      body: { max_output_tokens: 16 },
      losses: [{ path: 'options.maxTokens' }],
    })
    expect(encodeMessages([user], { maxTokens: 1 }, lmStudioDialect).body.max_output_tokens).toBe(1)
  })

  it.each<Partial<RequestOptions>>([
    { topK: 1 },
    { seed: 1 },
    { stop: ['x'] },
    { frequencyPenalty: 1 },
    { presencePenalty: 1 },
  ])('%j has no field, and is dropped with a loss', (options) => {
    const [name] = Object.keys(options)
    expect(encodeMessages([user], options).losses).toMatchObject([{ path: `options.${name}`, severity: 'minor' }])
  })

  it('has more fields at OpenRouter', () => {
    const { body, losses } = encodeMessages([user], { topK: 3, presencePenalty: 1 }, openRouterDialect)
    expect(body).toMatchObject({ top_k: 3, presence_penalty: 1 })
    expect(losses).toEqual([])
  })

  it('brings the word JSON into the input if it is in none of the messages', () => {
    const options: Partial<RequestOptions> = { responseFormat: { type: 'json' } }
    expect(encode({ system: 'JSON please', messages: [user] }, options).body).toMatchObject({
      text: { format: { type: 'json_object' } },
      input: [{ role: 'developer', content: 'Give the final answer as JSON only.' }, user],
    })
    expect(inputOf([{ role: 'user', content: 'as json' }], options)).toHaveLength(1)
  })

  it('lets what we encode win over the fields that the caller gave', () => {
    const providerOptions = { [format]: { temperature: 2, service_tier: 'flex' }, anthropic: { x: 1 } }
    const { body, losses } = encodeMessages([user], { model: 'gpt-4.1', temperature: 1, providerOptions })
    expect(body).toMatchObject({ temperature: 1, service_tier: 'flex' })
    expect(losses).toMatchObject([{ path: 'options.providerOptions.anthropic', severity: 'info' }])
  })
})

describe('cache hints', () => {
  const hinted: Message = { role: 'user', content: 'Long', metadata: { cacheHint: { ttl: '12h' } } }

  it('are breakpoints of parts at OpenAI', () => {
    const breakpoint = { mode: 'explicit', ttl: '12h' }
    const input = inputOf([hinted])
    expect(input).toEqual([
      { role: 'user', content: [{ type: 'input_text', text: 'Long', prompt_cache_breakpoint: breakpoint }] },
    ])
    const [message] = decodeRequest({ input }).context.messages
    expect(message?.content).toEqual([{ type: 'text', text: 'Long', metadata: { cacheHint: { ttl: '12h' } } }])
  })

  it('are no more than an info elsewhere', () => {
    const { body, losses } = encodeMessages([hinted], {}, azureDialect)
    expect(JSON.stringify(body)).not.toContain('breakpoint')
    expect(losses).toMatchObject([{ severity: 'info' }])
  })
})

describe('requests as a gateway reads them', () => {
  it('takes text, short messages, messages without a type, and every role', () => {
    expect(decodeRequest({ model: 'm', input: 'Hi' }).context.messages).toEqual([user])
    const input = [
      { role: 'system', content: 'a' },
      { role: 'developer', content: 'b' },
      { role: 'assistant', content: 'c' },
      { role: 'assistant', content: 'd' },
    ]
    expect(decodeRequest({ input }).context.messages).toEqual(input)
  })

  it('finds the name of a result through its call, and makes one turn of items in a row', () => {
    const input = [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
      { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{}' },
      { type: 'function_call', id: 'fc_2', call_id: 'c2', name: 'g', arguments: '{"a":' },
      { type: 'function_call_output', call_id: 'c1', output: 'x' },
      { type: 'function_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'y' }] },
    ]
    const { messages } = decodeRequest({ model: 'm', input }).context
    expect(messages).toMatchObject([
      {
        role: 'assistant',
        content: [{ type: 'reasoning' }, { type: 'tool_call', id: 'c1' }],
        invalidToolCalls: [{ id: 'c2', argumentsText: '{"a":', reason: 'malformed_json' }],
      },
      { role: 'tool', name: 'f', content: 'x' },
      { role: 'tool', name: 'g', content: [{ type: 'text', text: 'y' }] },
    ])
  })

  it('does not send back ids that a gateway of ours made', () => {
    const input = [
      { type: 'reasoning', id: 'rs_iso_habc_0', summary: [{ type: 'summary_text', text: 'x' }] },
      { type: 'function_call', id: 'fc_iso_habc_1', call_id: 'c1', name: 'f', arguments: '{}' },
    ]
    const { context, options } = decodeRequest({ model: 'gpt-5', input })
    expect(encodeRequest(context, options).body.input).toEqual([
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
    ])
  })

  it('keeps stateful fields where a gateway sees them', () => {
    const body = { model: 'm', input: [], previous_response_id: 'r', conversation: ['c'], background: true }
    const { context, options } = decodeRequest(body)
    expect(context.providerState).toEqual({ previousResponseId: 'r' })
    expect(options.providerOptions?.[format]).toEqual({ conversation: ['c'], background: true, store: true })
  })

  it('reads the deprecated field for the end user, and writes it again', () => {
    const { context, options } = decodeRequest({ model: 'm', input: 'x', user: 'u' })
    expect(options.user).toBe('u')
    expect(encodeRequest(context, options).body).toMatchObject({ user: 'u' })
    expect(encodeRequest(context, options).body).not.toHaveProperty('safety_identifier')
  })

  const odd = {
    model: 'm',
    instructions: null,
    stream: null,
    temperature: 'hot',
    text: { format: { type: 'grammar' }, verbosity: 'high' },
    reasoning: { effort: 'extreme' },
    tool_choice: { type: 'mcp', server_label: 'x' },
    tools: [
      { type: 'mcp', server_label: 'x' },
      { type: 'function', name: 'f', parameters: null, strict: null, defer_loading: true },
    ],
    metadata: { __proto__: 'x' },
    store: false,
    include: [],
    parallel_tool_calls: null,
    input: [
      { type: 'item_reference', id: 'msg_1' },
      { type: 'compaction', encrypted_content: 'x', after: 'y' },
      { role: 'critic', content: 'No' },
      { type: 'mcp_approval_response', approval_request_id: 'a', approve: true },
      { type: 'message', role: 'assistant', id: 'msg_2', content: [], status: 'incomplete' },
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'open_page', url: 'https://a' } },
      {
        type: 'message',
        id: 'msg_3',
        role: 'assistant',
        phase: 'commentary',
        content: [
          {
            type: 'output_text',
            text: 'a',
            annotations: [{ type: 'file_path', file_id: 'f', index: 1 }],
            logprobs: [{ token: 'a' }],
          },
          { type: 'output_audio', data: 'x' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'input_audio', data: 'x' },
          { type: 'input_text', text: 'b', extra: 1 },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'input_file', file_id: 'f' },
          { type: 'input_image', detail: 'low', file_id: 'g' },
        ],
      },
    ],
  }

  it('keeps every field, item and part that it has no word for', () => {
    const { context, options } = decodeRequest(odd)
    expect(encodeRequest(context, options).body).toEqual(odd)
  })

  it.each([
    [undefined, ''],
    [null, ''],
    ['text', ''],
    [[], ''],
    [{ input: 5 }, 'input'],
    [{ input: {} }, 'input'],
    [{ input: [5] }, 'input[0]'],
    [{ input: [null] }, 'input[0]'],
  ])('refuses %j, and says where', (body, path) => {
    expect(() => decodeRequest(body)).toThrow(expect.objectContaining({ code: 'decode', path }))
  })

  const hostile: unknown[] = [
    null,
    5,
    'x',
    [],
    {},
    [null],
    { __proto__: null },
    JSON.parse('{"__proto__":{"a":1}}'),
    1e308,
    '\ud800',
  ]
  const fields = [
    'type',
    'role',
    'content',
    'call_id',
    'name',
    'arguments',
    'output',
    'id',
    'summary',
    'status',
    'action',
    'input',
  ]
  const types = [
    'message',
    'reasoning',
    'function_call',
    'function_call_output',
    'custom_tool_call',
    'web_search_call',
    'mcp_call',
    'image_generation_call',
  ]

  /** The decoded request; `undefined` if it was refused with this place. */
  function readOrRefuse(body: object, place: string): DecodedRequest | undefined {
    try {
      return decodeRequest(body)
    } catch (error) {
      expect(error).toBeInstanceOf(DecodeError)
      expect((error as DecodeError).path.startsWith(place)).toBe(true)
      return undefined
    }
  }

  it.each(types)('keeps wrong types in every field of an item of type %s, or refuses them', (type) => {
    for (const name of fields) {
      for (const value of hostile) {
        const item = { type, role: 'assistant', call_id: 'c', name: 'f', id: 'i', content: [], [name]: value }
        const read = readOrRefuse({ model: 'm', input: [item] }, `input[0].${name}`)
        if (read === undefined) continue
        expect(read.context.messages).toHaveLength(1)
        encodeRequest(read.context, { ...read.options, strict: false })
      }
    }
  })

  it.each([
    'instructions',
    'tools',
    'tool_choice',
    'text',
    'reasoning',
    'include',
    'store',
    'user',
    'previous_response_id',
    'model',
  ])('keeps the question beside wrong types in %s, or refuses them', (name) => {
    for (const value of hostile) {
      const read = readOrRefuse({ model: 'm', input: 'x', [name]: value }, name)
      if (read === undefined) continue
      const { body } = encodeRequest(read.context, { ...read.options, strict: false })
      expect(body.input, JSON.stringify(value)).toEqual([{ role: 'user', content: 'x' }])
    }
  })
})

describe('a conversation begun elsewhere', () => {
  const weather = (more: Partial<ToolCall>): ToolCall => call('functions.weather:0', { name: 'weather', ...more })
  const results = (id: string): Message[] => [{ role: 'tool', toolCallId: id, name: 'weather', content: 'Sunny' }]
  const thinking = (provider: string, data: JsonObject): Opaque => ({
    provider,
    model: 'other',
    format: provider,
    data,
  })
  const server: ContentBlock[] = [
    {
      type: 'server_tool_call',
      id: 'srvtoolu_1',
      name: 'web_search',
      arguments: {},
      opaque: thinking('anthropic', {}),
    },
    { type: 'server_tool_result', toolCallId: 'srvtoolu_1', output: [], opaque: thinking('anthropic', {}) },
    { type: 'text', text: 'Found', citations: [{ type: 'citation', url: 'https://a' }] },
  ]
  const gemini = thinking('gemini', { thoughtSignature: 'secret' })

  it.each<[string, ContentBlock[]]>([
    ['Chat, with an id that is not legal', [{ type: 'reasoning', text: 'Hm' }, weather({})]],
    ['Anthropic, with a tool that it ran', [...server, weather({ id: 'toolu_1' })]],
    [
      'Anthropic, with signed thinking',
      [reasoning({}, { opaque: thinking('anthropic', { signature: 'secret' }) }), weather({ id: 'toolu_1' })],
    ],
    [
      'Gemini, with a signed call',
      [{ type: 'text', text: '', opaque: gemini }, weather({ id: 'gemini_0', opaque: gemini, generatedId: true })],
    ],
    [
      'Responses of xAI',
      [
        reasoning(encrypted, { opaque: proofOf(encrypted, 'xai', 'grok-4') }),
        weather({ id: 'c', opaque: proofOf({ id: 'fc_1' }, 'xai', 'grok-4') }),
      ],
    ],
  ])('on %s continues, in the middle of a round and after it', (_, turn) => {
    const id = turn.find((block) => block.type === 'tool_call')?.id ?? ''
    const middle: Message[] = [user, { role: 'assistant', content: turn }, ...results(id)]
    for (const messages of [middle, [...middle, { role: 'assistant', content: 'Sunny' } as const, user]]) {
      const options = { model: 'gpt-5' }
      const { context } = prepare({ messages }, createClientCodec().rules, options)
      const input = encodeRequest(context, options).body.input as unknown as JsonObject[]
      expect(JSON.stringify(input)).not.toContain('secret')
      expect(input.filter(({ type }) => type === 'reasoning')).toEqual([])
      expect(input.every((item) => item.id === undefined)).toBe(true)
      const sent = input.filter(({ type }) => type === 'function_call').map((item) => item.call_id as string)
      const answered = input.filter(({ type }) => type === 'function_call_output').map((item) => item.call_id)
      expect(sent).toEqual(answered)
      expect(sent.every((one) => /^[A-Za-z0-9_-]{1,64}$/.test(one))).toBe(true)
    }
  })
})

it('reasoning whose text was edited goes back as a whole item', () => {
  const edited = {
    ...reasoning({ ...encrypted, summary: [{ type: 'summary_text', text: 'Hm' }], status: 'completed' }),
    text: 'Well',
  }
  expect(inputOf([user, assistant(edited, { type: 'text', text: 'Hi' })])).toEqual([
    { role: 'user', content: 'Hi' },
    {
      type: 'reasoning',
      id: 'rs_1',
      status: 'completed',
      encrypted_content: 'cipher',
      summary: [{ type: 'summary_text', text: 'Well' }],
    },
    { role: 'assistant', content: 'Hi' },
  ])
})

it('citations of xAI go to OpenAI where they have all that OpenAI requires', () => {
  const annotation = { type: 'url_citation', url: 'https://a.example', title: '1', start_index: 0 }
  const content = [
    { type: 'output_text', text: 'one', annotations: [{ ...annotation, end_index: 3 }] },
    { type: 'output_text', text: 'two', annotations: [annotation] },
  ]
  const answer = {
    id: 'resp_1',
    model: 'grok-4',
    status: 'completed',
    output: [{ type: 'message', role: 'assistant', content }],
  }
  const { message } = createClientCodec(xaiDialect).decodeResponse(answer)
  const kept = { 'openai-responses': { type: 'url_citation' } }
  const cited = { type: 'citation', url: 'https://a.example', title: '1', startIndex: 0, providerData: kept }
  expect(message.content).toMatchObject([{ citations: [{ ...cited, endIndex: 3 }] }, { citations: [cited] }])
  expect(JSON.stringify(message.content)).not.toContain('start_index')
  const { body, losses } = encodeMessages([user, message])
  const [, item] = body.input as JsonObject[]
  expect(item?.content).toEqual([
    { type: 'output_text', text: 'one', annotations: [{ ...annotation, end_index: 3 }] },
    { type: 'output_text', text: 'two', annotations: [] },
  ])
  expect(losses.map(({ path }) => path)).toEqual([
    'messages[1].content[0].opaque',
    'messages[1].content[1].opaque',
    'messages[1].content[1].citations',
  ])
})

it('a choice of tools is read once: what has a word of isoglot is not kept beside it', () => {
  const choices = ['auto', { type: 'function', name: 'f' }, { type: 'mcp', server_label: 'x' }]
  const kept = choices.map((tool_choice) => {
    const tools = [{ type: 'function', name: 'f', parameters: {} }]
    const { options } = decodeRequest({ model: 'm', input: 'Hi', tools, tool_choice })
    return [options.toolChoice, options.providerOptions?.['openai-responses']?.tool_choice]
  })
  expect(kept).toEqual([
    ['auto', undefined],
    [{ name: 'f' }, undefined],
    [undefined, { type: 'mcp', server_label: 'x' }],
  ])
})

it('sends the description of a format, and reads it', () => {
  const responseFormat = { type: 'json', name: 'person', description: 'Who it is', schema: { type: 'object' } } as const
  const { body } = encode({}, { responseFormat })
  expect(body.text).toEqual({
    format: { type: 'json_schema', name: 'person', description: 'Who it is', schema: { type: 'object' } },
  })
  expect(decodeRequest({ ...body, input: 'Hi' }).options.responseFormat).toEqual(responseFormat)
})

it.each(['system', 'user', 'tool'] as const)('reports the citations of a text of the %s', (role) => {
  const content = [{ type: 'text', text: 'b', citations: [{ type: 'citation', url: 'https://x.example' }] }] as const
  const history: Context =
    role === 'system'
      ? { system: content, messages: [{ role: 'user', content: 'a' }] }
      : {
          messages: [
            { role: 'assistant', content: [block.toolCall('c', 'f')] },
            role === 'tool' ? { role, toolCallId: 'c', content } : { role, content },
          ],
        }
  const path = role === 'system' ? 'system[0].citations' : 'messages[1].content[0].citations'
  expect(encode(history).losses).toMatchObject([{ path, action: 'dropped', severity: 'minor' }])
})

it('gives a failed call of an MCP server back with its error in one place', () => {
  const error = { type: 'http_error', code: 500, message: 'No' }
  const item = { type: 'mcp_call', id: 'mcp_1', server_label: 's', name: 'f', arguments: '{}', error }
  const { context } = decodeRequest({ model: 'm', input: [{ role: 'user', content: 'a' }, item] })
  expect(encode(context, { model: 'm' }).body.input).toEqual([{ role: 'user', content: 'a' }, item])
})

it('sends its own citations back as they came, even those that lack what another server requires', () => {
  const annotations = [{ type: 'url_citation', url: 'https://a.example', start_index: 0 }]
  const content = [{ type: 'output_text', text: 'one', annotations }]
  const output = [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }]
  const answer = { id: 'resp_1', model: 'gpt-5', status: 'completed', output }
  const { body, losses } = encodeMessages([user, createClientCodec().decodeResponse(answer).message])
  expect((body.input as JsonObject[])[1]?.content).toEqual(content)
  expect(losses).toEqual([])
})
