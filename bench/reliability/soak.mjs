/** W29: 10,000 streams; clients leave half of them in the middle. Does anything stay in memory, or end wrong? */
import { endingOf } from '../../test/gateway/wire.ts'
import { seeded } from '../../test/support/random.ts'
import { begun, readAll, send, textOf } from './client.mjs'
import { begin, longPieces } from './provider.mjs'
import { eachOf, measure, models, pause } from './rig.mjs'

const count = 10_000
const wires = Object.keys(models)
const words = Array.from({ length: 20 }, (_, nth) => `word ${nth} `)

export async function soak({ worker, upstream, token }) {
  const random = seeded(29)
  upstream.play = talk
  const pick = () => wires[Math.floor(random() * wires.length)]
  const one = (leaves) => go({ worker, token, wire: pick(), provider: pick(), leaves, after: random() * 40 })
  await eachOf(Array.from({ length: 200 }), 32, () => one(false))
  await pause(500)
  const before = measure(worker.pid)
  const plans = Array.from({ length: count }, () => random() < 0.5)
  let halfway
  let wrong = 0
  await eachOf(plans, 32, async (leaves, nth) => {
    if (nth === count / 2) halfway = measure(worker.pid)
    if (!(await one(leaves))) wrong++
  })
  const after = measure(worker.pid)
  const open = await untilClosed(upstream)
  const files = measure(worker.pid).files - before.files - ((await upstream.sockets()) - 0)
  const slope = (after.rssKiB - halfway.rssKiB) / 1024
  const left = plans.filter(Boolean).length
  return [
    { what: `${count} streams, ${left} of them left`, figure: `${wrong} ended wrong`, bar: '0', met: wrong === 0 },
    { what: 'answers of the provider still open, 5 s after', figure: `${open}`, bar: '0', met: open === 0 },
    { what: 'open files more than at the start', figure: `${files}`, bar: '5', met: files <= 5 },
    {
      what: 'memory that the last half added',
      figure: `${slope.toFixed(1)} MiB (${(after.rssKiB / 1024).toFixed(0)} MiB in all)`,
      bar: '10 MiB',
      met: slope <= 10,
    },
  ]
}

async function talk(asked, response) {
  const { before, said, after } = longPieces(asked.wire, words)
  begin(response, asked.wire)
  response.write(before.join(''))
  for (const piece of said) {
    if (response.destroyed) return
    response.write(piece)
    await pause(2)
  }
  response.end(after.join(''))
}

/** Whether it ended as it should. */
async function go({ worker, token, wire, provider, leaves, after }) {
  const { answer, leave } = send(worker.url, { wire, model: models[provider], token })
  const incoming = await answer
  if (leaves) {
    incoming.on('error', () => {})
    await begun(incoming)
    await pause(after)
    leave()
    return true
  }
  const { text } = await readAll(incoming)
  const { ends, errors, hasMore } = endingOf(wire, text)
  return ends === 1 && errors === 0 && !hasMore && textOf(wire, text) === words.join('')
}

async function untilClosed(upstream) {
  for (let tries = 0; tries < 50 && upstream.open > 0; tries++) await pause(100)
  return upstream.open
}
