/** The self-test, in workerd itself: as `wrangler.toml` has it, and on platforms that lack one thing. */
import { afterAll, describe, expect, inject, it } from 'vitest'
import { prepare } from '../../scripts/prepare.mjs'
import { freePort } from '../../scripts/worker.mjs'
import { answerAdmin } from '../../src/worker/admin/admin.ts'
import type { SelfTest } from '../../src/worker/admin/self-test.ts'
import type { WorkerOptions } from './bundle.ts'
import { everythingOf, holdsCanary, sessionSecret, settingsAt } from './harness.ts'
import { startWorkers } from './local.ts'
import { setupOf } from './setup.ts'

const token = 'an-admin-token-of-more-than-32-bytes'
const [signal, strict] = ['enable_request_signal', 'global_fetch_strictly_public']
const path = '/admin/self-test'

/** The Workers of these tests, in one workerd: what each has in place of what `wrangler.toml` says. */
const kinds: Record<string, Pick<WorkerOptions, 'bindings' | 'compatibilityDate' | 'compatibilityFlags'>> = {
  good: { bindings: { RATE_LIMITS: 'on' } },
  untouched: {},
  'takes-keys-along': { compatibilityDate: '2025-08-15', compatibilityFlags: [signal, strict] },
  'no-signal': { compatibilityFlags: [strict] },
  'not-strict': { compatibilityFlags: [signal] },
  'short-secret': { bindings: { LOGIN_SECRET: 'short' } },
  'no-setting': { bindings: { LIVE_STREAMS: 'many' } },
  'short-token': { bindings: { ADMIN_TOKEN: 'short' } },
}
prepare()
const all = Object.entries(kinds).map(async ([name, { bindings, ...platform }]) => {
  const port = await freePort()
  // No provider is asked, so none is needed.
  const settings = settingsAt('http://127.0.0.1:9', `http://127.0.0.1:${port}`)
  const common = inject('workerOptions').bindings
  return { name, port, ...platform, bindings: { ...common, ...settings, ADMIN_TOKEN: token, ...bindings } }
})
const workers = await startWorkers(await Promise.all(all))
afterAll(() => workers.stop())

const urlOf = (name: string) => workers.urls[Object.keys(kinds).indexOf(name)] as string
const look = (url: string, shown = token) => fetch(url + path, { headers: { authorization: `Bearer ${shown}` } })

async function failedIn(answer: Response): Promise<{ status: number; failed: string[] }> {
  const { ok, checks } = (await answer.json()) as SelfTest
  expect(ok).toBe(checks.every((row) => row.ok))
  return { status: answer.status, failed: checks.filter((row) => !row.ok).map(({ name }) => name) }
}

describe('the self-test', () => {
  it('finds the platform in order, and reports only names', async () => {
    const answer = await look(urlOf('good'))
    const all = await everythingOf(answer.clone())
    expect(await answer.json()).toEqual({
      ok: true,
      checks: [
        { name: signal, ok: true },
        { name: strict, ok: true },
        { name: 'strip_authorization_on_cross_origin_redirect', ok: true },
        { name: 'settings', ok: true },
        { name: 'secrets', ok: true },
        { name: 'accounts', ok: true },
        { name: 'runs', ok: true },
        { name: 'rate limits', ok: true },
        { name: 'assets', ok: true },
        { name: 'redirects are not followed', ok: true },
      ],
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toContain('no-store')
    expect([holdsCanary(all), all.includes(token), all.includes(sessionSecret)]).toEqual([false, false, false])
  })

  it('leaves no trace, and can be done again', async () => {
    const url = urlOf('untouched')
    for (let times = 0; times < 2; times++) expect((await look(url)).status).toBe(200)
    const summary = await fetch(`${url}/admin/summary`, { headers: { authorization: `Bearer ${token}` } })
    expect(await summary.json()).toMatchObject({ live: [], days: [] })
  })

  it.each([
    ['a date at which redirects take keys along', 'takes-keys-along', ['strip_authorization_on_cross_origin_redirect']],
    ['no word of clients that left', 'no-signal', [signal]],
    ['fetches that reach what is not public', 'not-strict', [strict]],
  ])('sees %s', async (_, name, expected) => {
    expect(await failedIn(await look(urlOf(name)))).toEqual({ status: 503, failed: expected })
  })

  it.each([
    ['a secret that is short', 'short-secret', ['settings', 'secrets']],
    ['a setting that is none', 'no-setting', ['settings']],
  ])('reports %s to the operator, and nothing to others', async (_, name, expected) => {
    const url = urlOf(name)
    expect(await failedIn(await look(url))).toEqual({ status: 503, failed: expected })
    const others = [look(url, `${token}x`), fetch(url + path), fetch(`${url}/admin/summary`), fetch(`${url}/x`)]
    const texts = (await Promise.all(others)).map(async (answer) => [
      answer.status,
      (await answer.json()).error.message,
    ])
    for (const told of await Promise.all(texts))
      expect(told).toEqual([503, 'The Worker refused the request: it is not configured'])
  })

  it('is closed to a token of a user, to none, and to everybody where no admin token is set', async () => {
    const url = urlOf('good')
    const headers = { origin: url, 'content-type': 'application/json' }
    const session = await fetch(`${url}/session`, { method: 'POST', headers, body: '{}' })
    expect(session.status).toBe(200)
    expect((await look(url, ((await session.json()) as { token: string }).token)).status).toBe(401)
    expect((await fetch(url + path)).status).toBe(401)
    expect((await fetch(`${url}${path}/x`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(404)
    expect((await look(urlOf('short-token'), 'short')).status).toBe(404)
  })
})

/** Bindings that do as they should, by hand. */
const page = async ({ url }: Request) =>
  url.endsWith('/index.html') ? new Response(null, { status: 307, headers: { location: '/' } }) : new Response('x')
const counter = { limit: async () => ({ success: false }) }
const good = {
  ...settingsAt('http://127.0.0.1:9', 'http://127.0.0.1:1'),
  RATE_LIMITS: 'on',
  ADMIN_TOKEN: token,
  ACCOUNTS: { getByName: () => ({ summary: async () => ({ live: [], days: [], errors: [], limits: {} }) }) },
  RUNS: { getByName: () => ({ stop: async () => false }) },
  PER_USER: counter,
  PER_IP: counter,
  ASSETS: { fetch: page },
}
const never = async () => Promise.reject(new Error('There is no such object'))

describe('the self-test of a binding', () => {
  const ask = (change: object) => {
    const request = new Request(`https://worker.example${path}`, { headers: { authorization: `Bearer ${token}` } })
    return answerAdmin(request, setupOf({ ...good, ...change }))
  }
  const failed = async (change: object) => new Set((await failedIn(await ask(change))).failed)

  it.each<[string, object, string]>([
    ['no accounts', { ACCOUNTS: undefined }, 'accounts'],
    ['accounts that do not answer', { ACCOUNTS: { getByName: () => ({ summary: never }) } }, 'accounts'],
    ['no runs', { RUNS: undefined }, 'runs'],
    ['runs that throw', { RUNS: { getByName: () => ({ stop: never }) } }, 'runs'],
    ['no counter for networks', { PER_IP: undefined }, 'rate limits'],
    ['a counter that does not count', { PER_USER: { limit: never } }, 'rate limits'],
    ['a page without files', { ASSETS: { fetch: async () => new Response(null, { status: 404 }) } }, 'assets'],
    [
      'a redirect that was followed',
      { ASSETS: { fetch: async () => new Response('the page') } },
      'redirects are not followed',
    ],
  ])('sees %s', async (_, change, name) => {
    expect((await failed({})).has(name)).toBe(false)
    expect((await failed(change)).has(name)).toBe(true)
  })

  it('has no row for a part that is off', async () => {
    const answer = await ask({ RATE_LIMITS: 'off', ASSETS: undefined })
    const { checks } = (await answer.json()) as SelfTest
    const names = ['settings', 'secrets', 'accounts', 'runs']
    expect(checks.map(({ name }) => name).slice(3)).toEqual(names)
  })

  it('asks for no counters where something else stops floods', async () => {
    const without = { RATE_LIMITS: 'off', PER_USER: undefined, PER_IP: undefined }
    expect((await failed(without)).has('rate limits')).toBe(false)
    expect((await failed({ ...without, RATE_LIMITS: 'on' })).has('rate limits')).toBe(true)
  })
})
