/**
 * Checks the platform that this Worker runs on: one row for each thing that it needs, and whether it works. The rows contain only names
 * from this file, never a setting, a figure or a secret.
 *
 * @see https://developers.cloudflare.com/workers/configuration/compatibility-flags/ (read 2026-11)
 * @module
 */
import { compact } from '../../core/json.ts'
import { type Accounts, wholeWorker } from '../accounts/accounts.ts'
import type { RunStub, Setup } from '../config.ts'
import { isSecret } from '../option-kinds.ts'
import type { LimitOptions } from '../options.ts'
import type { Fetcher, ObjectNamespace } from '../platform.ts'

/** The result of one check. */
export interface SelfTestRow {
  readonly name: string
  readonly ok: boolean
}

/** The results of all checks, and whether all are ok. */
export interface SelfTest {
  readonly ok: boolean
  readonly checks: readonly SelfTestRow[]
}

/**
 * The flags of the platform: it reports a client's disconnect, a fetch reaches only the internet, and a redirect does not send the key. The
 * last flag is on from a compatibility date of 2025-09-01, the first from 2026-11-17.
 */
export const neededFlags: readonly string[] = [
  'enable_request_signal',
  'global_fetch_strictly_public',
  'strip_authorization_on_cross_origin_redirect',
]
/** A user name for the self-test in accounts, runs and counters. */
const testUser = 'self-test'

type Check = () => boolean | Promise<boolean>

/** The checks of the parts that are on. A part that is off has no check. */
function checksOf({ given, config }: Setup): Readonly<Record<string, Check>> {
  const { session, accounts, runs, limits, page, admin } = given
  const login = typeof session?.login === 'object' ? session.login.secret : undefined
  // These secrets must be hard to guess. Others made the providers' keys, so those are not checked.
  const secrets = [session?.secret, session?.nextSecret, login, admin?.token]
  return compact({
    ...Object.fromEntries(neededFlags.map((flag) => [flag, () => isOn(flag)])),
    settings: () => config !== undefined,
    secrets: () => secrets.every((secret) => secret === undefined || isSecret(secret)),
    accounts: accounts === 'off' ? undefined : () => hasAccounts(accounts?.binding as Accounts),
    runs: runs && (async () => (await stubOf(runs.binding).stop()) === false),
    'rate limits': limits && (() => hasCounters(limits)),
    assets: page && (async () => (await askPage(page.assets, '/')).status === 200),
    'redirects are not followed': page && (() => meetsRedirect(page.assets)),
  })
}

/** Runs all checks. A check that throws is not ok. */
export async function runSelfTest(setup: Setup): Promise<SelfTest> {
  const rows = Object.entries(checksOf(setup)).map(async ([name, check]) => {
    const ok = await Promise.resolve()
      .then(check)
      .catch(() => false)
    return { name, ok }
  })
  const done = await Promise.all(rows)
  return { ok: done.every(({ ok }) => ok), checks: done }
}

/** The global `Cloudflare`. If it is missing, all flags count as off. */
interface Platform {
  readonly compatibilityFlags?: Readonly<Record<string, boolean>>
}

/** @see the interface `Cloudflare` of `@cloudflare/workers-types` (5.20261117.1); workerd 1.20261102.1 and 1.20261117.1 have it */
function isOn(flag: string): boolean {
  const { compatibilityFlags: flags = {} } = (Reflect.get(globalThis, 'Cloudflare') ?? {}) as Platform
  return flags[flag] === true
}

async function hasAccounts(accounts: Accounts): Promise<boolean> {
  return Array.isArray((await accounts.getByName(wholeWorker).summary({ limit: 1, span: 1 })).days)
}

/** Cancels a run that never existed. */
function stubOf(runs: ObjectNamespace): RunStub {
  return runs.getByName(testUser) as RunStub
}

/** Whether both counters count. */
async function hasCounters({ perUser, perNetwork }: LimitOptions): Promise<boolean> {
  const verdicts = await Promise.all([perUser, perNetwork].map((counter) => counter.limit({ key: testUser })))
  return verdicts.every((verdict) => typeof verdict.success === 'boolean')
}

/** The platform redirects `/index.html` to `/`: so a redirect can be tested without a request to another server. */
async function meetsRedirect(assets: Fetcher): Promise<boolean> {
  const { status, redirected } = await askPage(assets, '/index.html')
  return status >= 300 && status < 400 && !redirected
}

/** The files of the page. Their content is not read. */
async function askPage(assets: Fetcher, path: string): Promise<Response> {
  const answer = await assets.fetch(new Request(`https://page${path}`, { redirect: 'manual' }))
  await answer.body?.cancel()
  return answer
}
