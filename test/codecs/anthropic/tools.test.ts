import { describe, expect, it } from 'vitest'
import type { JsonSchema, ToolDefinition } from '../../../src/core/messages.ts'
import {
  decodeToolCalls,
  encodeDefinitions,
  encodeRequest,
  encodeResult,
} from '../../../src/formats/anthropic/index.ts'

describe('definitions', () => {
  it('are flat: name, description and input_schema, and metadata is not sent', {
    meta: { promise: '1.12 1.13 1.08' },
  }, () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const tool: ToolDefinition = {
      name: 'get_weather',
      description: 'Weather',
      parameters,
      metadata: { team: 'a' },
      annotations: { readOnlyHint: true },
    }
    expect(encodeDefinitions([tool])).toEqual([
      { name: 'get_weather', description: 'Weather', input_schema: parameters },
    ])
  })

  it.each<[string, JsonSchema | undefined, object]>([
    ['no schema', undefined, { type: 'object', properties: {} }],
    ['an empty schema', {}, { type: 'object', properties: {} }],
    ['a schema without a type', { properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
    ['a schema of two types', { type: ['object', 'null'], properties: {} }, { type: 'object', properties: {} }],
  ])('with %s also take an object', (_, parameters, input_schema) => {
    expect(encodeDefinitions([{ name: 'f', ...(parameters && { parameters }) }])).toEqual([{ name: 'f', input_schema }])
  })

  it('that the provider runs are sent unchanged, those of another format are not sent', () => {
    const web = { type: 'web_search_20250305', name: 'web_search' }
    const { body, losses } = encodeRequest(
      {
        messages: [],
        tools: [
          { type: 'provider_tool', format: 'anthropic', value: web },
          { type: 'provider_tool', format: 'gemini', value: { googleSearch: {} } },
          { name: 'f', strict: false, metadata: { cacheHint: 'ephemeral' } },
        ],
      },
      { model: 'claude-x', maxTokens: 1 },
    )
    expect(body.tools).toEqual([
      web,
      {
        name: 'f',
        input_schema: { type: 'object', properties: {} },
        strict: false,
        cache_control: { type: 'ephemeral' },
      },
    ])
    expect(losses).toMatchObject([{ path: 'tools[1]', action: 'dropped', severity: 'minor' }])
  })
})

describe('calls in a body', () => {
  const block = { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } }

  it('are the tool_use blocks, whose input is an object already', { meta: { promise: '1.20 1.21' } }, () => {
    const server = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
    expect(
      decodeToolCalls({ content: [{ type: 'text', text: 'a' }, server, block, { ...block, id: 'toolu_2' }] }),
    ).toEqual({
      toolCalls: [
        {
          type: 'tool_call',
          id: 'toolu_1',
          name: 'f',
          arguments: { a: 1 },
          argumentsText: '{"a":1}',
          index: 0,
          complete: true,
        },
        {
          type: 'tool_call',
          id: 'toolu_2',
          name: 'f',
          arguments: { a: 1 },
          argumentsText: '{"a":1}',
          index: 1,
          complete: true,
        },
      ],
      invalidToolCalls: [],
    })
  })

  it.each([
    [undefined],
    [null],
    [5],
    ['x'],
    [[]],
    [{}],
    [{ content: null }],
    [{ content: 'x' }],
    [{ content: [null, 5, 'x', {}] }],
  ])('are not found in %j', { meta: { promise: '1.17' } }, (body) => {
    expect(decodeToolCalls(body)).toEqual({ toolCalls: [], invalidToolCalls: [] })
  })

  it('have an id, as in a decoded answer', () => {
    const { id: _, ...nameless } = block
    expect(decodeToolCalls({ content: [nameless] }).toolCalls).toMatchObject([
      { id: 'toolu_isoglot_0', generatedId: true },
    ])
  })

  it('that are invalid are kept apart', () => {
    const { toolCalls, invalidToolCalls } = decodeToolCalls({
      content: [{ ...block, input: [] }, { ...block, name: 5 }, block],
    })
    expect(toolCalls).toMatchObject([{ index: 2 }])
    expect(invalidToolCalls).toMatchObject([{ reason: 'not_an_object' }, { reason: 'missing_name' }])
  })
})

describe('a result', () => {
  it('is a user message with one tool_result, and needs no name', { meta: { promise: '1.28 0.77' } }, () => {
    expect(
      encodeResult({ role: 'tool', toolCallId: 'toolu_1', content: '25 °C', artifacts: [1], extra: { a: 1 } }),
    ).toEqual({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '25 °C' }],
    })
  })

  it('says that it failed, may be empty, and may hold media', () => {
    const image = { type: 'image', url: 'https://e.com/a.png' } as const
    expect(encodeResult({ role: 'tool', toolCallId: 'x', content: '', status: 'error' })).toEqual({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'x', is_error: true }],
    })
    expect(
      encodeResult({ role: 'tool', toolCallId: 'x', content: [{ type: 'text', text: 'a' }, image], status: 'success' }),
    ).toEqual({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'x',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image', source: { type: 'url', url: 'https://e.com/a.png' } },
          ],
        },
      ],
    })
  })
})
