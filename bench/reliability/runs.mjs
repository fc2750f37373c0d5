/** W21, W23: an answer that is kept; how long until a client that comes back has its next event, and until a stop has left the provider. */
import { begun, readOn, send } from './client.mjs'
import { begin, longPieces, talkForever } from './provider.mjs'
import { eachOf, models, pause, quantile } from './rig.mjs'

const wires = Object.keys(models)
/** Each wire with a provider of its own wire, and with one of another. */
const pairs = wires.flatMap((wire, at) => [
  [wire, wire],
  [wire, wires[(at + 2) % wires.length]],
])
const rounds = 5

const talk = (asked, response) => talkForever(asked, response, 20)
const saySome = (asked, response) => {
  const { before, said, after } = longPieces(asked.wire, ['one ', 'two ', 'three ', 'four '])
  begin(response, asked.wire)
  response.write([...before, ...said].join(''))
  return after.join('')
}
const sayAll = (asked, response) => response.end(saySome(asked, response))
const cases = [
  { what: 'stopped in mid-stream', play: talk, measure: stop, bar: 100 },
  { what: 'stopped while the provider is silent', play: saySome, measure: stop, bar: 100 },
  { what: 'stopped when its reader has left', play: talk, leaves: true, measure: stop, bar: 100 },
  { what: 'come back to in mid-stream', play: talk, leaves: true, measure: comeBack, bar: 300 },
  { what: 'come back to while the provider is silent', play: saySome, leaves: true, measure: comeBack, bar: 300 },
  { what: 'come back to after its end', play: sayAll, leaves: true, measure: comeBack, bar: 300 },
]

export async function runs({ worker, upstream, token }) {
  const rows = []
  for (const { what, play, leaves = false, measure, bar } of cases) {
    const times = await eachOf(Array.from({ length: rounds }, () => pairs).flat(), 2, (pair) =>
      one({ url: worker.url, upstream, token, pair, play, leaves, measure }),
    )
    const [p50, p99, worst] = [quantile(times, 0.5), quantile(times, 0.99), Math.max(...times)].map(tell)
    rows.push({
      what: `${what}, ${times.length} times`,
      figure: `p50 ${p50}, p99 ${p99}, worst ${worst}`,
      bar: `${bar} ms`,
      met: Math.max(...times) <= bar,
    })
  }
  return rows
}

const tell = (ms) => `${ms.toFixed(0)} ms`

/** Begins an answer under a key of its own, and measures what is done to it. */
async function one({ url, upstream, token, pair: [wire, provider], play, leaves, measure }) {
  const key = crypto.randomUUID()
  const known = upstream.play
  const arrived = new Promise((resolve) => {
    upstream.play = (asked, response) => {
      if (!asked.text.includes(key)) return known(asked, response)
      resolve(asked)
      return play(asked, response)
    }
  })
  const headers = { 'idempotency-key': key }
  const { answer, leave } = send(url, { wire, model: models[provider], token, say: key, headers })
  const asked = await arrived
  const first = await answer
  await begun(first)
  if (leaves) leave()
  else first.resume()
  await pause(100)
  const path = `/v1/streams/${first.headers['x-isoglot-stream']}`
  const ms = await measure({ url, path, token, asked })
  // The next one runs by itself.
  if (measure !== stop) await stop({ url, path, token, asked })
  return ms
}

/** From the request to stop it to the close of the connection to the provider. */
async function stop({ url, path, token, asked }) {
  const startedAt = performance.now()
  const { answer } = readOn(url, { method: 'DELETE', path, token })
  const closedAt = await Promise.race([asked.closed, pause(10_000).then(() => Number.POSITIVE_INFINITY)])
  const { statusCode } = (await answer).resume()
  return statusCode === 204 ? closedAt - startedAt : Number.POSITIVE_INFINITY
}

/** From the request to continue after the first event to the next event. */
async function comeBack({ url, path, token }) {
  const startedAt = performance.now()
  const { answer, leave } = readOn(url, { path, token, headers: { 'last-event-id': '1' } })
  const incoming = await answer
  await begun(incoming)
  const ms = performance.now() - startedAt
  leave()
  return incoming.statusCode === 200 ? ms : Number.POSITIVE_INFINITY
}
