import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/core/errors.ts'
import type { AssistantMessage, ChatResponse, MessageEvent, ToolCall, Usage } from '../../../src/core/messages.ts'
import { encodeResponse, encodeStream } from '../../../src/formats/openai-chat/index.ts'
import { oracle } from './oracle.ts'

interface Chunk {
  readonly choices: readonly { readonly delta: Record<string, unknown>; readonly finish_reason: string | null }[]
  readonly usage?: unknown
}

function write(events: readonly MessageEvent[], reply = {}) {
  const encoder = encodeStream(reply)
  const out: { data: string }[] = []
  for (const event of events) encoder.push(event, out)
  encoder.end(out)
  const data = out.map((frame) => frame.data)
  const chunks = data.filter((one) => one !== '[DONE]').map((one) => JSON.parse(one) as Chunk)
  return { data, chunks, encoder, text: data.map((one) => `data: ${one}\n\n`).join('') }
}

const start: MessageEvent = { type: 'message_start', id: 'msg_1', model: 'm' }
function end(content: AssistantMessage['content'], more: Partial<ChatResponse> = {}): MessageEvent {
  const { stopReason = 'stop' } = more
  const message: AssistantMessage = { role: 'assistant', content, stopReason }
  return { type: 'message_end', message, response: { message, stopReason, ...more } }
}
const call = (index: number, id: string, argumentsText: string): ToolCall => ({
  type: 'tool_call',
  id,
  name: 'f',
  arguments: argumentsText === '' ? {} : JSON.parse(argumentsText),
  argumentsText,
  index,
  complete: true,
})
const chunk = (block: number, index: number, argumentsDelta: string, more: { id?: string; name?: string } = {}) =>
  ({
    type: 'tool_call_chunk',
    index: block,
    chunk: { type: 'tool_call_chunk', index, argumentsDelta, ...more },
  }) as const

const message = async (text: string) =>
  ((await oracle.stream(text)) as { choices: { message: Record<string, unknown>; finish_reason: string }[] }).choices[0]

describe('calls', () => {
  it('may be open at the same time: nothing waits', async () => {
    const { text, chunks } = write([
      start,
      chunk(0, 0, '', { id: 'a', name: 'f' }),
      chunk(1, 1, '', { id: 'b', name: 'f' }),
      chunk(0, 0, '{"x"', { id: 'a', name: 'f' }),
      chunk(1, 1, '{"y"', { id: 'b', name: 'f' }),
      chunk(0, 0, ':1}', { id: 'a', name: 'f' }),
      chunk(1, 1, ':2}', { id: 'b', name: 'f' }),
      { type: 'tool_call', index: 0, call: call(0, 'a', '{"x":1}') },
      { type: 'tool_call', index: 1, call: call(1, 'b', '{"y":2}') },
      end([], { stopReason: 'tool_calls' }),
    ])
    expect(chunks.flatMap((one) => one.choices[0]?.delta.tool_calls ?? [])).toHaveLength(4)
    expect(await message(text)).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
          { id: 'b', type: 'function', function: { name: 'f', arguments: '{"y":2}' } },
        ],
      },
    })
  })

  it('wait for an id that is made at the end, and are then sent as a whole', async () => {
    const { text } = write([
      start,
      chunk(0, 0, '{"x":', { name: 'f' }),
      chunk(0, 0, '1}', { name: 'f' }),
      { type: 'tool_call', index: 0, call: { ...call(0, 'gemini_0', '{"x":1}'), generatedId: true } },
      end([], { stopReason: 'tool_calls' }),
    ])
    expect((await message(text))?.message.tool_calls).toEqual([
      { id: 'gemini_0', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
    ])
  })

  it('without arguments have {} as theirs', async () => {
    const { text } = write([
      start,
      chunk(0, 0, '', { id: 'a', name: 'f' }),
      { type: 'tool_call', index: 0, call: call(0, 'a', '') },
      end([], { stopReason: 'stop' }),
    ])
    expect(await message(text)).toMatchObject({
      finish_reason: 'tool_calls', // whatever the provider said
      message: { tool_calls: [{ function: { arguments: '{}' } }] },
    })
  })

  it('that were cut are reported as they are, with the length as the reason', async () => {
    const invalid = {
      type: 'invalid_tool_call',
      index: 0,
      argumentsText: '{"x',
      reason: 'truncated',
      error: '',
    } as const
    const { text } = write([
      start,
      chunk(0, 0, '{"x', { id: 'a', name: 'f' }),
      { type: 'invalid_tool_call', index: 0, call: { ...invalid, id: 'a', name: 'f' } },
      end([], { stopReason: 'length' }),
    ])
    expect(await message(text)).toMatchObject({
      finish_reason: 'length',
      message: { tool_calls: [{ function: { arguments: '{"x' } }] },
    })
  })
})

describe('text', () => {
  it('has its role, in the order in which it came', async () => {
    const { text, chunks } = write([
      start,
      { type: 'reasoning_delta', index: 0, text: 'Hm' },
      { type: 'text_delta', index: 1, text: 'Hel' },
      { type: 'text_delta', index: 1, text: 'lo' },
      end([]),
    ])
    expect(chunks.map((one) => one.choices[0]?.delta)).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'Hm' },
      { content: 'Hel' },
      { content: 'lo' },
      {},
    ])
    expect(await message(text)).toMatchObject({ finish_reason: 'stop', message: { content: 'Hello', refusal: null } })
  })

  it('that refuses goes into its own field', async () => {
    const { text } = write([
      start,
      { type: 'text_delta', index: 0, text: 'Sorry', refusal: true },
      end([{ type: 'text', text: 'Sorry', refusal: true }], { stopReason: 'refusal' }),
    ])
    expect(await message(text)).toMatchObject({ finish_reason: 'content_filter', message: { refusal: 'Sorry' } })
  })

  it('has its citations after it, by offsets into all its text', () => {
    const block = (at: number) =>
      ({
        type: 'content_block',
        index: at,
        block: { type: 'text', text: 'abc', citations: [{ type: 'citation', url: 'u', startIndex: 1, endIndex: 2 }] },
      }) as const
    const { chunks } = write([
      start,
      { type: 'text_delta', index: 0, text: 'abc' },
      block(0),
      { type: 'text_delta', index: 1, text: 'abc' },
      block(1),
      end([]),
    ])
    const found = chunks.flatMap((one) => (one.choices[0]?.delta.annotations ?? []) as { url_citation: object }[])
    expect(found.map((one) => one.url_citation)).toMatchObject([
      { start_index: 1, end_index: 2 },
      { start_index: 4, end_index: 5 },
    ])
  })
})

describe('the end', () => {
  const usage: Usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15, reasoningTokens: 2 }

  it('has usage after the stop reason, and then the mark', () => {
    const { data, chunks } = write([start, { type: 'text_delta', index: 0, text: 'Hi' }, end([], { usage })])
    expect(data.at(-1)).toBe('[DONE]')
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    })
  })

  it('has no usage where the client asked for none', () => {
    const { chunks } = write([start, end([], { usage })], { includeUsage: false })
    expect(chunks.filter((one) => one.usage !== undefined)).toEqual([])
  })

  it('is one error, without a mark, if the answer failed', async () => {
    const encoder = encodeStream()
    const out: { data: string }[] = []
    encoder.push(start, out)
    encoder.fail(new ApiError('Overloaded', { kind: 'overloaded', retryable: true }), out)
    encoder.fail(new ApiError('Again', { kind: 'server', retryable: true }), out)
    encoder.push(end([]), out)
    encoder.end(out)
    expect(out).toHaveLength(2)
    expect(JSON.parse(out[1]?.data ?? '')).toEqual({
      error: { message: 'Overloaded', type: 'server_error', param: null, code: 'overloaded' },
    })
    await expect(oracle.stream(out.map((one) => `data: ${one.data}\n\n`).join(''))).rejects.toThrow('Overloaded')
  })

  it('is an error if the answer stopped without an end', () => {
    const { data } = write([start, { type: 'text_delta', index: 0, text: 'Hi' }])
    expect(JSON.parse(data.at(-1) ?? '')).toMatchObject({ error: { type: 'server_error' } })
    expect(data).not.toContain('[DONE]')
  })

  it('uses the given id and model', () => {
    const { chunks } = write([start, end([])], { id: 'chatcmpl-9', model: 'alias', createdAt: 7 })
    for (const one of chunks) expect(one).toMatchObject({ id: 'chatcmpl-9', model: 'alias', created: 7 })
  })
})

it('reports content that a stream cannot express', () => {
  const { encoder } = write([
    start,
    { type: 'content_block', index: 0, block: { type: 'server_tool_result', output: {} } },
    {
      type: 'content_block',
      index: 1,
      block: { type: 'unknown', format: 'openai-chat', providerType: 'x', value: {} },
    },
    end([]),
  ])
  expect(encoder.losses.map(({ path, severity }) => [path, severity])).toEqual([
    ['message.content[0]', 'minor'],
    ['message.content[1]', 'minor'],
  ])
})

it('sends the address and title of a citation', () => {
  const cited = { type: 'citation', url: 'https://a.example', title: 'A', startIndex: 0, endIndex: 2 } as const
  const { chunks } = write([
    start,
    { type: 'text_delta', index: 0, text: 'Hi' },
    { type: 'content_block', index: 0, block: { type: 'text', text: 'Hi', citations: [cited] } },
    end([]),
  ])
  expect(chunks.flatMap((one) => one.choices[0]?.delta.annotations ?? [])).toEqual([
    { type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A', start_index: 0, end_index: 2 } },
  ])
})

it('writes the tool of another server nowhere, not even as an empty list', () => {
  const block = { type: 'server_tool_call', id: 's1', name: 'web_search', arguments: {} } as const
  const { chunks } = write([start, { type: 'content_block', index: 0, block }, end([block])])
  expect(chunks.filter(({ choices }) => choices.some(({ delta }) => 'executed_tools' in delta))).toEqual([])
})

it('names the role of an answer that has only an end', () => {
  expect(write([end('')]).chunks[0]?.choices[0]?.delta).toMatchObject({ role: 'assistant' })
})

it('sends an image with the fields that a whole answer has', () => {
  const providerData = { 'openai-chat': { index: 3 } }
  const block = { type: 'image', data: 'AAAA', mimeType: 'image/png', providerData } as const
  const { chunks } = write([start, { type: 'content_block', index: 0, block }, end([block])])
  const images = [{ index: 3, type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }]
  expect(chunks.flatMap(({ choices }) => choices[0]?.delta.images ?? [])).toEqual(images)
  const message: AssistantMessage = { role: 'assistant', content: [block] }
  expect(encodeResponse({ message, stopReason: 'stop' }).body.choices[0]?.message).toMatchObject({ images })
})
