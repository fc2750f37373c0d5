import { describe, expect, it } from 'vitest'
import type { JsonObject, ToolChoice } from '../../../src/core/messages.ts'
import {
  createClientCodec,
  decodeRequest,
  decodeResponse,
  encodeDefinitions,
  encodeRequest,
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
})

it('a choice of tools is read once: what has a word of isoglot is not kept beside it', () => {
  const read = (tool_choice: object | string) => {
    const { options } = decodeRequest({
      model: 'm',
      input: 'Hi',
      tools: [{ type: 'function', name: 'f' }],
      tool_choice,
    })
    return [options.toolChoice, options.providerOptions?.[format]?.tool_choice]
  }
  expect(read({ type: 'function', name: 'f' })).toEqual([{ name: 'f' }, undefined])
  expect(read({ type: 'mcp', server_label: 'x' })).toEqual([undefined, { type: 'mcp', server_label: 'x' }])
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

  it('stays closed in a history, since its output answers it', () => {
    const input = [item, { type: 'function_call_output', call_id: 'call_1', output: 'x' }]
    const { context, options } = decodeRequest({ model: 'gpt-5', input })
    expect(context.messages).toMatchObject([{ content: [{ id: 'call_1' }] }, { toolCallId: 'call_1' }])
    expect(encodeRequest(context, options).body.input).toEqual(input)
  })
})
