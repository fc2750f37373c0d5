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
export const shortWindow = { WHOLE_COMMIT_MS: '1000' }

const talk = (asked, response) => talkForever(asked, response, 20)
const cases = [
  { what: 'in mid-stream, an event every 20 ms', play: talk, bar: 100 },
  { what: 'in mid-stream, the provider silent', play: fallSilent, bar: 1250 },
  { what: 'before the provider says anything', play: () => {}, bar: 3250, isMute: true },
  // The headers of a whole answer are out once it has been written for `WHOLE_COMMIT_MS`.
  { what: 'in an answer that is wanted whole', play: talk, bar: 1250, stream: false },
]

export async function disconnect({ worker, upstream, token }) {
  const rows = []
  for (const { what, play, bar, isMute = false, stream = true } of cases) {
    const times = await eachOf(Array.from({ length: rounds }, () => pairs).flat(), 4, (pair) =>
      leave({ worker, upstream, token, pair, play, stream, waits: !isMute }),
    )
    const worst = Math.max(...times)
    const figure = `p50 ${tell(quantile(times, 0.5))}, p99 ${tell(quantile(times, 0.99))}, worst ${tell(worst)}`
    rows.push({ what: `${what}; ${times.length} times`, figure, bar: `${bar} ms`, met: worst <= bar })
  }
  return rows
}

const tell = (ms) => `${ms.toFixed(0)} ms`

async function leave({ worker, upstream, token, pair: [wire, provider], play, stream, waits }) {
  const mark = crypto.randomUUID()
  const known = upstream.play
  const arrived = new Promise((resolve) => {
    upstream.play = (asked, response) => {
      if (!asked.text.includes(mark)) return known(asked, response)
      resolve(asked)
      return play(asked, response)
    }
  })
  const { answer, leave: close } = send(worker.url, { wire, model: models[provider], token, say: mark, stream })
  const asked = await arrived
  if (waits) await begun(await answer)
  await pause(100)
  const closedAt = performance.now()
  close()
  const end = await Promise.race([asked.closed, pause(10_000).then(() => Number.POSITIVE_INFINITY)])
  return end - closedAt
}
