/** A whole answer from its fragments: what streams and whole bodies have in common. @module */
import type { Fragment } from '../codec.ts'
import type { ChatResponse, MessageEvent } from '../model.ts'
import { assemble } from './assemble.ts'
import type { AssembleOptions } from './assembly.ts'

/**
 * Puts the fragments of one answer together.
 *
 * @throws {InterruptedError} if no `end` is among them.
 */
export function fold(fragments: Iterable<Fragment>, options: AssembleOptions = {}): ChatResponse {
  const state = assemble.start(options)
  const events: MessageEvent[] = []
  for (const fragment of fragments) assemble.step(state, fragment, events)
  assemble.end(state, events)
  return collect(events)
}

/**
 * The response that a stream of events ends with.
 *
 * @throws {TypeError} if it has no `message_end`.
 */
export function collect(events: Iterable<MessageEvent>): ChatResponse {
  for (const event of events) if (event.type === 'message_end') return event.response
  throw new TypeError('Cannot collect the events: there is no "message_end" among them')
}
