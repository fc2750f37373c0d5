/** Requests, against wire/gemini-interactions.md: what is written, what state does, and where signatures go. */
import type { Interactions } from '@google/genai'
import { describe, expect, it } from 'vitest'
import type { Context, RequestOptions } from '../../../src/core/messages.ts'
import { createServerCodec, encodeRequest, encodeResult } from '../../../src/formats/gemini-interactions/index.ts'
import type { WireRequest } from '../../../src/formats/gemini-interactions/wire.ts'
import { toolCall } from '../../../src/messages/block.ts'

const model = 'gemini-3.8-flash'
const bodyOf = (context: Context, options: Partial<RequestOptions> = {}): WireRequest =>
  encodeRequest(context, { model, strict: false, ...options }).body
const lossesOf = (context: Context, options: Partial<RequestOptions> = {}) =>
  encodeRequest(context, { model, strict: false, ...options }).losses.map(({ path }) => path)

const user = (content: string) => ({ role: 'user' as const, content })
const signed = (signature: string) => ({
  provider: 'gemini',
  model,
  format: 'gemini-interactions',
  data: { signature },
})
const input = (text: string) => ({ type: 'user_input', content: [{ type: 'text', text }] })

it('is what the official client takes', () => {
  const body = bodyOf(
    {
      system: 'Be terse.',
      messages: [user('Weather in Oslo?')],
      tools: [{ name: 'get_weather', description: 'Weather', parameters: { type: 'object', properties: {} } }],
    },
    { maxTokens: 9, temperature: 0.5, stop: ['x'], seed: 1, toolChoice: { name: 'get_weather' }, stream: true },
  )
  const official: Interactions.CreateModelInteractionParamsStreaming = {
    model,
    store: false,
    stream: true,
    system_instruction: 'Be terse.',
    input: [{ type: 'user_input', content: [{ type: 'text', text: 'Weather in Oslo?' }] }],
    tools: [
      { type: 'function', name: 'get_weather', description: 'Weather', parameters: { type: 'object', properties: {} } },
    ],
    generation_config: {
      max_output_tokens: 9,
      temperature: 0.5,
      stop_sequences: ['x'],
      seed: 1,
      tool_choice: { allowed_tools: { mode: 'any', tools: ['get_weather'] } },
    },
  }
  expect(body).toEqual(official)
})

describe('state', () => {
  const said = { role: 'assistant' as const, content: 'Hello, Ada.', response: { id: 'v1_a' } }
  const messages = [user('I am Ada.'), said, user('Who am I?')]

  it('sends only new messages after a stored answer, and the instructions and tools again', () => {
    const body = bodyOf({ system: 'Be terse.', messages, providerState: { previousResponseId: 'v1_a' } })
    expect(body).toEqual({
      model,
      store: true,
      previous_interaction_id: 'v1_a',
      system_instruction: 'Be terse.',
      input: [input('Who am I?')],
    })
  })

  it('stores nothing unless it is asked to; what is made in the background is stored by the wire’s default', () => {
    const storeOf = (options: object) =>
      bodyOf({ messages }, { providerOptions: { 'gemini-interactions': options as never } }).store
    expect([storeOf({}), storeOf({ store: true }), storeOf({ background: true })]).toEqual([false, true, undefined])
  })

  it('continues from the hop of a stored answer without input, and from one that is not stored with the same input', () => {
    const hop = { role: 'assistant' as const, content: 'Half', stopReason: 'pause' as const, response: { id: 'v1_a' } }
    const stored = bodyOf({
      messages: [user('Long?'), hop],
      providerState: { previousResponseId: 'v1_a', continuationToken: 'dG9r' },
    })
    expect(stored).toEqual({ model, store: true, previous_interaction_id: 'v1_a', continuation_token: 'dG9r' })
    const { response: _, ...unstored } = hop
    const again = bodyOf({ messages: [user('Long?'), unstored], providerState: { continuationToken: 'dG9r' } })
    expect(again).toEqual({ model, store: false, continuation_token: 'dG9r', input: [input('Long?')] })
  })

  it('names an agent in place of the model', () => {
    const agent = { agent: 'deep-research', background: true }
    const body = bodyOf({ messages }, { providerOptions: { 'gemini-interactions': agent } })
    expect([body.model, 'agent' in body]).toEqual([undefined, true])
  })

  it('gives an agent no options of models, which exclude its own, and Deep Research no instructions, which it refuses', () => {
    const context: Context = { system: 'Be terse.', messages: [user('Hi')] }
    const asked = (agent: string) => ({ maxTokens: 9, providerOptions: { 'gemini-interactions': { agent } } })
    const terse = bodyOf(context, asked('antigravity-preview'))
    expect(terse).toMatchObject({ system_instruction: 'Be terse.', input: [input('Hi')] })
    const research = bodyOf(context, asked('deep-research-pro-preview'))
    expect(research.input).toEqual([input('Be terse.'), input('Hi')])
    for (const body of [terse, research]) expect(body).not.toHaveProperty('generation_config')
    expect(research).not.toHaveProperty('system_instruction')
    expect(lossesOf(context, asked('deep-research-pro-preview'))).toEqual(['options.maxTokens'])
  })

  it('refuses to continue from an empty id: the client thinks that the answer is stored', () => {
    const decode = () => createServerCodec().decodeRequest({ model, input: 'x', previous_interaction_id: '' })
    expect(decode).toThrow(/previous_interaction_id.*not stored/)
  })
})

describe('signatures', () => {
  const thought = { type: 'reasoning' as const, text: 'Hm.', opaque: signed('c2ln') }
  const turn = { role: 'assistant' as const, content: [thought, toolCall('a', 'f', {}), toolCall('b', 'f', {})] }
  const messages = [
    user('x'),
    turn,
    ...['a', 'b'].map((toolCallId) => ({ role: 'tool' as const, toolCallId, content: '1' })),
  ]

  it('go back on the thought and on the first call after it: Gemini 3 checks that one', () => {
    expect(bodyOf({ messages }).input?.slice(1, 4)).toEqual([
      { type: 'thought', signature: 'c2ln', summary: [{ type: 'text', text: 'Hm.' }] },
      { type: 'function_call', id: 'a', name: 'f', arguments: {}, signature: 'c2ln' },
      { type: 'function_call', id: 'b', name: 'f', arguments: {} },
    ])
  })

  const unsigned = { role: 'assistant' as const, content: [toolCall('c', 'g', { x: 1 }), toolCall('d', 'g', {})] }
  const answers = (...ids: string[]) =>
    ids.map((toolCallId) => ({ role: 'tool' as const, toolCallId, name: 'g', content: `of ${toolCallId}` }))
  const text = (value: string) => ({ type: 'text', text: value })
  const spelled = {
    type: 'user_input',
    content: [
      text('<tool_call name="g">{"x":1}</tool_call>'),
      text('<tool_call name="g">{}</tool_call>'),
      ...[text('<tool_result name="g">'), text('of c'), text('</tool_result>')],
      ...[text('<tool_result name="g">'), text('of d'), text('</tool_result>')],
    ],
  }

  it('are missing in a round of another provider, which Gemini 3 refuses after the last question: it goes as text', () => {
    const context: Context = { messages: [user('x'), unsigned, ...answers('c', 'd')] }
    expect(bodyOf(context).input).toEqual([input('x'), spelled])
    expect(lossesOf(context)).toEqual([
      ...['messages[1].content[1]', 'messages[1].content[0]', 'messages[1].content[1]', 'messages[2]', 'messages[3]'],
    ])
    expect(bodyOf(context, { model: 'gemini-2.5-flash' }).input).toMatchObject([
      { type: 'user_input' },
      { type: 'function_call', id: 'c' },
      { type: 'function_call', id: 'd' },
      { type: 'function_result', call_id: 'c' },
      { type: 'function_result', call_id: 'd' },
    ])
  })

  it('of generateContent are not these', () => {
    const foreign = { ...thought, opaque: { ...signed(''), format: 'gemini', data: { thoughtSignature: 'c2ln' } } }
    const context = { messages: [user('x'), { role: 'assistant' as const, content: [foreign] }, user('y')] }
    expect(JSON.stringify(bodyOf(context))).not.toContain('c2ln')
    expect(lossesOf(context)).toContain('messages[1].content[0]')
  })
})

it.each([
  ['text/plain', { type: 'text', text: 'They do not fly.' }],
  ['text/markdown', { type: 'text', text: 'They do not fly.' }],
  ['text/csv', { type: 'document', data: btoa('They do not fly.'), mime_type: 'text/csv' }],
])('a file of %s is %j: documents are PDF, CSV and Office files', (mimeType, content) => {
  const file = { type: 'file', data: btoa('They do not fly.'), mimeType } as const
  expect(bodyOf({ messages: [{ role: 'user', content: [file] }] }).input).toEqual([
    { type: 'user_input', content: [content] },
  ])
})

describe('results', () => {
  const picture = { type: 'image' as const, data: 'aGk=', mimeType: 'image/png' }
  const result = {
    role: 'tool' as const,
    toolCallId: 'a',
    name: 'f',
    content: [{ type: 'text' as const, text: 'See' }, picture],
  }

  it('are text as a string, and a list with media', () => {
    expect(encodeResult({ ...result, content: 'ok', status: 'error' })).toEqual({
      type: 'function_result',
      call_id: 'a',
      name: 'f',
      result: 'ok',
      is_error: true,
    })
    const image = { type: 'image', data: 'aGk=', mime_type: 'image/png' }
    expect(encodeResult(result).result).toEqual([{ type: 'text', text: 'See' }, image])
  })

  it('put media after all results for models before Gemini 3, which refuse it there', () => {
    const messages = [user('x'), { role: 'assistant' as const, content: [toolCall('a', 'f', {})] }, result]
    expect(bodyOf({ messages }, { model: 'gemini-2.5-flash' }).input?.slice(2)).toEqual([
      {
        ...{ type: 'function_result', call_id: 'a', name: 'f' },
        result: 'See\n[image: see the message after the results]',
      },
      {
        type: 'user_input',
        content: [
          { type: 'text', text: '<tool_result id="a" name="f">' },
          { type: 'image', data: 'aGk=', mime_type: 'image/png' },
          { type: 'text', text: '</tool_result>' },
        ],
      },
    ])
  })
})

it.each([
  ['none', 'minimal'],
  ['low', 'low'],
  ['max', 'high'],
] as const)('says effort %s as %s', (effort, level) => {
  expect(bodyOf({ messages: [user('x')] }, { reasoning: { effort } }).generation_config?.thinking_level).toBe(level)
})

it.each([
  [{ effort: 'low' }, { thinking_level: 'low', thinking_summaries: 'auto' }],
  [{}, { thinking_summaries: 'auto' }],
] as const)('asks for summaries of thoughts with reasoning %j', (reasoning, config) => {
  expect(bodyOf({ messages: [user('x')] }, { reasoning }).generation_config).toEqual(config)
})

it('has the detail of a picture, in both directions', () => {
  const image = { type: 'image', uri: 'https://a.example/b.png', resolution: 'high' }
  const { context } = createServerCodec().decodeRequest({ model, input: [{ type: 'user_input', content: [image] }] })
  expect(context.messages).toMatchObject([{ content: [{ type: 'image', detail: 'high' }] }])
  expect(bodyOf(context).input).toEqual([{ type: 'user_input', content: [image] }])
})
