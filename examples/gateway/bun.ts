/** A gateway on Bun: `npm run example gateway/bun`, or with your own keys `bun run examples/gateway/bun.ts`. */
import { allFormats, createGateway } from 'isoglot/gateway'
import { models } from './models.mjs'

// It accepts every request, so it listens only on loopback. On a network, give it an `authorize`.
const gateway = createGateway({ formats: allFormats, models: models(process.env) })

const server = Bun.serve({
  port: Number(process.env.PORT ?? 8787),
  hostname: '127.0.0.1',
  idleTimeout: 255, // an answer without streaming can take longer than Bun's limit of ten seconds
  fetch: (request) => gateway.fetch(request),
})
console.log(`http://127.0.0.1:${server.port}`)
