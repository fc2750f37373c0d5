import { describe, expect, it } from 'vitest'
import { permit } from '../../examples/worker/policy.ts'
import { minimal, type WireName, wireNames } from './harness.ts'

const models = wireNames.map((wire) => ({ name: 'demo-model', wire, url: 'https://api.example', apiKey: 'k' }))
const session = { id: 'u', models: ['openai-chat:demo-model', 'anthropic:demo-model'], maxOutputTokens: 500 }
const bodyOf = (wire: WireName, change: object) =>
  permit(wire, { ...minimal(wire, 'hi'), ...change }, models, session).body

/** Fields that choose a destination, cost by another meter, keep data, or speak for another. */
const forbidden = [
  ...[
    'api_base',
    'base_url',
    'baseURL',
    'api_key',
    'apiKey',
    'api_version',
    'custom_llm_provider',
    'extra_body',
    'extra_headers',
  ],
  ...[
    'extra_query',
    'headers',
    'provider',
    'route',
    'models',
    'fallbacks',
    'plugins',
    'transforms',
    'timeout',
    'url',
    'host',
  ],
  ...[
    'metadata',
    'user',
    'user_id',
    'safety_identifier',
    'store',
    'background',
    'service_tier',
    'speed',
    'inference_geo',
  ],
  ...[
    'prompt_cache_key',
    'prompt_cache_retention',
    'prompt_cache_options',
    'web_search_options',
    'modalities',
    'audio',
    'prediction',
  ],
  ...[
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'functions',
    'function_call',
    'moderation',
    'previous_response_id',
    'conversation',
  ],
  ...[
    'container',
    'mcp_servers',
    'betas',
    'context_management',
    'cache_control',
    'best_of',
    'suffix',
    'echo',
    'num_ctx',
    'options',
  ],
  ...['keep_alive', 'guardrails', 'tags', 'MODEL', 'Model', 'Max_Tokens', '__proto__', 'constructor', 'toString', ''],
]

describe.each(wireNames)('%s', (wire) => {
  it.each(forbidden)('refuses the field "%s" by its name', (field) => {
    const change = JSON.parse(`{${JSON.stringify(field)}:"x"}`)
    expect(() =>
      permit(wire, Object.assign(Object.create(null), minimal(wire, 'hi'), { [field]: 1 }), models, session),
    ).toThrow(`"${field}" is not an allowed field`)
    const message = { role: 'user', content: 'hi', ...change }
    if (field !== '__proto__') expect(() => bodyOf(wire, { messages: [message] })).toThrow(/not an allowed field/)
  })

  it('never asks for more output than the session allows, whatever the number', () => {
    for (const max_tokens of [1, 500, 501, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      expect(bodyOf(wire, { max_tokens })).toMatchObject({ max_tokens: Math.min(max_tokens, 500) })
    }
    for (const max_tokens of [0, -1, 1.5, '9', null, [1]])
      expect(() => bodyOf(wire, { max_tokens })).toThrow('"max_tokens"')
  })

  it('passes on what it permits, unchanged', () => {
    expect(bodyOf(wire, { temperature: 0.5, stream: true })).toMatchObject({
      ...minimal(wire, 'hi'),
      temperature: 0.5,
      stream: true,
    })
  })

  it.each([
    ['no messages', { messages: [] }],
    ['a thousand and one messages', { messages: Array(1001).fill({ role: 'user', content: 'x' }) }],
    ['messages that are no list', { messages: 'hi' }],
    ['a message without a role', { messages: [{ content: 'hi' }] }],
    ['a role of another world', { messages: [{ role: 'root', content: 'hi' }] }],
    ['a picture from a plain http address', { messages: [picture(wire, 'http://169.254.169.254/latest')] }],
    ['a picture from a file', { messages: [picture(wire, 'file:///etc/passwd')] }],
  ])('refuses %s', (_, change) => {
    expect(() => bodyOf(wire, change)).toThrow('The request is not allowed')
  })

  it('repeats no value of the request in a refusal', () => {
    expect(() => bodyOf(wire, { temperature: 'a secret of the user' })).toThrow(
      /^The request is not allowed: "temperature" has a value that is not allowed$/,
    )
  })
})

function picture(wire: WireName, url: string): object {
  const part =
    wire === 'anthropic' ? { type: 'image', source: { type: 'url', url } } : { type: 'image_url', image_url: { url } }
  return { role: 'user', content: [part] }
}

describe('openai-chat alone', () => {
  it('sets a limit where the client set none, under the name that current models take', () => {
    expect(bodyOf('openai-chat', {})).toMatchObject({ max_completion_tokens: 500 })
    expect(bodyOf('openai-chat', {})).not.toHaveProperty('max_tokens')
    expect(bodyOf('openai-chat', { max_tokens: 3 })).not.toHaveProperty('max_completion_tokens')
    expect(bodyOf('openai-chat', { max_completion_tokens: 9999, max_tokens: 9999 })).toMatchObject({
      max_completion_tokens: 500,
      max_tokens: 500,
    })
  })

  it('permits one answer only', () => {
    expect(bodyOf('openai-chat', { n: 1 })).toMatchObject({ n: 1 })
    expect(() => bodyOf('openai-chat', { n: 2 })).toThrow('"n"')
  })

  it.each([
    [{ type: 'web_search' }],
    [{ type: 'custom', custom: { name: 'x' } }],
    [{ type: 'function', function: { name: 'a b' } }],
    [{ type: 'function', function: { name: 'x', parameters: [] } }],
  ])('refuses the tool %o', (tool) => {
    expect(() => bodyOf('openai-chat', { tools: [tool] })).toThrow('"tools.0')
  })

  it('permits a whole tool round as the official client sends it back', () => {
    const change = {
      messages: [
        { role: 'developer', content: [{ type: 'text', text: 'Be brief' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'x' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          refusal: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'ok' },
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'f',
            parameters: JSON.parse('{"type":"object","properties":{"__proto__":{},"constructor":{}}}'),
            strict: true,
          },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'f' } },
      parallel_tool_calls: false,
      stream_options: { include_usage: true },
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {}, strict: true } },
      reasoning_effort: 'low',
      stop: ['a'],
    }
    expect(JSON.stringify(bodyOf('openai-chat', change))).toContain('"__proto__":{},"constructor":{}')
    expect(bodyOf('openai-chat', change)).toMatchObject(change)
  })
})

describe('anthropic alone', () => {
  it.each([
    [{ type: 'web_search_20250305', name: 'web_search' }],
    [{ type: 'bash_20250124', name: 'bash' }],
    [{ type: 'computer_20250124', name: 'computer' }],
    [{ name: 'x' }],
  ])('refuses the tool %o', (tool) => {
    expect(() => bodyOf('anthropic', { tools: [tool] })).toThrow('"tools.0')
  })

  it('needs max_tokens, as its wire does', () => {
    expect(() => bodyOf('anthropic', { max_tokens: undefined })).toThrow('"max_tokens" is missing')
  })

  it('permits a whole tool round as the official client sends it back', () => {
    const change = {
      system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'x' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 't', signature: 's' },
            { type: 'redacted_thinking', data: 'd' },
            { type: 'text', text: 'x', citations: null },
            { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 }, caller: { type: 'direct' } },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true, content: [{ type: 'text', text: 'no' }] }],
        },
      ],
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 1024 },
    }
    expect(bodyOf('anthropic', change)).toMatchObject(change)
  })
})
