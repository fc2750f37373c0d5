/** W14: how long after its limit a silent provider is given up, and how long after that its connection is closed. */
import { endingOf } from '../../test/gateway/wire.ts'
import { readAll, send } from './client.mjs'
import { begin, longPieces } from './provider.mjs'
import { eachOf, models, quantile } from './rig.mjs'

const [headersMs, idleMs] = [1000, 1500]
export const shortLimits = { HEADERS_TIMEOUT_MS: `${headersMs}`, IDLE_TIMEOUT_MS: `${idleMs}` }

const wires = Object.keys(models)
const [before, after] = ['before its headers', 'after its headers']

export async function stalls({ worker, upstream, token }) {
  const { length } = longPieces('anthropic', ['a', 'b', 'c']).said
  const places = [before, after, ...Array.from({ length }, (_, at) => `after ${at + 1} pieces of text`)]
  const cases = wires.flatMap((wire) =>
    places.flatMap((place) => [true, false].map((stream) => ({ wire, place, stream }))),
  )
  upstream.play = (asked, response) => stall(cases[Number(/case (\d+)\./.exec(asked.text)[1])], asked, response)
  const found = await eachOf(cases, 12, (one, at) => time(one, at, { worker, upstream, token }))
  const late = found.map((one) => one.lateMs)
  const closed = found.map((one) => one.closedMs)
  const wrong = found.filter((one) => !one.isTold).length
  return [
    {
      what: `reported after the limit, ${cases.length} stalls`,
      figure: tell(late),
      bar: '250 ms',
      met: Math.max(...late) <= 250,
    },
    {
      what: 'the connection to the provider closed, after that',
      figure: tell(closed),
      bar: '250 ms',
      met: Math.max(...closed) <= 250,
    },
    {
      what: 'of these, not reported as 504 or as one error of the wire',
      figure: `${wrong}`,
      bar: '0',
      met: wrong === 0,
    },
  ]
}

const tell = (times) => `p50 ${quantile(times, 0.5).toFixed(0)} ms, worst ${Math.max(...times).toFixed(0)} ms`

function stall({ place }, asked, response) {
  asked.lastAt = performance.now()
  if (place === before) return
  begin(response, asked.wire)
  if (place === after) return
  const { before: head, said } = longPieces(asked.wire, ['a', 'b', 'c'])
  response.write([...head, ...said.slice(0, Number(/\d/.exec(place)[0]))].join(''))
  asked.lastAt = performance.now()
}

async function time({ wire, place, stream }, at, { worker, upstream, token }) {
  const say = `case ${at}.`
  const { answer } = send(worker.url, { wire, model: models[wire], token, stream, say })
  const { status, text } = await readAll(await answer)
  const endedAt = performance.now()
  const asked = upstream.asked.find((one) => one.text.includes(say))
  const limit = place === before || place === after ? headersMs : idleMs
  const isTold =
    status === 504 || (status === 200 && endingOf(wire, text).errors === 1 && endingOf(wire, text).ends === 0)
  return { isTold, lateMs: endedAt - asked.lastAt - limit, closedMs: Math.max(0, (await asked.closed) - endedAt) }
}
