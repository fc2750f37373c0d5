import { describe, expect, it } from 'vitest'
import type { Frame } from '../../../src/core/codec.ts'
import { ApiError } from '../../../src/core/errors.ts'
import type { AssistantMessage, MessageEvent, StopReason, ToolCall } from '../../../src/core/messages.ts'
import { createServerCodec, encodeStream } from '../../../src/formats/anthropic/index.ts'
import { oracle } from './oracle.ts'
import { encodeEvents, toSse } from './run.ts'

const start: MessageEvent = { type: 'message_start', id: 'chatcmpl-1', model: 'gpt-x' }
function end(stopReason: StopReason = 'stop', more: Partial<AssistantMessage> = {}): MessageEvent {
  const message: AssistantMessage = { role: 'assistant', content: [], stopReason, ...more }
  const usage = { inputTokens: 7, outputTokens: 5 }
  return { type: 'message_end', message, response: { message, stopReason, usage } }
}
function text(index: number, ...pieces: string[]): MessageEvent[] {
  return [
    ...pieces.map((piece) => ({ type: 'text_delta', index, text: piece }) as const),
    { type: 'content_block', index, block: { type: 'text', text: pieces.join('') } },
  ]
}
function call(id: string, argumentsText = '{"a":1}'): ToolCall {
  return {
    type: 'tool_call',
    id,
    name: 'f',
    arguments: JSON.parse(argumentsText || '{}'),
    argumentsText,
    index: 0,
    complete: true,
  }
}
function chunk(index: number, fields: object): MessageEvent {
  return { type: 'tool_call_chunk', index, chunk: { type: 'tool_call_chunk', ...fields } }
}
function parsed(frames: readonly Frame[]): { type: string; [field: string]: unknown }[] {
  return frames.map(({ event, data }) => {
    const value = JSON.parse(data)
    expect(event).toBe(value.type) // the SDK drops events without their name
    return value
  })
}
function written(...events: MessageEvent[]) {
  return parsed(encodeEvents(events))
}
function read(...events: MessageEvent[]): Promise<unknown> {
  return oracle.stream(toSse(encodeEvents(events)))
}

describe('a stream', () => {
  it('begins, has content, and ends like a stream of the API', () => {
    expect(written(start, ...text(0, 'a', 'b'), end())).toEqual([
      {
        type: 'message_start',
        message: {
          id: 'chatcmpl-1',
          type: 'message',
          role: 'assistant',
          model: 'gpt-x',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 0, output_tokens: 0 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'b' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { input_tokens: 7, output_tokens: 5 },
      },
      { type: 'message_stop' },
    ])
  })

  it('sends the usage at its beginning, if it is known then', () => {
    const [first] = written(
      start,
      { type: 'usage', usage: { inputTokens: 9, cacheReadTokens: 4 } },
      ...text(0, 'a'),
      end(),
    )
    expect(first).toMatchObject({
      message: { usage: { input_tokens: 5, cache_read_input_tokens: 4, output_tokens: 0 } },
    })
  })

  it('without content is still an answer', async () => {
    expect(await read(start, end('refusal'))).toMatchObject({ content: [], stop_reason: 'refusal' })
  })

  it('uses the given id and model', () => {
    const encoder = encodeStream({ id: 'msg_9', model: 'alias' })
    const out: Frame[] = []
    encoder.push(start, out)
    encoder.push(end(), out)
    expect(parsed(out)[0]).toMatchObject({ message: { id: 'msg_9', model: 'alias' } })
  })
})

describe('blocks that are open at the same time', () => {
  it('are written one after the other, numbered without gaps, and nothing is lost', async () => {
    const events = [
      start,
      chunk(0, { id: 'x', name: 'f', argumentsDelta: '{"a"' }),
      chunk(1, { id: 'y', name: 'f', argumentsDelta: '{"b"' }),
      { type: 'text_delta', index: 2, text: 'hi' } as const,
      chunk(1, { argumentsDelta: ':2}' }),
      chunk(0, { argumentsDelta: ':1}' }),
      { type: 'tool_call', index: 1, call: call('y', '{"b":2}') } as const,
      { type: 'tool_call', index: 0, call: call('x') } as const,
      { type: 'content_block', index: 2, block: { type: 'text', text: 'hi' } } as const,
      end('tool_calls'),
    ]
    const order = written(...events).flatMap(({ type, index }) =>
      typeof index === 'number' ? [[type.slice(14), index]] : [],
    )
    expect(order.filter(([type]) => type !== 'delta')).toEqual([
      ['start', 0],
      ['stop', 0],
      ['start', 1],
      ['stop', 1],
      ['start', 2],
      ['stop', 2],
    ])
    expect(await read(...events)).toMatchObject({
      content: [
        { type: 'tool_use', id: 'x', input: { a: 1 } },
        { type: 'tool_use', id: 'y', input: { b: 2 } },
        { type: 'text', text: 'hi' },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 7, output_tokens: 5 },
    })
  })
})

describe('calls', () => {
  it.each<[string, MessageEvent[]]>([
    ['in one piece', [chunk(0, { id: 'x', name: 'f', argumentsDelta: '{"a":1}' })]],
    [
      'without an id at first',
      [chunk(0, { name: 'f', argumentsDelta: '{"a"' }), chunk(0, { id: 'x', name: 'f', argumentsDelta: ':1}' })],
    ],
    ['whose id comes last', [chunk(0, { name: 'f', argumentsDelta: '{"a":1}' })]],
    [
      'whose name comes in pieces',
      [chunk(0, { id: 'x', name: 'get' }), chunk(0, { id: 'x', name: 'f' }), chunk(0, { argumentsDelta: '{"a":1}' })],
    ],
    ['whose arguments come as an object', [chunk(0, { id: 'x', name: 'f', argumentsDelta: '' })]],
    ['with nothing beforehand', []],
  ])('%s are read by the SDK', async (_, chunks) => {
    expect(
      await read(start, ...chunks, { type: 'tool_call', index: 0, call: call('x') }, end('tool_calls')),
    ).toMatchObject({
      content: [{ type: 'tool_use', id: 'x', name: 'f', input: { a: 1 } }],
      stop_reason: 'tool_use',
    })
  })

  it.each(['', ' ', '{}'])('with the arguments %j are read as an empty object', async (argumentsText) => {
    const events = [
      start,
      chunk(0, { id: 'x', name: 'f', argumentsDelta: argumentsText }),
      { type: 'tool_call', index: 0, call: call('x', argumentsText.trim()) } as const,
    ]
    expect(await read(...events, end('tool_calls'))).toMatchObject({ content: [{ type: 'tool_use', input: {} }] })
  })

  it('that share an id wait until they have one of their own', async () => {
    const events = [
      start,
      chunk(0, { id: 'x', name: 'f', argumentsDelta: '{"a":1}' }),
      { type: 'tool_call', index: 0, call: call('x') } as const,
      chunk(1, { id: 'x', name: 'f', argumentsDelta: '{"a":1}' }),
      { type: 'tool_call', index: 1, call: call('x_1') } as const,
    ]
    expect(await read(...events, end('tool_calls'))).toMatchObject({ content: [{ id: 'x' }, { id: 'x_1' }] })
  })

  it('that are invalid are left out if no piece of them was sent', () => {
    const invalid = {
      type: 'invalid_tool_call',
      index: 0,
      argumentsText: '{',
      reason: 'missing_name',
      error: 'The call names no tool',
    } as const
    const events = written(
      start,
      chunk(0, { argumentsDelta: '{' }),
      { type: 'invalid_tool_call', index: 0, call: invalid },
      ...text(1, 'a'),
      end('tool_calls'),
    )
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'end_turn' } })
  })

  it('that were cut stay cut: the limit is reported, and nothing is invented', () => {
    const invalid = {
      type: 'invalid_tool_call',
      id: 'x',
      name: 'f',
      index: 0,
      argumentsText: '{"a":',
      reason: 'truncated',
      error: '',
    } as const
    const events = written(
      start,
      chunk(0, { id: 'x', name: 'f', argumentsDelta: '{"a":' }),
      { type: 'invalid_tool_call', index: 0, call: invalid },
      end('length'),
    )
    const pieces = events.flatMap(({ delta }) => (delta as { partial_json?: string } | undefined)?.partial_json ?? [])
    expect(pieces.join('')).toBe('{"a":')
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'max_tokens' } })
  })
})

describe('other blocks', () => {
  const own = (data: { [key: string]: string }) => ({
    provider: 'anthropic',
    model: 'claude-x',
    format: 'anthropic',
    data,
  })
  it('of reasoning end with their signature', async () => {
    const block = { type: 'reasoning', text: 'hm', opaque: own({ signature: 'sig' }) } as const
    const events: MessageEvent[] = [
      start,
      { type: 'reasoning_delta', index: 0, text: 'hm' },
      { type: 'content_block', index: 0, block },
    ]
    expect(await read(...events, end())).toMatchObject({
      content: [{ type: 'thinking', thinking: 'hm', signature: 'sig' }],
    })
  })

  it('of reasoning without a text are written only for their proof', async () => {
    const events: MessageEvent[] = [
      start,
      { type: 'content_block', index: 0, block: { type: 'reasoning', text: '', opaque: own({ signature: 'sig' }) } },
      { type: 'content_block', index: 1, block: { type: 'reasoning', text: '', opaque: own({ data: 'enc' }) } },
      { type: 'content_block', index: 2, block: { type: 'reasoning', text: '' } },
    ]
    expect((await read(...events, end())) as object).toMatchObject({
      content: [
        { type: 'thinking', thinking: '', signature: 'sig' },
        { type: 'redacted_thinking', data: 'enc' },
      ],
    })
  })

  it("of reasoning with another's proof are shown without it, which is reported", () => {
    const opaque = { provider: 'google', model: 'g', format: 'gemini', data: { thoughtSignature: 's' } }
    const encoder = encodeStream()
    const out: Frame[] = []
    for (const event of [
      start,
      { type: 'reasoning_delta', index: 0, text: 'hm' },
      { type: 'content_block', index: 0, block: { type: 'reasoning', text: 'hm', opaque } },
      end(),
    ] as MessageEvent[])
      encoder.push(event, out)
    expect(JSON.stringify(parsed(out))).not.toContain('signature_delta')
    expect(encoder.losses).toMatchObject([{ action: 'dropped', severity: 'info' }])
  })

  it('arrive as a whole if they have no deltas, and keep their order', async () => {
    const events: MessageEvent[] = [
      start,
      { type: 'text_delta', index: 0, text: 'a' },
      {
        type: 'content_block',
        index: 1,
        block: {
          type: 'unknown',
          format: 'anthropic',
          providerType: 'container_upload',
          value: { type: 'container_upload', file_id: 'f' },
        },
      },
      { type: 'content_block', index: 0, block: { type: 'text', text: 'a' } },
      {
        type: 'content_block',
        index: 2,
        block: {
          type: 'server_tool_call',
          id: 's',
          name: 'web_search',
          arguments: { q: 1 },
          providerData: { anthropic: { type: 'server_tool_use' } },
        },
      },
    ]
    expect(await read(...events, end())).toMatchObject({
      content: [
        { type: 'text', text: 'a' },
        { type: 'container_upload', file_id: 'f' },
        { type: 'server_tool_use', id: 's', name: 'web_search', input: { q: 1 } },
      ],
    })
  })
})

describe('the end', () => {
  const error = new ApiError('Overloaded', { kind: 'overloaded', retryable: true, requestId: 'req_1' })

  it('may be an error, which is the last event, without a normal end', () => {
    const encoder = createServerCodec().encodeStream()
    const out: Frame[] = []
    encoder.push(start, out)
    encoder.push({ type: 'text_delta', index: 0, text: 'a' }, out)
    encoder.fail(error, out)
    encoder.fail(error, out)
    encoder.push(end(), out)
    encoder.end(out)
    const events = parsed(out)
    expect(events.filter(({ type }) => type === 'error' || type === 'message_stop')).toEqual([
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' }, request_id: 'req_1' },
    ])
    expect(events.at(-1)?.type).toBe('error')
  })

  it('is an error if the events stop, which the SDK throws', async () => {
    const frames = encodeEvents([start, { type: 'text_delta', index: 0, text: 'a' }])
    expect(parsed(frames).at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error' } })
    await expect(oracle.stream(toSse(frames))).rejects.toThrow()
  })

  it('is written once', () => {
    const types = written(start, ...text(0, 'a'), end(), end(), ...text(1, 'b')).map(({ type }) => type)
    expect(types.filter((type) => type === 'message_stop')).toHaveLength(1)
    expect(types.at(-1)).toBe('message_stop')
  })
})

it('sends the address and title of a citation', () => {
  const encoder = encodeStream()
  const frames: Frame[] = []
  const cited = { type: 'citation', url: 'https://a.example', title: 'A', text: 'a' } as const
  encoder.push({ type: 'text_delta', index: 0, text: 'Hi' }, frames)
  encoder.push({ type: 'content_block', index: 0, block: { type: 'text', text: 'Hi', citations: [cited] } }, frames)
  const deltas = frames.map(({ data }) => JSON.parse(data).delta).filter((delta) => delta?.type === 'citations_delta')
  expect(deltas).toMatchObject([
    { citation: { type: 'web_search_result_location', url: 'https://a.example', title: 'A', cited_text: 'a' } },
  ])
})
