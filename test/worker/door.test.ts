/** Access to the Worker: tokens of the operator's own server, Turnstile, lists, counts and paths, in workerd itself. */
import { afterAll, describe, expect, inject, it } from 'vitest'
import { seeded } from '../support/random.ts'
import { type Answering, json, startUpstream as startScripted } from '../support/upstream.ts'
import { askForToken, loginSecret, openRig, postByHand, sessionSecret } from './harness.ts'
import { claimsOf, kidOf, sign } from './tokens.ts'

const nextSecret = 'the-secret-that-comes-after-this-one-2'

const siteverify = await startScripted()
const { upstream, rig } = await openRig({
  LOGIN_SECRET: loginSecret,
  SESSION_SECRET_NEXT: nextSecret,
  TURNSTILE_SECRET: 'a-secret-of-turnstile',
  TURNSTILE_URL: `${siteverify.url}/siteverify`,
  OPENAI_MODELS: 'demo-model,other-model',
  MAX_OUTPUT_TOKENS: '500',
})
const origin = rig.url
afterAll(() => siteverify.stop())

const open = (body: object, headers: Record<string, string> = { authorization: `Bearer ${loginSecret}` }) =>
  askForToken(rig.url, body, headers)

async function tokenFor(body: object, headers?: Record<string, string>): Promise<string> {
  return ((await (await open(body, headers)).json()) as { token: string }).token
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const get = (path: string, headers: Record<string, string>) => fetch(rig.url + path, { headers })

describe("a token for a user of the operator's server", () => {
  it("permits what the server requests, within the Worker's own limits", async () => {
    const scope = { models: ['anthropic:demo-model'], maxOutputTokens: 9000, dailyBudgetUsd: 0.25, lifetimeSeconds: 60 }
    const token = await tokenFor({ user: 'ada@example', ...scope, origin })
    const { sub, iat, exp, scope: granted } = claimsOf(token)
    expect([sub, exp - iat]).toEqual(['ada@example', 60])
    expect(granted).toEqual({ models: scope.models, maxOutputTokens: 500, dailyBudget: 250_000, origin })
  })

  it('is valid only for its models, and lists no others', async () => {
    const headers = bearer(await tokenFor({ user: 'ada', models: ['anthropic:demo-model', 'openai-chat:other-model'] }))
    const { data } = (await (await get('/v1/models', headers)).json()) as { data: { id: string }[] }
    expect(data.map(({ id }) => id).sort()).toEqual(['anthropic:demo-model', 'other-model'])
    // `demo-model` is OpenAI's in this wire.
    const asked = ['other-model', 'anthropic:demo-model', 'demo-model'].map((model) =>
      rig.ask('openai-chat', 'hi', { model }, { headers }),
    )
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 404])
  })

  it.each([
    ['no user', {}],
    ['a user that is not a name', { user: 'a b' }],
    ['a user without end', { user: 'x'.repeat(129) }],
    ['a model that is not here', { user: 'ada', models: ['openai-chat:gpt-9'] }],
    ['a page that is not ours', { user: 'ada', origin: 'https://evil.test' }],
    ['a longer life than any', { user: 'ada', lifetimeSeconds: 901 }],
    ['less than no money', { user: 'ada', dailyBudgetUsd: -1 }],
    ['a field that nobody knows', { user: 'ada', admin: true }],
  ])('is refused for %s', async (_, body) => {
    expect((await open(body)).status).toBe(400)
  })

  it.each(['', 'Bearer ', `Bearer ${loginSecret}x`, `Basic ${loginSecret}`, `Bearer ${loginSecret}, Bearer x`])(
    'is refused for "%s"',
    async (authorization) => {
      expect((await open({ user: 'ada' }, { authorization })).status).toBe(403)
      expect((await open({ user: 'ada' }, { authorization, origin })).status).toBe(400)
      expect((await open({}, { authorization, origin })).status).toBe(401)
    },
  )
})

describe('the secrets that sign', () => {
  it('may be two while one replaces the other, but not more', async () => {
    const statuses = [sessionSecret, nextSecret, 'a-third-secret-that-nobody-has-set-here'].map(async (secret) => {
      return (await get('/v1/models', bearer(await sign({ kid: kidOf(secret) }, {}, secret)))).status
    })
    expect(await Promise.all(statuses)).toEqual([200, 200, 401])
  })

  it('are identified by a key id that reveals nothing about them', async () => {
    const token = await tokenFor({ user: 'ada' })
    const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
    expect(header).toEqual({ alg: 'HS256', typ: 'session+jwt', kid: kidOf(sessionSecret) })
  })
})

const bring = (turnstile: unknown) => open({ turnstile }, { origin })

describe('a page with an answer of Turnstile', () => {
  const hostname = '127.0.0.1'
  const good = { success: true, hostname, action: 'session', challenge_ts: '2026-11-21T00:00:00Z', 'error-codes': [] }

  it('gets a token if Cloudflare confirms the answer for this page and this action', async () => {
    siteverify.answer(json(good))
    const answer = await bring('an answer')
    const { token } = (await answer.json()) as { token: string }
    expect([answer.status, claimsOf(token).scope.origin]).toEqual([200, origin])
    expect(siteverify.asked[0]?.body).toMatchObject({ secret: 'a-secret-of-turnstile', response: 'an answer' })
    expect((await get('/v1/models', { ...bearer(token), origin })).status).toBe(200)
  })

  it('stays the same user if it sends its last token', async () => {
    siteverify.answer(json(good))
    const first = await tokenFor({ turnstile: 'one' }, { origin })
    const second = await tokenFor({ turnstile: 'two' }, { origin, ...bearer(first) })
    const third = await tokenFor({ turnstile: 'three' }, { origin })
    const [one, two, three] = [first, second, third].map((token) => claimsOf(token).sub)
    expect([two === one, three === one]).toEqual([true, false])
  })

  const text =
    (body: string, status = 200): Answering =>
    (response) =>
      void response.writeHead(status).end(body)
  const redirect: Answering = (response) => void response.writeHead(307, { location: `${siteverify.url}/ok` }).end()
  it.each<[string, Answering, number]>([
    ['was used before', json({ success: false, 'error-codes': ['timeout-or-duplicate'] }), 401],
    ['has expired', json({ success: false, 'error-codes': ['invalid-input-response'] }), 401],
    ['cannot be checked, since Cloudflare says so', json({ success: false, 'error-codes': ['internal-error'] }), 503],
    ['is checked with a wrong secret', json({ success: false, 'error-codes': ['invalid-input-secret'] }), 503],
    ['was given on another site', json({ ...good, hostname: 'evil.test' }), 401],
    ['was given for something else', json({ ...good, action: 'contact' }), 401],
    ['is good in a word that is none', json({ ...good, success: 'true' }), 401],
    ['cannot be checked, since Cloudflare fails', json(good, 500), 503],
    ['cannot be checked, since a page of HTML comes', text('<html>success: true</html>'), 503],
    ['cannot be checked, since nothing comes', text(''), 503],
    ['cannot be checked, since null comes', json(null), 503],
    ['cannot be checked, since the line breaks', (response) => void response.destroy(), 503],
    ['is checked elsewhere', redirect, 503],
    ['takes longer to check than it may', () => {}, 503],
  ])('gets none if it %s', async (_, answering, status) => {
    siteverify.answer(answering)
    const answer = await bring('an answer')
    expect([answer.status, await answer.text()]).toEqual([status, expect.not.stringContaining('token"')])
    expect(answer.headers.get('x-should-retry')).toBe(`${status === 503}`)
    expect(siteverify.asked).toHaveLength(1)
  })

  it.each([undefined, '', 7, 'x'.repeat(2049)])('gets none for %s, and no provider is asked', async (turnstile) => {
    siteverify.answer(json(good))
    expect([400, 401]).toContain((await bring(turnstile)).status)
    expect(siteverify.asked).toHaveLength(0)
  })

  it('gets none from other pages, and no provider is asked', async () => {
    siteverify.answer(json(good))
    for (const from of [{}, { origin: 'null' }, { origin: 'https://evil.test' }])
      expect((await open({ turnstile: 'an answer' }, from)).status).toBe(403)
    expect(siteverify.asked).toHaveLength(0)
  })

  it('may show the widget, and nothing else that is not its own', async () => {
    const policy = (await fetch(rig.url)).headers.get('content-security-policy')
    expect(policy).toContain("script-src 'self' https://challenges.cloudflare.com;")
    expect(policy).toContain('frame-src https://challenges.cloudflare.com;')
    expect(policy).toContain("connect-src 'self';")
  })
})

describe('the available models', () => {
  it('is listed as each wire does, and counted', async () => {
    const token = await tokenFor({ user: 'ada' })
    const shown = bearer(token)
    const lists: [string, Record<string, string>, (body: Loose) => unknown][] = [
      ['/v1/models', shown, ({ data }) => data[0].object],
      ['/v1/models', { 'x-api-key': token, 'anthropic-version': '2023-06-01' }, ({ data }) => data[0].type],
      ['/v1beta/models', { 'x-goog-api-key': token }, ({ models }) => models[0].name],
      ['/api/tags', shown, ({ models }) => models[0].name],
    ]
    const found = lists.map(async ([path, headers, read]) => read(await (await get(path, headers)).json()))
    expect(await Promise.all(found)).toEqual(['model', 'model', 'models/demo-model', 'demo-model'])
    expect((await get('/api/version', shown)).status).toBe(200)
    expect((await get('/v1/models', {})).status).toBe(401)
  })

  it('are counted by their allowed names, and by no others', async () => {
    const token = await tokenFor({ user: 'ada' })
    const count = (more: object) =>
      fetch(`${rig.url}/v1/messages/count_tokens`, {
        method: 'POST',
        headers: { ...bearer(token), 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'other-model', messages: [{ role: 'user', content: 'Hello' }], ...more }),
      })
    const before = upstream.asked.length
    const answer = await count({})
    expect([answer.status, answer.headers.get('x-token-count')]).toEqual([200, 'estimated'])
    expect((await count({ mcp_servers: [] })).status).toBe(400)
    expect((await count({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] })).status).toBe(400)
    expect(upstream.asked.length).toBe(before)
  })
})

type Loose = ReturnType<typeof JSON.parse>

const smallBody = '{"model":"demo-model","messages":[{"role":"user","content":"hi"}]}'

describe('a body with wrong headers', () => {
  it.each([
    ['a length below zero', 'content-length: -1'],
    ['a length that is not a number', 'content-length: many'],
    ['two lengths', `content-length: 2\r\ncontent-length: ${smallBody.length}`],
    ['a length of more than there may be', 'content-length: 99999999999'],
    ['an encoding that nobody knows', 'transfer-encoding: nonsense'],
    ['no length at all', 'x: y'],
  ])('has %s, and reaches no provider', async (_, header) => {
    const before = upstream.asked.length
    expect(['', '400', '408', '411', '413', '415', '501']).toContain(await lie(header))
    expect(upstream.asked.length).toBe(before)
  })
})

/** Sends a body with this line before it. The status of what comes back; empty if nothing does. */
async function lie(header: string): Promise<string> {
  const lines = [`authorization: Bearer ${await tokenFor({ user: 'ada' })}`, header]
  const socket = postByHand(rig.url, '/v1/chat/completions', lines, smallBody)
  return new Promise((resolve) => {
    socket.setTimeout(3000, () => socket.destroy())
    socket.once('data', (data) => {
      resolve(/^HTTP\/1.1 (\d+)/.exec(String(data))?.[1] ?? '')
      socket.destroy()
    })
    socket.once('close', () => resolve(''))
  })
}

// These wait beside one another. None of them asks the provider.
describe.concurrent('with real time', () => {
  it('a body that is shorter than its length header reaches no provider', async ({ expect }) => {
    const before = upstream.asked.length
    expect(['', '400', '408']).toContain(await lie(`content-length: ${smallBody.length + 10}`))
    expect(upstream.asked.length).toBe(before)
  })

  it('any unknown path or method is answered with 400, 401, 404 or 405', async ({ expect }) => {
    const token = await tokenFor({ user: 'ada' })
    const random = seeded(27)
    const pieces = 'v1 v1beta api models chat messages .. %2e%2e %2f ;x %00  session admin streams'.split(' ')
    const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
    const path = () =>
      `/${Array.from({ length: 1 + Math.floor(random() * 5) }, () => pick(pieces)).join('/')}${pick(['', '/', '?k=v', ':generateContent'])}`
    const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']
    // The first 300 have each piece in each place, and with each method, ending and token; 700 have each piece after each other.
    const batches = inject('isExhaustive') ? 40 : 6
    const before = upstream.asked.length
    const seen = new Set<number>()
    for (let batch = 0; batch < batches; batch++) {
      const answers = Array.from({ length: 50 }, async () => {
        const [method, to, withToken] = [pick(methods), path(), random() < 0.5]
        const { status } = await fetch(rig.url + to, {
          method,
          headers: withToken ? bearer(token) : {},
          redirect: 'manual',
        })
        return [method, to, status] as const
      })
      for (const [method, to, status] of await Promise.all(answers)) {
        seen.add(status)
        const isFine = [400, 401, 403, 404, 405, 415].includes(status)
        // The page, and the lists that are for requests with a token.
        const isThere = status < 400 && /^(GET|HEAD)$/.test(method)
        expect([method, to, isFine || isThere]).toEqual([method, to, true])
      }
    }
    expect(seen).toContain(404)
    expect(upstream.asked.length).toBe(before)
  })
})
