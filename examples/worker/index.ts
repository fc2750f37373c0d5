/**
 * A Worker that holds the providers' keys so that a page need not: `POST /session` gives a page a token for minutes, and with it any
 * official client, in any of five formats, may ask the models of `wrangler.toml`. Everything else is refused.
 *
 * @see https://hono.dev/docs/getting-started/cloudflare-workers (read 2026-11)
 * @module
 */
import { Hono } from 'hono/tiny'
import { type Env, readConfig } from './config.ts'
import { handle } from './handler.ts'
import { findFile, pageHeaders } from './page.ts'

export { UserLedger } from './ledger.ts'
export { StreamRun } from './runs.ts'

const app = new Hono<{ Bindings: Env }>()
for (const path of ['/session', '/admin/:name', '/v1/*', '/v1beta/*', '/api/*']) {
  app.all(path, ({ req, env, executionCtx }) => handle(req.raw, env, executionCtx))
}
// The page's files, once the settings are in order; what is not a file is no route.
app.get('*', pageHeaders, async ({ req, env, executionCtx }) => {
  const file = Array.isArray(readConfig(env)) ? undefined : await findFile(req.raw, env)
  return file ?? handle(req.raw, env, executionCtx)
})
app.notFound(({ req, env, executionCtx }) => handle(req.raw, env, executionCtx))

export default { fetch: app.fetch } satisfies ExportedHandler<Env>
