/** W32: what a request costs in CPU time, beside what workerd takes to pass it on; what the Worker weighs, and how soon it answers. */
import { endingOf } from '../../test/gateway/wire.ts'
import { ask } from './client.mjs'
import { answering, begin, longPieces } from './provider.mjs'
import { bundle, eachOf, measure, models, quantile, startWorkerd } from './rig.mjs'

/** Other programs slow a processor down: the Workers that are compared take turns, and the middle of these rounds counts. */
const rounds = 7
const [streams, wholes, refusals] = [60, 300, 1000]
const events = 200

/** Reads an answer and writes it again, with nothing between. With `joins`, what came within 10 ms of a writing waits for the next. */
const bare = (joins) =>
  `
export class UserAccount {}
export class StreamRun {}
export default {
  async fetch(request, env) {
    if (request.method !== 'POST') return new Response('', { status: 404 })
    const url = env.ANTHROPIC_BASE_URL + '/messages'
    const { body, headers } = await fetch(url, { method: 'POST', body: await request.text() })
    const reader = body.getReader()
    let [next, written] = [reader.read(), 0]
    async function pull(controller) {
      const over = new Promise((resolve) => setTimeout(resolve, written + 10 - Date.now()))
      const chunks = []
      for (let read = await next; read; read = ${joins ? 'await Promise.race([next, over])' : 'undefined'}) {
        if (read.done) break
        next = reader.read()
        chunks.push(read.value)
      }
      if (chunks.length === 0) return controller.close()
      controller.enqueue(chunks.length === 1 ? chunks[0] : await new Response(new Blob(chunks)).bytes())
      written = Date.now()
    }
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { headers })
  },
}`.replace(joins ? '' : /const over.*\n/, '')

export async function cpu({ worker, upstream, token }) {
  upstream.play = (asked, response) =>
    (asked.text.includes('say ') ? sayEach : answering({ text: 'Hello' }))(asked, response)
  const passing = await startWorkerd(upstream.url, {}, bare(false))
  const joining = await startWorkerd(upstream.url, {}, bare(true))
  const asking = { wire: 'anthropic', model: models.anthropic, token }
  const stream = { ...asking, say: `say ${events}` }
  const costs = await costsOf({
    whole: [worker, wholes, () => askWhole(worker, asking)],
    'whole, bare': [passing, wholes, () => askWhole(passing, asking)],
    refusal: [worker, refusals, () => refuse(worker)],
    passed: [worker, streams, () => listen(worker, stream)],
    translated: [worker, streams, () => listen(worker, { ...stream, wire: 'openai-chat' })],
    'stream, bare': [passing, streams, () => listen(passing, stream)],
    'stream, joined': [joining, streams, () => listen(joining, stream)],
  })
  await passing.stop()
  await joining.stop()
  const row = (what, name, bar, beside = '') => ({
    what,
    figure: `${costs[name].toFixed(2)} ms of CPU${beside}`,
    bar: `${bar} ms`,
    met: costs[name] <= bar,
  })
  const besideStream = ` (${costs['stream, bare'].toFixed(1)} with nothing between, ${costs['stream, joined'].toFixed(1)} if that joins)`
  const { length } = await bundle()
  return [
    row('a whole answer', 'whole', 1.2, ` (${costs['whole, bare'].toFixed(2)} with nothing between)`),
    row('a token that is refused', 'refusal', 0.2),
    row(`a stream of ${events} events, one to a packet, passed`, 'passed', 9, besideStream),
    row(`a stream of ${events} events, one to a packet, translated`, 'translated', 9),
    {
      what: 'the Worker, minified',
      figure: `${(length / 1024).toFixed(0)} KiB`,
      bar: '80 KiB',
      met: length <= 80 * 1024,
    },
    {
      what: 'workerd with the Worker, from its start to its first answer',
      figure: `${worker.startMs.toFixed(0)} ms`,
      bar: '50 ms',
      met: worker.startMs <= 50,
    },
  ]
}

/** An event a packet, as they come from a model. */
async function sayEach(asked, response) {
  const words = Array.from({ length: events }, (_, nth) => `word ${nth} `)
  const { before, said, after } = longPieces(asked.wire, words)
  begin(response, asked.wire)
  for (const piece of [...before, ...said, ...after]) {
    response.write(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  response.end()
}

/** Measures the CPU time of one request of each kind: `[worker, count, request]` by name. */
async function costsOf(kinds) {
  const each = Object.fromEntries(Object.keys(kinds).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, [{ pid }, count, request]] of Object.entries(kinds)) {
      const before = measure(pid).cpuMs
      await eachOf(Array.from({ length: count }), 4, request)
      // Before the first round nothing is compiled.
      if (round > 0) each[name].push((measure(pid).cpuMs - before) / count)
    }
  }
  return Object.fromEntries(Object.entries(each).map(([name, costs]) => [name, quantile(costs, 0.5)]))
}

async function askWhole({ url }, asking) {
  const { status, text } = await ask(url, { ...asking, stream: false })
  if (status !== 200 || !text.includes('Hello')) throw new Error(`A whole answer was ${status} ${text}`)
}

async function listen({ url }, asking) {
  const { text } = await ask(url, asking)
  if (endingOf(asking.wire, text).ends !== 1) throw new Error(`A stream was not whole: ${text.slice(-200)}`)
}

async function refuse({ url }) {
  const { status } = await ask(url, { wire: 'anthropic', model: models.anthropic, token: 'x.y.z' })
  if (status !== 401) throw new Error(`A wrong token was answered with ${status}`)
}
