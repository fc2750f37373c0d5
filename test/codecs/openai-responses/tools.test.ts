import { describe, expect, it } from 'vitest'
import type { JsonObject, ToolChoice } from '../../../src/core/messages.ts'
import {
  createClientCodec,
  decodeRequest,
  decodeResponse,
  decodeToolCalls,
  encodeDefinitions,
  encodeRequest,
  encodeResult,
  openaiResponses,
  withNamespaces,
} from '../../../src/formats/openai-responses/index.ts'
import { decodeText } from '../../support/decode.ts'

const format = 'openai-responses'
const schema = { type: 'object', properties: { a: { type: 'string' } } }
/** The server refuses a strict tool with any other. */
const closed = { ...schema, required: ['a'], additionalProperties: false }

describe('definitions', () => {
  it('are flat, and say that they are not strict, since the server would else try to be', () => {
    expect(encodeDefinitions([{ name: 'f', description: 'F', parameters: schema }])).toEqual([
      { type: 'function', name: 'f', description: 'F', parameters: schema, strict: false },
    ])
    expect(encodeDefinitions([{ name: 'f', parameters: closed, strict: true }])).toMatchObject([{ strict: true }])
    expect(encodeDefinitions([{ name: 'f', parameters: schema, strict: true }])).toMatchObject([{ strict: false }])
  })

  it('have an empty object where there are no arguments', () => {
    expect(encodeDefinitions([{ name: 'f' }])).toMatchObject([{ parameters: { type: 'object', properties: {} } }])
  })

  it('stand together in the namespace that they name', () => {
    const crm = { name: 'crm', description: 'Customers' }
    const inCrm = { [format]: { namespace: crm, defer_loading: true, strict: false } }
    const tools = [
      { name: 'f', parameters: schema, providerData: inCrm },
      { name: 'g', parameters: schema },
      { name: 'h', parameters: schema, providerData: inCrm },
    ]
    const deferred = { type: 'function', parameters: schema, strict: false, defer_loading: true }
    const { codec } = withNamespaces(openaiResponses('m', { apiKey: 'k' }))
    const { body } = codec.encodeRequest({ messages: [], tools }, { model: 'm' })
    expect((body as { tools: object[] }).tools).toEqual([
      {
        type: 'namespace',
        ...crm,
        tools: [
          { ...deferred, name: 'f' },
          { ...deferred, name: 'h' },
        ],
      },
      { type: 'function', name: 'g', parameters: schema, strict: false },
    ])
  })

  it('of only this wire go as they are, and of others not at all', () => {
    const own = { type: 'web_search' }
    const tools = [
      { type: 'provider_tool', format, value: own },
      { type: 'provider_tool', format: 'anthropic', value: { type: 'bash' } },
    ] as const
    const { body, losses } = encodeRequest({ messages: [], tools }, { model: 'm' })
    expect(body.tools).toEqual([own])
    expect(losses).toMatchObject([{ path: 'tools[1]', severity: 'minor' }])
  })

  it.each<JsonObject>([
    { type: 'function', name: 'f', parameters: schema },
    { type: 'function', name: 'f', parameters: null, strict: null, description: null },
    { type: 'function', name: 'f', parameters: closed, strict: true, output_schema: {}, defer_loading: true },
    { type: 'custom', name: 'g', format: { type: 'text' } },
    { type: 'namespace', name: 'n', tools: [] },
    { type: 'function' },
  ])('%j is read and written again without a difference', (tool) => {
    const { context, options } = decodeRequest({ model: 'm', input: 'x', tools: [tool] })
    expect(encodeRequest(context, options).body.tools).toEqual([tool])
  })
})

describe('choice', () => {
  it.each<[ToolChoice, unknown]>([
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    [{ name: 'f' }, { type: 'function', name: 'f' }],
    [
      { names: ['f', 'g'], mode: 'required' },
      { type: 'allowed_tools', mode: 'required', tools: ['f', 'g'].map((name) => ({ type: 'function', name })) },
    ],
  ])('%j is %j, both ways', (toolChoice, wire) => {
    const { body } = encodeRequest({ messages: [], tools: [{ name: 'f' }] }, { model: 'm', toolChoice })
    expect(body.tool_choice).toEqual(wire)
    expect(decodeRequest({ tool_choice: wire }).options.toolChoice).toEqual(toolChoice)
  })

  it('of one call a turn has its own field', () => {
    const { body } = encodeRequest({ messages: [], tools: [{ name: 'f' }] }, { model: 'm', parallelToolCalls: false })
    expect(body.parallel_tool_calls).toBe(false)
  })

  it('is left out where there are no tools', () => {
    const { body, losses } = encodeRequest({ messages: [] }, { model: 'm', toolChoice: 'required' })
    expect(body).not.toHaveProperty('tool_choice')
    expect(losses).toMatchObject([{ severity: 'info' }])
  })

  it.each([
    { type: 'custom', name: 'g' },
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'mcp' }] },
    { type: 'web_search' },
  ])('of %j, which has no word of isoglot, stays as it is', (choice) => {
    const { context, options } = decodeRequest({
      model: 'm',
      input: 'x',
      tools: [{ type: 'web_search' }],
      tool_choice: choice,
    })
    expect(options.toolChoice).toBeUndefined()
    expect(encodeRequest(context, options).body.tool_choice).toEqual(choice)
  })
})

describe('calls and results on their own', () => {
  it('are found in a body', () => {
    const output = [
      { type: 'message', content: [] },
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"x":1}' },
      { type: 'function_call', call_id: 'b', name: 'f', arguments: '{"x"' },
      { type: 'custom_tool_call', call_id: 'c', name: 'g', input: 'hi' },
    ]
    expect(decodeToolCalls({ output })).toMatchObject({
      toolCalls: [
        { id: 'a', arguments: { x: 1 }, index: 0 },
        { id: 'c', arguments: { input: 'hi' }, index: 2 },
      ],
      invalidToolCalls: [{ id: 'b', index: 1, reason: 'malformed_json' }],
    })
  })

  it.each([undefined, null, 5, 'x', [], {}, { output: 5 }, { output: [null, 5] }])('are not found in %j', (body) => {
    expect(decodeToolCalls(body)).toEqual({ toolCalls: [], invalidToolCalls: [] })
  })

  it('are written as items', () => {
    expect(encodeResult({ role: 'tool', toolCallId: 'c', name: 'f', content: 'x' })).toEqual({
      type: 'function_call_output',
      call_id: 'c',
      output: 'x',
    })
  })
})

describe('the wrapper of parallel calls that models leak', () => {
  const uses = ['a', 'b'].map((name) => ({ recipient_name: `functions.${name}`, parameters: { of: name } }))
  const item = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'multi_tool_use.parallel',
    arguments: JSON.stringify({ tool_uses: uses }),
    status: 'completed',
  }
  const body = { id: 'r', model: 'gpt-5', status: 'completed', output: [item] }

  it('is the calls within it, whole and streamed', () => {
    const calls = [
      { type: 'tool_call', id: 'call_1_0', name: 'a', arguments: { of: 'a' }, index: 0 },
      { type: 'tool_call', id: 'call_1_1', name: 'b', arguments: { of: 'b' }, index: 1 },
    ]
    expect(decodeResponse(body).message.content).toMatchObject(calls)
    const events = [
      { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: item.arguments },
      { type: 'response.function_call_arguments.done', output_index: 0, arguments: item.arguments },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: body },
    ]
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
    expect(decodeText(createClientCodec(), text).response?.message.content).toMatchObject(calls)
  })

  it('goes back as it came, with one output for all', () => {
    const results = ['call_1_0', 'call_1_1'].map(
      (toolCallId) => ({ role: 'tool', toolCallId, content: toolCallId }) as const,
    )
    const messages = [decodeResponse(body).message, ...results]
    expect(encodeRequest({ messages }, { model: 'gpt-5' }).body.input).toEqual([
      item,
      { type: 'function_call_output', call_id: 'call_1', output: 'call_1_0\ncall_1_1' },
    ])
  })

  it('goes back with its arguments as text, where a host sent them as an object', () => {
    const asObject = { ...body, output: [{ ...item, arguments: { tool_uses: uses } }] }
    const { message } = decodeResponse(asObject)
    expect(message.content).toMatchObject([{ name: 'a' }, { name: 'b' }])
    expect(encodeRequest({ messages: [message] }, { model: 'gpt-5' }).body.input).toEqual([item])
  })

  it('stays closed in a history, since its output answers it', () => {
    const input = [item, { type: 'function_call_output', call_id: 'call_1', output: 'x' }]
    const { context, options } = decodeRequest({ model: 'gpt-5', input })
    expect(context.messages).toMatchObject([{ content: [{ id: 'call_1' }] }, { toolCallId: 'call_1' }])
    expect(encodeRequest(context, options).body.input).toEqual(input)
  })

  it('is a call like any other where it is not as we know it', () => {
    const odd = { ...body, output: [{ ...item, arguments: '{"tool_uses":[{}]}' }] }
    expect(decodeResponse(odd).message.content).toMatchObject([{ id: 'call_1', name: 'multi_tool_use.parallel' }])
  })
})

it('knows which ids and names are legal', () => {
  const { rules } = createClientCodec()
  expect(rules.callId.pattern.test('functions.weather:0')).toBe(false)
  expect(rules.callId).toMatchObject({ maxLength: 64 })
  expect(rules.toolName.pattern.test('get_weather-2')).toBe(true)
})
