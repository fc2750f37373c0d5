/** Leases in workerd itself, which is killed while it grants, books and answers: nothing is lost, and nothing counted twice. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import {
  adminToken,
  loginSecret,
  type Rig,
  saying,
  startRig,
  startUpstream,
  summaryOf,
  tokenFor,
  type Upstream,
} from './harness.ts'

/** In micro-dollars: a token of output costs 1, and input nothing. An answer may have 100 tokens, and has 7. */
const [most, each] = [100, 7]
const [ofUser, ofAll] = [10 * most, 50 * most]
const users = Array.from({ length: 8 }, (_, at) => `user-${at}`)
const stateFolder = mkdtempSync(join(tmpdir(), 'isoglot-leases-'))

let upstream: Upstream
let rig: Rig
const start = () => {
  const settings = { LOGIN_SECRET: loginSecret, ADMIN_TOKEN: adminToken, PRICES: '{"demo-model":[0,1]}' }
  return startRig(upstream.url, { ...settings, TOTAL_DAILY_BUDGET_USD: `${ofAll / 1e6}` }, { stateFolder })
}
beforeAll(async () => {
  upstream = await startUpstream()
  rig = await start()
})
afterAll(async () => {
  await Promise.all([rig.stop(), upstream.stop()])
  rmSync(stateFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})

async function ask(user: string, say: string): Promise<number | undefined> {
  const token = await tokenFor(rig, user, { dailyBudgetUsd: ofUser / 1e6, maxOutputTokens: most })
  const headers = { authorization: `Bearer ${token}` }
  const answer = await rig.ask('openai-chat', say, {}, { headers })
  await answer.text()
  return answer.status
}

const summary = () => summaryOf(rig)

it('never exceeds the budget of a user or of all, and books each answer once', async () => {
  upstream.script('short', saying('Hello there'))
  for (let times = 0; times < 3; times++) expect(await ask('ada', 'short')).toBe(200)
  await vi.waitUntil(async () => (await summary()).liveCount === 0, { timeout: 30_000 })

  for (const user of users) upstream.script(user, () => {}) // the provider answers no request
  const heard = () => users.map((user) => upstream.askedFor(user).length)
  const total = () => heard().reduce((sum, count) => sum + count, 0)
  const flood = () => users.flatMap((user) => Array.from({ length: 12 }, () => ask(user, user).catch(() => undefined)))
  const first = flood()
  await vi.waitUntil(() => total() >= 20, { timeout: 30_000, interval: 5 })
  await rig.worker.kill()
  await Promise.all(first)
  rig = await start()

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
  await rig.stop()
  await refusals.catch(() => {})
  rig = await start()
  expect((await summary()).days).toMatchObject([{ user: 'ada', requests: 3, spent: 3 * each }])
})
