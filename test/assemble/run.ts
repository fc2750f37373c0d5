/** Helpers for the tests of the assembler. */

import { type AssembleOptions, assemble } from '../../src/assemble/assemble.ts'
import type { CallFragment, Fragment } from '../../src/core/codec.ts'
import type { ChatResponse, InvalidToolCall, MessageEvent, ToolCall } from '../../src/core/messages.ts'

/** The events of some fragments, without the end of the input. */
export function eventsOf(fragments: readonly Fragment[], options: AssembleOptions = {}): MessageEvent[] {
  const state = assemble.start(options)
  const events: MessageEvent[] = []
  for (const fragment of fragments) assemble.step(state, fragment, events)
  return events
}

export type CallPiece = Omit<CallFragment, 'type'>

export function call(piece: CallPiece): Fragment {
  return { type: 'call', ...piece }
}

export const end: Fragment = { type: 'end', stopReason: 'stop' }

export function endOf(events: readonly MessageEvent[]): ChatResponse {
  const last = events.at(-1)
  if (last?.type !== 'message_end') throw new Error('the last event is not a message_end')
  return last.response
}

/** The calls that ended, valid or not, in the order of their positions. */
export function callsIn(events: readonly MessageEvent[]): (ToolCall | InvalidToolCall)[] {
  const ended = events.filter((event) => event.type === 'tool_call' || event.type === 'invalid_tool_call')
  return ended.map((event) => event.call).sort((one, other) => one.index - other.index)
}

export function warningsIn(events: readonly MessageEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'warning' ? [event.warning.reason] : []))
}
