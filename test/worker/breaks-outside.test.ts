/**
 * `npm run breaks` removes checks from the Worker. `npm run attack` reports each missing check that shows from outside. One Worker has all
 * breaks compiled in, and a request to it turns one on.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findBreaks } from '../../bench/mutants/breaks.mjs'
import { compileIn } from '../../bench/mutants/operators.mjs'
import { runChecks } from '../../examples/worker/attack/run.mjs'
import { bundleWorker } from '../../scripts/worker.mjs'
import { json, startUpstream as startScripted } from '../support/upstream.ts'
import { adminToken, loginSecret, settingsAt, startUpstream, tokenFor } from './harness.ts'
import { type LocalWorkers, startWorkers } from './local.ts'
import { expiredToken } from './tokens.ts'

const root = join(import.meta.dirname, '..', '..')
const breaks = findBreaks(root, root)
const seen = breaks.filter(({ seenBy }) => seenBy !== undefined)
const origin = 'https://chat.example'
/** Requests in a minute; those of a network leave room for the attempts to be too many of a user. */
const perUser = 10
const perNetwork = 50
const counted = ['the requests of a user are counted', 'the requests of a network are counted']

const turnstile = await startScripted()
const upstream = await startUpstream()
/** Without counters, and with them. */
let workers: LocalWorkers
const folder = mkdtempSync(join(tmpdir(), 'isoglot-breaks-'))

/** The source of the Worker with all breaks in it; `GET /break/3` turns on the third, and no other. */
function sources(): ReadonlyMap<string, string> {
  const entry = join(root, 'examples', 'worker', 'index.ts')
  const turnOn = `fetch(request, env, ctx) {
    const [, number] = /\\/break\\/(\\d+)$/.exec(request.url) ?? []
    if (number === undefined) return worker.fetch(request, env, ctx)
    globalThis.$m = (one) => one === Number(number)
    return new Response()
  }`
  const files = breaks.map(({ file }): [string, string] => {
    const own = breaks.filter((one) => one.file === file)
    return [join(root, file), compileIn(readFileSync(join(root, file), 'utf8'), own)]
  })
  return new Map([...files, [entry, readFileSync(entry, 'utf8').replace('fetch: worker.fetch', turnOn)]])
}

beforeAll(async () => {
  const said = { success: false, hostname: 'chat.example', action: 'session' }
  turnstile.answer(json(said))
  const broken = sources()
  const plugin = {
    name: 'breaks',
    setup: ({ onLoad }: import('esbuild').PluginBuild) =>
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const contents = broken.get(path)
        return contents === undefined ? undefined : { contents, loader: 'ts' }
      }),
  }
  const scriptPath = await bundleWorker(folder, { plugins: [plugin] })
  const { DEMO: _, ...settings } = settingsAt(upstream.url, origin)
  const bindings = {
    ...settings,
    LOGIN_SECRET: loginSecret,
    ADMIN_TOKEN: adminToken,
    TURNSTILE_SECRET: 'what-turnstile-knows-of-us-0123456789',
    TURNSTILE_URL: `${turnstile.url}/`,
    REVOKED: 'eve',
    OPENAI_MODELS: 'demo-model,other-model',
  }
  workers = await startWorkers(
    ['off', 'on'].map((limits) => ({
      name: `counters-${limits}`,
      bindings: { ...bindings, RATE_LIMITS: limits },
      ratelimits: {
        PER_USER: { namespace_id: '1', simple: { limit: perUser, period: 60 } },
        PER_IP: { namespace_id: '2', simple: { limit: perNetwork, period: 60 } },
      },
      ...{ scriptPath, modulesRoot: folder },
    })),
  )
})
afterAll(async () => {
  await workers?.stop()
  await Promise.all([upstream.stop(), turnstile.stop()])
  rmSync(folder, { recursive: true, force: true })
})

/** The names of the checks that fail; 0 stands for no break. */
async function failedAt(number: number, names: readonly string[]): Promise<readonly string[]> {
  const url = workers.urls[names.some((name) => counted.includes(name)) ? 1 : 0] as string
  await (await fetch(`${url}/break/${number}`)).body?.cancel()
  const own = ['openai-chat', 'anthropic', 'gemini', 'ollama'].map((provider) => `${provider}:demo-model`)
  const { rows } = await runChecks(url, {
    origin,
    token: await tokenFor({ url }, 'ada', { models: own, origin }),
    otherToken: await tokenFor({ url }, 'bob'),
    deadTokens: [await expiredToken(), await tokenFor({ url }, 'eve')],
    maxBody: 2 ** 20,
    perUser,
    perNetwork,
    isWanted: ({ name }) => names.includes(name),
  })
  return rows.filter(({ mark }) => mark === 'FAILED').map(({ name }) => name)
}

/** It finds the routes that the others ask. */
const first = 'it is configured'

it.each(seen)('it is reported that $name', async ({ number, seenBy = '' }) => {
  expect(await failedAt(number, [first, seenBy])).toContain(seenBy)
})

it('nothing is reported of the Worker as it is', async () => {
  const names = seen.map(({ seenBy = '' }) => seenBy).filter((name) => !counted.includes(name))
  expect(await failedAt(0, [first, ...names])).toEqual([])
  expect(await failedAt(0, [first, ...counted])).toEqual([])
})
