/** A gateway on Deno: `npm run example gateway/deno`, or with your own keys `deno run --allow-net --allow-env examples/gateway/deno.ts`. */
import { allFormats, createGateway } from 'isoglot/gateway'
import { models } from './models.mjs'

// It accepts every request, so it listens only on loopback. On a network, give it an `authorize`.
const gateway = createGateway({ formats: allFormats, models: models(Deno.env.toObject()) })

const address = { port: Number(Deno.env.get('PORT') ?? 8787), hostname: '127.0.0.1' }
const onListen = ({ port }) => console.log(`http://127.0.0.1:${port}`)
Deno.serve({ ...address, onListen }, (request) => gateway.fetch(request))
