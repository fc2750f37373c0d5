/** An account with two users, two models and two days, and the settings to ask for it. */
import { DatabaseSync } from 'node:sqlite'
import { answerAdmin as answer } from '../../src/worker/admin/admin.ts'
import { openAccount } from './on-sqlite.ts'
import { leastEnv, setupOf } from './setup.ts'

export const token = 'an-admin-token-of-more-than-32-bytes'
const now = Date.now()
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
export const [yesterday, today] = [dayOf(now - 86_400_000), dayOf(now)]

/** Two users, two models, two days; one user's name is an attack on the page. */
const database = new DatabaseSync(':memory:')
openAccount(database) // makes the tables
const live = [
  ['r1', 'ada', 'claude-sonnet-5', 'anthropic', now - 65_000],
  ['r2', '<img src=x onerror=alert(1)>', 'gpt-5', 'ollama', now - 2000],
] as const
for (const [id, user, model, wire, startedAt] of live)
  database
    .prepare("INSERT INTO live VALUES (?, ?, ?, ?, 'p', 5, ?, ?)")
    .run(id, user, model, wire, startedAt, now + 600_000)
const days = [
  [today, 'ada', 'claude-sonnet-5', 3, 1200, 300, 4500],
  [today, 'bob', 'gpt-5', 40, 90_000, 8000, 900_000],
  [yesterday, 'ada', 'gpt-5', 2, 10, 20, 1_250_000],
] as const
for (const row of days) database.prepare('INSERT INTO days VALUES (?, ?, ?, ?, ?, ?, ?)').run(...row)
for (const row of [
  [today, 'overloaded', 2],
  [yesterday, 'rate_limit', 5],
  [yesterday, 'overloaded', 1],
  [today, 'refused: budget', 2],
] as const)
  database.prepare('INSERT INTO errors VALUES (?, ?, ?)').run(...row)

const limits = { DAILY_BUDGET_USD: '1', TOTAL_DAILY_BUDGET_USD: '2', LIVE_STREAMS: '4' }
export const account = openAccount(database)
export const env = {
  ...leastEnv,
  OLLAMA_MODELS: 'a',
  ...limits,
  ADMIN_TOKEN: token,
  ACCOUNTS: { getByName: () => account },
}
export const answerAdmin = (request: Request, settings: object) => answer(request, setupOf(settings))
export const ask = (path = '/admin/summary', init: RequestInit = { headers: { authorization: `Bearer ${token}` } }) =>
  new Request(`https://worker.example${path}`, init)
