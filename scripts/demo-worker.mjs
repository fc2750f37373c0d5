/**
 * The Worker of `npm start`: that of `examples/worker`, which also shows the page what it asks the provider, and the provider's answer.
 *
 * `wrangler deploy` takes `examples/worker/index.ts`, which has none of this. And this one shows nothing without `DEMO=loopback`, with which
 * `check-deploy.mjs` refuses to deploy.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createTap } from '../examples/playground/tap.js'
import worker, { StreamRun, UserAccount } from '../examples/worker/index.ts'

export { StreamRun, UserAccount }

/** The records of the request that is answered now. */
const taps = new AsyncLocalStorage()
const send = globalThis.fetch
globalThis.fetch = (input, init) => (taps.getStore()?.watch(send) ?? send)(input, init)

export default {
  async fetch(request, env, ctx) {
    if (env.DEMO !== 'loopback' || new URL(request.url).pathname !== '/answer') return worker.fetch(request, env, ctx)
    const tap = createTap()
    return tap.tell(await taps.run(tap, () => worker.fetch(request, env, ctx)))
  },
}
