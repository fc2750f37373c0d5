import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText } from 'ai'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { facts } from '../formats/index.ts'
import { speakers } from '../gateway/provider.ts'
import {
  canary,
  everythingOf,
  holdsCanary,
  minimal,
  paths,
  sessionSecret,
  type WireName,
  wireNames,
} from './harness.ts'
import { claimsOf, kidOf, sign } from './tokens.ts'

/** Imported by a name the compiler does not follow: the Worker is typed for Workers, this file for Node. */
const worker: { fetch(request: Request, env: object, context: object): Response | Promise<Response> } = (
  await import('../../examples/worker/index.ts' as string)
).default

const origin = 'https://chat.example'
/** Accounts in which there is always enough. */
const account = { reserve: async () => ({ ok: true }), settle: async () => {}, release: async () => {} }
const getByName = vi.fn(() => account)
const ACCOUNTS = { getByName }
const env = {
  SESSION_SECRET: sessionSecret,
  LOGIN_SECRET: 'a-secret-of-the-server-of-the-app-32',
  RATE_LIMITS: 'off',
  ACCOUNTS,
  RUNS: { getByName: vi.fn() },
  ALLOWED_ORIGINS: `${origin},http://localhost:8787`,
  OPENAI_API_KEY: canary,
  OPENAI_MODELS: 'demo-model,other-model',
  ANTHROPIC_API_KEY: canary,
  ANTHROPIC_MODELS: 'demo-model',
  GEMINI_API_KEY: canary,
  GEMINI_MODELS: 'demo-model',
  OLLAMA_MODELS: 'demo-model',
  REVOKED: 'mallory,revoked',
}

/** The Worker's own handler, in this process: what it would have sent upstream is what it gives `fetch`. */
const upstream = vi.fn<typeof fetch>()
const call = (path: string, init: RequestInit = {}, settings: object = env) =>
  Promise.resolve(
    worker.fetch(new Request(`https://worker.example${path}`, { method: 'POST', ...init }), settings as never, {
      waitUntil() {},
    }),
  )

beforeEach(() => {
  upstream.mockReset().mockRejectedValue(new Error('no upstream in this test'))
  vi.stubGlobal('fetch', upstream)
  vi.spyOn(console, 'log').mockImplementation(() => {})
})

const json = { 'content-type': 'application/json' }
const authorized = async () => ({ ...json, authorization: `Bearer ${await sign()}` })
/** The smallest question in this format. */
const question = (wire: WireName, headers: HeadersInit, body: unknown = minimal(wire, 'hi')): RequestInit => ({
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

describe('a Worker with an incomplete setting', () => {
  const turnstile = { TURNSTILE_SECRET: 'x'.repeat(20) }
  const gateway = { AI_GATEWAY_URL: 'https://gateway.ai.cloudflare.com/v1/a/g' }
  // `create.test.ts` has the rules of each option; these are of the environment, and of settings that belong together.
  const holes: [object, string][] = [
    [{ SESSION_SECRET: undefined }, 'SESSION_SECRET is missing'],
    [{ SESSION_SECRET: 'x'.repeat(31) }, 'SESSION_SECRET is missing or unusable: it must have at least 32 bytes'],
    [{ SESSION_SECRET: 'a'.repeat(64) }, 'SESSION_SECRET is missing or unusable: it must be random'],
    [{ SESSION_SECRET: 'correct-horse-battery-'.repeat(2) }, 'it must be random'],
    [{ SESSION_SECRET_NEXT: '0'.repeat(40) }, 'SESSION_SECRET_NEXT is missing or unusable'],
    [{ ADMIN_TOKEN: '01'.repeat(20) }, 'ADMIN_TOKEN is missing or unusable'],
    [{ LOGIN_SECRET: sessionSecret }, 'LOGIN_SECRET is equal to SESSION_SECRET'],
    [{ SESSION_SECRET_NEXT: env.LOGIN_SECRET }, 'is equal to'],
    [{ ADMIN_TOKEN: env.LOGIN_SECRET }, 'is equal to'],
    [{ OPENAI_API_KEY: undefined }, 'OPENAI_API_KEY is missing'],
    [{ OPENAI_API_KEY: 'aB3xK9zQ7mW' }, 'OPENAI_API_KEY is missing or unusable: it must be a bearer credential of 12'],
    [{ OPENAI_API_KEY: 'sk-1234567\r\nx: y' }, 'OPENAI_API_KEY is missing or unusable'],
    [{ LOGIN_SECRET: undefined }, 'LOGIN_SECRET, TURNSTILE_SECRET and DEMO are missing'],
    [{ LOGIN_SECRET: undefined, DEMO: 'yes' }, 'DEMO'],
    [{ ACCOUNTS: undefined }, 'ACCOUNTS'],
    [{ RATE_LIMITS: undefined }, 'PER_USER'],
    [{ OLLAMA_BASE_URL: 'http://ollama.example' }, 'OLLAMA_BASE_URL'],
    [{ OLLAMA_ACCESS_ID: 'x'.repeat(20) }, 'OLLAMA_ACCESS_SECRET'],
    [{ OLLAMA_SERVICE: 'https://ollama.example' }, 'OLLAMA_SERVICE'],
    [{ ...turnstile, TURNSTILE_URL: 'https://evil.test/siteverify' }, 'TURNSTILE_URL'],
    [{ TURNSTILE_SITE_KEY: '0x4AAAAAAAtest' }, 'TURNSTILE_SECRET'],
    [{ ...turnstile, TURNSTILE_SITE_KEY: '"><script src=//evil.test>' }, 'TURNSTILE_SITE_KEY'],
    [{ ...turnstile, TURNSTILE_SITE_KEY: '0x4AAAAAAAtest', TURNSTILE_ACTION: '"><script>' }, 'TURNSTILE_ACTION'],
    [{ ...gateway, AI_GATEWAY_TOKEN: 'x'.repeat(20) }, 'OPENAI_API_KEY is set, and AI_GATEWAY_URL too'],
    [{ PRICES: '{"demo-model":["free"]}' }, 'PRICES'],
    [{ DAILY_BUDGET_USD: '-1' }, 'DAILY_BUDGET_USD'],
    [{ OPENAI_MODELS: 'm,m' }, 'names a model twice'],
    [{ GEMINI_MODELS: 'm?x=' }, 'GEMINI_MODELS'],
    [{ ALLOWED_ORIGINS: '*' }, 'ALLOWED_ORIGINS'],
    [{ OPENAI_BASE_URL: 'http://api.example/v1' }, 'OPENAI_BASE_URL'],
    [{ OPENAI_BASE_URL: 'https://a:b@api.example/v1' }, 'OPENAI_BASE_URL'],
    [Object.fromEntries(Object.keys(env).map((name) => [name, undefined])), 'ALLOWED_ORIGINS is missing'],
  ]
  it.each(holes)(
    'answers 503 on every route with %o, and says why in the log, without a value',
    async (hole, words) => {
      const authorization = `Bearer ${await sign()}`
      const ASSETS = { fetch: vi.fn(async () => new Response('a page')) }
      const body = JSON.stringify(minimal('openai-chat', 'hi'))
      for (const at of [
        'POST /session',
        'POST /v1/chat/completions',
        'OPTIONS /v1/messages',
        'GET /',
        'DELETE /nowhere',
      ]) {
        const [method = '', path = ''] = at.split(' ')
        const init = { method, headers: { ...json, origin, authorization }, body: method === 'POST' ? body : null }
        const answer = await call(path, init, { ...env, ASSETS, ...hole })
        expect([at, answer.status, await answer.text()]).toEqual([at, 503, expect.stringContaining('not configured')])
      }
      expect(upstream).not.toHaveBeenCalled()
      expect(ASSETS.fetch).not.toHaveBeenCalled()
      const logged = vi.mocked(console.log).mock.calls.flat().join('\n')
      expect(logged).toContain(words)
      for (const value of Object.values(hole))
        if (typeof value === 'string' && value.length > 5) expect(logged).not.toContain(value)
    },
  )

  it.each([
    ['random secrets of all kinds', {}],
    ['32 random digits', { SESSION_SECRET: '83052917463920581746301958274630' }],
    ['32 bytes in hex', { SESSION_SECRET: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' }],
    ['a new signing secret that takes the place of the old one', { SESSION_SECRET_NEXT: sessionSecret }],
  ])('is not one with %s', async (_, settings) => {
    expect((await call('/v1/models', { method: 'GET' }, { ...env, ...settings })).status).toBe(401)
  })
})

describe('a demonstration on loopback', () => {
  const demo = { ...env, LOGIN_SECRET: undefined, DEMO: 'loopback', ALLOWED_ORIGINS: 'http://127.0.0.1:8787' }
  const open = (url: string, from: string | undefined, settings: object = demo) => {
    const headers = { ...json, ...(from !== undefined && { origin: from }) }
    const request = new Request(`${url}/session`, { method: 'POST', headers, body: '{}' })
    return Promise.resolve(worker.fetch(request, settings, { waitUntil() {} }))
  }

  it.each(['http://127.0.0.1:8787', 'http://localhost:5173', 'http://[::1]:3000', 'http://localhost'])(
    'gives a page at %s a token, and lets it read the answer',
    async (from) => {
      for (const url of ['http://127.0.0.1:8787', 'http://localhost:8787', 'http://[::1]:8787']) {
        const answer = await open(url, from)
        expect(answer.status).toBe(200)
        expect(answer.headers.get('access-control-allow-origin')).toBe(from)
      }
    },
  )

  it.each([
    'https://x.workers.dev',
    'https://chat.example',
    'http://192.168.1.5:8787',
    'http://localhost.evil.test',
    'http://127.0.0.1.nip.io',
  ])('gives no token when asked as %s', async (url) => {
    for (const from of ['http://localhost:8787', 'http://127.0.0.1:8787', 'http://localhost:5173', url, undefined]) {
      const answer = await open(url, from)
      expect([401, 403]).toContain(answer.status)
      expect(await answer.text()).not.toContain('"token"')
    }
    expect((await open(url, 'http://127.0.0.1:8787')).status).toBe(401)
  })

  it.each([
    'https://evil.test',
    'http://localhost.evil.test:8787',
    'https://localhost:5173',
    'http://localhost:5173/',
    'null',
  ])('gives a page at %s no token, and says which origin and which setting', async (from) => {
    const answer = await open('http://127.0.0.1:8787', from)
    expect(answer.status).toBe(403)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    const { error } = (await answer.json()) as { error: { message: string } }
    expect(error.message).toContain(`"${from}" is not in ALLOWED_ORIGINS`)
  })

  it('gives no tokens without the setting, whatever is loopback', async () => {
    const shipped = { ...demo, DEMO: undefined, ALLOWED_ORIGINS: 'http://127.0.0.1:8787,http://localhost:8787' }
    expect((await open('http://127.0.0.1:8787', 'http://127.0.0.1:8787', shipped)).status).toBe(503)
    const known = { ...shipped, LOGIN_SECRET: env.LOGIN_SECRET }
    expect((await open('https://x.workers.dev', 'http://localhost:8787', known)).status).toBe(401)
  })

  it('gives tokens that are also valid for other clients', async () => {
    const { token } = (await (await open('http://127.0.0.1:8787', 'http://localhost:5173')).json()) as { token: string }
    const answer = await call('/v1/models', { method: 'GET', headers: { authorization: `Bearer ${token}` } }, demo)
    expect(answer.status).toBe(200)
  })
})

describe('a token that is bound to an origin', () => {
  const boundTo = (origin: string) =>
    sign({}, { scope: { models: ['openai-chat:demo-model'], maxOutputTokens: 10, dailyBudget: 1000, origin } })
  const list = async (headers: Record<string, string>, page = 'https://worker.example') => {
    const shown = { authorization: `Bearer ${await boundTo(page)}` }
    const allowed = { ...env, ALLOWED_ORIGINS: 'https://worker.example,https://chat.example' }
    const answer = await call('/v1/models', { method: 'GET', headers: { ...shown, ...headers } }, allowed)
    return { status: answer.status, said: await answer.text() }
  }

  it.each<[string, Record<string, string>, number]>([
    ['its own page', { origin: 'https://worker.example' }, 200],
    ['its own page, reading from its own server', { 'sec-fetch-site': 'same-origin' }, 200],
    ['nothing that says where it is', {}, 401],
    ['another page', { origin: 'https://chat.example' }, 401],
    ['another page that says it twice', { origin: 'https://chat.example', 'sec-fetch-site': 'same-origin' }, 401],
    ['a page of the same site', { 'sec-fetch-site': 'same-site' }, 401],
    ['an address that was typed', { 'sec-fetch-site': 'none' }, 401],
  ])('sent by %s', async (_, headers, status) => {
    const { status: found, said } = await list(headers)
    expect(found).toBe(status)
    const isSilent = status === 401 && headers.origin === undefined
    expect(said.includes('the request has no \\"origin\\" header')).toBe(isSilent)
  })

  it('is not valid at another server without its origin', async () => {
    const origin = 'https://chat.example'
    expect(await list({ 'sec-fetch-site': 'same-origin' }, origin)).toMatchObject({ status: 401 })
    expect(await list({ origin }, origin)).toMatchObject({ status: 200 })
  })
})

describe('a new token for an old one', () => {
  const models = [
    'openai-chat:other-model',
    ...['openai-chat', 'anthropic', 'gemini', 'ollama'].map((name) => `${name}:demo-model`),
  ]
  const everything = { models, maxOutputTokens: 4096, dailyBudget: 1_000_000 }
  const scopes: readonly (typeof everything & { readonly origin?: string })[] = [
    everything,
    { ...everything, models: ['openai-chat:other-model'] },
    { ...everything, models: [] },
    { ...everything, models: ['openai-chat:gone', 'anthropic:demo-model'], maxOutputTokens: 9000 },
    { ...everything, maxOutputTokens: 50 },
    { ...everything, dailyBudget: 0 },
    { ...everything, origin },
    { ...everything, origin: 'https://worker.example' },
  ]
  const now = Math.floor(Date.now() / 1000)
  const beginnings = [undefined, now, now - 3600, now - 24 * 3600 + 100]
  const settings = {
    ...env,
    ALLOWED_ORIGINS: `${origin},https://worker.example`,
    TURNSTILE_SECRET: 'secret-of-turnstile',
  }

  async function renew(token: string, from: string, ways: object): Promise<{ status: number; token?: string }> {
    upstream.mockImplementation(async () =>
      Response.json({ success: true, hostname: new URL(from).hostname, action: 'session' }),
    )
    const headers = { ...json, origin: from, authorization: `Bearer ${token}` }
    const answer = await call('/session', { headers, body: '{"turnstile":"x"}' }, ways)
    return { status: answer.status, ...((await answer.json()) as object) }
  }

  const cases = scopes.flatMap((scope) => beginnings.map((since) => [scope, since] as const))
  it.each(cases)('never permits more than the old one (%#)', async (scope, since) => {
    const ways = scope === everything ? { ...settings, LOGIN_SECRET: undefined } : settings
    const sub = crypto.randomUUID()
    const token = await sign({}, { sub, scope, anonymous_since: since })
    const from = scope.origin ?? origin
    const renewed = await renew(token, from, ways)
    if (since === undefined) {
      expect(renewed).toMatchObject({ status: 401 })
      return
    }
    const claims = claimsOf(renewed.token ?? '')
    expect(claims.sub).toBe(sub)
    expect(claims.anonymous_since).toBe(since)
    expect(claims.exp).toBeLessThanOrEqual(since + 24 * 3600)
    expect(claims.exp - claims.iat).toBeLessThanOrEqual(900)
    expect(scope.models).toEqual(expect.arrayContaining(claims.scope.models))
    expect(claims.scope.maxOutputTokens).toBeLessThanOrEqual(Math.min(scope.maxOutputTokens, 4096))
    expect(claims.scope.dailyBudget).toBeLessThanOrEqual(scope.dailyBudget)
    expect(claims.scope.origin).toBe(scope.origin ?? from)
  })

  it('is returned to the operator’s server for any user that it names, as before', async () => {
    const headers = { ...json, authorization: `Bearer ${env.LOGIN_SECRET}` }
    const answer = await call('/session', { headers, body: '{"user":"alice"}' }, settings)
    const claims = claimsOf(((await answer.json()) as { token: string }).token)
    expect([answer.status, claims.sub, claims.anonymous_since]).toEqual([200, 'alice', undefined])
  })

  it('an expired token does not count as a token: its holder starts again', async () => {
    const old = await sign({}, { exp: now - 1, anonymous_since: now - 3600, sub: 'old' })
    const { token = '' } = await renew(old, origin, settings)
    expect(claimsOf(token).sub).not.toBe('old')
    const revoked = await sign({}, { sub: 'mallory', anonymous_since: now })
    expect(claimsOf((await renew(revoked, origin, settings)).token ?? '').sub).not.toBe('mallory')
  })
})

describe('the body of POST /session', () => {
  /** The status, and the bytes of the body that were read. */
  async function open(settings: object, headers: Record<string, string>, size: number) {
    const text = new TextEncoder().encode(`{"user":"ada","models":["${'x'.repeat(size)}"]}`)
    let read = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          controller.enqueue(text.slice(read, read + 1024))
          read = Math.min(text.length, read + 1024)
          if (read === text.length) controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const answer = await call(
      '/session',
      { headers: { ...json, ...headers }, body, duplex: 'half' } as RequestInit,
      settings,
    )
    await answer.text()
    return { status: answer.status, read }
  }
  const withSecret = { authorization: `Bearer ${env.LOGIN_SECRET}` }

  it.each([
    ['no secret', {}, 401],
    ['a wrong secret', { authorization: `Bearer ${'x'.repeat(32)}` }, 401],
    ['another origin', { origin: 'https://evil.example' }, 403],
  ])('is not read if the request has %s', async (_, headers, status) => {
    for (const settings of [env, { ...env, TURNSTILE_SECRET: 'secret-of-turnstile' }]) {
      const { status: found, read } = await open(settings, headers, 500_000)
      expect([[401, 403].includes(found), read]).toEqual([true, 0])
      if (settings === env) expect(found).toBe(status)
    }
  })

  it('is at most 64 KiB, also with the secret, and in the demonstration', async () => {
    const demo = { ...env, LOGIN_SECRET: undefined, DEMO: 'open' }
    for (const [settings, headers] of [
      [env, withSecret],
      [demo, { origin }],
    ] as const) {
      const { status, read } = await open(settings, headers, 500_000)
      expect([status, read < 70_000]).toEqual([413, true])
    }
    expect((await open(env, withSecret, 60_000)).status).toBe(400) // is read: it names an unknown model
  })
})

describe('a session', () => {
  const demo = { ...env, LOGIN_SECRET: undefined, DEMO: 'open' }
  const open = (init: RequestInit) => call('/session', { body: '{}', ...init }, demo)

  it('is given to a page of an allowed origin, for 15 minutes at most', async () => {
    const answer = await open({ headers: { ...json, origin } })
    const { token, expiresAt, ...rest } = (await answer.json()) as Record<string, string>
    expect([answer.status, rest]).toEqual([200, {}])
    expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(Date.parse(expiresAt ?? '') - Date.now()).toBeLessThanOrEqual(15 * 60 * 1000)
    expect(Date.parse(expiresAt ?? '') - Date.now()).toBeGreaterThan(14 * 60 * 1000)
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    expect(answer.headers.get('vary')).toContain('origin')
    expect(answer.headers.get('cache-control')).toBe('no-store, no-transform')
  })

  it('is valid at once on a machine whose clock is at most five seconds late', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })
    onTestFinished(() => void vi.useRealTimers())
    const { token } = (await (await open({ headers: { ...json, origin } })).json()) as { token: string }
    const statusAt = async (ms: number) => {
      vi.setSystemTime(1_800_000_000_000 + ms)
      return (await call('/v1/models', { method: 'GET', headers: { origin, authorization: `Bearer ${token}` } }, demo))
        .status
    }
    expect([await statusAt(-1), await statusAt(-5000), await statusAt(-5001)]).toEqual([200, 200, 401])
    expect([await statusAt(899_999), await statusAt(900_000)]).toEqual([200, 401])
  })

  it.each([100, 200])('of a Worker with %i models is valid, or is refused when it is requested', async (count) => {
    const names = Array.from({ length: count }, (_, at) => `@cf/some-vendor/a-model-of-theirs-${at}`)
    const many = { ...demo, OPENAI_MODELS: names.join() }
    const answer = await call('/session', { body: '{}', headers: { ...json, origin } }, many)
    const { token, error } = (await answer.json()) as { token: string; error?: { message: string } }
    if (answer.status === 200) {
      const headers = { origin, authorization: `Bearer ${token}` }
      expect((await call('/v1/models', { method: 'GET', headers }, many)).status).toBe(200)
    } else expect([answer.status, error?.message]).toEqual([400, expect.stringContaining('name fewer')])
    expect(answer.status === 200).toBe(count <= 100)
  })

  it.each([
    ['none', undefined],
    ['null', 'null'],
    ['one that begins like ours', 'https://chat.example.evil.test'],
    ['one that ends like ours', 'https://evil-chat.example'],
    ['another port', 'https://chat.example:8443'],
    ['plain http', 'http://chat.example'],
    ['other letters', 'https://CHAT.example'],
  ])('is refused when the origin is %s', async (_, wrong) => {
    const answer = await open({ headers: { ...json, ...(wrong && { origin: wrong }) } })
    expect(answer.status).toBe(403)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    expect(answer.headers.get('vary')).toContain('origin')
  })

  it.each([
    ['is a form', 'text/plain', '{}', 415],
    ['is not JSON', 'application/json', '{', 400],
    ['is not an object', 'application/json', '[]', 400],
    ['is too long', 'application/json', `{"a":"${'x'.repeat(2 ** 20)}"}`, 413],
  ])('is refused when the body %s', async (_, type, body, status) => {
    expect((await open({ headers: { origin, 'content-type': type }, body })).status).toBe(status)
  })
})

describe('a request', () => {
  // What comes before a body is read is the same code in every format, so each case has another one. `every-format.test.ts` has them all.
  const ask = (headers: HeadersInit, wire: WireName, body?: unknown, path = paths[wire]) =>
    call(path, question(wire, headers, body))
  const wireAt = (at: number) => wireNames[at % wireNames.length] as WireName

  afterEach(() => {
    expect(upstream).not.toHaveBeenCalled()
    expect(getByName).not.toHaveBeenCalled()
  })

  const now = Math.floor(Date.now() / 1000)
  const unsigned = (header: object, claims: object) =>
    `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`
  const badTokens: [string, () => Promise<string> | string][] = [
    ['is garbage', () => 'garbage'],
    ['has ten thousand characters', () => 'x'.repeat(10_000)],
    [
      'says alg none',
      () => unsigned({ alg: 'none', typ: 'session+jwt' }, { aud: 'isoglot-worker/v1', exp: now + 600 }),
    ],
    ['has another algorithm', () => sign({ alg: 'HS512' })],
    ['was signed by someone else', () => sign({}, {}, 'another-secret-another-secret-another')],
    ['is of another type', () => sign({ typ: 'JWT' })],
    ['has another issuer', () => sign({}, { iss: 'someone' })],
    ['is for another audience', () => sign({}, { aud: 'someone' })],
    ['has expired', () => sign({}, { exp: now - 1 })],
    ['is not valid yet', () => sign({}, { nbf: now + 300 })],
    ['is old, whatever its end says', () => sign({}, { iat: now - 3600, exp: now + 3600 })],
    ['never ends', () => sign({}, { exp: undefined })],
    ['has no id', () => sign({}, { jti: undefined })],
    ['has no subject', () => sign({}, { sub: undefined })],
    ['has no scope', () => sign({}, { scope: undefined })],
    [
      'has a scope without a limit',
      () => sign({}, { scope: { models: wireNames.map((wire) => `${wire}:demo-model`) } }),
    ],
    ['names no key', () => sign({ kid: undefined })],
    ["names another one's key", () => sign({ kid: kidOf('another-secret-another-secret-another') })],
    ['is of a user who is not wanted any more', () => sign({}, { sub: 'mallory' })],
    ['is not wanted any more', () => sign({}, { jti: 'revoked' })],
  ]
  it.each(badTokens.map(([what, make], at) => [what, wireAt(at), make] as const))(
    'is refused when its token %s (%s)',
    async (_, wire, make) => {
      const token = await make()
      const bodies = new Set<string>()
      for (const headers of [{ authorization: `Bearer ${token}` }, { 'x-api-key': token }]) {
        const answer = await ask({ ...json, ...headers }, wire)
        expect(answer.status).toBe(401)
        bodies.add(await answer.text())
      }
      expect(bodies.size).toBe(1)
    },
  )

  it.each(wireNames)('is refused without a token that is good, in the form of its format: %s', async (wire) => {
    for (const headers of [{}, { authorization: 'Basic dXNlcjpwYXNz' }, { authorization: 'Bearer a, Bearer b' }])
      expect((await ask({ ...json, ...headers }, wire)).status).toBe(401)
    const inQuery = await ask(json, wire, undefined, `${paths[wire]}?token=${await sign()}`)
    expect(inQuery.status).toBe(401)
    const message =
      'The Worker refused the request: the session token is missing, wrong or expired; get one with POST /session'
    const openai = { error: { message, type: 'invalid_request_error', param: null, code: 'invalid_api_key' } }
    const bodies: Record<WireName, object> = {
      'openai-chat': openai,
      'openai-responses': openai,
      anthropic: { type: 'error', error: { type: 'authentication_error', message } },
      gemini: { error: { code: 401, message, status: 'UNAUTHENTICATED' } },
      ollama: { error: message },
    }
    expect(await inQuery.json()).toEqual(bodies[wire])
  })

  it.each(['null', 'https://evil.test', 'https://chat.example.evil.test'])(
    'is refused from origin %s, token or not',
    async (wrong) => {
      const answer = await ask({ ...(await authorized()), origin: wrong }, 'openai-chat')
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null])
    },
  )

  it.each([
    ['a model that is not there', { model: 'gpt-9' }, 404],
    ['a model that is a path', { model: '../demo-model' }, 404],
    ['a model that every object has', { model: 'constructor' }, 404],
    ['a model whose name has ten thousand letters', { model: 'x'.repeat(10_000) }, 404],
    ['a model of another provider by a path', { model: 'anthropic%2fdemo-model' }, 404],
    ['a model that is not text', { model: { toString: 1 } }, 400],
    ['no model', { model: undefined }, 400],
  ])('is refused with %s, in the body or in the path', async (_, change, status) => {
    const path = `/v1beta/models/${encodeURIComponent(JSON.stringify(change.model))}:generateContent`
    expect((await ask(await authorized(), 'gemini', undefined, path)).status).toBe(404)
    const body = { ...minimal('anthropic', 'hi'), ...change }
    expect((await ask(await authorized(), 'anthropic', body)).status).toBe(status)
  })

  it.each(wireNames)('is refused when the session does not cover the model (%s)', async (wire) => {
    const scope = { models: ['openai-chat:other-model'], maxOutputTokens: 10, dailyBudget: 1_000_000 }
    const token = await sign({}, { scope })
    expect((await ask({ ...json, authorization: `Bearer ${token}` }, wire)).status).toBe(404)
  })

  const bodies: [string, object, unknown, number][] = [
    ['is a form', { 'content-type': 'text/plain' }, '{}', 415],
    ['is compressed', { 'content-encoding': 'gzip' }, '{}', 415],
    ['is not UTF-8', {}, new Uint8Array([0x7b, 0xff, 0x7d]), 400],
    ['is nested a hundred thousand deep', {}, `{"model":"demo-model","a":${'['.repeat(1e5)}${']'.repeat(1e5)}}`, 400],
    ['has a million values', {}, `{"model":"demo-model","a":[${'1,'.repeat(4e5)}1]}`, 400],
    ['is one byte too long', {}, `{"a":"${'x'.repeat(2 ** 20 - 7)}"}`, 413],
    ['lies about its length', { 'content-length': '2' }, `{"a":"${'x'.repeat(2 ** 20)}"}`, 413],
  ]
  it.each(bodies.map(([what, ...rest], at) => [what, wireAt(at), ...rest] as const))(
    'is refused when its body %s (%s)',
    async (_, wire, headers, body, status) => {
      const answer = await call(paths[wire], { headers: { ...(await authorized()), ...headers }, body: body as never })
      expect(answer.status).toBe(status)
    },
  )

  it.each(wireNames)('is refused when its body never ends, or arrives too slowly (%s)', async (wire) => {
    const headers = await authorized()
    const answerTo = (body: ReadableStream, settings: object) =>
      call(paths[wire], { headers, body, duplex: 'half' } as RequestInit, settings)
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(32)) })
    expect((await answerTo(endless, env)).status).toBe(413)
    const trickle = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([123])) })
    expect((await answerTo(trickle, { ...env, BODY_TIMEOUT_MS: '50' })).status).toBe(408)
  })
})

describe('routes', () => {
  it.each([
    '/v1',
    '/v1/',
    '/v1/responses/x',
    '/api/generate',
    '/v1/chat/completions/',
    '//v1/messages',
    '/V1/messages',
    '/session/x',
    '/v1/proxy/x',
  ])('has no route at %s', async (path) => {
    const answer = await call(path, { headers: { ...(await authorized()), origin }, body: '{}' })
    expect(answer.status).toBe(404)
    expect(upstream).not.toHaveBeenCalled()
  })

  it.each(['GET', 'PUT', 'DELETE'])('does not accept %s for a POST route', async (method) => {
    const answer = await call('/v1/messages', { method, headers: await authorized() })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })

  const preflight = (from: string) =>
    call('/v1/messages', {
      method: 'OPTIONS',
      headers: {
        origin: from,
        'access-control-request-method': 'POST',
        'access-control-request-headers':
          'authorization,x-api-key,anthropic-version,anthropic-beta,content-type,x-stainless-lang,x-stainless-retry-count,x-evil',
      },
    })

  it('allows an allowed page the headers that official SDKs send, and no others', async () => {
    const answer = await preflight(origin)
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    expect(answer.headers.get('access-control-allow-headers')).toBe(
      'authorization, x-api-key, anthropic-version, anthropic-beta, content-type, x-stainless-lang, x-stainless-retry-count',
    )
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })

  const official = wireNames.map((wire): [string, () => Promise<unknown>] => {
    const at = { url: 'https://worker.example', token: 't' }
    return [wire, async () => (await facts[wire].client()).client.converse(at, { model: 'm', stream: false }).say('hi')]
  })
  it.each([
    ...official,
    ['@ai-sdk/openai', () => generateText({ model: createOpenAI({ apiKey: 't' })('m'), prompt: 'hi' })],
    ['@ai-sdk/anthropic', () => generateText({ model: createAnthropic({ apiKey: 't' })('m'), prompt: 'hi' })],
  ])('allows an allowed page every header of the official client of %s', async (_, ask) => {
    const sent = new Set<string>()
    upstream.mockImplementation(async (input, init) => {
      for (const name of new Request(input, init).headers.keys()) sent.add(name)
      throw new DOMException('enough', 'AbortError')
    })
    await ask().catch(() => {})
    expect(sent).toContain('content-type')
    const names = [...sent].join()
    const headers = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': names }
    const answer = await call('/v1/messages', { method: 'OPTIONS', headers })
    expect(answer.headers.get('access-control-allow-headers')?.split(', ').join()).toBe(names)
  })

  it('allows other pages nothing', async () => {
    const answer = await preflight('https://evil.test')
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null])
  })
})

describe('a key in the Secrets Store', () => {
  it('is read at each call, and sent only to the provider', async () => {
    const get = vi.fn(async () => canary)
    const answer = () => Response.json({ error: { message: `Not with ${canary}` } }, { status: 400 })
    upstream.mockImplementation(async () => answer())
    for (let times = 0; times < 2; times++) {
      const init = question('openai-chat', await authorized())
      const told = await call(paths['openai-chat'], init, { ...env, OPENAI_API_KEY: { get } })
      expect([told.status, holdsCanary(await everythingOf(told))]).toEqual([400, false])
    }
    expect(get).toHaveBeenCalledTimes(2)
    const [, init] = upstream.mock.calls[0] ?? []
    expect(init?.headers).toMatchObject({ authorization: `Bearer ${canary}` })
  })
})

describe("a provider of the user's own", () => {
  it('is reached through its binding, with a service token of Access, and not over the internet', async () => {
    const access = { OLLAMA_ACCESS_ID: 'a-client-id.access', OLLAMA_ACCESS_SECRET: canary }
    const OLLAMA_SERVICE = { fetch: vi.fn(async () => Response.json({ error: `Not with ${canary}` }, { status: 400 })) }
    const told = await call(paths.ollama, question('ollama', await authorized()), { ...env, ...access, OLLAMA_SERVICE })
    expect([told.status, holdsCanary(await everythingOf(told))]).toEqual([400, false])
    expect(upstream).not.toHaveBeenCalled()
    const headers = { 'cf-access-client-id': 'a-client-id.access', 'cf-access-client-secret': canary }
    expect(OLLAMA_SERVICE.fetch).toHaveBeenCalledWith(
      'http://127.0.0.1:11434/api/chat',
      expect.objectContaining({ headers: expect.objectContaining(headers), redirect: 'manual' }),
    )
  })
})

describe('a day with most of its budget spent', () => {
  it('is reported in the log', async () => {
    upstream.mockImplementation(async () => new Response(speakers.ollama.pieces({ text: 'Hi' }).join('')))
    const waiting: Promise<unknown>[] = []
    const { ACCOUNTS: _, ...rest } = env
    const accounts = { getByName: () => ({ ...account, settle: async () => 80 }) }
    const init = { method: 'POST', ...question('ollama', await authorized()) }
    const request = new Request(`https://worker.example${paths.ollama}`, init)
    const context = { waitUntil: (promise: Promise<unknown>) => void waiting.push(promise) }
    expect((await worker.fetch(request, { ...rest, ACCOUNTS: accounts }, context)).status).toBe(200)
    await Promise.all(waiting)
    const lines = vi.mocked(console.log).mock.calls.map(([line]) => JSON.parse(line).outcome)
    expect(lines).toEqual(['answered', 'budget_80'])
  })
})
