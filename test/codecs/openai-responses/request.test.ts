import { describe, expect, it } from 'vitest'
import type {
  AssistantMessage,
  ContentBlock,
  Context,
  JsonObject,
  Message,
  Opaque,
  ReasoningBlock,
  RequestOptions,
  ToolCall,
} from '../../../src/core/messages.ts'
import {
  decodeRequest,
  encodeRequest,
  lmStudioDialect,
  openaiDialect,
  openRouterDialect,
  type ResponsesDialect,
} from '../../../src/formats/openai-responses/index.ts'
import { block } from '../../../src/messages/block.ts'
import { xaiDialect } from '../../../src/providers/xai-responses.ts'

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

  const history: Message[] = [
    { role: 'system', content: 'Be brief' },
    user,
    { role: 'assistant', content: [call('call_1')], response: { id: 'resp_1' } },
    { role: 'tool', toolCallId: 'call_1', content: '42' },
  ]
  const providerState = { previousResponseId: 'resp_1' }

  describe('in a conversation that OpenAI stores', () => {
    const conversationId = 'conv_1'

    it('sends the history without the conversation, which has it too, if its last answer is not found', () => {
      const state = { previousResponseId: 'resp_0', conversationId }
      const { body, losses } = encode({ messages: history, providerState: state })
      expect(body).not.toHaveProperty('conversation')
      expect(body.input).toHaveLength(3)
      expect(losses).toMatchObject([{ path: 'providerState.previousResponseId' }])
    })

    it('does not go to a server that stores nothing', () => {
      expect(() => encode({ messages: [user], providerState: { conversationId } }, {}, openRouterDialect)).toThrow(
        'conversationId',
      )
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
})

describe('system and developer text', () => {
  it('makes an item of it for xAI, and where it is all there is, since an empty input is refused', () => {
    const item = { role: 'system', content: 'Be brief' }
    expect(encode({ system: 'Be brief', messages: [user] }, {}, xaiDialect).body.input).toEqual([item, user])
    const alone = encode({ system: 'Be brief' }).body
    expect(alone.input).toEqual([item])
    expect(alone).not.toHaveProperty('instructions')
  })
})

describe('reasoning and the item it belongs to', () => {
  const own = [reasoning(encrypted), call('call_1', { opaque: proofOf({ id: 'fc_1', reasoningId: 'rs_1' }) })]
  const result: Message = { role: 'tool', toolCallId: 'call_1', content: 'ok' }
  const callItem = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a": 1}' }

  it('lose reasoning and ids when the reasoning has no cipher and nothing is stored', () => {
    const blocks = [reasoning({ id: 'rs_1' }), own[1] as ToolCall]
    const { body, losses } = encodeMessages([user, assistant(...blocks), result])
    expect((body.input as JsonObject[])[1]).toEqual(callItem)
    expect(losses).toMatchObject([{ path: 'messages[1].content[0]', severity: 'minor' }])
  })

  it('never send the id of an item whose reasoning was taken away', () => {
    expect(inputOf([user, assistant(own[1] as ToolCall), result])).toContainEqual(callItem)
  })
})

describe('results of tools', () => {
  it('are only text for xAI', () => {
    const content: ContentBlock[] = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]
    const { body } = encodeMessages([{ role: 'tool', toolCallId: 'c', content }], {}, xaiDialect)
    expect(body.input).toMatchObject([{ output: 'a\nb' }])
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

  it('raises a limit that the server refuses', () => {
    expect(encodeMessages([user], { maxTokens: 1 })).toMatchObject({
      body: { max_output_tokens: 16 },
      losses: [{ path: 'options.maxTokens' }],
    })
    expect(encodeMessages([user], { maxTokens: 1 }, lmStudioDialect).body.max_output_tokens).toBe(1)
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
})

describe('requests as a gateway reads them', () => {
  it('reads the deprecated field for the end user, and writes it again', () => {
    const { context, options } = decodeRequest({ model: 'm', input: 'x', user: 'u' })
    expect(options.user).toBe('u')
    expect(encodeRequest(context, options).body).toMatchObject({ user: 'u' })
    expect(encodeRequest(context, options).body).not.toHaveProperty('safety_identifier')
  })

  it('reads and writes an image that the provider has', () => {
    const part = { type: 'input_image', file_id: 'file-1', detail: 'auto' }
    const { context, options } = decodeRequest({ model: 'gpt-5', input: [{ role: 'user', content: [part] }] })
    expect(context.messages).toEqual([{ role: 'user', content: [{ type: 'image', fileId: 'file-1', detail: 'auto' }] }])
    expect(encodeRequest(context, options).body.input).toEqual([{ role: 'user', content: [part] }])
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
})
