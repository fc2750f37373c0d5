import { describe, expect, it } from 'vitest'
import type { RequestOptions, ToolDefinition } from '../../../src/core/messages.ts'
import {
  decodeRequest,
  decodeToolCalls,
  encodeDefinitions,
  encodeRequest,
  encodeResult,
} from '../../../src/formats/ollama/index.ts'

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather: ToolDefinition = { name: 'weather', description: 'The weather', parameters }
const clock: ToolDefinition = { name: 'clock' }

describe('encodeDefinitions', () => {
  it('wraps each tool in a function, and gives one without arguments an empty object', () => {
    expect(encodeDefinitions([weather, clock])).toEqual([
      { type: 'function', function: { name: 'weather', description: 'The weather', parameters } },
      { type: 'function', function: { name: 'clock', parameters: { type: 'object', properties: {} } } },
    ])
  })

  it('sends a tool of this wire as it is, and leaves out that of another, which is reported', () => {
    const value = { type: 'browser', depth: 2 }
    expect(encodeDefinitions([{ type: 'provider_tool', format: 'ollama', value }])).toEqual([value])
    const foreign = { type: 'provider_tool', format: 'anthropic', value } as const
    expect(encodeDefinitions([foreign])).toEqual([])
    const { losses } = encodeRequest({ messages: [], tools: [foreign] }, { model: 'm' })
    expect(losses).toMatchObject([{ path: 'tools[0]', action: 'dropped', severity: 'minor' }])
  })

  it('writes out the references that the server would drop', () => {
    const schema = {
      type: 'object',
      properties: {
        from: { $ref: '#/$defs/place', description: 'Start' },
        via: { type: 'array', items: { $ref: '#/$defs/place' } },
        mode: { enum: [{ $ref: '#/$defs/place' }] },
      },
      $defs: { place: { type: 'object', properties: { city: { $ref: '#/definitions/name' } } } },
      definitions: { name: { type: 'string' } },
    }
    const place = { type: 'object', properties: { city: { type: 'string' } } }
    expect(encodeDefinitions([{ name: 'go', parameters: schema }])[0]?.function.parameters).toEqual({
      type: 'object',
      properties: {
        from: { ...place, description: 'Start' },
        via: { type: 'array', items: place },
        mode: { enum: [{ $ref: '#/$defs/place' }] },
      },
    })
  })

  it('leaves a reference that names itself, with the definitions', () => {
    const $defs = { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } }
    const schema = { type: 'object', properties: { head: { $ref: '#/$defs/node' } }, $defs }
    const sent = encodeDefinitions([{ name: 'list', parameters: schema }])[0]?.function.parameters
    expect(sent).toEqual({ type: 'object', properties: { head: $defs.node }, $defs })
  })

  it.each([
    ['names nothing', {}],
    ['is of another document', { node: { $ref: 'https://example.com/schema.json' } }],
  ])('leaves out a reference that %s', (_, $defs) => {
    const schema = { type: 'object', properties: { head: { $ref: '#/$defs/node' } }, $defs }
    const { body, losses } = encodeRequest(
      { messages: [], tools: [{ name: 'list', parameters: schema }] },
      { model: 'm', strict: false },
    )
    expect(body.tools?.[0]?.function.parameters).toEqual({ type: 'object', properties: { head: {} } })
    expect(losses).toMatchObject([{ action: 'changed', path: 'tools[0].parameters', severity: 'minor' }])
  })

  it('keeps the references of a schema that would fill the memory without them', () => {
    const $defs: Record<string, unknown> = { d0: { type: 'string' } }
    for (let level = 1; level <= 30; level++) {
      const $ref = `#/$defs/d${level - 1}`
      $defs[`d${level}`] = { type: 'object', properties: { a: { $ref }, b: { $ref } } }
    }
    const schema = { type: 'object', properties: { bomb: { $ref: '#/$defs/d30' } }, $defs }
    const sent = encodeDefinitions([{ name: 'f', parameters: schema }])[0]?.function.parameters
    expect(JSON.stringify(sent).length).toBeLessThan(1_000_000)
    expect(sent?.$defs).toMatchObject({ d1: $defs.d1 })
  })

  it.each([{ description: 'x'.repeat(10_000) }, { enum: ['x'.repeat(10_000)] }])(
    'keeps references to a long text that is named a thousand times',
    (long) => {
      const names = Array.from({ length: 1000 }, (_, at) => [`p${at}`, { $ref: '#/$defs/long' }])
      const schema = { type: 'object', properties: Object.fromEntries(names), $defs: { long } }
      const sent = encodeDefinitions([{ name: 'f', parameters: schema }])[0]?.function.parameters
      expect(JSON.stringify(sent).length).toBeLessThan(1_000_000)
      expect(sent).toMatchObject({ $defs: { long }, properties: { p999: { $ref: '#/$defs/long' } } })
    },
  )
})

describe('decoding definitions', () => {
  it('keeps unknown fields of a tool, and what is not a function, and writes both again', () => {
    const tools = [
      { type: 'function', note: 1, function: { name: 'weather', description: 'd', parameters, strict: true } },
      { type: 'browser', depth: 2 },
      { type: 'function', function: { name: 'bare', description: null, parameters: { type: 'object' } } },
    ]
    const { context, options } = decodeRequest({ model: 'm', tools })
    expect(context.tools?.map((tool) => ('name' in tool ? tool.name : tool.type))).toEqual([
      'weather',
      'provider_tool',
      'bare',
    ])
    expect(encodeRequest(context, options).body.tools).toEqual([
      tools[0],
      tools[1],
      { type: 'function', function: { name: 'bare', parameters: { type: 'object', properties: {} } } }, // `null` says nothing
    ])
  })
})

describe('tool choice, which the wire has not', () => {
  const names = (toolChoice: RequestOptions['toolChoice'] | undefined) => {
    const context = { messages: [], tools: [weather, clock] }
    const { body, losses } = encodeRequest(context, { model: 'm', ...(toolChoice !== undefined && { toolChoice }) })
    return [body.tools?.map((tool) => tool.function.name), losses.map(({ path, action }) => `${path} ${action}`)]
  }

  it.each<[RequestOptions['toolChoice'] | undefined, string[] | undefined, string[]]>([
    [undefined, ['weather', 'clock'], []],
    ['auto', ['weather', 'clock'], []],
    ['none', undefined, ['tools[0] dropped', 'tools[1] dropped']],
    ['required', ['weather', 'clock'], ['options.toolChoice dropped']],
    [{ name: 'clock' }, ['clock'], ['options.toolChoice changed', 'tools[0] dropped']],
    [{ names: ['clock'], mode: 'auto' }, ['clock'], ['tools[0] dropped']],
    [{ names: ['weather', 'clock'], mode: 'required' }, ['weather', 'clock'], ['options.toolChoice changed']],
  ])('for %j sends the tools %j with losses %j', (choice, tools, losses) => {
    expect(names(choice)).toEqual([tools, losses])
  })
})

describe('decodeToolCalls', () => {
  const calls = [
    { id: 'call_2k7ryu9k', function: { index: 0, name: 'add', arguments: { a: 2 } } },
    { function: { name: 'now' } },
    { function: { arguments: {} } },
  ]

  it.each([
    ['an answer', { message: { role: 'assistant', tool_calls: calls } }],
    ['a message', { role: 'assistant', tool_calls: calls }],
  ])('reads the calls of %s, whose arguments are objects, and numbers those without an id', (_, body) => {
    expect(decodeToolCalls(body)).toEqual({
      toolCalls: [
        {
          type: 'tool_call',
          id: 'call_2k7ryu9k',
          name: 'add',
          arguments: { a: 2 },
          argumentsText: '{"a":2}',
          index: 0,
          complete: true,
        },
        {
          type: 'tool_call',
          id: 'ollama_1',
          generatedId: true,
          name: 'now',
          arguments: {},
          argumentsText: '',
          index: 1,
          complete: true,
        },
      ],
      invalidToolCalls: [
        {
          type: 'invalid_tool_call',
          id: 'ollama_2',
          index: 2,
          argumentsText: '{}',
          reason: 'missing_name',
          error: 'The call names no tool',
        },
      ],
    })
  })

  it('finds none where there are none', () => {
    expect(decodeToolCalls({ message: {} })).toEqual({ toolCalls: [], invalidToolCalls: [] })
    expect(decodeToolCalls(null)).toEqual({ toolCalls: [], invalidToolCalls: [] })
  })
})

describe('encodeResult', () => {
  it('names the tool and the call', () => {
    expect(encodeResult({ role: 'tool', toolCallId: 'call_1', name: 'now', content: 'noon' })).toEqual({
      role: 'tool',
      content: 'noon',
      tool_name: 'now',
      tool_call_id: 'call_1',
    })
  })

  it('sends no id that we made, and nothing that is only for the application', () => {
    const result = { role: 'tool', toolCallId: 'ollama_0', name: 'now', artifacts: [1], extra: { a: 1 } } as const
    expect(
      encodeResult({
        ...result,
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      }),
    ).toEqual({
      role: 'tool',
      content: 'a\nb',
      tool_name: 'now',
    })
  })
})
