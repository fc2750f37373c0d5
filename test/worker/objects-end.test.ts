/** Durable Objects that end in the middle of a call, as all do when a new version is deployed: in workerd. */
import { afterAll, describe, expect, it } from 'vitest'
import {
  adminToken,
  canary,
  loginSecret,
  saying,
  sessionSecret,
  startUpstream,
  summaryOf,
  tokenFor,
} from './harness.ts'
import { startBuilt } from './local.ts'

/** Each object ends once in the calls that the name of its user lists, such as `settle-after`. */
const contents = `
  import { allFormats } from '../../src/gateway/index.ts'
  import { createWorker } from '../../src/worker/index.ts'
  const worker = createWorker((env) => ({
    formats: allFormats,
    session: { origins: ['https://chat.example'], secret: env.SECRET, login: { secret: env.LOGIN } },
    policy: { models: { openai: ['demo-model'] } },
    keys: { openai: { key: env.KEY, baseUrl: env.URL } },
    accounts: { binding: env.ACCOUNTS, prices: { 'demo-model': { input: 0, output: 1 } } },
    runs: { binding: env.RUNS },
    admin: { token: env.ADMIN },
  }))
  const ended = new Set()
  const ending = (Base, methods) => {
    class Ending extends Base {}
    for (const [method, describe] of Object.entries(methods)) {
      Ending.prototype[method] = async function (...values) {
        const [user, name = method] = describe(this, ...values)
        const end = (when) => {
          const key = [user, name, when].join()
          if (!user.includes(name + '-' + when) || ended.has(key)) return
          if (!user.includes('always')) ended.add(key)
          this.ctx.abort('The object is reset')
        }
        end('before')
        const result = await Base.prototype[method].apply(this, values)
        end('after')
        return result
      }
    }
    return Ending
  }
  const users = new Map()
  export const UserAccount = ending(worker.UserAccount, {
    reserve: (_, { requestId, user }) => [users.set(requestId, user) && user],
    settle: (_, { requestId }) => [users.get(requestId) ?? ''],
  })
  const ownerOf = ({ ctx }) => ctx.id.name.split('\\n')[0]
  export const StreamRun = ending(worker.StreamRun, {
    fetch: (object, { method }) => [ownerOf(object), method],
    stop: (object) => [ownerOf(object), 'DELETE'],
  })
  export default worker`

const upstream = await startUpstream()
const secrets = { SECRET: sessionSecret, LOGIN: loginSecret, KEY: canary, ADMIN: adminToken }
const workers = await startBuilt({ 'isoglot-ends': contents }, { bindings: { ...secrets, URL: `${upstream.url}/v1` } })
afterAll(() => Promise.all([workers.stop(), upstream.stop()]))

async function call(path: string, { user, ...init }: RequestInit & { readonly user: string }): Promise<Response> {
  const [url = ''] = workers.urls
  const authorization = `Bearer ${await tokenFor({ url }, user)}`
  return fetch(url + path, { ...init, headers: { 'content-type': 'application/json', authorization, ...init.headers } })
}

async function ask(user: string, more: Record<string, string> = {}): Promise<Response> {
  upstream.script(user, saying('Hi'))
  const body = JSON.stringify({ model: 'demo-model', messages: [{ role: 'user', content: user }] })
  return call('/v1/chat/completions', { user, method: 'POST', headers: more, body })
}

async function accountOf(name: string) {
  const [url = ''] = workers.urls
  const summary = await summaryOf({ url })
  const { requests = 0, spent = 0 } = summary.days.find(({ user }) => user === name) ?? {}
  return { requests, spent, live: summary.live.filter(({ user }) => user === name).length }
}

describe('an object that ends', () => {
  it.each(['reserve-before', 'reserve-after', 'settle-before', 'settle-after', 'reserve-before.settle-after'])(
    'in the middle of %s: the answer arrives, and is booked once',
    async (user) => {
      const answer = await ask(user)
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Hi')])
      await expect.poll(() => accountOf(user)).toEqual({ requests: 1, spent: 7, live: 0 })
      expect(upstream.askedFor(user)).toHaveLength(1)
    },
  )

  it('in each call: nothing is asked, and the client hears that it may try again', async () => {
    const answer = await ask('always.reserve-before')
    expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([503, 'true'])
    expect(await answer.text()).toContain('not available now')
    expect(upstream.askedFor('always.reserve-before')).toHaveLength(0)
  })

  it('in each settlement: the answer arrives, its place stays taken, and the log says so', async () => {
    const user = 'always.settle-before'
    expect((await ask(user)).status).toBe(200)
    await expect.poll(() => workers.log()).toContain('"outcome":"unsettled"')
    expect(workers.log()).toContain('"outcome":"answered"')
    expect(await accountOf(user)).toEqual({ requests: 0, spent: 0, live: 1 })
  })

  it.each(['POST', 'GET', 'DELETE'].flatMap((method) => [`${method}-before`, `${method}-after`]))(
    'in the middle of %s of a stored answer: the client does not notice',
    async (user) => {
      const answer = await ask(user, { 'idempotency-key': 'k' })
      const text = await answer.text()
      expect([answer.status, text]).toEqual([200, expect.stringContaining('Hi')])
      const path = `/v1/streams/${answer.headers.get('x-isoglot-stream')}`
      expect(await (await call(path, { user })).text()).toBe(text)
      expect((await call(path, { user, method: 'DELETE' })).status).toBe(204)
      expect(upstream.askedFor(user)).toHaveLength(1)
    },
  )
})
