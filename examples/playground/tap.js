/**
 * Records what a server asks a provider and what the provider answers, and tells the page: as comments in the stream of the own wire, which
 * every reader skips. Only for demonstrations, because it shows prompts and answers: `scripts/demo-worker.mjs` and the static page use it.
 *
 * @typedef {{ path: string, headers: Readonly<Record<string, string>>, body: string }} Sent A request to a provider, without its key.
 *
 * @typedef {{ sent: Sent } | { bytes: string }} Told A request, or a piece of its answer in base64.
 */

/** Before each record. The rest of the line is JSON. */
const mark = ': wire '

/** Other headers are not shown, because one of them has the key. */
const shown = ['anthropic-version', 'anthropic-beta', 'accept']

/** A longer body is cut, in UTF-16 units. */
const longest = 256 * 1024

/** The records of one answer. */
export function createTap() {
  /** @type {Told[]} */
  const waiting = []
  return {
    /**
     * A `fetch` that records each request with a body, and its answer.
     *
     * @param {typeof fetch} send
     * @returns {typeof fetch}
     */
    watch: (send) => async (input, init) => {
      const { body } = init ?? {}
      if (typeof body !== 'string') return send(input, init)
      const { pathname, search } = new URL(input instanceof Request ? input.url : input)
      const headers = Object.fromEntries([...new Headers(init?.headers)].filter(([name]) => shown.includes(name)))
      waiting.push({ sent: { path: pathname + search, headers, body: body.slice(0, longest) } })
      const response = await send(input, init)
      if (response.body === null) return response
      const through = new TransformStream({
        transform(chunk, controller) {
          waiting.push({ bytes: btoa(Array.from(chunk, (byte) => String.fromCharCode(byte)).join('')) })
          controller.enqueue(chunk)
        },
      })
      return new Response(response.body.pipeThrough(through), response)
    },
    /** The answer to the page, with the records. Only a stream has them. @param {Response} response */
    tell(response) {
      if (response.body === null || !/^text\/event-stream/.test(response.headers.get('content-type') ?? ''))
        return response
      const encoder = new TextEncoder()
      let isBetween = true
      /** @param {TransformStreamDefaultController} controller */
      const flush = (controller) => {
        const lines = waiting.splice(0).map((told) => `${mark}${JSON.stringify(told)}\n\n`)
        if (lines.length > 0) controller.enqueue(encoder.encode(lines.join('')))
      }
      const through = new TransformStream({
        transform(chunk, controller) {
          if (isBetween) flush(controller)
          controller.enqueue(chunk)
          isBetween = chunk.at(-1) === 10 && chunk.at(-2) === 10
        },
        flush,
      })
      return new Response(response.body.pipeThrough(through), response)
    },
  }
}

/** Reads the records in a stream, in any chunks. @param {(told: Told) => void} onTold */
export function tapReader(onTold) {
  const decoder = new TextDecoder()
  let rest = ''
  /** @param {Uint8Array} chunk */
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith(mark)) onTold(JSON.parse(line.slice(mark.length)))
  }
}
