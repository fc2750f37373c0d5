/**
 * Gemini Interactions: finds, fetches and stops a streamed answer that Google stores. An answer with an empty id is not stored.
 *
 * @see https://ai.google.dev/gemini-api/docs/interactions/background-execution (read 2026-11)
 *
 * @module
 */
import type { StoredStream } from '../../core/codec.ts'
import { compact, field, textOr } from '../../core/json.ts'

const pathOf = (id: string) => `/interactions/${encodeURIComponent(id)}`

/** The first event has the id of the answer. Each event may have its own id, after which the rest of the stream can be requested. */
export const stored: StoredStream = {
  placeOf({ data }) {
    if (!/"event_id"|"interaction"/.test(data)) return {}
    const event = parsed(data)
    return compact({
      id: textOr(field(field(event, 'interaction'), 'id'), undefined),
      event: textOr(field(event, 'event_id'), undefined),
    })
  },
  pathOf(id, event) {
    const after = event === undefined ? '' : `&last_event_id=${encodeURIComponent(event)}`
    return `${pathOf(id)}?stream=true${after}`
  },
  stopPathOf: (id) => `${pathOf(id)}/cancel`,
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined // the decoder reports this error
  }
}
