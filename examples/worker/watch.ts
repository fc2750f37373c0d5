/**
 * Reads one streamed answer and knows where it stands: what may go out already, and how it ended.
 *
 * Events are read by `eventsource-parser`, as the HTML standard has it, and written anew: only whole ones, so that an error frame never
 * follows half an event.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 * @module
 */
import { createParser } from 'eventsource-parser'
import type { RefusalCode } from './refusal.ts'
import type { Wire } from './wires.ts'

/** One event, in UTF-16 units. */
const maxEventLength = 1024 * 1024
/** A comment: no event to any client, but a sign of life. */
export const comment = ':\n\n'

/** One answer, being read. */
export interface Watch {
  feed(text: string): void
  /** The line ended; whether properly is for the wire to say. */
  close(): void
  /** Whole events that came since the last call. */
  take(): string
  /** How the answer ended, once it has. What comes after is not taken. */
  readonly outcome: RefusalCode | 'done' | undefined
}

/** Begins to read an answer of `wire`. */
export function watch(wire: Wire): Watch {
  let frames = ''
  let finished = false
  let outcome: RefusalCode | 'done' | undefined
  const parser = createParser({
    // It does not see an event that comes whole in one chunk, so `onEvent` looks too.
    maxBufferSize: maxEventLength,
    onEvent(event) {
      if (outcome) return
      if (event.data.length > maxEventLength) outcome = 'upstream_too_large'
      else onEvent(event.event, event.data)
    },
    onComment() {
      frames += comment
    },
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') outcome ??= 'upstream_too_large'
    },
  })

  function onEvent(event: string | undefined, data: string): void {
    const progress = wire.progress(data)
    switch (progress) {
      case 'more':
      case 'finished':
        if (event === 'error') outcome = 'upstream_failed'
        else frames += format(event, data)
        finished ||= progress === 'finished'
        return
      case 'end':
        outcome = finished || !wire.endFrame ? 'done' : 'upstream_truncated'
        if (outcome === 'done') frames += format(event, data)
        return
      default:
        outcome = progress
    }
  }

  return {
    feed: (text) => parser.feed(text),
    close() {
      if (outcome) return
      // A last event may lack its blank line. If it lacks more, it is no event.
      parser.feed('\n\n')
      if (outcome === 'done') return
      if (finished) {
        outcome = 'done'
        frames += wire.endFrame
      } else if (!outcome || outcome === 'upstream_failed') outcome = 'upstream_truncated'
    },
    take() {
      const ready = frames
      frames = ''
      return ready
    },
    get outcome() {
      return outcome
    },
  }
}

function format(event: string | undefined, data: string): string {
  const lines = data.split('\n').map((line) => `data: ${line}\n`)
  return `${event ? `event: ${event}\n` : ''}${lines.join('')}\n`
}
