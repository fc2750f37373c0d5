/** W32: what a stream of 200 events costs, what the Worker weighs, and how soon it answers. */
import { endingOf } from '../../test/gateway/wire.ts'
import { ask } from './client.mjs'
import { begin, longPieces } from './provider.mjs'
import { bundle, eachOf, measure, models, startWorkerd } from './rig.mjs'

const streams = 300
/** Reads an answer and writes it again, with nothing between: what is left is what workerd takes for itself. */
const bare = `
export class UserLedger {}
export class StreamRun {}
export default {
  async fetch(request, env) {
    if (request.method !== 'POST') return new Response('', { status: 404 })
    const url = env.ANTHROPIC_BASE_URL + '/messages'
    const { body, headers } = await fetch(url, { method: 'POST', body: await request.text() })
    const reader = body.getReader()
    const pull = async (controller) => {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    }
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { headers })
  },
}`
const wordsOf = (count) => Array.from({ length: count }, (_, nth) => `word ${nth} `)

export async function cpu({ worker, upstream, token }) {
  upstream.play = async (asked, response) => {
    const { before, said, after } = longPieces(asked.wire, wordsOf(Number(/say (\d+)/.exec(asked.text)[1])))
    begin(response, asked.wire)
    for (const piece of [...before, ...said, ...after]) {
      response.write(piece)
      // An event a packet, as they come from a model.
      await new Promise((resolve) => setImmediate(resolve))
    }
    response.end()
  }
  const floor = await startWorkerd(upstream.url, {}, bare)
  const rows = []
  for (const [name, wire, count] of [
    ['passed', 'anthropic', 200],
    ['translated', 'openai-chat', 200],
    ['passed', 'anthropic', 1],
  ]) {
    const asking = { wire, model: models.anthropic, token, say: `say ${count}` }
    const { each, whole } = await costOf(worker, asking)
    const own = await costOf(floor, { ...asking, wire: 'anthropic' })
    rows.push({
      what: `a stream of ${count} events, ${name} (${whole} of ${streams} whole)`,
      figure: `${each.toFixed(1)} ms of CPU (${own.each.toFixed(1)} to read and write it, with nothing between)`,
      bar: '5 ms',
      met: each <= 5 && whole === streams,
    })
  }
  await floor.stop()
  rows.push(await refusals(worker))
  const { length } = await bundle()
  rows.push({
    what: 'the Worker, minified',
    figure: `${(length / 1024).toFixed(0)} KiB`,
    bar: '80 KiB',
    met: length <= 80 * 1024,
  })
  rows.push({
    what: 'workerd with the Worker, from its start to its first answer',
    figure: `${worker.startMs.toFixed(0)} ms`,
    bar: '50 ms',
    met: worker.startMs <= 50,
  })
  return rows
}

/** The cost of each of many streams, and how many were complete. */
async function costOf({ url, pid }, asking) {
  const one = async () => endingOf(asking.wire, (await ask(url, asking)).text).ends
  await eachOf(Array.from({ length: 50 }), 4, one)
  const before = measure(pid).cpuMs
  const ends = await eachOf(Array.from({ length: streams }), 4, one)
  return { each: (measure(pid).cpuMs - before) / streams, whole: ends.filter((count) => count === 1).length }
}

/** W1: the cost of refusing an invalid token. */
async function refusals({ url, pid }) {
  const headers = { authorization: 'Bearer x.y.z', 'content-type': 'application/json' }
  const one = async () => (await fetch(`${url}/v1/messages`, { method: 'POST', headers, body: '{}' })).text()
  await eachOf(Array.from({ length: 200 }), 8, one)
  const before = measure(pid).cpuMs
  await eachOf(Array.from({ length: 2000 }), 8, one)
  const each = (measure(pid).cpuMs - before) / 2000
  return { what: 'a token that is refused', figure: `${each.toFixed(2)} ms of CPU`, bar: '5 ms', met: each <= 5 }
}
