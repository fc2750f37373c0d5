import { describe, expect, it } from 'vitest'
import { DecodeError } from '../../src/core/errors.ts'
import * as message from '../../src/core/message.ts'
import type { AssistantMessage, InstructionMessage, ToolMessage, UserMessage } from '../../src/core/messages.ts'
import { approval, generate, t, tool as toolOf } from '../../src/index.ts'
import * as block from '../../src/messages/block.ts'
import {
  deserializeContext,
  deserializeMessages,
  deserializeToolResult,
  safeDeserializeContext,
  safeDeserializeMessages,
  serializeContext,
  serializeMessages,
  serializeToolResult,
} from '../../src/messages/serialize.ts'
import { mockModel } from '../../src/test/index.ts'
import type { ToolResult } from '../../src/tools/types.ts'
import { invalidCall } from '../support/makers.ts'

/** One of each role, with every field there is: the compiler asks for a field that the model gains. */
const base = { id: 'm', metadata: { mine: 1 }, providerData: { gemini: { a: 1 } }, name: 'n' }
const call = block.toolCall('c', 'f', { a: 1 })
const full: readonly [
  Required<InstructionMessage>,
  Required<UserMessage>,
  Required<AssistantMessage>,
  Required<ToolMessage>,
] = [
  { ...base, role: 'developer', content: 'x' },
  { ...base, role: 'user', content: [block.text('x')] },
  {
    ...base,
    role: 'assistant',
    content: null,
    toolCalls: [call],
    invalidToolCalls: [
      invalidCall({
        reason: 'truncated',
        opaque: { provider: 'p', model: 'm', format: 'f', data: {} },
        providerData: { gemini: {} },
      }),
    ],
    stopReason: 'tool_calls',
    rawStopReason: 'tool_use',
    usage: {
      inputTokens: 1,
      outputTokens: 2,
      totalTokens: 3,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
      providerData: { gemini: {} },
    },
    response: { id: 'r', provider: 'p', model: 'm', createdAt: 5 },
  },
  {
    ...base,
    role: 'tool',
    toolCallId: 'c',
    content: 'x',
    status: 'error',
    artifacts: [{ rows: [1] }],
    extra: { url: 'u' },
  },
]
const stored = (value: unknown) => JSON.parse(JSON.stringify(value))

describe('messages', () => {
  it('come back from JSON with every field they have', { meta: { promise: '4.87 4.89 4.05' } }, () => {
    expect(deserializeMessages(stored(serializeMessages(full)))).toEqual(full)
  })

  it('carry a version and are plain data', { meta: { promise: '4.88' } }, () => {
    expect(serializeMessages([message.user('hi')])).toEqual([
      { version: 1, type: 'message', role: 'user', content: 'hi' },
    ])
  })

  it('keep artifacts', { meta: { promise: '4.43' } }, () => {
    const [read] = deserializeMessages(stored(serializeMessages([full[3]])))
    expect(read).toMatchObject({ artifacts: [{ rows: [1] }], extra: { url: 'u' } })
  })

  it('leave out what is undefined, and take the JSON form of what has one', () => {
    const artifacts = [{ at: new Date(0), gone: undefined }]
    expect(serializeMessages([message.tool('x', { toolCallId: 'c', artifacts })])[0]?.artifacts).toEqual([
      { at: '1970-01-01T00:00:00.000Z' },
    ])
  })

  it.each<[string, unknown, string]>([
    ['a function', () => 1, 'Cannot write "messages[0].artifacts[0]" as JSON: it is a function'],
    ['a bigint', 5n, 'it is a bigint'],
    ['a number that is none', Number.NaN, 'it is NaN'],
    ['a Map', new Map(), 'it is a Map'],
  ])('refuse %s, and say where', (_, artifact, error) => {
    expect(() => serializeMessages([message.tool('x', { toolCallId: 'c', artifacts: [artifact] })])).toThrow(error)
  })

  it('refuse what goes in circles', () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    expect(() => serializeMessages([message.tool('x', { toolCallId: 'c', artifacts: [circle] })])).toThrow(
      'deeper than 512',
    )
  })

  it.each<[string, unknown, string]>([
    ['a version to come', [{ version: 2, type: 'message', role: 'user', content: 'hi' }], 'version 2 is not known'],
    ['no version', [{ type: 'message', role: 'user', content: 'hi' }], 'version undefined is not known'],
    ['another type', [{ version: 1, type: 'context' }], 'its type is "context" and not "message"'],
    ['no list', {}, 'a list is expected'],
    ['a broken message', [{ version: 1, type: 'message', role: 'user' }], 'Cannot read message: "messages[0].content"'],
    [
      'an alias, which is never stored',
      [{ version: 1, type: 'message', role: 'human', content: 'x' }],
      'a message with a known role',
    ],
  ])('report %s by a typed error', { meta: { promise: '4.90' } }, (_, value, error) => {
    expect(() => deserializeMessages(value)).toThrow(DecodeError)
    expect(() => deserializeMessages(value)).toThrow(error)
    expect(safeDeserializeMessages(value)).toMatchObject({ ok: false, error: { code: 'decode' } })
  })

  it('refuse results nested in results without end with a typed error', () => {
    let content: unknown = 'x'
    for (let depth = 0; depth < 20_000; depth++) content = [{ type: 'tool_result', toolCallId: 'c', content }]
    const value = [{ version: 1, type: 'message', role: 'user', content }]
    expect(safeDeserializeMessages(value)).toMatchObject({
      ok: false,
      error: { message: 'Cannot read message: it is nested too deep' },
    })
  })
})

describe('contexts', () => {
  const tool = { name: 'f', description: 'd', parameters: { type: 'object' }, execute: () => 1, parse: () => 1 }
  const context = {
    system: [block.text('Be brief')],
    messages: [message.user('hi')],
    tools: [tool, { type: 'provider_tool', format: 'anthropic', value: { type: 'web_search' } }],
    providerState: { previousResponseId: 'resp_1' },
  } as const

  it('come back from JSON, with tools as definitions', { meta: { promise: '4.87' } }, () => {
    const { execute: _, parse: _parse, ...definition } = tool
    expect(deserializeContext(stored(serializeContext(context)))).toEqual({
      ...context,
      tools: [definition, context.tools[1]],
    })
  })

  it('come back to a request, whatever behaviour their tools have', { meta: { promise: '4.87' } }, async () => {
    const behaviour = {
      ...{ needsApproval: approval(), timeoutMs: 5, sequential: true, terminal: true, convert: false, strict: true },
    } as const
    const tools = [toolOf({ name: 'pay', parameters: t.object({}), ...behaviour, execute: () => 'paid' })]
    const read = deserializeContext(stored(serializeContext({ messages: [message.user('hi')], tools })))
    expect(read.tools).toEqual([{ name: 'pay', parameters: tools[0]?.parameters, strict: true }])
    expect((await generate({ model: mockModel(['Hello']), ...read })).text).toBe('Hello')
  })

  it('carry a version, and so does each message', { meta: { promise: '4.88' } }, () => {
    expect(serializeContext({ messages: [message.user('hi')] })).toEqual({
      version: 1,
      type: 'context',
      messages: [{ version: 1, type: 'message', role: 'user', content: 'hi' }],
    })
  })

  it.each<[string, unknown]>([
    ['a version to come', { version: 9, type: 'context', messages: [] }],
    ['no messages', { version: 1, type: 'context' }],
    ['tools that are none', { version: 1, type: 'context', messages: [], tools: [5] }],
    ['a system text that is none', { version: 1, type: 'context', messages: [], system: 5 }],
    ['nothing', null],
  ])('report %s by a typed error', { meta: { promise: '4.90' } }, (_, value) => {
    expect(() => deserializeContext(value)).toThrow(DecodeError)
    expect(safeDeserializeContext(value)).toMatchObject({ ok: false })
  })
})

describe('results', () => {
  const result: ToolResult = {
    call,
    toolCallId: 'c',
    name: 'f',
    status: 'error',
    content: 'no',
    error: { kind: 'execution', message: 'boom', cause: new Error('boom') },
    extra: { url: 'u' },
  }

  it('come back from JSON, with the message of their error and not its cause', {
    meta: { promise: '4.87 3.58' },
  }, () => {
    const read = deserializeToolResult(stored(serializeToolResult(result)))
    expect(read).toEqual({ ...result, error: { kind: 'execution', message: 'boom' } })
  })

  it.each<[string, unknown]>([
    ['a version to come', { ...serializeToolResult(result), version: 2 }],
    ['no call', { ...serializeToolResult(result), call: 5 }],
    ['no status', { ...serializeToolResult(result), status: 'maybe' }],
  ])('report %s by a typed error', { meta: { promise: '4.90' } }, (_, value) => {
    expect(() => deserializeToolResult(value)).toThrow(DecodeError)
  })
})
