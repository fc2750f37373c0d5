/** A gateway on Node: `npm run example gateway/node`, then point any official client at http://127.0.0.1:8787. */
import { createGateway } from 'isoglot/gateway'
import { listen } from './listen.mjs'
import { models } from './models.mjs'

// Everybody who can reach it may ask: it listens on loopback. Elsewhere, give it an `authorize`.
const gateway = createGateway({ models: models(process.env) })
listen(gateway.fetch)
