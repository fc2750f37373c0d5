/**
 * Whether the platform is as this Worker counts on, here and now: a row for each thing that it rests on, and whether it holds. It tells
 * names of ours alone: no setting, no figure, no secret.
 *
 * @see https://developers.cloudflare.com/workers/configuration/compatibility-flags/ (read 2026-11)
 * @module
 */
import { wholeWorker } from './accounts.ts'
import { type Env, readConfig } from './config.ts'
import { isSecret } from './setting-kinds.ts'

/** One thing that the Worker rests on. */
export interface SelfTestRow {
  readonly name: string
  readonly ok: boolean
}

/** All rows, and whether each of them is ok. */
export interface SelfTest {
  readonly ok: boolean
  readonly checks: readonly SelfTestRow[]
}

/**
 * The flags of the platform: that a client left is told, that a fetch reaches the internet alone, that a redirect takes no key along. The
 * last is on from a compatibility date of 2025-09-01, the first from 2026-11-17.
 */
export const neededFlags = [
  'enable_request_signal',
  'global_fetch_strictly_public',
  'strip_authorization_on_cross_origin_redirect',
]
/** Which must not be guessed, besides the providers' keys, which others made. */
const ownSecrets = ['SESSION_SECRET', 'SESSION_SECRET_NEXT', 'LOGIN_SECRET', 'ADMIN_TOKEN']
/** Stands for nobody in accounts, runs and counters. */
const nobody = 'self-test'

type Check = (env: Env) => boolean | Promise<boolean>

const checks: Readonly<Record<string, Check>> = {
  ...Object.fromEntries(neededFlags.map((flag) => [flag, () => isOn(flag)])),
  settings: (env) => 'models' in readConfig(env),
  secrets: (env) => ownSecrets.every((name) => env[name] === undefined || isSecret(env[name])),
  ledger: async ({ LEDGERS }) =>
    Array.isArray((await LEDGERS?.getByName(wholeWorker).summary({ limit: 1, span: 1 }))?.days),
  runs: async ({ RUNS }) => (await (RUNS as Runs).getByName(nobody).stop()) === false,
  'rate limits': hasCounters,
  assets: async (env) => (await askPage(env, '/')).status === 200,
  'redirects are not followed': meetsRedirect,
}

/** Does all of it, each by itself: what throws is not ok. */
export async function runSelfTest(env: Env): Promise<SelfTest> {
  const rows = Object.entries(checks).map(async ([name, check]) => {
    const ok = await Promise.resolve(env)
      .then(check)
      .catch(() => false)
    return { name, ok }
  })
  const done = await Promise.all(rows)
  return { ok: done.every(({ ok }) => ok), checks: done }
}

/** What the global `Cloudflare` tells. Where there is none, nothing is on. */
interface Platform {
  readonly compatibilityFlags?: Readonly<Record<string, boolean>>
}

/** @see the interface `Cloudflare` of `@cloudflare/workers-types` (5.20261117.1); workerd 1.20261102.1 and 1.20261117.1 have it */
function isOn(flag: string): boolean {
  const { compatibilityFlags: flags = {} } = (Reflect.get(globalThis, 'Cloudflare') ?? {}) as Platform
  return flags[flag] === true
}

/** The runs, as far as this asks them: to end one that never was. */
interface Runs {
  getByName(name: string): { stop(): Promise<boolean> }
}

/** Whether both counters count, unless the settings say that something else stops floods. */
async function hasCounters({ PER_USER, PER_IP, RATE_LIMITS }: Env): Promise<boolean> {
  if (RATE_LIMITS === 'off' && PER_USER === undefined && PER_IP === undefined) return true
  const verdicts = await Promise.all([PER_USER, PER_IP].map((counter) => counter?.limit({ key: nobody })))
  return verdicts.every((verdict) => typeof verdict?.success === 'boolean')
}

/** The platform sends whoever asks for `/index.html` to `/`: that is a redirect to be had without leaving the Worker. */
async function meetsRedirect(env: Env): Promise<boolean> {
  const { status, redirected } = await askPage(env, '/index.html')
  return status >= 300 && status < 400 && !redirected
}

/** Its files; nobody reads what they hold. */
async function askPage({ ASSETS }: Env, path: string): Promise<Response> {
  if (ASSETS === undefined) throw new TypeError('There are no files')
  const answer = await ASSETS.fetch(new Request(`https://page${path}`, { redirect: 'manual' }))
  await answer.body?.cancel()
  return answer
}
