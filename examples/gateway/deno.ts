/** A gateway on Deno: `deno run --allow-net --allow-env examples/gateway/deno.ts`. */
import { createGateway } from 'isoglot/gateway'
import { models } from './models.mjs'

// Everybody who can reach it may ask: it listens on loopback. Elsewhere, give it an `authorize`.
const gateway = createGateway({ models: models(Deno.env.toObject()) })

Deno.serve({ port: Number(Deno.env.get('PORT') ?? 8787), hostname: '127.0.0.1' }, (request) => gateway.fetch(request))
