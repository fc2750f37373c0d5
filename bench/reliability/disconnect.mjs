/** W15: from the moment the client closes its connection to the moment the Worker has closed the one to the provider. */
import { begun, send } from './client.mjs'
import { fallSilent, talkForever } from './provider.mjs'
import { eachOf, models, pause, quantile } from './rig.mjs'

const wires = Object.keys(models)
/** Each wire with a provider of its own wire, whose bytes go through, and with one of another, which is translated. */
const pairs = wires.flatMap((wire, at) => [
  [wire, wire],
  [wire, wires[(at + 2) % wires.length]],
])
const rounds = 4

const cases = [
  ['in mid-stream, an event every 20 ms', (asked, response) => talkForever(asked, response, 20), 100],
  ['in mid-stream, the provider silent', fallSilent, 1250],
  ['before the provider says anything', () => {}, 3250],
]

export async function disconnect({ worker, upstream, token }) {
  const rows = []
  for (const [what, play, bar] of cases) {
    const times = await eachOf(Array.from({ length: rounds }, () => pairs).flat(), 4, (pair) =>
      leave({ worker, upstream, token, pair, play, waits: play.length > 0 }),
    )
    const worst = Math.max(...times)
    const figure = `p50 ${tell(quantile(times, 0.5))}, p99 ${tell(quantile(times, 0.99))}, worst ${tell(worst)}`
    rows.push({ what: `${what}; ${times.length} times`, figure, bar: `${bar} ms`, met: worst <= bar })
  }
  return rows
}

const tell = (ms) => `${ms.toFixed(0)} ms`

async function leave({ worker, upstream, token, pair: [wire, provider], play, waits }) {
  const mark = crypto.randomUUID()
  const known = upstream.play
  const arrived = new Promise((resolve) => {
    upstream.play = (asked, response) => {
      if (!asked.text.includes(mark)) return known(asked, response)
      resolve(asked)
      return play(asked, response)
    }
  })
  const { answer, leave: close } = send(worker.url, { wire, model: models[provider], token, say: mark })
  const asked = await arrived
  if (waits) await begun(await answer)
  await pause(100)
  const closedAt = performance.now()
  close()
  const end = await Promise.race([asked.closed, pause(10_000).then(() => Number.POSITIVE_INFINITY)])
  return end - closedAt
}
