/**
 * A run as server-sent events in isoglot's own format: one {@link StreamEvent} in each event, numbered by `id` from 1. The last event is
 * `{"type":"end"}` or `{"type":"error","error":{…}}`. A body without one of these was cut off. Events have no names, so that every event
 * also reaches the `onmessage` of an `EventSource`.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 * @module
 */
import { applyEvent } from '../client/apply-event.ts'
import type { StreamEvent } from '../client/result.ts'
import type { Message } from '../core/messages.ts'
import type { Encoding } from './encoding.ts'
import { withoutRepeats } from './repeats.ts'

/** The header that marks a response in this format, with its version. */
const eventsHeader = 'x-isoglot-events'

/** Headers for server-sent events that proxies must not store or compress. */
export const sseHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

export function eventStream(): Encoding {
  let shown: readonly Message[] = []
  let id = 0
  const frame = (value: object) => `id: ${++id}\ndata: ${JSON.stringify(value)}\n\n`
  const encode = (event: StreamEvent) => {
    const short = withoutRepeats(event, shown)
    shown = applyEvent(shown, event)
    return frame(short)
  }
  return {
    headers: { ...sseHeaders, [eventsHeader]: '1' },
    heartbeat: ': \n\n',
    begin: () => ': open\n\n',
    events: (batch) => batch.map(encode).join(''),
    end: (end) => frame(end.type === 'end' ? end : { type: 'error', error: end.error }),
  }
}
