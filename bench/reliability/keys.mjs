/** W8: 10,000 requests that fail, each in its own way, and a search for the keys in all that leaves the Worker. */
import { createServer } from 'node:http'
import { seeded } from '../../test/support/random.ts'
import { ask } from './client.mjs'
import { begin, piecesOf } from './provider.mjs'
import { canaries, eachOf, models, pause } from './rig.mjs'

const count = 10_000
const wires = Object.keys(models)
const said = { text: 'Let me look at that.' }
const statuses = [301, 302, 307, 308, 400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503, 504, 529]

/** A key in the ways that it has been seen to leave. */
const disguises = [
  (key) => key,
  encodeURIComponent,
  (key) => Buffer.from(key).toString('base64'),
  (key) => Buffer.from(`key=${key}`).toString('base64'),
  (key) => Buffer.from(`of ${key}`).toString('base64'),
  (key) => JSON.stringify(key).slice(1, -1),
]

export async function keys({ worker, upstream, token }) {
  const random = dice(8)
  const other = await startOther()
  upstream.play = (asked, response) => failWith(random, keyOf(asked), other.url, asked, response)
  const answers = []
  await eachOf(Array.from({ length: count }), 32, async () => {
    const [wire, provider] = [random.pick(wires), random.pick(wires)]
    const what = { wire, model: models[provider], token, stream: random.chance(0.6) }
    const { status, headers, text } = await ask(worker.url, what).catch(({ code }) => ({
      status: 0,
      headers: {},
      text: code,
    }))
    answers.push(`${status}\n${JSON.stringify(headers)}\n${text}`)
  })
  await pause(500)
  const followed = other.count()
  await other.stop()
  const forms = Object.values(canaries).flatMap((key) => [
    ...disguises.map((disguise) => disguise(key)),
    ...inside(key),
  ])
  const inAnswers = answers.filter((text) => forms.some((form) => text.includes(form))).length
  const log = worker.log()
  const inLog = forms.filter((form) => log.includes(form)).length
  const echoed = upstream.asked.length
  return [
    {
      what: `answers to ${count} failing requests (${echoed} of them reached the provider)`,
      figure: `${inAnswers} with a key`,
      bar: '0',
      met: inAnswers === 0 && echoed > count / 2,
    },
    {
      what: `${Math.round(log.length / 1024)} KiB of log`,
      figure: `${inLog} keys`,
      bar: '0',
      met: inLog === 0 && log.length > 0,
    },
    { what: 'requests to where a provider redirected', figure: `${followed}`, bar: '0', met: followed === 0 },
  ]
}

function dice(seed) {
  const next = seeded(seed)
  const integer = (low, high) => low + Math.floor(next() * (high - low + 1))
  return { integer, pick: (list) => list[integer(0, list.length - 1)], chance: (share) => next() < share }
}

/** The base64 digits of a key within a text that do not depend on the text around it. */
function inside(key) {
  return [0, 1, 2].map((before) =>
    Buffer.from('\0'.repeat(before) + key)
      .toString('base64')
      .slice(4, -4),
  )
}

const keyOf = ({ path }) => canaries[/^\/(\w+)/.exec(path)[1].toUpperCase()]

/** The error answer of a provider, with the key in it. */
function failWith(random, key, elsewhere, asked, response) {
  const text = random.pick(disguises)(key)
  const longest = random.chance(0.02) ? 'x'.repeat(500_000) : ''
  const words =
    longest + random.pick([`Incorrect API key provided: ${text}.`, text, `Error: 401\n    at check (${text}:1:1)`])
  const headers = {
    'x-echo': text,
    'www-authenticate': `Bearer ${text}`,
    'set-cookie': `key=${text}`,
    'retry-after': random.pick(['1', text]),
  }
  if (random.chance(0.4)) return failInStream(random, words, asked, response)
  const status = random.pick(statuses)
  const location = `${elsewhere}/?key=${encodeURIComponent(text)}`
  const body = random.pick([
    JSON.stringify({ error: { message: words, type: text, code: text, param: text, status: text } }),
    JSON.stringify({ type: 'error', error: { type: text, message: words } }),
    JSON.stringify({ error: words }),
    `<html><body>${words}</body></html>`,
    words,
  ])
  response.writeHead(status, {
    ...headers,
    ...(status < 400 && { location }),
    'content-type': random.pick(['application/json', 'text/html']),
  })
  response.end(body)
}

/** Begins well, or at once badly, and fails in an event; its bytes are cut anywhere. */
async function failInStream(random, words, asked, response) {
  begin(response, asked.wire)
  const pieces = piecesOf(asked.wire, said)
  const error = { type: 'error', error: { message: words, type: words, code: words }, message: words, code: words }
  const line = JSON.stringify(error)
  const events = [
    ...pieces.slice(0, random.integer(0, pieces.length - 2)),
    asked.wire === 'ollama' ? `${line}\n` : `event: error\ndata: ${line}\n\n`,
  ]
  const bytes = Buffer.from(events.join(''))
  const at = random.integer(0, bytes.length)
  response.write(bytes.subarray(0, at))
  await pause(1)
  response.end(bytes.subarray(at))
}

/** Where no request may come. */
async function startOther() {
  let requests = 0
  const server = createServer((_, response) => {
    requests++
    response.end()
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    count: () => requests,
    stop: () => new Promise((resolve) => void server.close(resolve).closeAllConnections()),
  }
}
