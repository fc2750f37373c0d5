/** Serves a `Request → Response` function on Node. Deno and Bun have `Deno.serve` and `Bun.serve` for this. */
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * Listens on loopback, at `PORT` (default 8787, or 0 for any free port), and prints the URL. When a client disconnects, the request's
 * signal fires.
 */
export function listen(handle) {
  const server = createServer((incoming, outgoing) => respond(handle, incoming, outgoing))
  const port = Number(process.env.PORT ?? 8787)
  server.once('error', ({ code }) => {
    console.error(`Cannot listen on port ${port}: ${code}. Set PORT to another`)
    process.exitCode = 1
  })
  server.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
}

/** Answers one request of Node's server. */
export async function respond(handle, incoming, outgoing) {
  const left = new AbortController()
  outgoing.once('close', () => left.abort())
  const { method, headers, url } = incoming
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? { body: Readable.toWeb(incoming), duplex: 'half' } : {}
  const request = new Request(`http://localhost${url}`, { method, headers, signal: left.signal, ...body })
  const answer = await handle(request)
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).flushHeaders()
  await pipeline(Readable.fromWeb(answer.body ?? new Blob().stream()), outgoing).catch(() => {})
}
