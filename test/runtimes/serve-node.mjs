/** A `Request → Response` function on Node, whose own server has another form. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'

export async function serveOnNode(handler) {
  const server = createServer(async (incoming, outgoing) => {
    const left = new AbortController()
    outgoing.once('close', () => left.abort())
    const answer = await handler(new Request(`http://localhost${incoming.url}`, { signal: left.signal }))
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers))
    const body = Readable.fromWeb(answer.body)
    outgoing.once('close', () => body.destroy())
    body.on('error', () => outgoing.destroy()).pipe(outgoing)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
