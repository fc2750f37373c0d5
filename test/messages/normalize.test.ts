import { describe, expect, it } from 'vitest'
import { DecodeError } from '../../src/core/errors.ts'
import type { AssistantMessage, Message, ToolMessage } from '../../src/core/messages.ts'
import * as block from '../../src/messages/block.ts'
import { normalizeMessages, safeNormalizeMessages } from '../../src/messages/normalize.ts'

const one = (value: unknown) => normalizeMessages([value])[0]
const id = 'call_1'
const name = 'get_weather'
const tokyo = { city: 'Tokyo' }
const call = block.toolCall(id, name, tokyo)
/** The arguments as OpenAI writes them. */
const asText = { name, arguments: '{"city":"Tokyo"}' }
const toolUse = { type: 'tool_use', id, name, input: tokyo }

describe('roles and content', () => {
  const hi = { role: 'user', content: 'hi' } as const
  it.each<[string, unknown, Message]>([
    ['[0.07] [0.17] text as a user message', 'hi', hi],
    ['[4.13] a map', { role: 'user', content: 'hi' }, hi],
    ['[4.14] a pair', ['system', 'Be brief'], { role: 'system', content: 'Be brief' }],
    ['[4.18] human', { role: 'human', content: 'hi' }, hi],
    ['[4.18] ai', ['ai', 'hi'], { role: 'assistant', content: 'hi' }],
    [
      'model, with parts',
      { role: 'model', parts: [{ text: 'hi' }] },
      { role: 'assistant', content: [block.text('hi')] },
    ],
    ['developer', { role: 'developer', content: 'x' }, { role: 'developer', content: 'x' }],
    ['[4.24] a name and an id', { ...hi, name: 'ann', id: 'm1' }, { ...hi, name: 'ann', id: 'm1' }],
    [
      '[4.27] [4.46] a list that mixes blocks, text and parts',
      { role: 'user', content: ['look', { type: 'image_url', image_url: 'https://x/y' }, block.text('?')] },
      { role: 'user', content: [block.text('look'), block.image({ url: 'https://x/y' }), block.text('?')] },
    ],
    [
      '[4.19] a developer that a store keeps as a system message',
      { role: 'system', content: 'x', metadata: { role: 'developer' } },
      { role: 'developer', content: 'x', metadata: { role: 'developer' } },
    ],
    [
      'a message item of OpenAI Responses',
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      { role: 'user', content: [block.text('hi')] },
    ],
    ['a field that nobody knows', { ...hi, mood: 'good', weight: null }, { ...hi, metadata: { mood: 'good' } }],
  ])('reads %s', (_, value, expected) => expect(one(value)).toEqual(expected))

  it('takes two texts in a list for two messages, and a pair for one only inside a list', {
    meta: { promise: '4.14' },
  }, () => {
    expect(normalizeMessages(['user', 'hi'])).toEqual([
      { role: 'user', content: 'user' },
      { role: 'user', content: 'hi' },
    ])
    expect(normalizeMessages([['user', 'hi']])).toEqual([{ role: 'user', content: 'hi' }])
  })

  it('reads one message, and an object with messages', () => {
    expect(normalizeMessages('hi')).toEqual([{ role: 'user', content: 'hi' }])
    expect(normalizeMessages({ role: 'user', content: 'hi' })).toHaveLength(1)
    expect(normalizeMessages({ messages: ['hi', ['ai', 'Hello']] })).toHaveLength(2)
  })
})

describe('calls', () => {
  it.each<[string, unknown]>([
    [
      '[2.21] [2.22] OpenAI',
      { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: asText }] },
    ],
    ['[4.35] args', { role: 'ai', content: '', tool_calls: [{ id, name, args: tokyo }] }],
    ['[4.35] arguments', { role: 'ai', content: [], toolCalls: [{ id, name, arguments: tokyo }] }],
    ['input', { role: 'assistant', content: [toolUse] }],
    ['both places, once', { role: 'assistant', content: [toolUse], tool_calls: [{ id, name, args: tokyo }] }],
    ['an item of OpenAI Responses', { type: 'function_call', call_id: id, ...asText }],
  ])('reads calls as %s writes them', (_, value) => {
    expect(one(value)).toEqual({ role: 'assistant', content: [call] })
  })

  it('keeps the text of arguments to the byte', { meta: { promise: '2.22' } }, () => {
    const text = '{ "n": 12345678901234567890,  "a":1 }'
    const read = one({ role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: text } }] })
    expect(read?.content).toMatchObject([{ argumentsText: text }])
  })

  it('never shows arguments that differ from the text that is sent', () => {
    const forged = { ...call, argumentsText: '{"city":"Paris"}' }
    expect(one({ role: 'assistant', content: [forged] })).toEqual({ role: 'assistant', content: [call] })
  })

  it('makes ids where there are none, each its own', { meta: { promise: '0.45' } }, () => {
    const bare = { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: {} } }] }
    const ids = normalizeMessages([bare, bare]).flatMap((message) =>
      typeof message.content === 'string' ? [] : (message.content ?? []).map((each) => each.id),
    )
    expect(ids).toEqual(['call_0', 'call_1'])
    expect(one(bare)?.content).toMatchObject([{ generatedId: true }])
  })

  it('keeps invalid calls, and never makes an object of other values', { meta: { promise: '4.81' } }, () => {
    const value = {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: 'a', name: 'f', args: '{"city": "Par' },
        { id: 'b', name: 'f', args: '[1]' },
        { id: 'c', name: 'f', args: '' },
      ],
    }
    expect(one(value)).toMatchObject({
      content: [{ type: 'tool_call', id: 'c', arguments: {}, index: 2 }],
      invalidToolCalls: [
        { id: 'a', reason: 'malformed_json', argumentsText: '{"city": "Par', index: 0 },
        { id: 'b', reason: 'not_an_object', index: 1 },
      ],
    })
  })

  it('reads reasoning and a refusal that stand beside the content', () => {
    expect(one({ role: 'assistant', content: null, reasoning_content: 'hm', refusal: 'no' })).toEqual({
      role: 'assistant',
      content: [block.reasoning('hm'), block.text('no', { refusal: true })],
    })
  })
})

describe('results', () => {
  const given = { role: 'tool', tool_call_id: 'c' }
  const result = (content: string, more: Partial<ToolMessage> = {}): Message => ({
    ...{ role: 'tool', toolCallId: 'c', content, ...more },
  })
  it.each<[string, unknown, Message]>([
    ['[0.20] OpenAI', { ...given, content: 'x' }, result('x')],
    [
      'Ollama, which names the tool',
      { role: 'tool', tool_name: 'f', content: 'x' },
      result('x', { toolCallId: '', name: 'f' }),
    ],
    ['a number as an id', { role: 'tool', tool_call_id: 7, content: 'x' }, result('x', { toolCallId: '7' })],
    ['a value, as JSON', { ...given, content: { t: 25 } }, result('{"t":25}')],
    ['a list of values, as JSON', { ...given, content: [1, 2] }, result('[1,2]')],
    [
      '[4.42] an artifact of LangChain',
      { ...given, content: 'x', artifact: { rows: 3 }, status: 'error' },
      result('x', { artifacts: [{ rows: 3 }], status: 'error' }),
    ],
    ['an item of OpenAI Responses', { type: 'function_call_output', call_id: 'c', output: 'x' }, result('x')],
  ])('reads %s', (_, value, expected) => expect(one(value)).toEqual(expected))
})

describe('envelopes of LangChain', () => {
  it('reads a constructor, with its usage and where it came from', () => {
    const value = {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'AIMessage'],
      kwargs: {
        id: 'run-1',
        content: 'Let me look',
        tool_calls: [{ name, args: tokyo, id, type: 'tool_call' }],
        invalid_tool_calls: [],
        additional_kwargs: {},
        usage_metadata: { input_tokens: 5, output_tokens: 3, total_tokens: 8, input_token_details: { cache_read: 2 } },
        response_metadata: { model_name: 'gpt', finish_reason: 'tool_calls' },
      },
    }
    expect(one(value)).toEqual({
      role: 'assistant',
      id: 'run-1',
      content: [block.text('Let me look'), call],
      usage: { inputTokens: 5, outputTokens: 3, totalTokens: 8, cacheReadTokens: 2 },
      response: { model: 'gpt' },
      rawStopReason: 'tool_calls',
    } satisfies AssistantMessage)
  })

  it.each([
    ['HumanMessage', 'user'],
    ['SystemMessage', 'system'],
    ['AIMessageChunk', 'assistant'],
  ])('reads a %s as %s', (name, role) => {
    expect(one({ lc: 1, type: 'constructor', id: [name], kwargs: { content: 'x' } })).toEqual({ role, content: 'x' })
  })

  it('reads stored messages, and messages whose type is their role', () => {
    expect(one({ type: 'human', data: { content: 'x' } })).toEqual({ role: 'user', content: 'x' })
    expect(one({ type: 'human', content: 'x' })).toEqual({ role: 'user', content: 'x' })
  })

  it('reads a system message that was a developer’s', { meta: { promise: '4.19' } }, () => {
    const value = { type: 'system', content: 'x', additional_kwargs: { __openai_role__: 'developer' } }
    expect(one(value)).toEqual({ role: 'developer', content: 'x' })
  })
})

describe('snake case of a map with a role', () => {
  it('keeps a cache hint where it is read', { meta: { promise: '4.21' } }, () => {
    const metadata = { cache_hint: 'ephemeral', mine: 1 }
    const [said] = normalizeMessages([{ role: 'user', content: [{ type: 'text', text: 'a', metadata }], metadata }])
    const ours = { cacheHint: 'ephemeral', mine: 1 }
    expect(said).toEqual({ role: 'user', content: [{ type: 'text', text: 'a', metadata: ours }], metadata: ours })
    const beside = normalizeMessages([{ role: 'user', content: 'a', cache_hint: { ttl: '1h' } }])
    expect(beside).toEqual([{ role: 'user', content: 'a', metadata: { cacheHint: { ttl: '1h' } } }])
  })

  it('reads usage and where the answer came from, as in an envelope', () => {
    const data = {
      content: 'b',
      usage_metadata: { input_tokens: 1, output_tokens: 2, input_token_details: { cache_read: 1 } },
      response_metadata: { model_name: 'm', finish_reason: 'stop' },
    }
    const expected = {
      role: 'assistant',
      content: 'b',
      usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 1 },
      response: { model: 'm' },
      rawStopReason: 'stop',
    }
    expect(normalizeMessages([{ role: 'assistant', ...data }])).toEqual([expected])
    expect(normalizeMessages([{ type: 'ai', data }])).toEqual([expected])
  })

  it('reads a whole answer of Anthropic, with why it ended', () => {
    const usage = { input_tokens: 3, output_tokens: 4 }
    const answer = { type: 'message', role: 'assistant', content: [], stop_reason: 'max_tokens', usage }
    const end = { stopReason: 'length', rawStopReason: 'max_tokens', usage: { inputTokens: 3, outputTokens: 4 } }
    expect(normalizeMessages([answer])).toEqual([{ role: 'assistant', content: [], ...end }])
  })
})

it('reads the pictures of an Ollama message', () => {
  const content = [block.text('see'), block.image({ data: 'iVBORw0KGgo=' })]
  expect(one({ role: 'user', content: 'see', images: ['iVBORw0KGgo='] })).toEqual({ role: 'user', content })
})

it.each([
  ['calls', { role: 'assistant', content: '', toolInvocations: [{ state: 'call', toolCallId: 'a', toolName: 'f' }] }],
  ['parts', { role: 'assistant', parts: [{ type: 'tool-f', toolCallId: 'a', state: 'input-available', input: {} }] }],
])('refuses %s of a page of the AI SDK, which hold calls and results in one', (_, value) => {
  expect(() => normalizeMessages([value])).toThrow(/convertToModelMessages/)
})

it('keeps what else the result of a server’s tool has', () => {
  const part = { type: 'web_search_tool_result', tool_use_id: 's', content: [], caller: { type: 'direct' } }
  const metadata = { caller: { type: 'direct' } }
  const result = block.serverToolResult('s', { name: 'web_search', output: [], metadata })
  expect(one({ role: 'assistant', content: [part] })?.content).toEqual([result])
})

describe('what is not a message', () => {
  const atFirst = 'Cannot read message: "messages[0]"'
  it.each([
    ['a number', 5, `${atFirst}: text, a pair or an object is expected`],
    ['a list of three', ['user', 'a', 'b'], `${atFirst}: text, a pair or an object is expected`],
    ['no role', { content: 'x' }, `${atFirst}: "role" is missing`],
    ['an unknown role', { role: 'robot', content: 'x' }, `${atFirst}: the role "robot" is not known`],
    ['a role that every object has', { role: 'constructor', content: 'x' }, 'the role "constructor" is not known'],
    ['no content', { role: 'user' }, `${atFirst}: "content" is missing`],
    ['an assistant with neither', { role: 'assistant' }, `${atFirst}: "content" is missing`],
    ['a result of no call', { role: 'tool', content: 'x' }, '"toolCallId" is missing: a result names its call'],
    ['content of the wrong type', { role: 'user', content: 5 }, '"content" is neither text nor a list'],
    ['no content at all of a user', { role: 'user', content: null }, `${atFirst}: "content" is missing`],
    [
      'a broken block',
      { role: 'user', content: [{ type: 'text' }] },
      'Cannot read block: "messages[0].content[0].text"',
    ],
    ['a name of the wrong type', { role: 'user', content: 'x', name: 5 }, 'Cannot read message: "messages[0].name"'],
  ])('refuses %s, and says where', { meta: { promise: '4.15' } }, (_, value, message) => {
    const result = safeNormalizeMessages([value])
    expect(result.ok).toBe(false)
    if (result.ok) return
    expect(result.error).toBeInstanceOf(DecodeError)
    expect(result.error.message).toContain(message)
    expect(result.error.path).toMatch(/^messages\[0\]/)
    expect(() => normalizeMessages([value])).toThrow(DecodeError)
  })
})
