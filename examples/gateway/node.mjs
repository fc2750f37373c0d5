/** A gateway on Node: `node examples/gateway/node.mjs`, then point any official client at http://127.0.0.1:8787. */
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGateway } from 'isoglot/gateway'
import { models } from './models.mjs'

// Everybody who can reach it may ask: it listens on loopback. Elsewhere, give it an `authorize`.
const gateway = createGateway({ models: models(process.env) })

const server = createServer(async (incoming, outgoing) => {
  const left = new AbortController()
  outgoing.once('close', () => left.abort())
  const { method, headers } = incoming
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? { body: Readable.toWeb(incoming), duplex: 'half' } : {}
  const request = new Request(`http://localhost${incoming.url}`, { method, headers, signal: left.signal, ...body })
  const answer = await gateway.fetch(request)
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).flushHeaders()
  await pipeline(Readable.fromWeb(answer.body ?? new Blob().stream()), outgoing).catch(() => {})
})
server.listen(Number(process.env.PORT ?? 8787), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`)
})
