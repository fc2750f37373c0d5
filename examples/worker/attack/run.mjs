/** All checks against one Worker, as rows of a table. */
import { mintTokens } from './as-stranger.mjs'
import { ask, createTarget } from './ask.mjs'
import { checks } from './checks.mjs'

/** The reasons why a check is not tried. */
const missing = {
  token: 'no token: give --token, or --origin',
  minted: 'it gave none by itself',
  otherToken: 'no token of a second user: give --other-token',
  deadTokens: 'no token that has ended: give --expired',
  adminToken: 'no ADMIN_TOKEN in the environment',
  perUser: 'no limit of a user: give --per-user',
  perNetwork: 'no limit of a network: give --per-network',
  rate: 'too many requests: try again in a minute',
  slow: 'no answer in time: try again when there is less load',
}

/** @throws {Error} if no server answers at the URL, or if it is not a URL. */
export async function runChecks(url, { origin, token, isWanted = () => true, ...given }) {
  if (!URL.canParse(url)) throw new Error(`"${url}" is not a URL`)
  const target = { ...createTarget(url, { origin, token }), ...given }
  const first = await ask(target, { method: 'GET', path: '/v1' })
  if (first.status === 0) throw new Error(`no server answers at ${url}: ${first.problem}`)
  if (token === undefined) await mintTokens(target)
  const rows = []
  for (const check of checks.filter(isWanted)) rows.push(await runCheck(check, target))
  target.agent.destroy()
  return { rows, requests: target.seen.length, seconds: (Date.now() - target.startedAt) / 1000 }
}

async function runCheck({ id, name, expected, needs, run }, target) {
  const row = { id, name, expected }
  if (needs && !target[needs]) return { ...row, got: missing[needs], mark: '-' }
  const found = await run(target)
  const bad = found.filter(({ ok }) => !ok)
  if (found.every(({ got }) => got === '429')) return { ...row, got: missing.rate, mark: '-' }
  // A Worker that is too busy may give no token. This shows nothing about the check.
  if (bad.length > 0 && bad.every(isForLoad)) return { ...row, got: missing.slow, mark: '-' }
  if (bad.length > 0) return { ...row, got: bad.slice(0, 3).map(tell).join('; '), mark: 'FAILED' }
  return { ...row, got: summarise(found), mark: 'ok' }
}

function isForLoad({ got }) {
  return got === 'no answer in time' || got === 'no time left'
}

function tell({ what, got }) {
  return `${printable(what)}: ${printable(got)}`
}

/** How often each result occurred, such as `401 × 12, 429`. */
function summarise(found) {
  const counts = new Map()
  for (const { got } of found) counts.set(got, (counts.get(got) ?? 0) + 1)
  const parts = [...counts].map(([got, count]) => (count === 1 ? printable(got) : `${printable(got)} × ${count}`))
  return parts.length > 6 ? `${parts.slice(0, 6).join(', ')} …` : parts.join(', ')
}

/** Removes characters that could control a terminal. */
function printable(text) {
  return text.replace(/[^\x20-\x7e×…]/g, '?').slice(0, 100)
}
