import { describe, expect, it } from 'vitest'
import type { Frame, Reply } from '../../../src/core/codec.ts'
import { ApiError, type ApiErrorKind } from '../../../src/core/errors.ts'
import type {
  AssistantMessage,
  ChatResponse,
  ContentBlock,
  JsonObject,
  MessageEvent,
} from '../../../src/core/messages.ts'
import { createClientCodec, decodeResponse, encodeStream } from '../../../src/formats/openai-responses/index.ts'
import { toolCall } from '../../../src/messages/block.ts'
import { decodeText } from '../../support/decode.ts'
import { oracle } from './oracle.ts'

const start: MessageEvent = { type: 'message_start', id: 'resp_1', model: 'm' }
const call = (id: string, index: number) => toolCall(id, 'f', { a: index }, { index })
const chunk = (
  index: number,
  position: number,
  argumentsDelta: string,
  id: string | undefined = `c${position}`,
): MessageEvent => ({
  type: 'tool_call_chunk',
  index,
  chunk: { type: 'tool_call_chunk', name: 'f', index: position, argumentsDelta, ...(id && { id }) },
})
const block = (index: number, of: ContentBlock): MessageEvent => ({ type: 'content_block', index, block: of })
function end(content: readonly ContentBlock[], more: Partial<ChatResponse> = {}): MessageEvent {
  const message: AssistantMessage = { role: 'assistant', content, stopReason: 'stop' }
  return { type: 'message_end', message, response: { message, stopReason: 'stop', ...more } }
}

function write(events: readonly MessageEvent[], reply?: Reply) {
  const encoder = encodeStream(reply)
  const frames: Frame[] = []
  for (const event of events) encoder.push(event, frames)
  encoder.end(frames)
  return { frames, losses: encoder.losses, text: textOf(frames), events: frames.map(({ data }) => JSON.parse(data)) }
}
const textOf = (frames: readonly Frame[]) =>
  frames.map(({ event, data }) => `event: ${event}\ndata: ${data}\n\n`).join('')

const text: ContentBlock = { type: 'text', text: 'Hello' }
const usage = { inputTokens: 3, outputTokens: 2 }

describe('a stream of ours', () => {
  const events: MessageEvent[] = [
    start,
    { type: 'reasoning_delta', index: 0, text: 'Hm' },
    block(0, { type: 'reasoning', text: 'Hm' }),
    { type: 'text_delta', index: 1, text: 'Hel' },
    chunk(2, 0, ''),
    chunk(2, 0, '{"a"'),
    chunk(3, 1, '{"a":'),
    { type: 'text_delta', index: 1, text: 'lo' },
    chunk(2, 0, ':0}'),
    block(1, { ...text, citations: [{ type: 'citation', url: 'https://a' }] } as ContentBlock),
    { type: 'tool_call', index: 3, call: call('c1', 1) },
    { type: 'tool_call', index: 2, call: call('c0', 0) },
    end([text, call('c0', 0), call('c1', 1)], { stopReason: 'tool_calls', usage }),
  ]

  it('is read by the official client, however its blocks interleave', async () => {
    const body = (await oracle.stream(write(events).text)) as JsonObject
    expect(body).toMatchObject({ id: 'resp_1', model: 'm', status: 'completed', object: 'response' })
    expect(decodeResponse(body)).toMatchObject({
      stopReason: 'tool_calls',
      message: {
        content: [
          { type: 'reasoning', text: 'Hm' },
          { type: 'text', text: 'Hello', citations: [{ url: 'https://a', startIndex: 0, endIndex: 5 }] },
          { type: 'tool_call', id: 'c0', arguments: { a: 0 } },
          { type: 'tool_call', id: 'c1', arguments: { a: 1 } },
        ],
      },
      usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
    })
  })

  it('numbers its events from 0, names each, and ends with all that it said', () => {
    const { frames, events: written } = write(events)
    expect(written.map(({ sequence_number }) => sequence_number)).toEqual(written.map((_, at) => at))
    expect(frames.map(({ event }) => event)).toEqual(written.map(({ type }) => type))
    expect(written[0]).toMatchObject({
      type: 'response.created',
      response: { status: 'in_progress', output: [], id: 'resp_1' },
    })
    const done = written.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
    const byIndex = written
      .filter(({ type }) => type === 'response.output_item.added')
      .map(({ output_index }) => output_index)
    expect(byIndex).toEqual([0, 1, 2, 3])
    const { output } = written.at(-1).response
    expect(output).toHaveLength(4)
    expect(output).toEqual(expect.arrayContaining(done))
  })

  it('gives every item an id of its own, other than its call_id, and the same in all its events', () => {
    const { events: written } = write(events)
    const ids: string[] = written.at(-1).response.output.map(({ id }: JsonObject) => id)
    expect(new Set(ids).size).toBe(4)
    for (const event of written.filter(({ item_id }) => item_id !== undefined))
      expect(event.item_id).toBe(ids[event.output_index])
    expect(ids.every((id) => /^[a-z]+_[A-Za-z0-9_]{1,60}[A-Za-z0-9]$/.test(id))).toBe(true)
  })

  it('presents itself as the gateway asks', () => {
    const { events: written } = write(events, { id: 'resp_x', model: 'alias', createdAt: 9 })
    for (const { response } of [written[0], written.at(-1)])
      expect(response).toMatchObject({ id: 'resp_x', model: 'alias', created_at: 9 })
  })
})

describe('calls', () => {
  it('wait for their id, which may be made only at their end', async () => {
    const events = [
      start,
      chunk(0, 0, '{"a"', ''),
      chunk(0, 0, ':0}', ''),
      { type: 'tool_call', index: 0, call: call('call_0', 0) } as const,
      end([]),
    ]
    const { events: written, text: bytes } = write(events)
    expect(written.find(({ type }) => type === 'response.output_item.added')?.item).toMatchObject({
      call_id: 'call_0',
      arguments: '',
    })
    expect(decodeResponse(await oracle.stream(bytes)).message.content).toMatchObject([
      { id: 'call_0', arguments: { a: 0 } },
    ])
  })

  it('that are invalid are written as they came, and as incomplete', () => {
    const invalid = {
      type: 'invalid_tool_call',
      id: 'c0',
      name: 'f',
      index: 0,
      argumentsText: '{"a',
      reason: 'truncated',
      error: '',
    } as const
    const { events: written } = write([
      start,
      chunk(0, 0, '{"a'),
      { type: 'invalid_tool_call', index: 0, call: invalid },
      end([], { stopReason: 'length' }),
    ])
    expect(written.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        output: [{ type: 'function_call', status: 'incomplete', arguments: '{"a' }],
      },
    })
  })

  it('that are whole in an answer that was cut are completed', () => {
    const { events: written } = write([
      start,
      { type: 'tool_call', index: 0, call: call('c0', 0) },
      end([call('c0', 0)], { stopReason: 'length' }),
    ])
    expect(written.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { output: [{ type: 'function_call', status: 'completed', arguments: '{"a":0}' }] },
    })
  })

  it('that no client can name are dropped with a loss', () => {
    const invalid = {
      type: 'invalid_tool_call',
      index: 0,
      argumentsText: '',
      reason: 'missing_name',
      error: '',
    } as const
    const { losses, events: written } = write([start, { type: 'invalid_tool_call', index: 0, call: invalid }, end([])])
    expect(losses).toHaveLength(1)
    expect(written.at(-1).response.output).toEqual([])
  })
})

describe('whole blocks', () => {
  const opaque = {
    provider: 'openai',
    model: 'm',
    format: 'openai-responses',
    data: { type: 'file_search_call', id: 'fs_1', status: 'completed' },
  }
  const server: ContentBlock = {
    type: 'server_tool_call',
    id: 'fs_1',
    name: 'file_search',
    arguments: { queries: ['a'] },
    opaque,
  }

  it('of a tool that the server ran are one item with its result', async () => {
    const result: ContentBlock = { type: 'server_tool_result', toolCallId: 'fs_1', output: [{ file_id: 'f' }] }
    const { events: written, text: bytes } = write([start, block(0, server), block(1, result), end([])])
    const item = {
      type: 'file_search_call',
      id: 'fs_1',
      status: 'completed',
      queries: ['a'],
      results: [{ file_id: 'f' }],
    }
    expect(written.at(-1).response.output).toEqual([item])
    await expect(oracle.stream(bytes)).resolves.toMatchObject({ output: [item] })
  })

  it('of such a tool without a result are written before what follows', () => {
    const { events: written } = write([
      start,
      block(0, server),
      { type: 'text_delta', index: 1, text: 'Hello' },
      block(1, text),
      end([]),
    ])
    expect(written.at(-1).response.output).toMatchObject([{ type: 'file_search_call' }, { type: 'message' }])
  })

  it('are images, and what a wire has of its own', () => {
    const image: ContentBlock = { type: 'image', data: 'AA==', mimeType: 'image/png' }
    const foreign: ContentBlock = { type: 'unknown', format: 'gemini', providerType: 'x', value: {} }
    const own: ContentBlock = {
      type: 'unknown',
      format: 'openai-responses',
      providerType: 'dance',
      value: { type: 'dance', id: 'd' },
    }
    const { events: written, losses } = write([start, block(0, image), block(1, foreign), block(2, own), end([])])
    expect(written.at(-1).response.output).toMatchObject([
      { type: 'image_generation_call', result: 'AA==' },
      { type: 'dance', id: 'd' },
    ])
    expect(losses).toMatchObject([{ severity: 'minor' }])
  })

  it('of text that declines are refusals, and of reasoning of another wire lose their proof with an info', async () => {
    const thinking: ContentBlock = { type: 'reasoning', text: 'Hm', opaque: { ...opaque, format: 'anthropic' } }
    const refusal: ContentBlock = { type: 'text', text: 'No', refusal: true }
    const { text: bytes, losses } = write([
      start,
      block(0, thinking),
      { type: 'text_delta', index: 1, text: 'No', refusal: true },
      block(1, refusal),
      end([refusal], { stopReason: 'refusal' }),
    ])
    expect(losses).toMatchObject([{ severity: 'info' }])
    expect(decodeResponse(await oracle.stream(bytes))).toMatchObject({ stopReason: 'refusal' })
  })
})

describe('the end', () => {
  const error = new ApiError('Too many', { kind: 'rate_limit', retryable: true })

  it('is one error if it fails, in a form that clients of the wire read', async () => {
    const encoder = encodeStream()
    const frames: Frame[] = []
    for (const event of [start, { type: 'text_delta', index: 0, text: 'Hel' } as const]) encoder.push(event, frames)
    encoder.fail(error, frames)
    encoder.fail(error, frames)
    encoder.push(end([]), frames)
    encoder.end(frames)
    expect(frames.slice(-2).map(({ event }) => event)).toEqual(['error', 'response.failed'])
    expect(JSON.parse(frames.at(-2)?.data ?? '')).toMatchObject({
      code: 'rate_limit_exceeded',
      message: 'Too many',
      param: null,
    })
    await expect(oracle.stream(textOf(frames))).rejects.toThrow('Too many')
    expect(decodeText(createClientCodec(), textOf(frames)).error).toMatchObject({
      kind: 'rate_limit',
      message: 'Too many',
    })
  })

  it.each<ApiErrorKind>(['rate_limit', 'invalid_request', 'authentication', 'overloaded', 'server', 'timeout'])(
    'has the code that the wire requires, for an error of kind %s',
    (kind) => {
      const frames: Frame[] = []
      encodeStream().fail(new ApiError('No', { kind }), frames)
      const { response } = JSON.parse(frames.at(-1)?.data ?? '')
      expect(response).toMatchObject({ status: 'failed', error: { code: expect.any(String), message: 'No' } })
    },
  )

  it('is an error before the first event too, and if the answer was cut off', () => {
    const encoder = encodeStream()
    const frames: Frame[] = []
    encoder.fail(error, frames)
    expect(frames.map(({ event }) => event)).toEqual([
      'response.created',
      'response.in_progress',
      'error',
      'response.failed',
    ])
    expect(write([start]).events.at(-1)).toMatchObject({ type: 'response.failed' })
  })

  it('is written once', () => {
    const { events: written } = write([start, end([]), end([])])
    expect(written.filter(({ type }) => type === 'response.completed')).toHaveLength(1)
  })
})

describe('the exact events of each kind of item', () => {
  /** Between the events that begin and end the answer, without their numbers; ids that we make are `ID`. */
  function eventsOf(events: readonly MessageEvent[]): unknown[] {
    const { events: written } = write([start, ...events, end([])])
    const items = written.slice(2, -1).map(({ sequence_number: _, ...event }) => event)
    return JSON.parse(JSON.stringify(items).replaceAll(/"[a-z]+_iso_[a-z0-9]+_0"/g, '"ID"'))
  }
  const at = { item_id: 'ID', output_index: 0 }
  const added = (item: object) => ({ type: 'response.output_item.added', output_index: 0, item })
  const done = (item: object) => ({ type: 'response.output_item.done', output_index: 0, item })

  it('of a text with a citation', () => {
    const citation = { type: 'citation', url: 'https://a.example', title: 'A', startIndex: 0, endIndex: 2 } as const
    const annotation = { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 2 }
    const part = { type: 'output_text', text: 'Hi!', annotations: [annotation], logprobs: [] }
    const written = eventsOf([
      { type: 'text_delta', index: 0, text: 'Hi' },
      { type: 'text_delta', index: 0, text: '!' },
      block(0, { type: 'text', text: 'Hi!', citations: [citation] }),
    ])
    expect(written).toEqual([
      added({ id: 'ID', type: 'message', status: 'in_progress', role: 'assistant', content: [] }),
      {
        type: 'response.content_part.added',
        ...at,
        content_index: 0,
        part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
      },
      { type: 'response.output_text.delta', ...at, content_index: 0, delta: 'Hi', logprobs: [] },
      { type: 'response.output_text.delta', ...at, content_index: 0, delta: '!', logprobs: [] },
      { type: 'response.output_text.annotation.added', ...at, content_index: 0, annotation_index: 0, annotation },
      { type: 'response.output_text.done', ...at, content_index: 0, text: 'Hi!', logprobs: [] },
      { type: 'response.content_part.done', ...at, content_index: 0, part },
      done({ id: 'ID', type: 'message', status: 'completed', role: 'assistant', content: [part] }),
    ])
  })

  it('of a refusal', () => {
    const part = { type: 'refusal', refusal: 'No.' }
    const written = eventsOf([
      { type: 'text_delta', index: 0, text: 'No', refusal: true },
      { type: 'text_delta', index: 0, text: '.', refusal: true },
      block(0, { type: 'text', text: 'No.', refusal: true }),
    ])
    expect(written).toEqual([
      added({ id: 'ID', type: 'message', status: 'in_progress', role: 'assistant', content: [] }),
      { type: 'response.content_part.added', ...at, content_index: 0, part: { type: 'refusal', refusal: '' } },
      { type: 'response.refusal.delta', ...at, content_index: 0, delta: 'No' },
      { type: 'response.refusal.delta', ...at, content_index: 0, delta: '.' },
      { type: 'response.refusal.done', ...at, content_index: 0, refusal: 'No.' },
      { type: 'response.content_part.done', ...at, content_index: 0, part },
      done({ id: 'ID', type: 'message', status: 'completed', role: 'assistant', content: [part] }),
    ])
  })

  it('of reasoning, shown and hidden', () => {
    const opaque = {
      provider: 'openai',
      model: '',
      format: 'openai-responses',
      data: { id: 'rs_1', encrypted_content: 'gAAA' },
    }
    const part = { type: 'summary_text', text: 'Hmm' }
    const shown = eventsOf([
      { type: 'reasoning_delta', index: 0, text: 'H' },
      { type: 'reasoning_delta', index: 0, text: 'mm' },
      block(0, { type: 'reasoning', text: 'Hmm', opaque }),
    ])
    expect(shown).toEqual([
      added({ id: 'ID', type: 'reasoning', summary: [] }),
      {
        type: 'response.reasoning_summary_part.added',
        ...at,
        summary_index: 0,
        part: { type: 'summary_text', text: '' },
      },
      { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta: 'H' },
      { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta: 'mm' },
      { type: 'response.reasoning_summary_text.done', ...at, summary_index: 0, text: 'Hmm' },
      { type: 'response.reasoning_summary_part.done', ...at, summary_index: 0, part },
      done({ id: 'ID', type: 'reasoning', summary: [part], encrypted_content: 'gAAA' }),
    ])
    const hidden = eventsOf([block(0, { type: 'reasoning', text: '', opaque })])
    expect(hidden).toEqual([
      added({ id: 'ID', type: 'reasoning', summary: [] }),
      done({ id: 'ID', type: 'reasoning', summary: [], encrypted_content: 'gAAA' }),
    ])
  })

  it('of a call', () => {
    const item = { id: 'ID', type: 'function_call', call_id: 'c0', name: 'f' }
    const written = eventsOf([
      chunk(0, 0, ''),
      chunk(0, 0, '{"a"'),
      chunk(0, 0, ':0'),
      { type: 'tool_call', index: 0, call: toolCall('c0', 'f', { a: 0 }, { argumentsText: '{"a":0}' }) },
    ])
    expect(written).toEqual([
      added({ ...item, status: 'in_progress', arguments: '' }),
      { type: 'response.function_call_arguments.delta', ...at, delta: '{"a"' },
      { type: 'response.function_call_arguments.delta', ...at, delta: ':0' },
      { type: 'response.function_call_arguments.delta', ...at, delta: '}' },
      { type: 'response.function_call_arguments.done', ...at, name: 'f', arguments: '{"a":0}' },
      done({ ...item, status: 'completed', arguments: '{"a":0}' }),
    ])
  })

  it('of a call that was cut', () => {
    const item = { id: 'ID', type: 'function_call', call_id: 'c0', name: 'f' }
    const invalid = { type: 'invalid_tool_call', id: 'c0', name: 'f', argumentsText: '{"a"', index: 0 } as const
    const written = eventsOf([
      chunk(0, 0, '{"a"'),
      { type: 'invalid_tool_call', index: 0, call: { ...invalid, reason: 'truncated', error: 'cut' } },
    ])
    expect(written).toEqual([
      added({ ...item, status: 'in_progress', arguments: '' }),
      { type: 'response.function_call_arguments.delta', ...at, delta: '{"a"' },
      { type: 'response.function_call_arguments.done', ...at, name: 'f', arguments: '{"a"' },
      done({ ...item, status: 'incomplete', arguments: '{"a"' }),
    ])
  })

  const custom = toolCall(
    'c0',
    'sh',
    { input: 'echo "a\nb"' },
    { providerData: { 'openai-responses': { type: 'custom_tool_call' } } },
  )
  const input = 'echo "a\nb"'
  const customEvents = [
    added({ id: 'ID', type: 'custom_tool_call', status: 'in_progress', call_id: 'c0', name: 'sh', input: '' }),
    { type: 'response.custom_tool_call_input.delta', ...at, delta: input },
    { type: 'response.custom_tool_call_input.done', ...at, input },
    done({ id: 'ID', type: 'custom_tool_call', status: 'completed', call_id: 'c0', name: 'sh', input }),
  ]
  it('of a custom call that comes whole', () => {
    expect(eventsOf([{ type: 'tool_call', index: 0, call: custom }])).toEqual(customEvents)
  })

  it('of a custom call that another server of this wire streams', () => {
    const item = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c0', name: 'sh', input: '' }
    const place = { output_index: 0, item_id: 'ctc_1' }
    const whole = { ...item, input, status: 'completed' }
    const frames = [
      { type: 'response.created', response: { id: 'resp_1', model: 'm', output: [] } },
      { type: 'response.output_item.added', ...place, item },
      { type: 'response.custom_tool_call_input.delta', ...place, delta: 'echo "a' },
      { type: 'response.custom_tool_call_input.delta', ...place, delta: '\nb"' },
      { type: 'response.custom_tool_call_input.done', ...place, input },
      { type: 'response.output_item.done', ...place, item: whole },
      { type: 'response.completed', response: { id: 'resp_1', model: 'm', status: 'completed', output: [whole] } },
    ]
    const sse = frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')
    const { events, response } = decodeText(createClientCodec(), sse)
    expect(response?.message.content).toMatchObject([{ type: 'tool_call', id: 'c0', arguments: { input } }])
    const delta = (text: string) => ({ type: 'response.custom_tool_call_input.delta', ...at, delta: text })
    expect(eventsOf(events)).toEqual([customEvents[0], delta('echo "a'), delta('\nb"'), ...customEvents.slice(2)])
    expect(write(events).losses).toEqual([])
  })

  const kept = { providerData: { 'openai-responses': { type: 'custom_tool_call', namespace: 'n' } } }
  const broken = { id: 'c0', name: 'sh', index: 0, argumentsText: '{"input":"rm -r', ...kept } as const

  it('of a call of free text that is cut off: it is never completed, and so is the answer', () => {
    const pieces = ['{"inp', 'ut":"rm', ' -r'].map((argumentsDelta): MessageEvent => {
      const chunk = { type: 'tool_call_chunk', id: 'c0', name: 'sh', index: 0, argumentsDelta, ...kept } as const
      return { type: 'tool_call_chunk', index: 0, chunk }
    })
    const invalid = { type: 'invalid_tool_call', reason: 'truncated', error: 'It broke off', ...broken } as const
    const message: AssistantMessage = {
      role: 'assistant',
      content: [],
      invalidToolCalls: [invalid],
      stopReason: 'stop',
    }
    const { events, losses } = write([
      start,
      ...pieces,
      { type: 'invalid_tool_call', index: 0, call: invalid },
      { type: 'text_delta', index: 1, text: 'Hello' },
      block(1, text),
      { type: 'message_end', message, response: { message, stopReason: 'stop' } },
    ])
    const of = (type: string) => events.filter((event) => event.type === `response.${type}`)
    expect(of('custom_tool_call_input.delta').map(({ delta }) => delta)).toEqual(['rm', ' -r'])
    expect(of('output_item.added')[0].item).toMatchObject({ type: 'custom_tool_call', namespace: 'n' })
    expect(of('output_item.done').map(({ item, output_index }) => [item.type, output_index])).toEqual([['message', 1]])
    expect(of('completed')).toEqual([])
    expect(of('incomplete')[0].response).toMatchObject({ status: 'incomplete', output: [{ type: 'message' }] })
    expect(losses).toMatchObject([{ path: 'message.invalidToolCalls[0]', action: 'dropped' }])
  })

  it('of a call of the client’s own search, whole and in pieces', () => {
    const own = { providerData: { 'openai-responses': { type: 'tool_search_call' } } }
    const search = toolCall('c0', 'tool_search', { query: 'x' }, own)
    const item = { id: 'ID', type: 'tool_search_call', call_id: 'c0', execution: 'client' }
    const whole = { ...item, status: 'completed', arguments: { query: 'x' } }
    const ended: MessageEvent = { type: 'tool_call', index: 0, call: search }
    const iso = (events: unknown[]) =>
      JSON.parse(JSON.stringify(events).replaceAll(/"[a-z]+_iso_[a-z0-9]+_0"/g, '"ID"'))
    expect(iso(eventsOf([ended]))).toEqual([added(whole), done(whole)])
    const piece = {
      type: 'tool_call_chunk',
      id: 'c0',
      name: 'tool_search',
      index: 0,
      argumentsDelta: '{"query"',
      ...own,
    } as const
    const events = eventsOf([{ type: 'tool_call_chunk', index: 0, chunk: piece }, ended])
    expect(iso(events)).toEqual([added({ ...item, status: 'in_progress', arguments: {} }), done(whole)])
  })

  it('of a call that the server ran, with its result', () => {
    const opaque = {
      provider: 'openai',
      model: '',
      format: 'openai-responses',
      data: { id: 'fs_1', type: 'file_search_call', status: 'completed' },
    }
    const call: ContentBlock = {
      type: 'server_tool_call',
      id: 'fs_1',
      name: 'file_search',
      arguments: { queries: ['a'] },
      opaque,
    }
    const result: ContentBlock = {
      type: 'server_tool_result',
      toolCallId: 'fs_1',
      status: 'success',
      output: [{ text: 'b' }],
    }
    const item = { id: 'fs_1', type: 'file_search_call', status: 'completed', queries: ['a'], results: [{ text: 'b' }] }
    expect(eventsOf([block(0, call), block(1, result)])).toEqual([added(item), done(item)])
  })

  it('of an image', () => {
    const item = { id: 'ID', type: 'image_generation_call', status: 'completed', result: 'iVBO' }
    expect(eventsOf([block(0, { type: 'image', data: 'iVBO', mimeType: 'image/png' })])).toEqual([
      added(item),
      done(item),
    ])
  })

  it('of an item that we have no word for', () => {
    const item = { id: 'x_1', type: 'from_next_year', a: [1] }
    const unknown = {
      type: 'unknown',
      format: 'openai-responses',
      providerType: 'from_next_year',
      value: item,
    } as const
    expect(eventsOf([block(0, unknown)])).toEqual([added(item), done(item)])
  })
})
