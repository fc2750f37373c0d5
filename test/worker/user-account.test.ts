/** The accounts, with a clock of ours and SQLite as Node has it. `spending.test.ts` tests them in workerd. */
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { AccountSummary, DayPage } from '../../src/worker/accounts/accounts.ts'
import { dayOf } from '../../src/worker/accounts/days.ts'
import { isExhaustive } from '../support/cuts.ts'
import { openAccount, reservation, settlement } from './on-sqlite.ts'

const minute = 60_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-21T12:00:00Z') })
})

describe('an account', () => {
  it('sets aside what a request can cost, and gives back what it did not', async () => {
    const account = openAccount()
    expect(await account.reserve(reservation('a', { cost: 600 }))).toEqual({ ok: true })
    expect(await account.reserve(reservation('b', { cost: 600 }))).toEqual({
      ok: false,
      reason: 'budget',
      isOfUser: true,
      retryAfterSeconds: 60,
    })
    await account.settle(settlement('a', 200))
    expect(await account.reserve(reservation('b', { cost: 600 }))).toEqual({ ok: true })
    expect((await account.summary()).days).toEqual([
      {
        day: '2026-11-21',
        user: 'ada',
        model: 'anthropic:claude-haiku-4-5',
        requests: 1,
        inputTokens: 10,
        outputTokens: 5,
        spent: 200,
      },
    ])
    expect((await account.summary()).live.map(({ requestId }) => requestId)).toEqual(['b'])
  })

  it('gives one user no more than is theirs, and all of them no more than there is', async () => {
    const account = openAccount()
    const ask = (requestId: string, user: string, cost: number) =>
      account.reserve(reservation(requestId, { user, cost, totalDailyBudget: 2000, liveStreams: 1 }))
    expect(await ask('a', 'ada', 900)).toEqual({ ok: true })
    expect(await ask('b', 'bob', 900)).toEqual({ ok: true })
    expect(await ask('c', 'cleo', 300)).toMatchObject({ reason: 'budget' })
    expect(await ask('d', 'cleo', 200)).toEqual({ ok: true })
    await account.settle(settlement('a', 900))
    await account.settle(settlement('d', 0))
    expect(await ask('e', 'ada', 101)).toMatchObject({ reason: 'budget' })
    expect(await ask('f', 'cleo', 201)).toMatchObject({ reason: 'budget' })
    expect(await ask('g', 'cleo', 200)).toEqual({ ok: true })
    expect(await ask('h', 'bob', 0)).toMatchObject({ reason: 'concurrency' })
  })

  it('knows what was spent and what is set aside when its object starts again', async () => {
    const database = new DatabaseSync(':memory:')
    const before = openAccount(database)
    await before.reserve(reservation('a', { cost: 400 }))
    await before.settle(settlement('a', 400))
    await before.reserve(reservation('b', { cost: 500 }))
    await before.reserve(reservation('of another', { cost: 500, user: 'bob' }))
    const after = openAccount(database)
    expect(await after.reserve(reservation('c', { cost: 101 }))).toMatchObject({ reason: 'budget' })
    expect(await after.reserve(reservation('c', { cost: 100, liveStreams: 1 }))).toMatchObject({
      reason: 'concurrency',
    })
    expect(await after.reserve(reservation('c', { cost: 100, totalDailyBudget: 1499 }))).toMatchObject({
      reason: 'budget',
    })
    expect(await after.reserve(reservation('c', { cost: 100, totalDailyBudget: 1500 }))).toEqual({ ok: true })
    await after.settle(settlement('b', 500))
    vi.advanceTimersByTime(15 * minute)
    expect(await after.summary()).toMatchObject({
      live: [],
      days: [
        { user: 'bob', requests: 1, spent: 500 },
        { user: 'ada', requests: 3, spent: 1000 },
      ],
    })
  })

  it('decides at once, and returns when it is written, together with all that came meanwhile', async () => {
    const database = new DatabaseSync(':memory:')
    const account = openAccount(database)
    const begun = vi.spyOn(database, 'exec')
    const kept = () => database.prepare('SELECT requestId FROM live').all().length
    let told = 0
    const verdicts = Array.from({ length: 20 }, async (_, nth) => {
      const { ok } = await account.reserve(reservation(`${nth}`, { liveStreams: 100 }))
      if (ok) expect(kept()).toBe(10)
      told++
      return ok
    })
    await Promise.resolve()
    expect([kept(), told]).toEqual([0, 10])
    expect((await Promise.all(verdicts)).filter((ok) => ok)).toHaveLength(10)
    expect(begun.mock.calls.filter(([query]) => query === 'BEGIN')).toHaveLength(1)
  })

  it('writes a settlement together with the next request, or by itself when none comes', async () => {
    const database = new DatabaseSync(':memory:')
    const account = openAccount(database)
    for (const id of ['a', 'b']) await account.reserve(reservation(id))
    const begun = vi.spyOn(database, 'exec')
    const writings = () => begun.mock.calls.filter(([query]) => query === 'BEGIN').length
    const settled = account.settle(settlement('a', 7))
    expect((await account.reserve(reservation('c'))).ok).toBe(true)
    await settled
    expect(writings()).toBe(1)
    await account.settle(settlement('b', 7))
    expect(writings()).toBe(2)
    expect((await openAccount(database).summary()).days).toMatchObject([{ requests: 2, spent: 14 }])
  })

  it('lets nothing go out that it could not write, and ends, since its memory is ahead of the storage', async () => {
    const database = new DatabaseSync(':memory:')
    const abort = vi.fn()
    const account = openAccount(database, abort)
    await account.reserve(reservation('a', { cost: 300 }))
    database.exec(
      `CREATE TRIGGER full BEFORE INSERT ON live WHEN NEW.requestId = 'c' BEGIN SELECT RAISE(FAIL, 'full'); END`,
    )
    const asked = [
      account.reserve(reservation('b')),
      account.reserve(reservation('c')),
      account.settle(settlement('a', 7)),
    ]
    expect(await Promise.allSettled(asked)).toMatchObject(asked.map(() => ({ status: 'rejected' })))
    expect(abort).toHaveBeenCalledOnce()
    const next = openAccount(database)
    expect(await next.summary()).toMatchObject({ live: [{ requestId: 'a' }], days: [] })
    expect((await next.reserve(reservation('d', { cost: 700 }))).ok).toBe(true)
  })

  it('books what began before midnight on the day before', async () => {
    const account = openAccount()
    vi.setSystemTime(Date.parse('2026-11-21T23:59:00Z'))
    for (const id of ['a', 'b']) await account.reserve(reservation(id, { cost: 600, dailyBudget: 1200 }))
    vi.setSystemTime(Date.parse('2026-11-22T00:01:00Z'))
    expect(await account.reserve(reservation('c', { cost: 1, dailyBudget: 1200 }))).toMatchObject({ reason: 'budget' })
    expect(await account.settle(settlement('a', 600, { totalDailyBudget: 1200 }))).toBe(50)
    expect(await account.settle(settlement('b', 600, { totalDailyBudget: 1200 }))).toBe(95)
    expect(await account.reserve(reservation('c', { cost: 1000 }))).toEqual({ ok: true })
    expect((await account.summary()).days).toMatchObject([{ day: '2026-11-21', requests: 2, spent: 1200 }])
  })

  it('counts a request that was not settled as spent, in full, when its time is over and not before', async () => {
    const account = openAccount()
    await account.reserve(reservation('crashed', { cost: 900 }))
    vi.advanceTimersByTime(15 * minute - 1)
    expect((await account.reserve(reservation('b', { cost: 200 }))).ok).toBe(false)
    expect(await account.summary()).toMatchObject({ live: [{ requestId: 'crashed' }], days: [] })
    vi.advanceTimersByTime(1)
    expect((await account.reserve(reservation('b', { cost: 200 }))).ok).toBe(false)
    expect(await account.summary()).toMatchObject({
      live: [],
      days: [{ requests: 1, spent: 900 }],
      errors: [{ day: '2026-11-21', kind: 'unsettled', count: 1 }],
    })
    await account.settle(settlement('crashed', 5))
    expect((await account.summary()).days).toMatchObject([{ requests: 1, spent: 900 }])
  })

  it('counts a request once, however often it is settled', async () => {
    const account = openAccount()
    await account.reserve(reservation('a'))
    for (const cost of [7, 8, 9]) await account.settle(settlement('a', cost))
    await account.settle(settlement('never', 7))
    expect((await account.summary()).days).toMatchObject([{ requests: 1, spent: 7 }])
  })

  it('reports half of the day, of four fifths, and of nearly all of it, once each', async () => {
    const account = openAccount()
    const shares: (number | undefined)[] = []
    for (const [at, cost] of [300, 199, 1, 100, 290, 70, 30].entries()) {
      await account.reserve(reservation(`${at}`, { cost }))
      shares.push(await account.settle(settlement(`${at}`, cost, { totalDailyBudget: 1000 })))
    }
    expect(shares).toEqual([undefined, undefined, 50, undefined, 80, 95, undefined])
    expect(await account.settle(settlement('0', 900, { totalDailyBudget: 1000 }))).toBeUndefined()
    vi.setSystemTime(Date.parse('2026-11-22T00:00:00Z'))
    await account.reserve(reservation('next'))
    expect(await account.settle(settlement('next', 960, { totalDailyBudget: 1000 }))).toBe(95)
  })

  it('resets at midnight UTC, and returns the time until then', async () => {
    const account = openAccount()
    await account.reserve(reservation('a', { cost: 1000 }))
    await account.settle(settlement('a', 1000))
    vi.setSystemTime(Date.parse('2026-11-21T23:59:30.200Z'))
    expect(await account.reserve(reservation('b'))).toMatchObject({ ok: false, retryAfterSeconds: 30 })
    vi.setSystemTime(Date.parse('2026-11-22T00:00:00Z'))
    expect(await account.reserve(reservation('b'))).toEqual({ ok: true })
    await account.settle(settlement('b', 1, { errorKind: 'overloaded' }))
    const { days, errors } = await account.summary()
    expect(days.map(({ day, spent }) => [day, spent])).toEqual([
      ['2026-11-22', 1],
      ['2026-11-21', 1000],
    ])
    expect(errors).toEqual([{ day: '2026-11-22', kind: 'overloaded', count: 1 }])
  })

  it('begins its day at midnight UTC, whichever day was asked for before', () => {
    const midnight = Date.parse('2026-11-21T00:00:00Z')
    for (const ms of [0, -1, 0, 1, 86_399_999, 86_400_000, 86_399_999.5, -86_400_000, 365 * 86_400_000])
      expect(dayOf(midnight + ms)).toBe(new Date(midnight + ms).toISOString().slice(0, 10))
  })

  it('forgets days after three months', async () => {
    const account = openAccount()
    await account.reserve(reservation('a'))
    await account.settle(settlement('a', 1))
    vi.setSystemTime(Date.parse('2027-02-19T00:00:00Z'))
    expect((await account.summary()).days).toHaveLength(1)
    vi.setSystemTime(Date.parse('2027-02-20T00:00:00Z'))
    expect((await account.summary()).days).toHaveLength(0)
  })
})

/** Values that a provider may send in place of a count, and values that a bug could make. */
const nasty = [-1, -1e9, 0.5, 10.5, 1e19, 1e300, 2 ** 53, 2 ** 63, Number.NaN, Number.POSITIVE_INFINITY, '12', null]

describe('a figure that is not a count', () => {
  const fields = ['cost', 'inputTokens', 'outputTokens'] as const

  it.each(fields.flatMap((field) => nasty.map((figure) => [field, figure] as const)))(
    'of %s, %s is booked as a whole number, and what others settle at the same time is booked too',
    async (field, figure) => {
      const database = new DatabaseSync(':memory:')
      const abort = vi.fn()
      const account = openAccount(database, abort)
      const users = ['ada', 'bob', 'cleo']
      for (const user of users) await account.reserve(reservation(user, { user, cost: 70 }))
      const settled = users.map((user) =>
        account.settle(settlement(user, 20, user === 'bob' ? { [field]: figure as number } : {})),
      )
      expect(await Promise.allSettled(settled)).toMatchObject(users.map(() => ({ status: 'fulfilled' })))
      expect(abort).not.toHaveBeenCalled()
      const { live, days } = await openAccount(database).summary()
      expect([live, days.map(({ user }) => user)]).toEqual([[], ['cleo', 'bob', 'ada']])
      for (const { user, spent, inputTokens, outputTokens } of days) {
        if (user === 'bob') for (const sum of [spent, inputTokens, outputTokens]) expect(isCount(sum)).toBe(true)
        else expect([spent, inputTokens, outputTokens]).toEqual([20, 10, 5])
      }
    },
  )

  it('stays countable, however often the largest is settled', async () => {
    const account = openAccount()
    for (let times = 0; times < 50; times++) {
      await account.reserve(reservation(`${times}`, { cost: 0, dailyBudget: 1e300, totalDailyBudget: 1e300 }))
      await account.settle(settlement(`${times}`, 1e300, { inputTokens: 1e300, outputTokens: 2 ** 63 }))
    }
    const [row] = (await account.summary()).days
    expect([row?.requests, isCount(row?.spent), isCount(row?.inputTokens)]).toEqual([50, true, true])
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, '12', null, undefined])(
    'of a reservation, %s is more than any budget',
    async (cost) => {
      const account = openAccount()
      expect(await account.reserve(reservation('a', { cost: cost as number }))).toMatchObject({ reason: 'budget' })
      expect(await account.reserve(reservation('b'))).toEqual({ ok: true })
    },
  )
})

const isCount = (figure: number | undefined) => Number.isSafeInteger(figure) && (figure as number) >= 0

describe('the summary of many rows', () => {
  // More than the thousand rows that an answer has at most.
  const [users, kept] = [isExhaustive ? 2400 : 1100, 90]
  const userOf = (at: number) => `user-${String(at).padStart(4, '0')}`
  const today = Date.parse('2026-11-21T12:00:00Z')
  const dayOf = (ago: number) => new Date(today - ago * 24 * 60 * minute).toISOString().slice(0, 10)

  /** As many as anonymous visitors leave in three months; in `npm test` half of them. */
  function fill(database: DatabaseSync): void {
    const insert = database.prepare('INSERT INTO days VALUES (?, ?, ?, 1, 10, 2, ?)')
    database.exec('BEGIN')
    for (let ago = 0; ago < kept; ago++)
      for (let user = 0; user < users; user++) insert.run(dayOf(ago), userOf(user), `m${user % 3}`, user)
    database.exec('COMMIT')
  }
  let filled: DatabaseSync | undefined
  /** Opens the one database with all of them: it takes seconds to fill, and these tests only read it. */
  function openFilled(hear?: (query: string) => void) {
    const isNew = filled === undefined
    filled ??= new DatabaseSync(':memory:')
    const account = openAccount(filled, undefined, hear)
    if (isNew) fill(filled)
    return { database: filled, account }
  }
  const perDay = { requests: users, inputTokens: users * 10, outputTokens: users * 2, spent: (users * (users - 1)) / 2 }

  it('sums all of them in SQL, gives out no more than its limits, and reads along the primary key', async () => {
    const queries: string[] = []
    const { database, account } = openFilled((query) => queries.push(query))
    const whole = await account.summary()
    expect([whole.days.length, whole.usage.rows.length, whole.usage.count]).toEqual([...[1000, 1000, users]])
    expect(whole.totals).toEqual(Array.from({ length: 14 }, (_, at) => ({ day: dayOf(13 - at), ...perDay })))
    expect(whole.usage.rows[0]).toEqual({
      name: [userOf(users - 1)],
      ...{ requests: 7, inputTokens: 70, outputTokens: 14, spent: 7 * (users - 1) },
    })
    const byModel = await account.summary({ by: 'model', span: 90, limit: 2 })
    expect([byModel.days.length, byModel.usage.rows.length, byModel.usage.count]).toEqual([2, 2, 3])
    expect(byModel.totals).toHaveLength(90)
    const byAll = await account.summary({ by: 'all', span: 1, limit: 5 })
    expect(byAll.usage).toMatchObject({
      by: 'all',
      span: 1,
      count: users,
      rows: [{ name: [userOf(users - 1), `m${(users - 1) % 3}`, dayOf(0)] }, {}, {}, {}, {}],
    })
    const ofDays = queries.filter((query) => /FROM (days|weeks|dayModels) .*WHERE/s.test(query))
    expect(ofDays.length).toBeGreaterThan(8)
    for (const query of ofDays) {
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${query}`).all(...Array.from(query.matchAll(/\?/g), () => '1'))
      const reads = plan
        .map(({ detail }) => `${detail}`)
        .filter((detail) => /(SCAN|SEARCH) (days|weeks|day)/.test(detail))
      expect(reads, query).not.toEqual([])
      for (const read of reads)
        expect(read, query).toMatch(/USING ((COVERING )?INDEX sqlite_autoindex_days_1|PRIMARY KEY)/)
    }
  })

  it('is the same from kept sums as from all rows, whatever the span, and reads few of them', async () => {
    const { database, account } = openFilled()
    for (const span of [1, 6, 8, 90]) {
      const since = dayOf(span - 1)
      for (const by of ['user', 'model', 'day'] as const) {
        const { rows, count } = (await account.summary({ by, span })).usage
        const expected = database
          .prepare(
            `SELECT ${by} AS name, sum(requests) AS requests, sum(inputTokens) AS inputTokens, sum(spent) AS spent FROM days
             WHERE day >= ? GROUP BY ${by} ORDER BY spent DESC, name`,
          )
          .all(since)
        expect(count).toBe(expected.length)
        const found = rows.map(({ name: [name], requests, inputTokens, spent }) => ({
          name,
          requests,
          inputTokens,
          spent,
        }))
        const sorted = found.sort((a, b) => b.spent - a.spent || `${a.name}`.localeCompare(`${b.name}`))
        expect(sorted).toEqual(expected.slice(0, 1000).map((row) => ({ ...row })))
      }
    }
    // From Monday, 24 August to Saturday, 21 November.
    const kept = database.prepare('SELECT count(*) AS count FROM userWeeks').get()?.count
    expect(kept).toBe(users * 13)
  })

  it('computes the sums of the weeks that it shows, and of others when they are asked for, also after a restart', async () => {
    const database = new DatabaseSync(':memory:')
    openAccount(database)
    const insert = database.prepare('INSERT INTO days VALUES (?, ?, ?, 1, 10, 2, ?)')
    for (let ago = 0; ago < kept; ago++)
      for (const user of ['a', 'b', `c${ago}`]) insert.run(dayOf(ago), user, 'm', ago)
    // As an earlier version stored them.
    const figures = 'requests INTEGER, inputTokens INTEGER, outputTokens INTEGER, spent INTEGER'
    database.exec(`CREATE TABLE weeks (day TEXT, user TEXT, model TEXT, ${figures});
      CREATE TABLE dayModels (day TEXT, model TEXT, ${figures}, PRIMARY KEY (day, model));
      INSERT INTO dayModels VALUES ('${dayOf(0)}', 'm', 1, 1, 1, 1000000)`)
    const first = () => database.prepare('SELECT min(day) AS day FROM userWeeks').get()?.day
    const spentOf = ({ usage }: AccountSummary, name: string) => usage.rows.find((row) => row.name[0] === name)?.spent

    const short = await openAccount(database).summary()
    expect([spentOf(short, 'a'), spentOf(short, 'c6'), short.usage.count]).toEqual([21, 6, 9])
    expect(short.totals.map(({ spent }) => spent)).toEqual(Array.from({ length: 14 }, (_, at) => 3 * (13 - at)))
    expect(first()).toBe('2026-11-02') // the Monday of the week of 8 November
    expect(database.prepare("SELECT name FROM sqlite_master WHERE name = 'weeks'").get()).toBeUndefined()

    const account = openAccount(database)
    await account.reserve(reservation('r', { user: 'a', model: 'm', cost: 5 }))
    await account.settle(settlement('r', 5))
    const long = await account.summary({ span: kept })
    expect([spentOf(long, 'a'), spentOf(long, 'b'), long.usage.count]).toEqual([4005 + 5, 4005, kept + 2])
    expect(long.totals.map(({ spent }) => spent)).toEqual(
      Array.from({ length: kept }, (_, at) => 3 * (kept - 1 - at) + (at === kept - 1 ? 5 : 0)),
    )
    expect(first()).toBe('2026-08-24')
    for (const span of [1, 2, 9, 30]) {
      const { count, rows } = (await account.summary({ span, limit: 1 })).usage
      expect([count, rows.length]).toEqual([span + 2, 1])
    }
  })

  it('is read page by page, the newest day first, each row once', async () => {
    const { account } = openFilled()
    const rows: string[] = []
    let after: string | undefined
    do {
      const page = await account.summary({ span: 1, limit: 1000, ...(after !== undefined && { after }) })
      rows.push(...page.days.map(({ day, user }) => `${day} ${user}`))
      after = rows.length < 10_000 ? page.next : undefined
    } while (after !== undefined)
    expect(new Set(rows).size).toBe(10_000)
    expect(rows).toEqual(rows.toSorted().reverse())
    expect(rows[0]).toBe(`${dayOf(0)} ${userOf(users - 1)}`)
    const last = await account.summary({ after: JSON.stringify([dayOf(89), 'user-0002', 'm2']) })
    expect([last.days.map(({ user }) => user), last.next]).toEqual([['user-0001', 'user-0000'], undefined])
  })

  it('is exported page by page, each row of the span once, and no sum is made', async () => {
    const queries: string[] = []
    const { account } = openFilled((query) => queries.push(query))
    const rows: string[] = []
    for (let page: DayPage = await account.page(3); ; page = await account.page(3, page.next)) {
      expect(page.rows.length).toBeLessThanOrEqual(1000)
      rows.push(...page.rows.map(({ day, user, model }) => `${day} ${user} ${model}`))
      if (page.next === undefined) break
    }
    expect([rows.length, new Set(rows).size, rows.at(-1)?.slice(0, 10)]).toEqual([3 * users, 3 * users, dayOf(2)])
    expect(queries.filter((query) => query.includes('GROUP BY day'))).toEqual([])
  })

  it('says how often a request was refused, and why', async () => {
    const account = openAccount()
    await account.reserve(reservation('a', { cost: 900, liveStreams: 1 }))
    for (const id of ['b', 'c']) await account.reserve(reservation(id, { cost: 200 }))
    await account.reserve(reservation('d', { liveStreams: 1 }))
    const expected = [
      { day: '2026-11-21', kind: 'budget', count: 2 },
      { day: '2026-11-21', kind: 'concurrency', count: 1 },
    ]
    expect(await account.summary()).toMatchObject({ refusals: expected, errors: [] })
    expect((await account.summary()).refusals).toEqual(expected)
  })

  it('lists the oldest of the requests that are live, and says how many there are', async () => {
    const account = openAccount()
    for (let at = 0; at < 250; at++) {
      vi.setSystemTime(today + at)
      await account.reserve(reservation(`r${at}`, { cost: 0, liveStreams: 1000 }))
    }
    const { live, liveCount } = await account.summary()
    expect([live.length, live[0]?.requestId, live.at(-1)?.requestId, liveCount]).toEqual([200, 'r0', 'r199', 250])
  })
})
