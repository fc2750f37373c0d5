/** A gateway on Bun: `npm run example gateway/bun`, or with keys of yours `bun run examples/gateway/bun.ts`. */
import { createGateway } from 'isoglot/gateway'
import { models } from './models.mjs'

// Everybody who can reach it may ask: it listens on loopback. Elsewhere, give it an `authorize`.
const gateway = createGateway({ models: models(process.env) })

const server = Bun.serve({
  port: Number(process.env.PORT ?? 8787),
  hostname: '127.0.0.1',
  idleTimeout: 255, // whole answers take longer than Bun's ten seconds
  fetch: (request) => gateway.fetch(request),
})
console.log(`http://127.0.0.1:${server.port}`)
