/** A whole answer as the events of a stream. @module */
import { blocksOfTurn } from '../core/content.ts'
import { compact } from '../core/json.ts'
import type { ChatResponse, ContentBlock, MessageEvent } from '../core/messages.ts'

/** The events of an answer that came whole: each block begins and ends at once. */
export function replay(response: ChatResponse): MessageEvent[] {
  const { message, usage } = response
  const { id, model } = message.response ?? {}
  const blocks = blocksOfTurn(message)
  return [
    compact({ type: 'message_start', id, model }),
    ...blocks.flatMap(eventsOf),
    ...(message.invalidToolCalls ?? []).map((call, at) => {
      return { type: 'invalid_tool_call', index: blocks.length + at, call } as const
    }),
    ...(usage === undefined ? [] : [{ type: 'usage', usage } as const]),
    { type: 'message_end', message, response },
  ]
}

function eventsOf(block: ContentBlock, index: number): MessageEvent[] {
  if (block.type === 'tool_call') {
    const { id, name, argumentsText } = block
    const chunk = { type: 'tool_call_chunk', id, name, index: block.index, argumentsDelta: argumentsText } as const
    return [
      { type: 'tool_call_chunk', index, chunk },
      { type: 'tool_call', index, call: block },
    ]
  }
  const end: MessageEvent = { type: 'content_block', index, block }
  if ((block.type !== 'text' && block.type !== 'reasoning') || block.text === '') return [end]
  if (block.type === 'reasoning') return [{ type: 'reasoning_delta', index, text: block.text }, end]
  return [compact({ type: 'text_delta', index, text: block.text, refusal: block.refusal }), end]
}

/** The response, with its events in place of those in the list: it was changed after it was decoded. Its warnings stay. */
export function replayed(response: ChatResponse, events: MessageEvent[] = []): ChatResponse {
  const [start, ...rest] = replay(response)
  const warnings = events.filter(({ type }) => type === 'warning')
  events.splice(0, events.length, start as MessageEvent, ...warnings, ...rest)
  return response
}
