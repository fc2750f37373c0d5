/** A server that keeps its answers, as `docs/streaming.md` says: it numbers their events, and sends those after a number again. */
import { bodyOf } from '../support/makers.ts'

/** How a connection is cut: after this number of bytes, with an error or like a normal end. */
export interface Cut {
  readonly bytes: number
  readonly how: 'broken' | 'closed'
}

export interface Kept {
  readonly fetch: typeof globalThis.fetch
  /** Each request as `POST`, `GET 3` (continues after event 3) or `DELETE`. */
  readonly asked: string[]
  readonly requests: Request[]
}

export const streamId = '0123456789abcdef0123456789abcdef'
/** The second one is for pages that ask by isoglot's own wire. */
const headers = { 'x-isoglot-stream': streamId, 'x-isoglot-answer': '1' }

/** Answers in these events; the first connections are cut so, one after the other. */
export function keep(events: readonly string[], cuts: readonly (Cut | Response)[] = []): Kept {
  const numbered = events.map((event, at) => (event.startsWith('{') ? event : `id: ${at + 1}\n${event}`))
  const waiting = [...cuts]
  const asked: string[] = []
  const requests: Request[] = []

  function answer(from: number): Response {
    if (from > 0 && from >= events.length) return new Response(null, { status: 204 })
    const cut = waiting.shift()
    if (cut instanceof Response) return cut
    const bytes = new TextEncoder().encode(numbered.slice(from).join(''))
    if (cut === undefined) return new Response(bytes, { headers })
    const error = cut.how === 'broken' ? new TypeError('terminated') : undefined
    return new Response(bodyOf(cut.bytes > 0 ? [bytes.slice(0, cut.bytes)] : [], error), { headers })
  }

  return {
    asked,
    requests,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      request.signal.throwIfAborted()
      const after = Number(request.headers.get('last-event-id'))
      requests.push(request)
      asked.push(request.method === 'GET' ? `GET ${after}` : request.method)
      return request.method === 'DELETE' ? new Response(null, { status: 204 }) : answer(after)
    },
  }
}
