/** Many users, few of them busy: how often which object of the accounts is called, and what a request waits for it. */
import { join } from 'node:path'
import { build } from 'esbuild'
import { readAll, send } from './client.mjs'
import { answerWith, piecesOf } from './provider.mjs'
import { eachOf, models, openSession, quantile } from './rig.mjs'

const [users, requests, atOnce] = [500, 3000, 10]
/** An answer costs 7 of the 14 tokens that are reserved for it. */
const maxTokens = 14
export const scalePrices = { PRICES: JSON.stringify({ [models.anthropic]: [0, 1] }) }

/** The same Worker, whose accounts count the calls to each object. */
const entry = `
import worker, { UserLedger as Ledger, StreamRun } from './examples/worker/index.ts'
const calls = {}
export class UserLedger extends Ledger {
  #id
  constructor(ctx, env) { super(ctx, env); this.#id = ctx.id.toString() }
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
    request.url.endsWith('/calls') ? Response.json(calls) : worker.fetch(request, env, ctx),
}`

export async function countingWorker() {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: join(import.meta.dirname, '..', '..'), loader: 'js' },
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

export async function scale({ worker, upstream }) {
  upstream.play = answerWith((wire) => piecesOf(wire, { text: 'x' }))
  const names = Array.from({ length: users }, (_, at) => `user-${at}`)
  const tokens = await eachOf(names, atOnce, (user) => openSession(worker.url, user))
  // Each user's first request of the day draws a lease.
  await eachOf(tokens, atOnce, (token) => ask(worker.url, token))
  const before = await callsOf(worker)
  // A few ask often: one in eight requests is of the busiest user.
  const asked = Array.from({ length: requests }, () => tokens[Math.floor(users * Math.random() ** 3)])
  const waits = await eachOf(asked, atOnce, (token) => ask(worker.url, token))
  return figures(before, await callsOf(worker), waits)
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

async function callsOf({ url }) {
  return (await fetch(`${url}/calls`)).json()
}

const sumOf = (calls = {}) => Object.values(calls).reduce((sum, count) => sum + count, 0)

function figures(before, after, waits) {
  const of = (name) => sumOf(after[name]) - sumOf(before[name])
  const ofWhole = of('draw') + of('takeBack')
  const all = ofWhole + of('reserve') + of('settle') + of('collect')
  const byUser = Object.keys(after.reserve).map((id) =>
    ['reserve', 'settle'].reduce((sum, name) => sum + (after[name]?.[id] ?? 0) - (before[name]?.[id] ?? 0), 0),
  )
  const perRequest = (of('reserve') + of('draw')) / requests
  const [share, busiest] = [(100 * ofWhole) / all, (100 * Math.max(...byUser)) / all]
  return [
    {
      what: `calls before an answer, ${requests} requests of ${users} users`,
      figure: `${perRequest.toFixed(3)} a request`,
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
      figure: `${busiest.toFixed(1)} %, as that user asks`,
      bar: '10 %',
      met: busiest < 10,
    },
    {
      what: `to the first byte, ${atOnce} at once`,
      figure: `p50 ${quantile(waits, 0.5).toFixed(1)} ms, p99 ${quantile(waits, 0.99).toFixed(0)} ms`,
      bar: '50 ms, 250 ms',
      met: quantile(waits, 0.5) <= 50 && quantile(waits, 0.99) <= 250,
    },
  ]
}
