/**
 * `npm run reliability -- [load slow soak]`: the Worker of `examples/worker` in workerd on loopback, with a scripted provider: many streams at
 * once, slow readers, and many streams one after another. Prints the named rows, or all, beside their bars. A bar that is missed is printed,
 * and fails nothing: on a busy machine times say little. `--write` puts the figures into the page. What the Worker must do, and not how much
 * it takes for it, is the matter of `test/worker` and `test/gateway`.
 */
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { facts } from '../test/formats/index.ts'
import { endingOf, eventsOf } from '../test/gateway/wire.ts'
import { seeded } from '../test/support/random.ts'
import { table, writeSections } from './lib/report.mjs'
import { root } from './lib/subject.mjs'
import { bundleOfExample, resourcesOf, startWorkerd } from './lib/workerd.mjs'

/** The Worker's model of each wire, whose provider is below a path of that name. */
const models = {
  'openai-chat': 'chat-model',
  'openai-responses': 'chat-model',
  anthropic: 'claude-model',
  gemini: 'gemini-model',
  ollama: 'ollama-model',
}
const wires = Object.keys(models)
const servers = Object.fromEntries(
  await Promise.all(wires.map(async (wire) => [wire, (await import(`../test/formats/${wire}/server.ts`)).server])),
)
const loginSecret = '7Hq2Lw9Zx4-login-that-is-long-enough'
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, scheduling: 'lifo' })

/** By name: what it runs, and the settings of its Worker. */
const benches = {
  load: [load, {}],
  slow: [slow, { TOTAL_TIMEOUT_MS: '20000', MAX_OUTPUT_TOKENS: '100000' }],
  soak: [soak, {}],
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } })
const rows = []
for (const [name, [run, settings]] of Object.entries(benches)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const provider = await startProvider()
  const worker = await startWorkerd(await bundleOfExample(), {
    settings: { ...settingsAt(provider.url), ...settings },
    isInspected: true,
  })
  try {
    for (const { what, figure, bar, met } of await run({ worker, provider, token: await tokenOf(worker) }))
      rows.push([name, what, figure, bar, met ? 'met' : 'missed'])
  } finally {
    await worker.stop()
    provider.stop()
  }
}
const printed = table(['bench', 'what', 'figure', 'bar', ''], rows)
console.log(printed)
if (values.write) writeSections(join(root, 'docs', 'evidence', 'reliability.md'), { reliability: printed })

// ---- the benches ------------------------------------------------------------------------------

/** A thousand streams at once, each with four events a second that carry the time at which they were said. */
async function load({ worker, provider, token }) {
  const [streams, perSecond, times, rampMs] = [1000, 4, 48, 4000]
  const marks = / at (\d+\.\d) /g
  const pieces = servers.anthropic.text(...Array.from({ length: times }, () => ' at TIME '))
  provider.play = async (response) => {
    for (const piece of pieces) {
      response.write(piece.replace('TIME', performance.now().toFixed(1)))
      if (piece.includes('TIME')) await pause(1000 / perSecond)
    }
    response.end()
  }
  const listen = async (wire, delays) => {
    const answer = await send(worker, { wire, of: 'anthropic', token }).answer
    const chunks = []
    for await (const chunk of answer) {
      const now = performance.now()
      for (const [, time] of chunk.toString('latin1').matchAll(marks)) delays.push(now - Number(time))
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString()
  }
  /** Whether all came, once, in order, with one normal end. */
  const isExact = (wire, text) => {
    const said = [...textOf(wire, text).matchAll(marks)].map(([, time]) => Number(time))
    const isOrdered = said.every((time, nth) => nth === 0 || time >= said[nth - 1])
    return said.length === times && isOrdered && endingOf(wire, text).ends === 1
  }
  const rows = []
  for (const [name, wire] of [
    ['passed', 'anthropic'],
    ['translated', 'openai-chat'],
  ]) {
    await eachOf(20, 20, () => listen(wire, []))
    const [before, heldBefore, startedAt] = [resourcesOf(worker.pid), await worker.heldKiB(), performance.now()]
    const delays = []
    // Once, since a collection of garbage holds everything up.
    const held = pause(rampMs + 3000).then(() => worker.heldKiB())
    const texts = await eachOf(streams, streams, async (nth) => {
      await pause((nth / streams) * rampMs)
      return listen(wire, delays)
    })
    const cpu = (resourcesOf(worker.pid).cpuMs - before.cpuMs) / (performance.now() - startedAt)
    const each = ((await held) - heldBefore) / streams
    const exact = texts.filter((text) => isExact(wire, text)).length
    const [p50, p99] = [quantile(delays, 0.5), quantile(delays, 0.99)]
    rows.push(
      row(`${streams} streams, ${perSecond} events a second, ${name}`, `${exact} exact`, streams, exact === streams),
      row(
        `delay of an event, ${name}`,
        `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(0)} ms`,
        '20 ms, 250 ms',
        p50 <= 20 && p99 <= 250,
      ),
      row(
        `memory for each, ${name}`,
        `${each.toFixed(0)} KiB (and ${(cpu * 100).toFixed(0)} % of a core)`,
        '110 KiB',
        each <= 110,
      ),
    )
  }
  return rows
}

/** A hundred readers at 1 KB a second, each of an answer of 10 MB: what the Worker keeps for each. */
async function slow({ worker, provider, token }) {
  const [readers, answerBytes, deadlineMs] = [100, 10 * 1024 * 1024, 20_000]
  const pieces = servers.anthropic.text('x'.repeat(1000))
  const text = pieces.findIndex((piece) => piece.includes('xxx'))
  provider.play = async (response, { body, closed }) => {
    response.write(pieces.slice(0, text).join(''))
    const times = body.includes('little') ? 20 : answerBytes / 1000
    for (let count = 0; count < times && !response.destroyed; count++)
      if (!response.write(pieces[text])) await Promise.race([once(response, 'drain'), closed])
    response.end(pieces.slice(text + 1).join(''))
  }
  const asking = { wire: 'anthropic', of: 'anthropic', token, maxTokens: 100_000 }
  await eachOf(20, 20, async () => readAll(await send(worker, { ...asking, say: 'little' }).answer))
  const [before, startedAt, first] = [await worker.heldKiB(), performance.now(), provider.asked.length]
  const leaving = await eachOf(readers, readers, async () => {
    const { answer, leave } = send(worker, asking)
    sip(await answer)
    return leave
  })
  let peak = 0
  while (performance.now() - startedAt < deadlineMs * 0.7) {
    await pause(2000)
    peak = Math.max(peak, (await worker.heldKiB()) - before)
  }
  const ends = Promise.all(provider.asked.slice(first).map(({ closed }) => closed))
  const ended = await Promise.race([ends, pause(deadlineMs, [Number.POSITIVE_INFINITY])])
  const late = Math.max(...ended) - startedAt - deadlineMs
  for (const leave of leaving) leave()
  const each = peak / readers
  return [
    row(`memory for each of ${readers} readers at 1 KB/s of 10 MB`, `${each.toFixed(0)} KiB`, '256 KiB', each <= 256),
    row(
      `cut at the whole answer's limit (${deadlineMs / 1000} s)`,
      `the last ${late.toFixed(0)} ms after it`,
      'all cut',
      late < 5000,
    ),
  ]
}

/** Reads 1,000 bytes now and then; its own buffers hold no more than Node gives a socket. */
function sip(answer) {
  answer.on('error', () => {})
  answer.once('readable', async () => {
    while (!answer.destroyed && !answer.readableEnded) {
      answer.read(1000)
      await pause(1000)
    }
  })
}

/** 10,000 streams; clients leave half of them in the middle. Does anything stay in memory, or end wrong? */
async function soak({ worker, provider, token }) {
  const [count, words] = [10_000, Array.from({ length: 20 }, (_, nth) => `word ${nth} `)]
  const random = seeded(29)
  provider.play = async (response, { wire }) => {
    for (const piece of servers[wire].text(...words)) {
      if (response.destroyed) return
      response.write(piece)
      await pause(2)
    }
    response.end()
  }
  const pick = () => wires[Math.floor(random() * wires.length)]
  /** Whether it ended as it should. */
  const go = async (leaves) => {
    const wire = pick()
    const { answer, leave } = send(worker, { wire, of: pick(), token })
    const incoming = await answer
    if (leaves) {
      incoming.on('error', () => {})
      await once(incoming, 'data')
      await pause(random() * 40)
      leave()
      return true
    }
    const text = await readAll(incoming)
    const { ends, errors, hasMore } = endingOf(wire, text)
    return ends === 1 && errors === 0 && !hasMore && textOf(wire, text) === words.join('')
  }
  await eachOf(200, 32, () => go(false))
  await pause(500)
  const before = resourcesOf(worker.pid)
  const plans = Array.from({ length: count }, () => random() < 0.5)
  let halfway
  const outcomes = await eachOf(count, 32, async (nth) => {
    if (nth === count / 2) halfway = resourcesOf(worker.pid)
    return go(plans[nth])
  })
  const after = resourcesOf(worker.pid)
  for (let tries = 0; tries < 50 && provider.open() > 0; tries++) await pause(100)
  const [wrong, open] = [outcomes.filter((isRight) => !isRight).length, provider.open()]
  const files = resourcesOf(worker.pid).files - before.files - (await provider.sockets())
  const grown = (after.rssKiB - halfway.rssKiB) / 1024
  const inAll = (after.rssKiB / 1024).toFixed(0)
  return [
    row(`${count} streams, ${plans.filter(Boolean).length} of them left`, `${wrong} ended wrong`, 0, wrong === 0),
    row('answers of the provider still open, 5 s after', open, 0, open === 0),
    row('open files more than at the start', files, 5, files <= 5),
    row('memory that the last half added', `${grown.toFixed(1)} MiB (${inAll} MiB in all)`, '10 MiB', grown <= 10),
  ]
}

// ---- helpers ----------------------------------------------------------------------------------

function row(what, figure, bar, met) {
  return { what, figure, bar, met }
}

function settingsAt(url) {
  const provider = (prefix, wire, path) => ({
    [`${prefix}_MODELS`]: models[wire],
    [`${prefix}_BASE_URL`]: `${url}/${wire}${path}`,
    [`${prefix}_API_KEY`]: `key-of-${wire}-2Gs9Nk7Wq3`,
  })
  return {
    SESSION_SECRET: '7Hq2Lw9Zx4-session-that-is-long-enough',
    LOGIN_SECRET: loginSecret,
    ALLOWED_ORIGINS: 'http://127.0.0.1:1',
    RATE_LIMITS: 'off',
    LIVE_STREAMS: '5000',
    DAILY_BUDGET_USD: '900000',
    TOTAL_DAILY_BUDGET_USD: '900000',
    ...provider('OPENAI', 'openai-chat', '/v1'),
    ...provider('ANTHROPIC', 'anthropic', '/v1'),
    ...provider('GEMINI', 'gemini', '/v1beta'),
    ...provider('OLLAMA', 'ollama', ''),
  }
}

async function tokenOf({ url }) {
  const answer = await fetch(`${url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${loginSecret}` },
    body: JSON.stringify({ user: 'bench' }),
  })
  return (await answer.json()).token
}

/** All providers on one server. `play(response, { wire, body, closed })` answers, after the headers. */
async function startProvider() {
  const provider = { asked: [], open: () => open, play: undefined }
  let open = 0
  const server = createServer({ keepAliveTimeout: 60_000 }, async (incoming, response) => {
    open++
    const closed = once(response, 'close').then(() => {
      open--
      return performance.now()
    })
    const [, path] = incoming.url.split('/')
    const wire = incoming.url.endsWith('/responses') ? 'openai-responses' : path
    const chunks = []
    for await (const chunk of incoming) chunks.push(chunk)
    const asked = { wire, body: Buffer.concat(chunks).toString(), closed }
    provider.asked.push(asked)
    response.writeHead(200, { 'content-type': wire === 'ollama' ? 'application/x-ndjson' : 'text/event-stream' })
    response.flushHeaders()
    await provider.play(response, asked)
  })
  await once(server.listen(0, '127.0.0.1', 4096), 'listening')
  return Object.assign(provider, {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Connections, in use or kept. */
    sockets: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
    stop: () => void server.close().closeAllConnections(),
  })
}

/** Asks in one wire for the model `of` another. `answer` resolves at the headers. */
function send({ url }, { wire, of, token, say = 'Hello', maxTokens }) {
  const { path, minimal } = facts[wire].gateway.minimal(models[of], say, true)
  const asking = request(url + path, {
    method: 'POST',
    agent,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
  })
  const answer = once(asking, 'response').then(([incoming]) => incoming)
  answer.catch(() => {})
  asking.end(JSON.stringify({ ...minimal, ...(maxTokens && { max_tokens: maxTokens }) }))
  return { answer, leave: () => asking.destroy() }
}

async function readAll(answer) {
  const chunks = []
  for await (const chunk of answer) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** The text that the events of a stream carry. */
function textOf(wire, text) {
  const pieceOf = {
    'openai-chat': ({ choices }) => choices?.[0]?.delta?.content,
    'openai-responses': ({ type, delta }) => (type === 'response.output_text.delta' ? delta : ''),
    anthropic: ({ delta }) => delta?.text,
    gemini: ({ candidates }) => candidates?.[0]?.content?.parts?.map(({ text = '' }) => text).join(''),
    ollama: ({ message }) => message?.content,
  }[wire]
  return eventsOf(wire, text)
    .map((event) => pieceOf(event) ?? '')
    .join('')
}

/** Calls the function with each number from 0, this many at the same time. */
async function eachOf(count, atOnce, work) {
  const results = []
  let at = 0
  async function go() {
    for (let mine = at++; mine < count; mine = at++) results[mine] = await work(mine)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, go))
  return results
}

/** The value below which that share of them lies. */
function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN
}
