/** W30: a thousand streams at once, each with four events a second that carry the time at which they were said. */
import { endingOf } from '../../test/gateway/wire.ts'
import { send, textOf } from './client.mjs'
import { begin, longPieces } from './provider.mjs'
import { eachOf, measure, models, pause, quantile } from './rig.mjs'

const [streams, perSecond, seconds] = [1000, 4, 12]
const said = perSecond * seconds
const rampMs = 4000
const at = / at (\d+\.\d) /g
const spoken = longPieces(
  'anthropic',
  Array.from({ length: said }, () => ' at TIME '),
)

export async function load({ worker, upstream, token }) {
  const rows = []
  for (const [name, wire, provider] of [
    ['passed', 'anthropic', 'anthropic'],
    ['translated', 'openai-chat', 'anthropic'],
  ]) {
    upstream.play = tick
    await eachOf(Array.from({ length: 20 }), 20, () => listen(worker, token, wire, provider, []))
    rows.push(...(await measureStreams({ worker, token, name, wire, provider })))
  }
  return rows
}

async function measureStreams({ worker, token, name, wire, provider }) {
  const before = measure(worker.pid)
  const heldBefore = await worker.heldKiB()
  const delays = []
  const startedAt = performance.now()
  // Once, since a collection of garbage holds everything up.
  const held = pause(rampMs + 3000).then(() => worker.heldKiB())
  const texts = await Promise.all(
    Array.from({ length: streams }, async (_, nth) => {
      await pause((nth / streams) * rampMs)
      return listen(worker, token, wire, provider, delays)
    }),
  )
  const cpu = (measure(worker.pid).cpuMs - before.cpuMs) / (performance.now() - startedAt)
  const each = ((await held) - heldBefore) / streams
  const exact = texts.filter((text) => isExact(wire, text)).length
  const [p50, p99] = [quantile(delays, 0.5), quantile(delays, 0.99)]
  return [
    {
      what: `${streams} streams, ${perSecond} events a second, ${name}`,
      figure: `${exact} exact`,
      bar: `${streams}`,
      met: exact === streams,
    },
    {
      what: `delay of an event, ${name}`,
      figure: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(0)} ms`,
      bar: '20 ms, 250 ms',
      met: p50 <= 20 && p99 <= 250,
    },
    {
      what: `memory for each, ${name}`,
      figure: `${each.toFixed(0)} KiB (and ${(cpu * 100).toFixed(0)} % of a core)`,
      bar: '110 KiB',
      met: each <= 110,
    },
  ]
}

/** Sends the time this number of times, between the first and last events of the stream. */
async function tick(asked, response) {
  const { before, said: pieces, after } = spoken
  begin(response, asked.wire)
  response.write(before.join(''))
  for (const piece of pieces) {
    if (response.destroyed) return
    response.write(piece.replace('TIME', performance.now().toFixed(1)))
    await pause(1000 / perSecond)
  }
  response.end(after.join(''))
}

/** The whole text; to read it takes time, which others would be late by. */
async function listen(worker, token, wire, provider, delays) {
  const answer = await send(worker.url, { wire, model: models[provider], token }).answer
  const chunks = []
  for await (const chunk of answer) {
    const now = performance.now()
    const text = chunk.toString('latin1')
    for (const [, time] of text.matchAll(at)) delays.push(now - Number(time))
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Whether all came, once, in order, with one normal end. */
function isExact(wire, text) {
  const times = [...textOf(wire, text).matchAll(at)].map(([, time]) => Number(time))
  const isOrdered = times.every((time, nth) => nth === 0 || time >= times[nth - 1])
  return times.length === said && isOrdered && endingOf(wire, text).ends === 1
}
