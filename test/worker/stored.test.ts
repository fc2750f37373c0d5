/**
 * Data that an earlier version stored, read by this one: objects outlive a deployment. The files of `stored/` are of that version and never
 * change.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, it, vi } from 'vitest'
import type { KeptRun } from '../../src/worker/runs/run.ts'
import { openAccount, openRunOn, reservation, settlement } from './on-sqlite.ts'

const stored = (name: string) => readFileSync(join(import.meta.dirname, 'stored', name), 'utf8')
const noon = Date.parse('2026-11-21T12:00:00Z')
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: noon }))

function accountOf(version: string) {
  const database = new DatabaseSync(':memory:')
  database.exec(stored(`accounts-${version}.sql`))
  return openAccount(database)
}

it('accounts of 0.1.0: what was spent and reserved that day still counts, of the user and of all', async () => {
  // 450 are spent and 300 reserved: 250 are left. The Worker has spent 99,750 of 100,000: 250 are left as well.
  for (const user of ['ada', 'eve']) {
    const reserve = (cost: number) => accountOf('0.1.0').reserve(reservation('r2', { user, cost }))
    expect(await reserve(251)).toMatchObject({ ok: false, reason: 'budget' })
    expect(await reserve(250)).toEqual({ ok: true })
  }
})

it('accounts of 0.1.0: a request that was live when the version changed is settled, once', async () => {
  const account = accountOf('0.1.0')
  for (let times = 0; times < 2; times++) await account.settle(settlement('r1', 120))
  const { live, days, errors, totals } = await account.summary()
  expect(live).toEqual([])
  expect(days.find(({ day, user }) => day === '2026-11-21' && user === 'ada')).toMatchObject({
    requests: 4,
    spent: 570,
  })
  expect(totals).toMatchObject([{ spent: 1000 }, { spent: 99_570 }])
  expect(errors).toEqual([{ day: '2026-11-21', kind: 'overloaded', count: 2 }])
})

it('accounts of 0.1.0: one that is not settled counts as spent, in full, when its time is over', async () => {
  const account = accountOf('0.1.0')
  vi.setSystemTime(1_795_263_000_000)
  expect((await account.summary()).days.find(({ user, day }) => user === 'ada' && day === '2026-11-21')?.spent).toBe(
    750,
  )
})

/** The object of a kept answer, on what 0.1.0 stored of it. */
function runOf(sql: string): KeptRun {
  const database = new DatabaseSync(':memory:')
  database.exec(sql)
  return openRunOn(database)
}
const [running = '', done = ''] = stored('runs-0.1.0.sql').split('-- done:')

it('a kept answer of 0.1.0 is sent again, from any of its events on', async () => {
  const whole = await runOf(running + done).resume(0)
  expect([whole.status, whole.headers.get('x-request-id')]).toEqual([200, 'q1'])
  const text = await whole.text()
  expect(text).toContain('id: 1\ndata: {"choices"')
  expect(text).toContain('" morning"')
  expect(await (await runOf(running + done).resume(1)).text()).toMatch(/^id: 2\n/)
  expect((await runOf(running + done).resume(2)).status).toBe(204)
})

it('an answer that 0.1.0 was writing when it was replaced ends in an error, and is not requested again', async () => {
  const call = {
    id: '0123456789abcdef0123456789abcdef',
    url: 'https://worker.test/v1/chat/completions',
    body: '{}',
    digest: 'of it all',
    session: {} as never,
  }
  const text = await (await runOf(running).start(call)).text()
  expect(text).toContain('"Good"')
  expect(text).toContain('The answer was cut off')
  expect(text).not.toContain('asked for anew')
})

it('a kept answer is read by 32 at once, and by another once one of them has left or has read it', async () => {
  const run = runOf(running + done)
  const readers = await Promise.all(Array.from({ length: 32 }, () => run.resume(0)))
  expect(readers.map(({ status }) => status)).toEqual(Array(32).fill(200))
  const refused = await run.resume(0)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
  await readers[0]?.body?.cancel()
  const next = await run.resume(1)
  expect(next.status).toBe(200)
  expect((await run.resume(0)).status).toBe(429)
  expect(await next.text()).toContain('id: 2')
  expect((await run.resume(0)).status).toBe(200)
})
