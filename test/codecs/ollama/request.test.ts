/** Requests of Ollama, in both directions: `wire/ollama.md` §2. */
import { describe, expect, it } from 'vitest'
import type { ContentBlock, Context, Message, RequestOptions } from '../../../src/core/messages.ts'
import {
  createClientCodec,
  decodeRequest,
  encodeDefinitions,
  encodeRequest,
} from '../../../src/formats/ollama/index.ts'
import { toolCall as call } from '../../../src/messages/block.ts'
import { encodesRequests, hi } from '../rows.ts'

const encode = (context: Context, options: Partial<RequestOptions> = {}) =>
  encodeRequest(context, { model: 'm', strict: false, ...options })
const decode = (fields: object) => decodeRequest({ model: 'm', messages: [], ...fields })
const decoded = (...messages: unknown[]): readonly Message[] => decode({ messages }).context.messages
/** What comes back of messages that are read and written again. */
function again(...messages: unknown[]): unknown {
  const { context, options } = decode({ messages })
  return encodeRequest(context, options).body.messages
}

it('a key is sent only if there is one, since another header would cost a browser its preflight', () => {
  expect(createClientCodec().headers(undefined)).toEqual({})
  expect(createClientCodec().headers('secret')).toEqual({ authorization: 'Bearer secret' })
})

it('asks /api/chat and always says whether to stream, since the server would', () => {
  const body = { model: 'm', messages: [hi], stream: false }
  expect(encode({ messages: [hi] })).toEqual({
    path: '/api/chat',
    headers: {},
    body,
    losses: [],
    offered: { offeredTools: [], toolNames: new Map() },
  })
  expect(encode({ messages: [hi] }, { stream: true }).body.stream).toBe(true)
  expect([decode({}).options.stream, decode({ stream: false }).options.stream]).toEqual([true, false])
})

describe('a request', () => {
  const data = 'iVBORw0KGgoAAAANSUhEUg=='
  const tools = [{ name: 'weather' }, { name: 'clock' }]
  const sent = (...names: string[]) =>
    names.map((name) => expect.objectContaining({ function: expect.objectContaining({ name }) }))
  const content: ContentBlock[] = [
    { type: 'text', text: 'What' },
    { type: 'image', data, mimeType: 'image/png' },
    { type: 'plain_text', text: 'is this?' },
    { type: 'image', url: `data:image/png;base64,${data}` },
  ]
  const calls = [call('call_1', 'now'), call('ollama_1', 'here', {}, { index: 1, generatedId: true })]

  encodesRequests(encode, [
    [
      'has how the model is run under `options`, beside what only this wire has',
      {
        ...{ maxTokens: 256, temperature: 0, topP: 0.9, topK: 40, seed: 7, stop: ['END'] },
        ...{ frequencyPenalty: 0.1, presencePenalty: 0.2 },
        providerOptions: { ollama: { keep_alive: '5m', options: { num_ctx: 8192, temperature: 1 } }, gemini: { x: 1 } },
      },
      {
        keep_alive: '5m',
        options: {
          ...{ num_ctx: 8192, num_predict: 256, temperature: 0, top_p: 0.9, top_k: 40, seed: 7, stop: ['END'] },
          ...{ frequency_penalty: 0.1, presence_penalty: 0.2 },
        },
      },
      ['options.providerOptions.gemini dropped info'],
    ],
    ['has JSON as a word', { responseFormat: { type: 'json' } }, { format: 'json' }],
    [
      'has a schema as it is',
      { responseFormat: { type: 'json', schema: { type: 'object' } } },
      { format: { type: 'object' } },
    ],
    [
      'has one string for all texts of a message, and images beside it as raw base64',
      { messages: [{ role: 'user', content }] },
      { messages: [{ role: 'user', content: 'What\nis this?', images: [data, data] }] },
    ],
    [
      "names the tool in a result always, and the call only if its id was a server's",
      {
        messages: [
          { role: 'assistant', content: calls },
          { role: 'tool', toolCallId: 'call_1', content: 'noon' },
          { role: 'tool', toolCallId: 'ollama_1', content: 'Rome' },
        ],
      },
      {
        messages: [
          {
            ...{ role: 'assistant', content: '' },
            tool_calls: [
              { id: 'call_1', function: { name: 'now', arguments: {} } },
              { function: { name: 'here', arguments: {} } },
            ],
          },
          { role: 'tool', content: 'noon', tool_name: 'now', tool_call_id: 'call_1' },
          { role: 'tool', content: 'Rome', tool_name: 'here' },
        ],
      },
    ],
    // The wire has no choice of tools.
    ['sends all tools', { tools }, { tools: sent('weather', 'clock') }],
    ['sends all tools of auto', { tools, toolChoice: 'auto' }, { tools: sent('weather', 'clock') }],
    [
      'sends no tools of none',
      { tools, toolChoice: 'none' },
      { tools: undefined },
      ['tools[0] dropped', 'tools[1] dropped'],
    ],
    [
      'sends all tools of required',
      { tools, toolChoice: 'required' },
      { tools: sent('weather', 'clock') },
      ['options.toolChoice dropped'],
    ],
    [
      'sends the tool of a choice',
      { tools, toolChoice: { name: 'clock' } },
      { tools: sent('clock') },
      ['options.toolChoice changed', 'tools[0] dropped'],
    ],
    [
      'sends the tools that may be called',
      { tools, toolChoice: { names: ['clock'], mode: 'auto' } },
      { tools: sent('clock') },
      ['tools[0] dropped'],
    ],
    [
      'sends the tools of which one must be called',
      { tools, toolChoice: { names: ['weather', 'clock'], mode: 'required' } },
      { tools: sent('weather', 'clock') },
      ['options.toolChoice changed'],
    ],
  ])

  it.each([
    [{ effort: 'none' }, false],
    [{ effort: 'minimal' }, 'low'],
    [{ effort: 'low' }, 'low'],
    [{ effort: 'medium' }, 'medium'],
    [{ effort: 'high' }, 'high'],
    [{ effort: 'xhigh' }, 'max'],
    [{ effort: 'max' }, 'max'],
    [{}, true],
    [{ budgetTokens: 0 }, false],
    [{ budgetTokens: 1024 }, 'low'],
    [{ budgetTokens: 8192 }, 'medium'],
    [{ budgetTokens: 16_384 }, 'high'],
    [{ budgetTokens: 32_768 }, 'max'],
  ] as const)('asks for reasoning %j as think %j', (reasoning, think) => {
    expect(encode({ messages: [] }, { reasoning }).body.think).toBe(think)
  })

  it('says in the text that a tool failed, and it is read there', () => {
    const failed: Message = { role: 'tool', toolCallId: 'c', content: 'no clock', status: 'error' }
    const { messages } = encode({ messages: [{ role: 'assistant', content: [call('c', 'now')] }, failed] }).body
    expect(messages[1]).toMatchObject({ content: '[tool error] no clock' })
    expect(decoded(...messages)[1]).toEqual({ ...failed, name: 'now' })
  })
})

describe('a request of a client', () => {
  it.each([
    [true, {}],
    [false, { effort: 'none' }],
    ['low', { effort: 'low' }],
    ['medium', { effort: 'medium' }],
    ['high', { effort: 'high' }],
    ['max', { effort: 'max' }],
  ])('has think %j as reasoning %j', (think, reasoning) => {
    expect(decode({ think }).options.reasoning).toEqual(reasoning)
  })

  it.each([-1, -2, 0])('has no limit of num_predict %i', (num_predict) => {
    const { options } = decode({ options: { num_predict } })
    expect(options.maxTokens).toBeUndefined()
    expect(options.providerOptions).toEqual({ ollama: { options: { num_predict } } })
  })

  it.each([
    ['USER', 'user'],
    ['System', 'system'],
    ['developer', 'developer'],
    [undefined, 'user'],
  ])('has role %s as %s, as the server lower-cases it', (role, ours) => {
    expect(decoded({ role, content: 'x' })[0]).toMatchObject({ role: ours, content: 'x' })
  })

  it('has a role that only a template knows as user text, which goes back as it came', () => {
    const message = { role: 'control', content: 'x' }
    expect(decoded(message)).toEqual([{ role: 'user', content: 'x', providerData: { ollama: { role: 'control' } } }])
    expect(again(message)).toEqual([message])
  })

  it('has the call of a result by id, then by name and order, then by order', () => {
    const called = (name: string, id?: string) => ({ ...(id && { id }), function: { name, arguments: {} } })
    const calls = [called('f'), called('f', 'call_b'), called('f'), called('g')]
    const results = [
      ...[{ tool_name: 'g' }, { tool_call_id: 'call_b' }, { tool_name: 'f' }, {}],
      ...[{ tool_name: 'f' }, { tool_call_id: 'call_x' }],
    ].map((of) => ({ role: 'tool', content: 'x', ...of }))
    const [, ...read] = decoded({ role: 'assistant', content: '', tool_calls: calls }, ...results)
    expect(read.map((one) => one.role === 'tool' && [one.toolCallId, one.name])).toEqual([
      ...[
        ['ollama_2', 'g'],
        ['call_b', 'f'],
        ['ollama_0', 'f'],
        ['ollama_1', 'f'],
      ],
      ...[
        ['ollama_3', 'f'],
        ['call_x', undefined],
      ], // these answer nothing
    ])
  })

  it('has unique ids where an old server used one again, and they are written as they were', () => {
    const turn = (name: string) => [
      { role: 'assistant', content: '', tool_calls: [{ id: 'call_1', function: { name, arguments: {} } }] },
      { role: 'tool', content: name, tool_name: name, tool_call_id: 'call_1' },
    ]
    const wire = [...turn('f'), ...turn('g')]
    const made = 'ollama_0'
    expect(decoded(...wire)).toMatchObject([
      { content: [{ id: 'call_1' }] },
      { toolCallId: 'call_1', name: 'f' },
      { content: [{ id: made, generatedId: true }] },
      { toolCallId: made, name: 'g' },
    ])
    expect(again(...wire)).toEqual(wire)
  })
})

describe('references of a schema', () => {
  const sentOf = (parameters: object) =>
    encodeDefinitions([{ name: 'f', parameters: parameters as never }])[0]?.function.parameters
  const object = (properties: object, more = {}) => ({ type: 'object', properties, ...more })

  it('are written out, since the server would drop them', () => {
    const $ref = '#/$defs/place'
    const properties = { from: { $ref, description: 'Start' }, via: { type: 'array', items: { $ref } } }
    const definitions = { name: { type: 'string' } }
    const $defs = { place: object({ city: { $ref: '#/definitions/name' } }) }
    const place = object({ city: { type: 'string' } })
    const mode = { enum: [{ $ref }] }
    expect(sentOf(object({ ...properties, mode }, { $defs, definitions }))).toEqual(
      object({ from: { ...place, description: 'Start' }, via: { type: 'array', items: place }, mode }),
    )
  })

  it('to themselves stay, with the definitions', () => {
    const $defs = { node: object({ next: { $ref: '#/$defs/node' } }) }
    expect(sentOf(object({ head: { $ref: '#/$defs/node' } }, { $defs }))).toEqual(
      object({ head: $defs.node }, { $defs }),
    )
  })

  it.each([{}, { node: { $ref: 'https://example.com/schema.json' } }])(
    'to nothing or elsewhere are left out: %j',
    ($defs) => {
      const parameters = object({ head: { $ref: '#/$defs/node' } }, { $defs }) as never
      const { body, losses } = encode({ messages: [], tools: [{ name: 'list', parameters }] })
      expect(body.tools?.[0]?.function.parameters).toEqual(object({ head: {} }))
      expect(losses).toMatchObject([{ action: 'changed', path: 'tools[0].parameters', severity: 'minor' }])
    },
  )

  it('that would fill the memory stay', () => {
    const $defs: Record<string, unknown> = { d0: { type: 'string' } }
    for (let level = 1; level <= 30; level++) {
      const $ref = `#/$defs/d${level - 1}`
      $defs[`d${level}`] = object({ a: { $ref }, b: { $ref } })
    }
    const sent = sentOf(object({ bomb: { $ref: '#/$defs/d30' } }, { $defs }))
    expect(JSON.stringify(sent).length).toBeLessThan(1_000_000)
    expect(sent?.$defs).toMatchObject({ d1: $defs.d1 })
  })
})
