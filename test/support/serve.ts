/** A `fetch` handler in a real HTTP server of Node's, as the example serves it. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export interface Served {
  readonly url: string
  stop(): Promise<void>
}

export async function serve(handle: (request: Request) => Promise<Response>): Promise<Served> {
  const server = createServer(async (incoming, outgoing) => {
    const left = new AbortController()
    outgoing.once('close', () => left.abort())
    const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD'
    const request = new Request(`http://localhost${incoming.url}`, {
      method: incoming.method ?? 'GET',
      headers: incoming.headers as Record<string, string>,
      signal: left.signal,
      ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
    })
    const answer = await handle(request)
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers))
    outgoing.flushHeaders()
    if (answer.body === null) outgoing.end()
    else await pipeline(Readable.fromWeb(answer.body as never), outgoing).catch(() => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => void server.close(() => resolve()).closeAllConnections()),
  }
}
