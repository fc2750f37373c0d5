/** Many users, few of them busy: how often which object of the accounts is called, and what a request waits for it. */
import { join } from 'node:path'
import { build } from 'esbuild'
import { readAll, send } from './client.mjs'
import { answerWith, piecesOf } from './provider.mjs'
import { eachOf, measure, models, openSession, quantile } from './rig.mjs'

/**
 * One in ten of the users is active today, with this number of requests on average. The second one sends half as many as the first, and so
 * on.
 */
const [activeShare, requestsOfEach, atOnce] = [0.1, 3, 10]
/** An answer costs 7 of the 14 tokens that are reserved for it. */
const maxTokens = 14
/** The money of a day lasts for all of them: what happens when it runs out is another bench's. */
export const scalePrices = { PRICES: JSON.stringify({ [models.anthropic]: [0, 1] }) }

/** The same Worker, whose accounts count the calls to each object, and the rows that they write. */
const entry = `
import worker, { UserAccount as Accounts, StreamRun } from './examples/worker/index.ts'
const calls = {}
let rowsWritten = 0
export class UserAccount extends Accounts {
  #id
  constructor(ctx, env) {
    const { sql } = ctx.storage
    const exec = sql.exec.bind(sql)
    sql.exec = (...all) => {
      const cursor = exec(...all)
      rowsWritten += cursor.rowsWritten
      return cursor
    }
    super(ctx, env)
    this.#id = ctx.id.toString()
  }
${['reserve', 'settle', 'draw', 'takeBack', 'collect']
  .map(
    (name) =>
      `  ${name}(...all) { (calls.${name} ??= {})[this.#id] = (calls.${name}[this.#id] ?? 0) + 1; return super.${name}(...all) }`,
  )
  .join('\n')}
}
export { StreamRun }
export default {
  fetch: (request, env, ctx) =>
    request.url.endsWith('/calls') ? Response.json({ calls, rowsWritten }) : worker.fetch(request, env, ctx),
}`

export const countingWorker = () => workerOf(entry)

/** The bundle of such an entry, which lies at the root of the project. */
export async function workerOf(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(import.meta.dirname, '..', '..'), loader: 'js' },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2023',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:workers'],
    logLevel: 'silent',
  })
  return outputFiles[0].contents
}

export async function scale({ worker, upstream, users }) {
  upstream.play = answerWith((wire) => piecesOf(wire, { text: 'x' }))
  const active = Math.ceil(users * activeShare)
  const names = Array.from({ length: active }, (_, at) => `user-${at}`)
  const tokenOf = (user) => openSession(worker.url, user)
  // Each user's first request of the day draws a lease.
  const tokens = await eachOf(names, atOnce, async (user) => {
    const token = await tokenOf(user)
    await ask(worker.url, token)
    return token
  })
  const rank = zipf(active)
  const asked = Array.from({ length: active * requestsOfEach }, rank)
  const before = { ...(await countsOf(worker)), ...measure(worker.pid) }
  const waits = await eachOf(asked, atOnce, async (at) => {
    try {
      return await ask(worker.url, tokens[at])
    } catch {
      // Tokens end after a quarter of an hour.
      tokens[at] = await tokenOf(names[at])
      return ask(worker.url, tokens[at])
    }
  })
  const after = { ...(await countsOf(worker)), ...measure(worker.pid) }
  const direct = await eachOf(asked.slice(0, 1000), atOnce, () => ask(`${upstream.url}/anthropic`, ''))
  return figures({ users, active, asked, before, after, waits, direct })
}

/** Draws a rank from 0: the nth is drawn 1/n times as often as the first. */
function zipf(count) {
  let sum = 0
  const sums = Array.from({ length: count }, (_, at) => (sum += 1 / (at + 1)))
  return () => {
    const drawn = Math.random() * sum
    let [low, high] = [0, count - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sums[middle] < drawn) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Resolves to the time to the headers of the answer, in ms: they go out with its first event. */
async function ask(url, token) {
  const startedAt = performance.now()
  const answer = await send(url, { wire: 'anthropic', model: models.anthropic, token, maxTokens }).answer
  const waited = performance.now() - startedAt
  const { status, isBroken } = await readAll(answer)
  if (status !== 200 || isBroken) throw new Error(`A request was answered with ${status}`)
  return waited
}

async function countsOf({ url }) {
  return (await fetch(`${url}/calls`)).json()
}

const sumOf = (calls = {}) => Object.values(calls).reduce((sum, count) => sum + count, 0)

function figures({ users, active, asked, before, after, waits, direct }) {
  const requests = waits.length
  const of = (name) => sumOf(after.calls[name]) - sumOf(before.calls[name])
  const ofWhole = of('draw') + of('takeBack')
  const all = ofWhole + of('reserve') + of('settle') + of('collect')
  const byUser = Object.keys(after.calls.reserve).map((id) =>
    ['reserve', 'settle'].reduce(
      (sum, name) => sum + (after.calls[name]?.[id] ?? 0) - (before.calls[name]?.[id] ?? 0),
      0,
    ),
  )
  const perRequest = (of('reserve') + of('draw')) / requests
  const [share, busiest] = [(100 * ofWhole) / all, (100 * Math.max(...byUser)) / all]
  // The first user asks most.
  const askedByFirst = (100 * asked.filter((at) => at === 0).length) / requests
  const rows = (after.rowsWritten - before.rowsWritten) / requests
  const added = [0.5, 0.99].map((part) => quantile(waits, part) - quantile(direct, part))
  return [
    {
      what: `calls before an answer, ${requests} requests of ${active} active users of ${users}`,
      figure: `${perRequest.toFixed(3)} a request, and ${(of('settle') / requests).toFixed(3)} after it`,
      bar: '1.02',
      met: perRequest <= 1.02,
    },
    {
      what: 'of all calls, to the object of the whole Worker',
      figure: `${share.toFixed(2)} % (${of('draw')} draws, ${of('takeBack')} given back)`,
      bar: '1 %',
      met: share < 1,
    },
    {
      what: "of all calls, to the busiest user's object",
      figure: `${busiest.toFixed(1)} %`,
      bar: `that user's share of the requests, ${askedByFirst.toFixed(1)} %`,
      met: busiest <= 1.05 * askedByFirst,
    },
    { what: 'rows written for a request', figure: rows.toFixed(2), bar: '5', met: rows <= 5 },
    {
      what: 'CPU of a request, of the Worker and the objects together',
      figure: `${((after.cpuMs - before.cpuMs) / requests).toFixed(2)} ms`,
      bar: '5 ms',
      met: after.cpuMs - before.cpuMs <= 5 * requests,
    },
    {
      what: `added to the first byte, ${atOnce} at once`,
      figure: `p50 ${added[0].toFixed(1)} ms, p99 ${added[1].toFixed(0)} ms`,
      bar: '50 ms, 250 ms',
      met: added[0] <= 50 && added[1] <= 250,
    },
  ]
}
