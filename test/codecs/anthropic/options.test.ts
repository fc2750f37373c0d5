import { describe, expect, it } from 'vitest'
import type { Json, JsonObject, RequestOptions, ToolDefinition } from '../../../src/core/messages.ts'
import { decodeRequest, encodeRequest } from '../../../src/formats/anthropic/index.ts'
import { block } from '../../../src/messages/block.ts'

const older = 'claude-sonnet-4-5-20250929'
const adaptive = 'claude-opus-4-6'
const newer = 'claude-sonnet-5'
const tools: ToolDefinition[] = [{ name: 'f' }, { name: 'g' }]

function encode(options: Partial<RequestOptions>, dialect = {}) {
  const context = { messages: [{ role: 'user', content: 'hi' } as const], tools }
  return encodeRequest(context, { model: older, maxTokens: 4000, ...options, dialect })
}
function bodyOf(options: Partial<RequestOptions>): JsonObject {
  return encode(options).body as unknown as JsonObject
}

describe('max_tokens', () => {
  it('leaves room for the budget of thinking', () => {
    const { body } = encodeRequest({ messages: [] }, { model: older, reasoning: { budgetTokens: 10_000 } })
    expect(body).toMatchObject({ max_tokens: 18_192, thinking: { type: 'enabled', budget_tokens: 10_000 } })
  })
})

it('max_tokens has no room to spare for thinking that is off', () => {
  for (const reasoning of [{ effort: 'none' }, { budgetTokens: 0 }] as const) {
    const { body } = encodeRequest({ messages: [] }, { model: older, reasoning })
    expect(body).toMatchObject({ max_tokens: 8192, thinking: { type: 'disabled' } })
  }
})

describe('thinking', () => {
  it.each<[string, RequestOptions['reasoning'], Json | undefined, Json | undefined]>([
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
  ])('%s, asked for %j', (model, reasoning, thinking, output) => {
    const body = bodyOf({ model, ...(reasoning && { reasoning }) })
    expect([body.thinking, body.output_config]).toEqual([thinking, output])
  })

  it('is off if the limit is too small for it', () => {
    const { body, losses } = encode({ maxTokens: 1024, reasoning: { effort: 'low' } })
    expect(body.thinking).toEqual({ type: 'disabled' })
    expect(losses).toMatchObject([{ path: 'options.reasoning', action: 'dropped' }])
  })

  /** langchain-ai/langchain-aws#1141. */
  it.each([
    ['claude-sonnet-4-6', 'auto'],
    ['claude-opus-4-7', 'auto'],
    ['claude-opus-4-8', 'any'],
    ['claude-sonnet-5', 'any'],
  ])('that is adaptive, of %s, goes with the choice %s where a call is forced', (model, type) => {
    const tools = [{ name: 'f' }]
    const asked = { model, maxTokens: 9, toolChoice: 'required', reasoning: { effort: 'high' } } as const
    const { body, losses } = encodeRequest({ messages: [], tools }, asked)
    expect(body).toMatchObject({ thinking: { type: 'adaptive' }, tool_choice: { type } })
    expect(losses.map(({ path }) => path)).toEqual(type === 'any' ? [] : ['options.toolChoice'])
  })

  it('with a budget does not allow a forced call', () => {
    const { body, losses } = encode({
      reasoning: { budgetTokens: 2000 },
      toolChoice: 'required',
      parallelToolCalls: false,
    })
    expect(body.tool_choice).toEqual({ type: 'auto', disable_parallel_tool_use: true })
    expect(losses).toMatchObject([{ path: 'options.toolChoice', action: 'changed', severity: 'minor' }])
  })

  it('takes no temperature but 1, and no topK', () => {
    const body = bodyOf({ reasoning: { budgetTokens: 2000 }, temperature: 0.5, topK: 4, topP: 0.9 })
    expect(body).not.toHaveProperty('temperature')
    expect(body).not.toHaveProperty('top_k')
    expect(body).not.toHaveProperty('top_p')
    expect(bodyOf({ reasoning: { budgetTokens: 2000 }, temperature: 1, topP: 0.96 })).toMatchObject({
      temperature: 1,
      top_p: 0.96,
    })
  })

  it('is off in a tool round that began without it', () => {
    const call = block.toolCall('x', 'f', {}, { argumentsText: '' })
    const messages = [
      { role: 'user', content: 'go' } as const,
      { role: 'assistant', content: [call] } as const,
      { role: 'tool', toolCallId: 'x', content: 'r' } as const,
    ]
    const { body, losses } = encodeRequest(
      { messages, tools },
      { model: older, maxTokens: 4000, reasoning: { budgetTokens: 2000 } },
    )
    expect(body.thinking).toEqual({ type: 'disabled' })
    expect(losses).toMatchObject([{ path: 'options.reasoning', action: 'changed', severity: 'minor' }])
  })
})

describe('sampling', () => {
  it('is sent to newer models only in the form that they accept', () => {
    expect(bodyOf({ model: newer, temperature: 1, topP: 0.99 })).toMatchObject({ temperature: 1, top_p: 0.99 })
    const { body, losses } = encode({ model: newer, temperature: 0.5, topP: 0.5, topK: 4 })
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['temperature']))
    expect(losses.map(({ path, severity }) => [path, severity])).toEqual([
      ['options.temperature', 'minor'],
      ['options.topP', 'minor'],
      ['options.topK', 'minor'],
    ])
  })

  it('has a temperature of at most 1', () => {
    expect(bodyOf({ temperature: 1.7 }).temperature).toBe(1)
    expect(encode({ temperature: 1.7 }).losses).toMatchObject([{ path: 'options.temperature', action: 'changed' }])
  })
})

describe('tool choice', () => {
  it.each<[Partial<RequestOptions>, Json | undefined]>([
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
  ])('%j', (options, choice) => {
    expect(bodyOf(options).tool_choice).toEqual(choice)
  })
})

it('with a list of names sends only these tools', () => {
  const { body, losses } = encode({ toolChoice: { names: ['g'], mode: 'auto' } })
  expect(body.tools?.map(({ name }) => name)).toEqual(['g'])
  expect(losses).toMatchObject([{ path: 'tools[0]', severity: 'info' }])
})

describe('output', () => {
  it('without a schema is requested in the prompt', () => {
    const { body, losses } = encode({ responseFormat: { type: 'json' } })
    expect(body.system).toEqual([{ type: 'text', text: 'Give the final answer as JSON only.' }])
    expect(losses).toMatchObject([{ path: 'options.responseFormat', action: 'changed', severity: 'minor' }])
  })

  it('by its older name is read', () => {
    const schema = { type: 'object', properties: {}, additionalProperties: false }
    const { options } = decodeRequest({ model: 'm', messages: [], output_format: { type: 'json_schema', schema } })
    expect(options.responseFormat).toEqual({ type: 'json', schema })
  })
})

describe('the rest', () => {
  it('stop sequences of only white space are refused', () => {
    const { body, losses } = encode({ stop: ['\n', 'a'] })
    expect(body.stop_sequences).toEqual(['a'])
    expect(losses).toMatchObject([{ path: 'options.stop' }])
  })
})
