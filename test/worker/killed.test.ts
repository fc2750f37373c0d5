/**
 * The Worker in workerd, killed while it grants, books and answers: each request is booked once or still reserved, no budget is exceeded,
 * and each kept stream has all that its reader had, and asked its provider once.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ended, endingOf, failed } from '../gateway/wire.ts'
import { isExhaustive } from '../support/cuts.ts'
import { seeded } from '../support/random.ts'
import { pause } from '../support/upstream.ts'
import {
  adminToken,
  loginSecret,
  type Rig,
  type Script,
  saying,
  startRig,
  startUpstream,
  summaryOf,
  tokenFor,
} from './harness.ts'
import { headersOf, idOf, partsOf, pieces, userWith } from './kept.ts'

const upstream = await startUpstream()
afterAll(() => upstream.stop())

/** A Worker that can be killed and started again on what it has stored. A token of output costs a micro-dollar, and input nothing. */
function killable(more: Record<string, string> = {}) {
  const stateFolder = mkdtempSync(join(tmpdir(), 'isoglot-killed-'))
  const settings = { LOGIN_SECRET: loginSecret, ADMIN_TOKEN: adminToken, PRICES: '{"demo-model":[0,1]}', ...more }
  const start = () => startRig(upstream.url, settings, { stateFolder })
  let rig: Rig
  beforeAll(async () => {
    rig = await start()
  })
  afterAll(async () => {
    await rig.stop()
    rmSync(stateFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  })
  return {
    now: () => rig,
    summary: () => summaryOf(rig),
    async restart() {
      rig = await start()
    },
  }
}

describe('leases', () => {
  /** An answer may have 100 tokens, and has 7. */
  const [most, each] = [100, 7]
  const [ofUser, ofAll] = [10 * most, 50 * most]
  const users = Array.from({ length: 8 }, (_, at) => `user-${at}`)
  const worker = killable({ TOTAL_DAILY_BUDGET_USD: `${ofAll / 1e6}` })
  const { summary } = worker

  async function ask(user: string, say: string): Promise<number | undefined> {
    const token = await tokenFor(worker.now(), user, { dailyBudgetUsd: ofUser / 1e6, maxOutputTokens: most })
    const headers = { authorization: `Bearer ${token}` }
    const answer = await worker.now().ask('openai-chat', say, {}, { headers })
    await answer.text()
    return answer.status
  }

  it('never exceed the budget of a user or of all, and each answer is booked once', async () => {
    upstream.script('short', saying('Hello there'))
    for (let times = 0; times < 3; times++) expect(await ask('ada', 'short')).toBe(200)
    await vi.waitUntil(async () => (await summary()).liveCount === 0, { timeout: 30_000 })

    for (const user of users) upstream.script(user, () => {}) // the provider answers no request
    const heard = () => users.map((user) => upstream.askedFor(user).length)
    const total = () => heard().reduce((sum, count) => sum + count, 0)
    const flood = () =>
      users.flatMap((user) => Array.from({ length: 12 }, () => ask(user, user).catch(() => undefined)))
    const first = flood()
    await vi.waitUntil(() => total() >= 20, { timeout: 30_000, interval: 5 })
    await worker.now().worker.kill()
    await Promise.all(first)
    await worker.restart()

    // Open requests stay reserved, so each user has what the killed ones left, and the Worker too.
    const second = flood()
    const refusals = Promise.all(second.map(async (status) => (await status) === 429))
    const affordable = Math.floor((ofAll - 3 * each) / most)
    await vi.waitUntil(async () => (await summary()).refusals.some(({ count }) => count >= 96 - affordable), {
      timeout: 60_000,
    })
    expect(Math.max(...heard())).toBeLessThanOrEqual(ofUser / most)
    expect(total()).toBeLessThanOrEqual(affordable)
    for (let times = 0; times < 2; times++) {
      const { days, liveCount } = await summary()
      expect(days).toMatchObject([{ user: 'ada', requests: 3, outputTokens: 21, spent: 3 * each }])
      expect(liveCount).toBeGreaterThanOrEqual(total())
    }
    await worker.now().stop()
    await refusals.catch(() => {})
    await worker.restart()
    expect((await summary()).days).toMatchObject([{ user: 'ada', requests: 3, spent: 3 * each }])
  })
})

describe('bookings and kept streams', () => {
  const wire = 'openai-chat'
  const users = ['ada', 'bob', 'eve', 'kim']
  const kills = isExhaustive ? 20 : 3
  const random = seeded(11)
  const worker = killable()

  interface Sent {
    readonly user: string
    readonly key: string
    readonly isKept: boolean
    /** The name of the kept stream, and the parts of the answer that arrived. */
    id?: string
    readonly parts: string[]
  }
  const sent: Sent[] = []
  const of = <One extends { readonly user: string }>(all: readonly One[], user: string) =>
    all.filter((one) => one.user === user)

  /** A piece every few milliseconds. */
  const slowly: Script = async (_, response) => {
    response.writeHead(200, headersOf(wire))
    for (const piece of pieces(wire)) {
      response.write(piece)
      await pause(3)
    }
    response.end()
  }

  /** Asks one question after the other until the Worker is gone. Every second answer is kept. */
  async function converse(user: string): Promise<void> {
    const token = await tokenFor(worker.now(), user, { maxOutputTokens: 100 })
    const asked = userWith(worker.now(), token)
    for (;;) {
      const one: Sent = { user, key: `<${sent.length}>`, isKept: sent.length % 2 === 0, parts: [] }
      sent.push(one)
      upstream.script(one.key, slowly)
      try {
        const plain = { headers: { authorization: `Bearer ${token}` } }
        const answer = await (one.isKept
          ? asked.ask(one.key, wire)
          : worker.now().ask(wire, one.key, { stream: true }, plain))
        one.id = idOf(answer)
        let text = ''
        for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
          text += chunk
          one.parts.splice(0, Number.POSITIVE_INFINITY, ...partsOf(wire, text).filter((part) => part.endsWith('\n\n')))
        }
      } catch {
        return
      }
    }
  }

  beforeAll(async () => {
    for (let times = 0; times < kills; times++) {
      const before = sent.length
      const conversations = users.flatMap((user) => [converse(user), converse(user)])
      await vi.waitUntil(() => sent.length > before + 24, { timeout: 60_000, interval: 1 })
      await pause(random() * 30)
      await worker.now().worker.kill()
      await Promise.all(conversations)
      await worker.restart()
    }
  }, kills * 40_000) // the Worker starts as often

  /** The accounts of each user, as the object of the whole Worker reports them, asked twice. */
  async function checkAccounts(): Promise<void> {
    for (let times = 0; times < 2; times++) {
      const { days, live } = await worker.summary()
      for (const user of users) {
        const booked = of(days, user).reduce((sum, { requests }) => sum + requests, 0)
        const reserved = of(live, user).length
        const asked = of(sent, user).filter(({ key }) => upstream.askedFor(key).length > 0).length
        expect(booked + reserved, `nothing of ${user} is lost`).toBeGreaterThanOrEqual(asked)
        expect(booked + reserved, `nothing of ${user} counts twice`).toBeLessThanOrEqual(of(sent, user).length)
        expect(of(days, user).reduce((sum, { spent }) => sum + spent, 0)).toBe(7 * booked)
      }
    }
  }

  it('are each booked once, or have their reservation', async () => {
    expect(sent.length).toBeGreaterThan(24 * kills)
    await checkAccounts()
  })

  it('have what their reader had, with one end, and none of them is asked for again', async () => {
    const begun = sent.filter(({ isKept, id }) => isKept && id)
    expect(begun.some(({ parts }) => parts.length > 0)).toBe(true)
    for (const { user, key, id = '', parts } of begun) {
      const reader = userWith(worker.now(), await tokenFor(worker.now(), user))
      const text = await (await reader.read(id)).text()
      expect(partsOf(wire, text).slice(0, parts.length)).toEqual(parts)
      expect([ended, failed]).toContainEqual(endingOf(wire, text))
      expect(await (await reader.ask(key, wire)).text()).toBe(text)
      expect(upstream.askedFor(key).length).toBeLessThanOrEqual(1)
    }
    await checkAccounts()
  })
})
