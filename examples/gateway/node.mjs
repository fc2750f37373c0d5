/** A gateway on Node: `npm run example gateway/node`, then set the base URL of any official client to http://127.0.0.1:8787. */
import { allFormats, createGateway } from 'isoglot/gateway'
import { listen } from './listen.mjs'
import { models } from './models.mjs'

// It accepts every request, so it listens only on loopback. On a network, give it an `authorize`.
const gateway = createGateway({ formats: allFormats, models: models(process.env) })
listen(gateway.fetch)
