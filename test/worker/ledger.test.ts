/** The accounts, with a clock of ours and SQLite as Node has it. What they are in workerd stands in `spending.test.ts`. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LedgerSummary, Reservation, ReserveVerdict, Settlement } from '../../examples/worker/accounts.ts'

/** What workerd's accounts do at once, and their callers await. */
interface Ledger {
  reserve(reservation: Reservation): ReserveVerdict
  settle(settlement: Settlement): number | undefined
  release(requestId: string): void
  summary(): LedgerSummary
}

/** Imported by a name the compiler does not follow: the Worker is typed for Workers, this file for Node. */
const { UserLedger } = (await import('../../examples/worker/ledger.ts' as string)) as {
  UserLedger: new (ctx: object, env: object) => Ledger
}

const minute = 60_000

function openLedger(): Ledger {
  const database = new DatabaseSync(':memory:')
  const exec = (query: string, ...values: SQLInputValue[]) => {
    if (query.includes('CREATE TABLE')) database.exec(query)
    const rows = query.includes('CREATE TABLE')
      ? []
      : database
          .prepare(query)
          .all(...values)
          .map((row) => ({ ...row }))
    return { toArray: () => rows, one: () => rows[0] }
  }
  return new UserLedger({ storage: { sql: { exec } } }, {})
}

const reservation = (requestId: string, more: Partial<Reservation> = {}): Reservation => ({
  requestId,
  user: 'ada',
  model: 'anthropic:claude-haiku-4-5',
  wire: 'gemini',
  provider: 'anthropic',
  cost: 100,
  dailyBudget: 1000,
  liveStreams: 4,
  leaseMs: 15 * minute,
  ...more,
})
const settlement = (requestId: string, cost: number, more: Partial<Settlement> = {}): Settlement => ({
  requestId,
  cost,
  inputTokens: 10,
  outputTokens: 5,
  outcome: 'answered',
  ...more,
})

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T12:00:00Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('an account', () => {
  it('sets aside what a request can cost, and gives back what it did not', () => {
    const ledger = openLedger()
    expect(ledger.reserve(reservation('a', { cost: 600 }))).toEqual({ ok: true })
    expect(ledger.reserve(reservation('b', { cost: 600 }))).toEqual({
      ok: false,
      reason: 'budget',
      retryAfterSeconds: 60,
    })
    ledger.settle(settlement('a', 200))
    expect(ledger.reserve(reservation('b', { cost: 600 }))).toEqual({ ok: true })
    expect(ledger.summary().days).toEqual([
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
    expect(ledger.summary().live.map(({ requestId }) => requestId)).toEqual(['b'])
  })

  it('lets as many requests live at once as it is told to', () => {
    const ledger = openLedger()
    const verdicts = ['a', 'b', 'c', 'd', 'e'].map((id) => ledger.reserve(reservation(id, { cost: 1 })).ok)
    expect(verdicts).toEqual([true, true, true, true, false])
    expect(ledger.reserve(reservation('e', { cost: 1 }))).toMatchObject({ reason: 'concurrency' })
    ledger.settle(settlement('c', 1))
    expect(ledger.reserve(reservation('e', { cost: 1 }))).toEqual({ ok: true })
  })

  it('counts a request that nobody settled as spent, in full, when its time is over and not before', () => {
    const ledger = openLedger()
    ledger.reserve(reservation('crashed', { cost: 900 }))
    vi.advanceTimersByTime(15 * minute - 1)
    expect(ledger.reserve(reservation('b', { cost: 200 })).ok).toBe(false)
    expect(ledger.summary()).toMatchObject({ live: [{ requestId: 'crashed' }], days: [] })
    vi.advanceTimersByTime(1)
    expect(ledger.reserve(reservation('b', { cost: 200 })).ok).toBe(false)
    expect(ledger.summary()).toMatchObject({
      live: [],
      days: [{ requests: 1, spent: 900 }],
      errors: [{ day: '2026-11-21', kind: 'unsettled', count: 1 }],
    })
    ledger.settle(settlement('crashed', 5))
    expect(ledger.summary().days).toMatchObject([{ requests: 1, spent: 900 }])
  })

  it('counts a request once, however often it is settled, and not at all when it is released', () => {
    const ledger = openLedger()
    ledger.reserve(reservation('a'))
    for (const cost of [7, 8, 9]) ledger.settle(settlement('a', cost))
    ledger.reserve(reservation('b'))
    ledger.release('b')
    ledger.settle(settlement('b', 7))
    ledger.settle(settlement('never', 7))
    expect(ledger.summary().days).toMatchObject([{ requests: 1, spent: 7 }])
  })

  it('tells of half of the day, of four fifths, and of nearly all of it, once each', () => {
    const ledger = openLedger()
    const shares = [300, 199, 1, 100, 290, 70, 30].map((cost, at) => {
      ledger.reserve(reservation(`${at}`, { cost }))
      return ledger.settle(settlement(`${at}`, cost, { dailyBudget: 1000 }))
    })
    expect(shares).toEqual([undefined, undefined, 50, undefined, 80, 95, undefined])
    expect(ledger.settle(settlement('0', 900, { dailyBudget: 1000 }))).toBeUndefined()
    vi.setSystemTime(Date.parse('2026-11-22T00:00:00Z'))
    ledger.reserve(reservation('next'))
    expect(ledger.settle(settlement('next', 960, { dailyBudget: 1000 }))).toBe(95)
  })

  it('begins anew at midnight UTC, and says for how long it is until then', () => {
    const ledger = openLedger()
    ledger.reserve(reservation('a', { cost: 1000 }))
    ledger.settle(settlement('a', 1000))
    vi.setSystemTime(Date.parse('2026-11-21T23:59:30.200Z'))
    expect(ledger.reserve(reservation('b'))).toMatchObject({ ok: false, retryAfterSeconds: 30 })
    vi.setSystemTime(Date.parse('2026-11-22T00:00:00Z'))
    expect(ledger.reserve(reservation('b'))).toEqual({ ok: true })
    ledger.settle(settlement('b', 1, { errorKind: 'overloaded' }))
    const { days, errors } = ledger.summary()
    expect(days.map(({ day, spent }) => [day, spent])).toEqual([
      ['2026-11-21', 1000],
      ['2026-11-22', 1],
    ])
    expect(errors).toEqual([{ day: '2026-11-22', kind: 'overloaded', count: 1 }])
  })

  it('forgets days after three months', () => {
    const ledger = openLedger()
    ledger.reserve(reservation('a'))
    ledger.settle(settlement('a', 1))
    vi.setSystemTime(Date.parse('2027-02-19T00:00:00Z'))
    expect(ledger.summary().days).toHaveLength(1)
    vi.setSystemTime(Date.parse('2027-02-20T00:00:00Z'))
    expect(ledger.summary().days).toHaveLength(0)
  })
})
