/**
 * `createWorker`: each part by itself, each left out, each wrong, and unsafe combinations. In this process; the tests of the mounted Worker
 * run in workerd.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '../../src/core/errors.ts'
import { openaiChatFormat } from '../../src/formats/openai-chat/index.ts'
import type { CheckedRequest } from '../../src/gateway/types.ts'
import { createWorker, type ModelWorker, optionsFromEnv, type WorkerOptions } from '../../src/worker/index.ts'
import { speakers } from '../gateway/provider.ts'
import { canary, loginSecret, sessionSecret, startUpstream, tokenFor, type Upstream } from './harness.ts'
import { type LocalWorkers, startBuilt } from './local.ts'
import { post, tokenIn } from './setup.ts'
import { claimsOf } from './tokens.ts'

const origin = 'https://chat.example'
const token = 'an-admin-token-of-more-than-32-bytes'

/** Accounts in which there is always enough; `reserved` is what was asked of them. */
function openAccounts() {
  const reserved: object[] = []
  const account = {
    reserve: async (reservation: object) => {
      reserved.push(reservation)
      return { ok: true as const }
    },
    settle: async () => undefined,
    summary: async () => ({ live: [], liveCount: 0, days: [], totals: [], errors: [], refusals: [] }) as never,
  }
  return { reserved, binding: { getByName: () => account } }
}
const counter = { limit: async () => ({ success: true }) }
const kept = { getByName: () => ({ fetch: async () => new Response('kept'), stop: async () => true }) }

/** All parts; each can be removed. */
const whole = () =>
  ({
    session: { origins: [origin], secret: sessionSecret, login: { secret: loginSecret } },
    policy: { models: { openai: ['demo-model'] } },
    keys: { openai: canary },
    accounts: { binding: openAccounts().binding },
    limits: { perUser: counter, perNetwork: counter },
    runs: { binding: kept },
    admin: { token },
    page: { assets: { fetch: async () => new Response('the page') } },
    basePath: '/ai',
    formats: [openaiChatFormat],
  }) satisfies WorkerOptions
/** No more than what cannot be left out. */
const least = (): WorkerOptions => {
  const { session, policy, keys, formats } = whole()
  return { session, policy, keys, formats, accounts: 'off' }
}

const upstream = vi.fn<typeof fetch>()
beforeEach(() => {
  upstream.mockReset().mockImplementation(async () => Response.json(speakers['openai-chat'].whole({ text: 'Hi' })))
  vi.stubGlobal('fetch', upstream)
  vi.spyOn(console, 'log').mockImplementation(() => {})
})

const json = { 'content-type': 'application/json' }
const question = { model: 'demo-model', messages: [{ role: 'user', content: 'hi' }] }

async function ask(worker: ModelWorker, base = '', more: object = {}, body: object = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${await tokenIn(worker, base)}`, ...more }
  return post(worker, `${base}/v1/chat/completions`, { ...question, ...body }, { headers })
}
const look = (worker: ModelWorker, path: string, headers: Record<string, string> = {}) =>
  worker.fetch(new Request(`https://w.example${path}`, { headers }))
const operator = { authorization: `Bearer ${token}` }

describe('a part by itself, with the required parts', () => {
  it('is optional: a model answers without any of them', async () => {
    const worker = createWorker({ ...least(), policy: { ...least().policy, wholeAnswers: 'whole' } })
    const answer = await ask(worker)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('Hi')
    expect(new Headers(upstream.mock.calls[0]?.[1]?.headers).get('authorization')).toBe(`Bearer ${canary}`)
  })

  it('accounts: reserve the highest cost of an answer, within its budgets', async () => {
    const { reserved, binding } = openAccounts()
    await ask(createWorker({ ...least(), accounts: { binding, dailyBudgetUsd: 0.5 } }))
    expect(reserved).toMatchObject([{ user: 'ada', dailyBudget: 500_000, totalDailyBudget: 10_000_000 }])
  })

  it('runs: store the answer of a request with a key, and no other', async () => {
    const worker = createWorker({ ...least(), runs: { binding: kept } })
    expect(await (await ask(worker, '', { 'idempotency-key': 'k' })).text()).toBe('kept')
    expect(await (await ask(worker)).text()).not.toBe('kept')
  })

  it('page: serves its files, with their headers, and leaves the API unchanged', async () => {
    const worker = createWorker({ ...least(), page: whole().page })
    const page = await look(worker, '/')
    expect(await page.text()).toBe('the page')
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).not.toContain('unsafe')
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    expect((await look(worker, '/v1/models')).status).toBe(401)
  })

  it('basePath: has all routes below it, and no others', async () => {
    const worker = createWorker({ ...least(), basePath: '/ai' })
    expect((await ask(worker, '/ai')).status).toBe(200)
    for (const path of ['/session', '/v1/models', '/aix/v1/models', '/'])
      expect((await look(worker, path)).status).toBe(404)
  })
})

describe('keys of Workers AI', () => {
  const accountId = '0123456789abcdef0123456789abcdef'
  const name = '@cf/openai/gpt-oss-120b'
  const keys = { workersAi: { accountId, token: canary } }
  const policy = { models: { workersAi: [name] }, wholeAnswers: 'whole' } as const

  it('use the address of the account, with its token', async () => {
    const worker = createWorker({ ...least(), policy, keys })
    expect((await ask(worker, '', {}, { model: name })).status).toBe(200)
    const [url, sent] = upstream.mock.calls[0] ?? []
    // https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility/
    expect(String(url)).toBe(`https://api.cloudflare.com/client/v4/accounts/${accountId}/ai/v1/chat/completions`)
    expect(new Headers(sent?.headers).get('authorization')).toBe(`Bearer ${canary}`)
    expect(JSON.parse(String(sent?.body)).model).toBe(name)
  })

  it('need a price where there are accounts, since no table has one', () => {
    const options = { ...whole(), policy, keys }
    expect(() => createWorker(options)).toThrow(`"accounts.prices" has no price for workers-ai:${name}`)
    const prices = { [`workers-ai:${name}`]: { input: 0.35, output: 0.75 } }
    expect(createWorker({ ...options, accounts: { ...whole().accounts, prices } })).toHaveProperty('fetch')
  })

  it('are not needed with the binding, in code or by the environment', async () => {
    const run = vi.fn(async (_model: string, _inputs: object) => Response.json({ response: 'Hi' }))
    const worker = createWorker({ ...least(), policy, keys: { workersAi: { binding: { run } } } })
    expect((await ask(worker, '', {}, { model: name })).status).toBe(200)
    expect(run.mock.calls[0]?.[0]).toBe(name)
    expect(upstream).not.toHaveBeenCalled()
    const prices = JSON.stringify({ [`workers-ai:${name}`]: [1, 1] })
    const options = optionsFromEnv({
      ...{ AI: { run }, AI_MODELS: name, PRICES: prices, SESSION_SECRET: sessionSecret, LOGIN_SECRET: loginSecret },
      ...{ ALLOWED_ORIGINS: origin, RATE_LIMITS: 'off', ACCOUNTS: openAccounts().binding, RUNS: kept },
    })
    expect(createWorker(options)).toHaveProperty('fetch')
  })

  it.each([
    ['binding', { binding: {} }],
    ['accountId', { accountId: 'mine', token: canary }],
    ['token', { accountId, token: 'short' }],
    ['token', { accountId }],
  ])('are refused with a wrong %s', (option, workersAi) => {
    const make = () => createWorker({ ...least(), policy, keys: { workersAi } } as WorkerOptions)
    expect(make).toThrow(`"keys.workersAi.${option}" is missing or unusable`)
  })
})

describe('a replaced part', () => {
  const { origins, secret } = whole().session
  const fromPage = (worker: ModelWorker, path: string, headers: object, body: object = {}) =>
    post(worker, path, body, { headers: { origin, ...headers } })
  const asked = (worker: ModelWorker, headers: object = {}) =>
    fromPage(worker, '/v1/chat/completions', headers, question)

  it('session.login: your own function decides about a token and its permissions', async () => {
    const login = (request: Request, body: unknown) =>
      request.headers.get('cookie') === 'me=ada' && (body as { plan?: string }).plan === 'free'
        ? { user: 'ada', models: ['openai-chat:demo-model'], maxOutputTokens: 7 }
        : undefined
    const worker = createWorker({ ...least(), session: { origins, secret, login } })
    const given = await fromPage(worker, '/session', { cookie: 'me=ada' }, { plan: 'free' })
    const claims = claimsOf(((await given.json()) as { token: string }).token)
    const scope = { models: ['openai-chat:demo-model'], maxOutputTokens: 7, origin }
    expect(claims).toMatchObject({ sub: 'ada', scope })
    expect((await fromPage(worker, '/session', { cookie: 'me=ada' })).status).toBe(401)
    const elsewhere = { cookie: 'me=ada', origin: 'https://evil.example' }
    expect((await fromPage(worker, '/session', elsewhere, { plan: 'free' })).status).toBe(403)
  })

  it('session.login: a value that is not a user is an error of the function, and gives no token', async () => {
    const worker = createWorker({ ...least(), session: { origins, secret, login: () => ({ user: '' }) } })
    expect((await fromPage(worker, '/session', {})).status).toBe(500)
  })

  it('session.check: returns the user, in place of tokens, only for pages of the list', async () => {
    const check = ({ headers }: Request) => (headers.get('cookie') === 'me=ada' ? { user: 'ada' } : undefined)
    const accounts = openAccounts()
    const worker = createWorker({ ...least(), session: { origins, check }, accounts: { binding: accounts.binding } })
    expect((await asked(worker, { cookie: 'me=ada' })).status).toBe(200)
    expect(accounts.reserved).toMatchObject([{ user: 'ada', dailyBudget: 1_000_000 }])
    expect((await asked(worker, {})).status).toBe(401)
    expect((await asked(worker, { cookie: 'me=ada', origin: 'https://evil.example' })).status).toBe(403)
    expect((await fromPage(worker, '/session', { cookie: 'me=ada' })).status).toBe(404)
  })

  it('session.check: limits a user to its permissions', async () => {
    const check = () => ({ user: 'ada', models: [] })
    const worker = createWorker({ ...least(), session: { origins, check } })
    expect((await asked(worker)).status).toBe(404)
    const elsewhere = () => ({ user: 'ada', origin: 'https://other.example' })
    const both = [...origins, 'https://other.example']
    const bound = createWorker({ ...least(), session: { origins: both, check: elsewhere } })
    expect((await asked(bound)).status).toBe(401)
    const there = { origin: 'https://other.example' }
    expect((await asked(bound, there)).status).toBe(200)
    const revoked = createWorker({ ...least(), session: { origins, check, revoked: ['ada'] } })
    expect((await asked(revoked)).status).toBe(401)
  })

  it('session.check: its exceptions have no key in the answer or in the log', async () => {
    const check = () => {
      throw new ApiError(`Cannot ask with ${canary}`, { kind: 'permission', status: 403, retryable: false })
    }
    const worker = createWorker({ ...least(), session: { origins, check } })
    const answer = await asked(worker)
    const said = await answer.text()
    expect([answer.status, said.includes('Cannot ask with'), said.includes(canary)]).toEqual([403, true, false])
    expect(JSON.stringify(vi.mocked(console.log).mock.calls)).not.toContain(canary)
  })

  it('policy.check: makes the request that is sent', async () => {
    const check = vi.fn(({ request }: CheckedRequest, user: string) => ({
      ...request,
      options: { ...request.options, user },
    }))
    const worker = createWorker({ ...least(), policy: { ...least().policy, wholeAnswers: 'whole', check } })
    expect((await ask(worker)).status).toBe(200)
    expect(JSON.parse(String(upstream.mock.calls[0]?.[1]?.body))).toMatchObject({ safety_identifier: 'ada' })
  })

  it('policy.allow: fields and tools that are allowed by name are sent, and no other one', async () => {
    const allow = ['openai-chat.service_tier', 'openai-chat.tools.web_search']
    const worker = createWorker({ ...least(), policy: { ...least().policy, wholeAnswers: 'whole', allow } })
    const tools = [{ type: 'web_search' }]
    expect((await ask(worker, '', {}, { service_tier: 'flex', tools })).status).toBe(200)
    expect(JSON.parse(String(upstream.mock.calls[0]?.[1]?.body))).toMatchObject({ service_tier: 'flex', tools })
    for (const more of [
      { prompt_cache_key: 'a' },
      { tools: [{ type: 'code_interpreter' }] },
      { service_tier: 'flex', n: 2 },
    ]) {
      expect((await ask(worker, '', {}, more)).status).toBe(400)
    }
    expect(upstream).toHaveBeenCalledTimes(1)
  })
})

describe('a part that is left out', () => {
  it.each([
    ['session', 'session" is missing or unusable: without it, everybody could use your keys'],
    ['policy', 'policy" is missing or unusable: it lists the models that clients may use'],
    ['keys', 'keys" is missing or unusable: it contains the credentials for the providers'],
    ['accounts', 'accounts" is missing or unusable: without a budget, a user can spend without limit'],
  ])('is refused where that is unsafe: %s', (part, words) => {
    expect(() => createWorker({ ...whole(), [part]: undefined } as never)).toThrow(
      new TypeError(`Cannot make a Worker:\n"${words}${part === 'accounts' ? '; write "off" if you want that' : ''}`),
    )
    const { [part as 'keys']: _part, ...others } = whole()
    expect(() => createWorker(others as never)).toThrow(words)
  })

  it.each(['limits', 'runs', 'admin', 'page', 'basePath'])('is off: %s', async (part) => {
    const worker = createWorker({ ...whole(), [part]: undefined })
    const base = part === 'basePath' ? '' : '/ai'
    const answer = await ask(worker, base, part === 'runs' ? { 'idempotency-key': 'k' } : {})
    expect(answer.status).toBe(200)
    const statusOf = async (path: string) => (await look(worker, base + path, operator)).status
    expect(await statusOf('/admin/summary')).toBe(part === 'admin' ? 404 : 200)
    expect(await statusOf('/')).toBe(part === 'page' ? 404 : 200)
    if (part === 'runs') expect(await answer.text()).not.toBe('kept')
    if (part === 'runs') expect(await statusOf('/v1/streams/x')).toBe(404)
  })
})

/** All options, one of them changed, by its path. */
function withOption(path: string, value: unknown): object {
  const options: Record<string, unknown> = whole()
  const names = path.split('.')
  const last = names.pop() ?? ''
  const parent = names.reduce((group, name) => group[name] as Record<string, unknown>, options)
  parent[last] = value
  return options
}

describe('a wrong option', () => {
  it.each<[string, unknown, string?]>([
    ['sesion', {}, 'is not an option'],
    ['session.orgins', [], 'is not an option'],
    ['session.origins', []],
    ['session.origins', ['chat.example'], 'it must be a list of exact origins'],
    ['session.origins', [`${origin}/`], 'it must be a list of exact origins'],
    ['session.secret', 'short', 'it must have at least 32 bytes'],
    ['session.login.secret', 'short', 'it must have at least 32 bytes'],
    ['session.turnstile', { secret: 'secret-of-turnstile', url: 'https://evil.example' }],
    ['session.demo', 'yes'],
    ['session.revoked', 'ada'],
    ['session.check', {}],
    ['policy.models', { opneai: ['a'] }, 'is not an option'],
    ['policy.models.openai', ['gpt-*'], 'it must be a list of model names'],
    ['policy.maxOutputTokens', 0, 'it must be a positive whole number'],
    ['policy.maxBodyBytes', 1.5, 'it must be a positive whole number'],
    ['policy.wholeAnswers', 'both'],
    ['policy.check', 'all'],
    ['keys.openai', 'short', 'it must be a bearer credential'],
    ['keys.openai', { key: canary, baseUrl: 'http://example.com' }],
    ['keys.aiGateway', { url: 'https://gateway.example' }],
    ['accounts', 'on'],
    ['accounts.binding', {}, 'it must be bound to UserAccount'],
    ['accounts.dailyBudgetUsd', -1, 'it must be an amount in dollars'],
    ['accounts.totalDailyBudgetUsd', '10'],
    ['accounts.liveStreams', 0],
    ['accounts.prices', { 'gpt-5-mini': [1, 2] }],
    ['limits.perUser', {}, 'it must be a rate limiting binding'],
    ['runs.binding', undefined, 'it must be bound to StreamRun'],
    ['runs.keptMs', -5],
    ['admin.token', 'short'],
    ['page.assets', {}, 'it must be a binding with "fetch"'],
    ['basePath', 'ai', 'it must begin with "/"'],
    ['basePath', '/ai/', 'it must begin with "/"'],
  ])('%s: %j is a TypeError that names it', (path, value, why = '') => {
    const make = () => createWorker(withOption(path, value) as WorkerOptions)
    expect(make).toThrow(TypeError)
    expect(make).toThrow(`"${path}`)
    expect(make).toThrow(why)
  })

  it('contains no value', () => {
    const make = () => createWorker(withOption('session.secret', 'hunter2') as WorkerOptions)
    expect(make).toThrow('session.secret')
    expect(make).not.toThrow('hunter2')
  })

  it('of a function of the environment closes every route, and the log has the problem', async () => {
    const worker = createWorker((env: { secret?: string }) => ({
      ...least(),
      session: { origins: [origin], secret: env.secret, demo: 'open' },
    }))
    for (const path of ['/v1/models', '/session', '/']) {
      expect((await worker.fetch(new Request(`https://w.example${path}`), {})).status).toBe(503)
    }
    const logged = vi.mocked(console.log).mock.calls.flat().join('\n')
    expect(logged).toContain('\\"session.secret\\" is missing')
    const again = await worker.fetch(new Request('https://w.example/v1/models'), { secret: sessionSecret })
    expect(again.status).toBe(503) // unknown visitors and no accounts
  })

  it.each([
    ['an error', new TypeError(`Cannot read ${canary}`), 'TypeError'],
    ['a text', canary, 'string'],
    ['nothing', undefined, 'undefined'],
  ])(
    'of a function that throws %s closes every route, and the log has its name and no value',
    async (_, thrown, name) => {
      const worker = createWorker(() => {
        throw thrown
      })
      for (const path of ['/v1/models', '/session', '/']) {
        expect((await worker.fetch(new Request(`https://w.example${path}`), {})).status).toBe(503)
      }
      const logged = vi.mocked(console.log).mock.calls.flat().join('\n')
      expect(logged).toContain(`The function that returns the options threw: ${name}`)
      expect(logged).not.toContain(canary)
    },
  )
})

describe('options that are unsafe together', () => {
  const { origins, secret } = whole().session
  const turnstile = { secret: 'secret-of-turnstile' }
  const aiGateway = { url: 'https://g.example/v1', token: 'a-token-of-the-gateway' }
  it.each<[object, string]>([
    [{ session: { origins, secret } }, 'without one of them no user can get a token'],
    [{ session: { origins, login: { secret: loginSecret } } }, '"session.secret" is missing'],
    [{ session: { origins, secret, turnstile }, accounts: 'off' }, 'their spending would have no limit'],
    [{ session: { origins, secret, demo: 'open' }, accounts: 'off' }, 'their spending would have no limit'],
    [{ session: { origins, check: () => undefined, turnstile } }, 'remove one of the two'],
    [{ session: { origins, check: () => undefined } }, 'it signs the names of the answers'],
    [{ session: { origins, secret, login: { secret } } }, '"session.login.secret" is equal to "session.secret"'],
    [{ keys: {} }, '"keys.openai" is missing'],
    [{ keys: { openai: canary, aiGateway } }, 'is set, and "keys.aiGateway.url" too'],
    [{ policy: { models: {} } }, 'All lists of models are empty'],
    [{ policy: { models: { openai: ['a', 'a'] } } }, 'names a model twice'],
  ])('are refused with a message: %o', (change, words) => {
    expect(() => createWorker({ ...whole(), ...change } as WorkerOptions)).toThrow(words)
  })
})

describe('below a path, in workerd', () => {
  const entries = {
    'hono-mount': `import { Hono } from 'hono'
      const app = new Hono().get('/', ({ text }) => text('my own'))
      app.mount('/ai', atRoot.fetch)
      export default app`,
    plain: `export default {
      fetch: (request, env, ctx) =>
        new URL(request.url).pathname.startsWith('/ai/') ? worker.fetch(request, env, ctx) : new Response('my own'),
    }`,
  }
  const common = `import { openaiChatFormat } from '../../src/formats/openai-chat/index.ts'
    import { createWorker } from '../../src/worker/index.ts'
    const options = (env) => ({
      formats: [openaiChatFormat],
      session: { origins: ['https://chat.example'], secret: env.SECRET, login: { secret: env.LOGIN } },
      policy: { models: { openai: ['demo-model'] } },
      keys: { openai: { key: env.KEY, baseUrl: env.URL } },
      accounts: { binding: env.ACCOUNTS, prices: { 'demo-model': { input: 1, output: 1 } } },
      runs: { binding: env.RUNS },
    })
    const worker = createWorker((env) => ({ ...options(env), basePath: '/ai' }))
    const atRoot = createWorker(options)`

  let provider: Upstream
  let workers: LocalWorkers
  beforeAll(async () => {
    provider = await startUpstream()
    const sources = Object.entries(entries).map(([name, entry]) => {
      const made = name === 'hono-mount' ? 'atRoot' : 'worker'
      return [name, `${common}\n${entry}\nexport const { UserAccount, StreamRun } = ${made}`]
    })
    const bindings = { SECRET: sessionSecret, LOGIN: loginSecret, KEY: canary, URL: `${provider.url}/v1` }
    workers = await startBuilt(Object.fromEntries(sources), { bindings })
  })
  afterAll(() => Promise.all([workers?.stop(), provider?.stop()]))

  it.each(Object.keys(entries))('answers by %s, streamed and kept, and leaves other paths to the app', async (name) => {
    vi.unstubAllGlobals()
    const url = workers.urls[Object.keys(entries).indexOf(name)] ?? ''
    expect(await (await fetch(`${url}/`)).text()).toBe('my own')
    const shown = { ...json, authorization: `Bearer ${await tokenFor({ url: `${url}/ai` }, 'ada')}` }
    const body = JSON.stringify({ ...question, stream: true })
    const init = { method: 'POST', headers: { ...shown, 'idempotency-key': name }, body }
    const answer = await fetch(`${url}/ai/v1/chat/completions`, init)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('[DONE]')
    const again = await fetch(`${url}/ai/v1/streams/${answer.headers.get('x-isoglot-stream')}`, { headers: shown })
    expect(await again.text()).toContain('[DONE]')
    expect((await fetch(`${url}/ai/v1/chat/completions`, { ...init, headers: json })).status).toBe(401)
  })
})
