/**
 * `npm run attack -- URL`: tries to get past a Worker of ours, deployed or on loopback, as strangers will. Prints a table; fails if
 * anything gave way. It costs nothing: what it asks for is not to be had.
 */
import { parseArgs } from 'node:util'
import { mintToken } from './attack/as-stranger.mjs'
import { ask, createTarget } from './attack/ask.mjs'
import { checks } from './attack/checks.mjs'

const help = `npm run attack -- URL       such as https://my-chat.example.workers.dev
      --origin https://…    an origin that it allows; default: the URL's own
      --token …             a token of a user, if it gives none to a page by itself
      --max-body 1048576    its limit, if it is another
  With ADMIN_TOKEN in the environment, the operator's token, it asks for the self-test as well.`

/** Why a check is not tried. */
const missing = {
  token: 'no token: give --token, or --origin',
  minted: 'it gave none by itself',
  adminToken: 'no ADMIN_TOKEN in the environment',
  rate: 'too many requests: try again in a minute',
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      origin: { type: 'string' },
      token: { type: 'string' },
      'max-body': { type: 'string', default: '1048576' },
      help: { type: 'boolean' },
    },
  })
  const [url] = positionals
  if (values.help || !url) console.log(help)
  else process.exitCode = await attack(url, values)
  if (!values.help && !url) process.exitCode = 2
} catch (error) {
  console.error(`Cannot attack: ${error.message}`)
  process.exitCode = 2
}

async function attack(url, { origin, token, 'max-body': maxBody }) {
  if (!URL.canParse(url)) throw new Error(`"${url}" is not a URL`)
  // Not an option: a command line is for all to see.
  const { ADMIN_TOKEN: adminToken } = process.env
  const target = { ...createTarget(url, { origin, token }), maxBody: Number(maxBody), adminToken }
  const first = await ask(target, { method: 'GET', path: '/v1' })
  if (first.status === 0) throw new Error(`nobody answers at ${url}: ${first.problem}`)
  if (token === undefined) await mintToken(target)
  const rows = []
  for (const check of checks) rows.push(await runCheck(check, target))
  target.agent.destroy()
  console.log(drawTable(rows))
  const count = (mark) => rows.filter((row) => row.mark === mark).length
  const seconds = ((Date.now() - target.startedAt) / 1000).toFixed(1)
  console.log(
    `${count('ok')} ok, ${count('FAILED')} failed, ${count('-')} not tried; ${target.seen.length} requests in ${seconds} s`,
  )
  return count('FAILED') > 0 ? 1 : 0
}

async function runCheck({ id, name, expected, needs, run }, target) {
  const row = { id, name, expected }
  if (needs && !target[needs]) return { ...row, got: missing[needs], mark: '-' }
  const found = await run(target)
  const bad = found.filter(({ ok }) => !ok)
  if (found.every(({ got }) => got === '429')) return { ...row, got: missing.rate, mark: '-' }
  if (bad.length > 0) return { ...row, got: bad.slice(0, 3).map(tell).join('; '), mark: 'FAILED' }
  return { ...row, got: summarise(found), mark: 'ok' }
}

function tell({ what, got }) {
  return `${printable(what)}: ${printable(got)}`
}

/** How often each came: `401 × 12, 429`. */
function summarise(found) {
  const counts = new Map()
  for (const { got } of found) counts.set(got, (counts.get(got) ?? 0) + 1)
  const parts = [...counts].map(([got, count]) => (count === 1 ? printable(got) : `${printable(got)} × ${count}`))
  return parts.length > 6 ? `${parts.slice(0, 6).join(', ')} …` : parts.join(', ')
}

/** What came from the other side goes to a terminal. */
function printable(text) {
  return text.replace(/[^\x20-\x7e×…]/g, '?').slice(0, 100)
}

function drawTable(rows) {
  const head = { mark: '', id: '', name: 'check', expected: 'expected', got: 'got' }
  const columns = ['mark', 'id', 'name', 'expected']
  const widths = columns.map((column) => Math.max(...[head, ...rows].map((row) => row[column].length)))
  const draw = (row) => [...columns.map((column, at) => row[column].padEnd(widths[at])), row.got].join('  ')
  return ['', ...[head, ...rows].map(draw), ''].join('\n')
}
