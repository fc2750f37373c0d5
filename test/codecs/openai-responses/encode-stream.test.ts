import { describe, expect, it } from 'vitest'
import type { Frame, Reply } from '../../../src/core/codec.ts'
import type { AssistantMessage, ChatResponse, ContentBlock, MessageEvent } from '../../../src/core/messages.ts'
import { encodeStream } from '../../../src/formats/openai-responses/index.ts'
import { toolCall } from '../../../src/messages/block.ts'

const start: MessageEvent = { type: 'message_start', id: 'resp_1', model: 'm' }
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
})
