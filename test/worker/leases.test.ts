/** Leases of the Worker's budget: any order of requests, ends, crashes and lost calls, over many objects of the accounts. */
import fc from 'fast-check'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { accountOf, type Reservation, wholeWorker } from '../../src/worker/accounts/accounts.ts'
import { idleMs } from '../../src/worker/accounts/lease.ts'
import { isExhaustive } from '../support/cuts.ts'
import { type Fate, type Objects, openObjects } from './objects.ts'
import { reservation, settlement, tablesOf } from './on-sqlite.ts'

const minute = 60_000
const noon = Date.parse('2026-11-21T12:00:00Z')
const today = '2026-11-21'
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: noon }))

const [dailyBudget, totalDailyBudget] = [1000, 5000]
const budgets = { dailyBudget, totalDailyBudget }

let nextId = 0
async function ask(objects: Objects, user: string, cost: number, more: Partial<Reservation> = {}) {
  const id = `r${nextId++}`
  const { ok } = await objects.user(user).reserve(reservation(id, { user, cost, isLeased: true, ...budgets, ...more }))
  return { id, ok }
}
const spend = async (objects: Objects, user: string, reserved: number, spent: number) => {
  const { id, ok } = await ask(objects, user, reserved)
  if (ok) await objects.user(user).settle(settlement(id, spent))
  return ok
}

describe('an account with an object of its own', () => {
  it('leases a block once, and serves the next requests from it', async () => {
    const objects = openObjects()
    for (let times = 0; times < 50; times++) expect(await spend(objects, 'ada', 6, 6)).toBe(true)
    expect(objects.calls).toEqual([{ name: wholeWorker, method: 'draw' }])
  })

  it('returns its unused part when another account needs it', async () => {
    const objects = openObjects()
    for (let at = 0; at < 20; at++) await spend(objects, `u${at}`, 100, 10)
    // 200 are spent. Others have leased most of the remaining 4,800.
    for (const user of ['v0', 'v1', 'v2', 'v3']) expect((await ask(objects, user, 1000)).ok).toBe(true)
    expect((await ask(objects, 'v4', 800)).ok).toBe(true)
    expect((await ask(objects, 'v5', 1)).ok).toBe(false)
  })

  it('gives back what it has leased after ten minutes without requests', async () => {
    const objects = openObjects()
    await spend(objects, 'ada', 10, 10)
    vi.advanceTimersByTime(idleMs - 1)
    await objects.user('ada').alarm()
    const leased = () => objects.database(wholeWorker).prepare('SELECT amount, spent, isOpen FROM leases').get()
    expect(leased()).toMatchObject({ isOpen: 1, spent: 10 })
    vi.advanceTimersByTime(1)
    await objects.user('ada').alarm()
    expect(leased()).toMatchObject({ amount: 10, spent: 10, isOpen: 0 })
    expect(await spend(objects, 'ada', 990, 990)).toBe(true)
    expect(await spend(objects, 'ada', 1, 1)).toBe(false)
  })

  describe('that is not used any more', () => {
    /** Lets time pass until this end, or until the object has no alarm. */
    const untilSilent = async (objects: Objects, name: string, end = Number.POSITIVE_INFINITY) => {
      for (let at = objects.alarms.get(name); at !== undefined && at < end; at = objects.alarms.get(name)) {
        vi.setSystemTime(at)
        objects.alarms.delete(name)
        await objects.user(name.replace('user:', '')).alarm()
      }
      if (end < Number.POSITIVE_INFINITY) vi.setSystemTime(end)
    }

    it('is deleted some days after its last request, and the operator still sees what it spent', async () => {
      const objects = openObjects()
      const ada = accountOf('ada')
      await spend(objects, 'ada', 10, 7)
      await ask(objects, 'ada', 5000) // is refused
      await untilSilent(objects, ada)
      expect(Date.now() - noon).toBeGreaterThan(3 * 24 * 60 * minute)
      expect(Date.now() - noon).toBeLessThan(6 * 24 * 60 * minute)
      expect(tablesOf(objects.database(ada))).toEqual([])
      expect((await objects.whole.summary()).days).toMatchObject([{ user: 'ada', day: today, requests: 1, spent: 7 }])
    })

    it.each(['the same object', 'a new object'])('serves its user again, with a new lease: %s', async (which) => {
      const objects = openObjects()
      await spend(objects, 'ada', 10, 7)
      await untilSilent(objects, accountOf('ada'))
      if (which === 'a new object') objects.crash(accountOf('ada'))
      for (let times = 0; times < 10; times++) expect(await spend(objects, 'ada', 100, 100)).toBe(true)
      expect(await spend(objects, 'ada', 1, 1)).toBe(false)
      await untilSilent(objects, accountOf('ada'))
      expect(tablesOf(objects.database(accountOf('ada')))).toEqual([])
      const { days } = await objects.whole.summary()
      expect(days.map(({ requests, spent }) => [requests, spent])).toEqual([
        [10, 1000],
        [1, 7],
      ])
    })

    it('stays while its user returns each day, or has an open request', async () => {
      const objects = openObjects()
      const ada = accountOf('ada')
      for (let day = 0; day < 8; day++) {
        expect(await spend(objects, 'ada', 10, 10)).toBe(true)
        await untilSilent(objects, ada, noon + (day + 1) * 24 * 60 * minute)
      }
      expect(tablesOf(objects.database(ada)).length).toBeGreaterThan(0)
      const long = await ask(objects, 'ada', 10, { leaseMs: 5 * 24 * 60 * minute })
      await untilSilent(objects, ada, Date.now() + 4.5 * 24 * 60 * minute)
      await objects.user('ada').settle(settlement(long.id, 9))
      await untilSilent(objects, ada)
      const { days } = await objects.whole.summary({ span: 30 })
      expect(days.map(({ spent }) => spent)).toEqual([9, ...Array.from({ length: 8 }, () => 10)])
      expect(tablesOf(objects.database(ada))).toEqual([])
    })
  })

  it.each(['unheard', 'answer lost'] as const)(
    'reports its spending again if the report was lost (%s), and the spending is counted once',
    async (fate) => {
      const objects = openObjects()
      await spend(objects, 'ada', 10, 10)
      vi.advanceTimersByTime(idleMs)
      objects.fates.push(fate)
      await expect(objects.user('ada').alarm()).rejects.toThrow()
      await objects.user('ada').alarm()
      expect((await objects.whole.summary()).days).toMatchObject([{ user: 'ada', requests: 1, spent: 10 }])
    },
  )

  it('stores a return before it reports it', async () => {
    const objects = openObjects()
    await spend(objects, 'ada', 10, 10)
    const handback = await objects.user('ada').collect(today)
    objects.crash(accountOf('ada'))
    expect(handback?.days).toMatchObject([{ amount: 10, returned: 302 }])
    expect(objects.database(accountOf('ada')).prepare('SELECT amount FROM lease').get()).toEqual({ amount: 10 })
  })

  it('counts a lease whose grant was lost as spent until its day ends, and not longer', async () => {
    const objects = openObjects()
    objects.fates.push('answer lost')
    await expect(ask(objects, 'ada', 1000)).rejects.toThrow('answer lost')
    for (let at = 0; at < 4; at++) expect((await ask(objects, `u${at}`, 1000)).ok).toBe(true)
    expect((await ask(objects, 'ada', 1)).ok).toBe(false)
    vi.setSystemTime(Date.parse('2026-11-22T00:00:00Z'))
    for (let at = 5; at < 10; at++) expect((await ask(objects, `u${at}`, 1000)).ok).toBe(true)
    expect((await ask(objects, 'u10', 1)).ok).toBe(false)
  })

  it('shows the operator all users: open requests, spending, refusals and errors', async () => {
    const objects = openObjects()
    await spend(objects, 'ada', 10, 7)
    await spend(objects, 'ada', 10, 8)
    await ask(objects, 'bob', 20)
    await ask(objects, 'bob', 2000)
    for (let times = 0; times < 2; times++) {
      const { days, live, liveCount, refusals, totals } = await objects.whole.summary()
      expect(days).toMatchObject([{ user: 'ada', requests: 2, inputTokens: 20, outputTokens: 10, spent: 15 }])
      expect([live.map(({ user }) => user), liveCount]).toEqual([['bob'], 1])
      expect(refusals).toEqual([{ day: today, kind: 'budget', count: 1 }])
      expect(totals).toMatchObject([{ day: today, requests: 2, spent: 15 }])
    }
    expect((await objects.whole.page(1)).rows).toMatchObject([{ user: 'ada', spent: 15 }])
  })

  it('returns the number of users that it has not asked, and asks them the next time', async () => {
    const objects = openObjects()
    const users = Array.from({ length: 501 }, (_, at) => `u${at}`)
    for (const user of users) await ask(objects, user, 1, { totalDailyBudget: 1e9 })
    const { liveCount, unheard } = await objects.whole.summary()
    expect([liveCount, unheard]).toEqual([500, 1])
    const { live } = await objects.whole.summary({ limit: 1 })
    const asked = objects.calls.filter(({ method }) => method === 'collect').map(({ name }) => name)
    expect([new Set(asked).size, asked.length, live.length]).toEqual([501, 1000, 200])
  })

  describe.each(isExhaustive ? [50, 1200] : [50])(
    'with %i users who all have an open request, and no money left',
    (count) => {
      const budget = { dailyBudget: 10, totalDailyBudget: 10 * count }
      const crowd = async () => {
        const objects = openObjects()
        const ids = await Promise.all(
          Array.from({ length: count }, async (_, at) => (await ask(objects, `u${at}`, 10, budget)).id),
        )
        const callsOf = async (act: () => Promise<unknown>) => {
          objects.calls.length = 0
          await act()
          return objects.calls.map(({ name, method }) => `${method} ${name}`)
        }
        const asking = async (isOk: boolean, cost = 5) =>
          expect((await ask(objects, 'eve', cost, budget)).ok).toBe(isOk)
        return { objects, ids, callsOf, asking }
      }
      const draw = `draw ${wholeWorker}`
      const collects = (...users: number[]) => users.map((at) => `collect ${accountOf(`u${at}`)}`)

      it('a refusal asks each of them once, and later refusals ask none', async () => {
        const { callsOf, asking, objects } = await crowd()
        const first = await callsOf(() => asking(false))
        expect(first.filter((call) => call.startsWith('collect'))).toHaveLength(count)
        for (let times = 0; times < 10; times++) expect(await callsOf(() => asking(false))).toEqual([draw])
        const others = () => Promise.all(Array.from({ length: 20 }, (_, at) => ask(objects, `w${at}`, 5, budget)))
        expect(await callsOf(others)).toEqual(Array.from({ length: 20 }, () => draw))
      })

      it('only what changed is asked: an answer that cost less, also after its object has restarted', async () => {
        const { objects, ids, callsOf, asking } = await crowd()
        await asking(false)
        objects.crash(accountOf('u7'))
        const settle = (at: number, cost: number) => objects.user(`u${at}`).settle(settlement(ids[at] ?? '', cost))
        expect(await callsOf(() => settle(7, 4))).toEqual([`freed ${wholeWorker}`])
        expect(await callsOf(() => settle(8, 10))).toEqual([])
        expect(await callsOf(() => asking(true))).toEqual([draw, ...collects(7)])
        // Now she has leased something herself.
        expect(await callsOf(() => asking(false))).toEqual([draw, `collect ${accountOf('eve')}`])
        expect(await callsOf(() => asking(false))).toEqual([draw])
        expect(await callsOf(() => asking(true, 1))).toEqual([draw])
        await settle(9, 0)
        await settle(10, 0)
        expect(await callsOf(() => asking(true, 4))).toEqual([draw, ...collects(9, 10), `collect ${accountOf('eve')}`])
      })
    },
  )

  it('asks a user again who did not answer, and who leases again', async () => {
    const objects = openObjects()
    const budget = { dailyBudget: 10, totalDailyBudget: 20 }
    const { id } = await ask(objects, 'ada', 10, budget)
    await ask(objects, 'bob', 10, budget)
    await objects.user('ada').settle(settlement(id, 5))
    objects.fates.push('answered', 'unheard', 'unheard')
    expect((await ask(objects, 'eve', 5, budget)).ok).toBe(false)
    expect((await ask(objects, 'eve', 5, budget)).ok).toBe(true)
    objects.calls.length = 0
    for (let times = 0; times < 3; times++) expect((await ask(objects, 'eve', 1, budget)).ok).toBe(false)
    expect(objects.calls.map(({ method }) => method)).toEqual(['draw', 'collect', 'draw', 'draw'])
  })

  it('counts a user’s spending and live requests from before the upgrade', async () => {
    const objects = openObjects()
    const old = (id: string, cost: number) => objects.whole.reserve(reservation(id, { cost, ...budgets }))
    await old('spent', 300)
    await objects.whole.settle(settlement('spent', 300))
    await old('live', 200)
    expect((await ask(objects, 'ada', 501)).ok).toBe(false)
    expect((await ask(objects, 'ada', 500)).ok).toBe(true)
    await objects.whole.settle(settlement('live', 150))
    const { days, live } = await objects.whole.summary()
    expect(days).toMatchObject([{ user: 'ada', requests: 2, spent: 450 }])
    expect(live).toMatchObject([{ user: 'ada' }])
  })

  it("reports once that half of the Worker's day is spent or leased", async () => {
    const objects = openObjects()
    const shares: (number | undefined)[] = []
    for (const user of ['a', 'b', 'c']) {
      const { id } = await ask(objects, user, 1000)
      shares.push(await objects.user(user).settle(settlement(id, 1000, budgets)))
    }
    expect(shares).toEqual([undefined, undefined, 50])
  })
})

/** Not enough for three of the eight users. */
const scarceBudget = 2500

/** One thing that happens. Times are in ms. */
type Step =
  | { readonly type: 'ask'; readonly user: number; readonly cost: number; readonly times: number }
  | { readonly type: 'settle'; readonly at: number; readonly share: number }
  | { readonly type: 'crash'; readonly user: number; readonly isMid: boolean }
  | { readonly type: 'crash whole'; readonly isMid: boolean }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'alarm'; readonly user: number }
  | { readonly type: 'look' }
  | { readonly type: 'lose'; readonly fates: Fate[] }

const users = ['ada', 'bob', 'cleo', 'dan', 'eve', 'fay', 'gus', 'hal']
const user = fc.nat(users.length - 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('ask' as const),
      user,
      cost: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constant(1000)),
      times: fc.integer({ min: 1, max: 6 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('settle' as const),
      at: fc.nat(50),
      share: fc.integer({ min: 0, max: 4 }),
    }),
  },
  fc.record({ type: fc.constant('crash' as const), user, isMid: fc.boolean() }),
  fc.record({ type: fc.constant('crash whole' as const), isMid: fc.boolean() }),
  fc.record({
    type: fc.constant('wait' as const),
    ms: fc.constantFrom(1000, 1000, idleMs, idleMs, idleMs, 16 * minute, 12 * 60 * minute),
  }),
  fc.record({ type: fc.constant('alarm' as const), user }),
  fc.record({ type: fc.constant('look' as const) }),
  fc.record({
    type: fc.constant('lose' as const),
    fates: fc.array(fc.constantFrom<Fate>('answered', 'unheard', 'answer lost'), { maxLength: 4 }),
  }),
)

interface Open {
  readonly id: string
  readonly user: string
  readonly cost: number
  readonly day: string
}

/** The spending by the test's own count: each request at its cost, or at its highest cost until the cost is known. */
interface Count {
  readonly open: Open[]
  readonly byDay: Map<string, number>
  readonly byUser: Map<string, number>
}

function add({ byDay, byUser }: Count, { day, user }: Open, cost: number): void {
  byDay.set(day, (byDay.get(day) ?? 0) + cost)
  byUser.set(`${day} ${user}`, (byUser.get(`${day} ${user}`) ?? 0) + cost)
}

const aheadOf = (name: string, skews: readonly number[]) => skews[users.indexOf(name)] ?? 0
const dayAt = (at: number) => new Date(at).toISOString().slice(0, 10)

async function play(objects: Objects, one: Step, count: Count, skews: readonly number[]): Promise<void> {
  const name = 'user' in one ? (users[one.user] as string) : ''
  switch (one.type) {
    case 'ask': {
      const day = dayAt(Date.now() + aheadOf(name, skews))
      const budget = { totalDailyBudget: scarceBudget }
      const asked = Array.from({ length: one.times }, () => ask(objects, name, one.cost, budget).catch(() => undefined))
      for (const answer of await Promise.all(asked)) {
        if (answer?.ok !== true) continue
        const open = { id: answer.id, user: name, cost: one.cost, day }
        count.open.push(open)
        add(count, open, one.cost)
      }
      return
    }
    case 'settle': {
      const [open] = count.open.splice(one.at % Math.max(1, count.open.length), 1)
      if (open === undefined) return
      const cost = Math.floor((open.cost * one.share) / 4)
      const before = await objects.user(open.user).collect()
      // Requests that were not settled in time have been counted in full.
      const isLive = before?.live.some(({ requestId }) => requestId === open.id)
      await objects.user(open.user).settle(settlement(open.id, cost))
      if (isLive) add(count, open, cost - open.cost)
      return
    }
    case 'crash':
    case 'crash whole': {
      // In the middle of its work, which is not reported.
      const target = one.type === 'crash' ? name : (users[0] as string)
      if (one.isMid) void ask(objects, target, 50, { totalDailyBudget: scarceBudget }).catch(() => {})
      await Promise.resolve()
      objects.crash(one.type === 'crash' ? accountOf(name) : wholeWorker)
      return
    }
    case 'wait':
      vi.advanceTimersByTime(one.ms)
      return
    case 'alarm':
      return objects
        .user(name)
        .alarm()
        .catch(() => {})
    case 'look':
      return void (await objects.whole.summary())
    case 'lose':
      objects.fates.push(...one.fates)
  }
}

/** Every day, what all have leased, spent or reserved is within the budget, and no user has more than is theirs. */
function expectWithinBudgets(objects: Objects, { byDay, byUser }: Count): void {
  for (const [day, sum] of byDay) expect([day, sum <= scarceBudget ? 'within' : sum]).toEqual([day, 'within'])
  for (const [key, sum] of byUser) expect([key, sum <= dailyBudget ? 'within' : sum]).toEqual([key, 'within'])
  const leased = objects
    .database(wholeWorker)
    .prepare('SELECT day, sum(max(amount, spent)) AS sum FROM leases GROUP BY day')
  for (const { day, sum } of leased.all()) {
    expect([day, Number(sum) <= scarceBudget ? 'within' : sum]).toEqual([day, 'within'])
    expect(Number(sum), `what is leased on ${day} covers what went out`).toBeGreaterThanOrEqual(
      byDay.get(`${day}`) ?? 0,
    )
  }
}

it('never exceeds a budget, in any order of requests, settlements, returns, losses and ends, and with any clock in each object', async () => {
  const skew = fc.constantFrom(0, 0, 0, 2000, -2000, 13 * 60 * minute, -13 * 60 * minute)
  const schedule = fc.tuple(
    fc.array(step, { minLength: 5, maxLength: 60 }),
    fc.array(skew, { minLength: 8, maxLength: 8 }),
  )
  await fc.assert(
    fc.asyncProperty(schedule, async ([steps, skews]) => {
      vi.setSystemTime(noon)
      const objects = openObjects()
      await objects.whole.summary()
      for (const [at, name] of users.entries()) objects.skew(accountOf(name), skews[at] ?? 0)
      const count: Count = { open: [], byDay: new Map(), byUser: new Map() }
      for (const one of steps) {
        await play(objects, one, count, skews)
        expectWithinBudgets(objects, count)
      }
    }),
    {
      numRuns: Number(process.env.ISOGLOT_LEASE_RUNS ?? (isExhaustive ? 100 : 8)),
      seed: 15,
      interruptAfterTimeLimit: 40_000,
    },
  )
})
