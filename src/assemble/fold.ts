/** Makes a whole answer from its fragments, for streams and whole bodies. @module */
import type { DecodeResponseOptions, Fragment } from '../core/codec.ts'
import { findLastIndex } from '../core/lookup.ts'
import type { ChatResponse, MessageEvent } from '../core/model.ts'
import { assemble } from './assemble.ts'
import type { AssembleOptions } from './assembly.ts'

/**
 * Puts the fragments of one answer together. `events` receives its events.
 *
 * @throws {InterruptedError} if no `end` is among them.
 */
export function fold(
  fragments: Iterable<Fragment>,
  { events = [], ...options }: AssembleOptions & Pick<DecodeResponseOptions, 'events'> = {},
): ChatResponse {
  const state = assemble.start(options)
  for (const fragment of fragments) assemble.step(state, fragment, events)
  assemble.end(state, events)
  const last = events[findLastIndex(events, ({ type }) => type === 'message_end')]
  return (last as MessageEvent & { type: 'message_end' }).response
}

/** The fields of an event that `collect` reads. A run has events beside those of its answers. */
interface CollectedEvent {
  readonly type: string
  readonly response?: ChatResponse
}

/**
 * The last response of a list of events, or of a run.
 *
 * @throws {TypeError} if it has no `message_end`; what the run throws.
 */
export function collect(events: Iterable<CollectedEvent>): ChatResponse
export function collect(events: AsyncIterable<CollectedEvent>): Promise<ChatResponse>
export function collect(
  events: Iterable<CollectedEvent> | AsyncIterable<CollectedEvent>,
): ChatResponse | Promise<ChatResponse> {
  if (Symbol.asyncIterator in events) return collectAsync(events)
  let last: ChatResponse | undefined
  for (const event of events) if (event.response !== undefined) last = event.response
  return lastOf(last)
}

async function collectAsync(events: AsyncIterable<CollectedEvent>): Promise<ChatResponse> {
  let last: ChatResponse | undefined
  for await (const event of events) if (event.response !== undefined) last = event.response
  return lastOf(last)
}

function lastOf(response: ChatResponse | undefined): ChatResponse {
  if (response === undefined) throw new TypeError('Cannot collect the events: there is no "message_end" among them')
  return response
}
