/** Short ways to run the codec in tests. */

import { assemble, fold } from '../../../src/assemble/assemble.ts'
import type { Fragment, Frame } from '../../../src/core/codec.ts'
import type { ChatResponse, MessageEvent } from '../../../src/core/messages.ts'
import { decodeStream, encodeStream } from '../../../src/formats/anthropic/index.ts'
import { readSse } from './sse.ts'

const options = { provider: 'anthropic', idPrefix: 'toolu_isoglot_' }

/** Frames of events given as objects. */
export function frames(...events: object[]): Frame[] {
  return events.map((event) => ({ data: JSON.stringify(event) }))
}

export function fragmentsOf(input: readonly Frame[]): Fragment[] {
  const machine = decodeStream()
  const out: Fragment[] = []
  for (const frame of input) machine.push(frame, out)
  machine.end(out)
  return out
}

/** The response that a stream makes. */
export function foldFrames(input: readonly Frame[]): ChatResponse {
  return fold(fragmentsOf(input), options)
}

export function foldText(text: string): ChatResponse {
  return foldFrames(readSse(text))
}

/** The events that fragments make. */
export function eventsOf(fragments: readonly Fragment[]): MessageEvent[] {
  const state = assemble.start(options)
  const events: MessageEvent[] = []
  for (const fragment of fragments) assemble.step(state, fragment, events)
  assemble.end(state, events)
  return events
}

/** The frames that events are written as. */
export function encodeEvents(events: readonly MessageEvent[]): Frame[] {
  const encoder = encodeStream()
  const out: Frame[] = []
  for (const event of events) encoder.push(event, out)
  encoder.end(out)
  return out
}

export function toSse(input: readonly Frame[]): string {
  return input.map(({ event, data }) => `${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`).join('')
}
