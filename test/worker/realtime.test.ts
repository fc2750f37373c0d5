/** Client secrets of OpenAI's Realtime API: https://platform.openai.com/docs/api-reference/realtime-sessions (read 2026-11). */
import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createWorker, type ModelWorker, type WorkerOptions } from '../../src/worker/index.ts'
import { disguises, holdsCanary } from '../support/canary.ts'
import { canary, sessionSecret } from './harness.ts'

const loginSecret = 'what-the-server-of-the-app-shows-us-1'
const minted = {
  value: 'ek_68af296e8e408191a1120ab6383263c2',
  expires_at: 1756310470,
  session: { type: 'realtime', object: 'realtime.session', id: 'sess_1', model: 'gpt-realtime' },
}

const upstream = vi.fn<typeof fetch>()
const logged = vi.fn()
beforeEach(() => {
  upstream.mockReset().mockImplementation(async () => Response.json(minted))
  logged.mockReset()
  vi.stubGlobal('fetch', upstream)
  vi.spyOn(console, 'log').mockImplementation(logged)
})

/** Accounts that record reservations and bookings. */
function accountsOf(verdict: object = { ok: true }) {
  const reserve = vi.fn(async (_: object) => verdict)
  const settle = vi.fn(async (_: object) => undefined)
  return { reserve, settle, binding: { getByName: () => ({ reserve, settle }) } }
}

const options = (more: Partial<WorkerOptions> = {}): WorkerOptions => ({
  session: { origins: ['https://chat.example'], secret: sessionSecret, login: { secret: loginSecret } },
  policy: { models: { openai: ['demo-model'] } },
  keys: { openai: canary },
  accounts: 'off',
  realtime: { models: ['gpt-realtime'], usd: 0.25 },
  ...more,
})

const post = (path: string, token: string, body: unknown) =>
  new Request(`https://w.example${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  })

async function order(worker: ModelWorker, session: object = {}, user: object = {}): Promise<Response> {
  const ordered = await worker.fetch(post('/session', loginSecret, { user: 'ada', ...user }))
  const { token } = (await ordered.json()) as { token: string }
  return worker.fetch(post('/v1/realtime/client_secrets', token, { session: { model: 'gpt-realtime', ...session } }))
}

describe('a client secret', () => {
  it('is OpenAI’s answer to a request with its key, for a minute, and for a user whose name OpenAI does not get', async () => {
    const answer = await order(createWorker(options()), { instructions: 'Be brief.' })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual(minted)
    expect(answer.headers.get('cache-control')).toContain('no-store')
    const [url, init] = upstream.mock.calls[0] ?? []
    expect(url).toBe('https://api.openai.com/v1/realtime/client_secrets')
    const headers = new Headers(init?.headers)
    expect(headers.get('authorization')).toBe(`Bearer ${canary}`)
    expect(headers.get('openai-safety-identifier')).toBe(createHash('sha256').update('ada').digest('hex'))
    expect(JSON.parse(String(init?.body))).toEqual({
      expires_after: { anchor: 'created_at', seconds: 60 },
      session: { type: 'realtime', model: 'gpt-realtime', instructions: 'Be brief.' },
    })
  })

  it('is never logged', async () => {
    await order(createWorker(options()))
    expect(JSON.stringify(logged.mock.calls)).toContain('client_secret')
    expect(JSON.stringify(logged.mock.calls)).not.toContain(minted.value)
  })

  it('takes its amount from the budget of the user', async () => {
    const { reserve, settle, binding } = accountsOf()
    await order(createWorker(options({ accounts: { binding: binding as never } })))
    const amount = { model: 'realtime:gpt-realtime', wire: 'realtime', provider: 'openai', user: 'ada', cost: 250_000 }
    expect(reserve.mock.calls).toMatchObject([[amount]])
    expect(settle.mock.calls).toMatchObject([[{ outcome: 'client_secret', cost: 250_000 }]])
  })

  it('is refused for a user without money, without a request to OpenAI', async () => {
    const { binding } = accountsOf({ ok: false, reason: 'budget', retryAfterSeconds: 9 })
    const answer = await order(createWorker(options({ accounts: { binding: binding as never } })))
    expect([answer.status, upstream.mock.calls.length]).toEqual([429, 0])
  })

  it('costs nothing if OpenAI returns none, and OpenAI’s message is not passed on', async () => {
    const error = {
      message: `Incorrect API key provided: ${canary}`,
      type: 'invalid_request_error',
      code: 'invalid_api_key',
    }
    upstream.mockImplementation(async () => Response.json({ error }, { status: 401 }))
    const { settle, binding } = accountsOf()
    const answer = await order(createWorker(options({ accounts: { binding: binding as never } })))
    expect(answer.status).toBe(502)
    expect(await answer.text()).not.toContain('Incorrect')
    expect(settle.mock.calls).toMatchObject([[{ outcome: 'no_client_secret', cost: 0 }]])
    expect(JSON.stringify(logged.mock.calls)).toContain('authentication')
    expect(JSON.stringify(logged.mock.calls)).not.toContain(canary)
  })

  it.each(Object.entries(disguises))(
    'does not hold the key of the Worker, which OpenAI repeats: %s',
    async (_, write) => {
      upstream.mockImplementation(async () => new Response(`{"value":"ek_1","note":"${write(canary)}"}`))
      const answer = await order(createWorker(options()))
      const text = await answer.text()
      expect([answer.status, text.includes('ek_1'), holdsCanary(text)]).toEqual([200, true, false])
    },
  )

  it.each([
    ['a model that is not in the list', { model: 'gpt-realtime-dear' }],
    [
      'a server of MCP, which OpenAI would call',
      { tools: [{ type: 'mcp', server_label: 'a', server_url: 'https://a' }] },
    ],
    ['a stored prompt', { prompt: { id: 'pmpt_1' } }],
    ['a session of another kind', { type: 'transcription' }],
  ])('is refused for %s', async (_, session) => {
    const answer = await order(createWorker(options()), session)
    expect([answer.status, upstream.mock.calls.length]).toEqual([400, 0])
  })

  it('is refused for a token with other models', async () => {
    const worker = createWorker(options())
    expect((await order(worker, {}, { models: ['openai-chat:demo-model'] })).status).toBe(400)
    expect((await order(worker, {}, { models: ['realtime:gpt-realtime'] })).status).toBe(200)
  })

  it('is refused without a token', async () => {
    const answer = await createWorker(options()).fetch(post('/v1/realtime/client_secrets', 'x', {}))
    expect([answer.status, upstream.mock.calls.length]).toEqual([401, 0])
  })
})

describe('the option', () => {
  it('is off by default', async () => {
    expect((await order(createWorker(options({ realtime: undefined })))).status).toBe(404)
  })

  it('needs the key of OpenAI', () => {
    const other = options({ policy: { models: { anthropic: ['claude-haiku-4-5'] } }, keys: { anthropic: canary } })
    expect(() => createWorker(other)).toThrow('"keys.openai" is missing: "realtime" requests client secrets with it')
  })

  it.each([9, 7201, 0.5])('refuses %d seconds', (seconds) => {
    const realtime = { models: ['gpt-realtime'], usd: 0.25, seconds }
    expect(() => createWorker(options({ realtime }))).toThrow('realtime.seconds')
  })
})
