/**
 * `node bench/gateway.mjs`: the CPU time of a gateway on HTTP beside a bare read and write of the same bytes, each in turn in one process that
 * does nothing else; and what isoglot's own wire costs its server and its page beside a direct answer, in one process without a network. Each
 * event is a write of the provider. Prints JSON.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { server as anthropic } from '../test/formats/anthropic/server.ts'
import { server as openaiChat } from '../test/formats/openai-chat/server.ts'
import { serve } from '../test/support/serve.ts'
import { median, workedMs } from './lib/measure.mjs'
import { contents, cutStream, writeEvents } from './lib/streams.mjs'
import { buildModule } from './lib/subject.mjs'

const isoglot = await import(
  await buildModule(
    'gateway.mjs',
    `
export { stream } from './src/index.ts'
export { createGateway, isoglotFormat } from './src/gateway/index.ts'
export { remote } from './src/remote/index.ts'
export { anthropic, anthropicFormat } from './src/formats/anthropic/index.ts'
export { openaiChat, openaiChatFormat } from './src/formats/openai-chat/index.ts'
`,
  )
)
const { createGateway, isoglotFormat, remote, stream } = isoglot

const wires = {
  'openai-chat': {
    format: isoglot.openaiChatFormat,
    path: '/v1/chat/completions',
    model: isoglot.openaiChat,
    body: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
    whole: JSON.stringify(openaiChat.wholeText('Hello there')),
  },
  anthropic: {
    format: isoglot.anthropicFormat,
    path: '/v1/messages',
    model: isoglot.anthropic,
    body: { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] },
    whole: JSON.stringify(anthropic.wholeText('Hello there')),
  },
}
const own = { path: '/answer', format: isoglotFormat }
const names = Object.keys(wires)
const streamed = (wire, count) => cutStream(writeEvents(wire, contents.text(count)).join(''), undefined)

if (process.argv[2] === 'server') await beServer(process.argv[3])
else console.log(JSON.stringify([...(await overHttp()), ...(await inProcess())]))

// ---- over HTTP ----------------------------------------------------------------------------------

async function overHttp() {
  const provider = createServer(async (incoming, outgoing) => {
    const [, wire, kind] = incoming.url.split('/')
    incoming.resume()
    outgoing.writeHead(200, { 'content-type': kind === 'whole' ? 'application/json' : 'text/event-stream' })
    if (kind === 'whole') return outgoing.end(wires[wire].whole)
    for (const chunk of streamed(wire, 200)) {
      outgoing.write(chunk)
      await setImmediate()
    }
    outgoing.end()
  })
  await once(provider.listen(0, '127.0.0.1'), 'listening')
  const server = fork(import.meta.filename, ['server', `http://127.0.0.1:${provider.address().port}`], {
    execArgv: ['--expose-gc'],
  })
  const [url] = await once(server, 'message')
  const work = async (client, wire, kind, count) => {
    const cpu = async () => {
      server.send('cpu')
      return (await once(server, 'message'))[0]
    }
    const before = await cpu()
    for (let at = 0; at < count; at++) {
      const to = client === 'bare' ? wires[wire] : client === 'own' ? own : wires[client]
      const { path, body } = questionOf(to, kind === 'whole')
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${url}/${client}/${wire}/${kind}${path}`, { method: 'POST', headers, body })
      if (!response.ok) throw new Error(await response.text())
      await readAll(response)
    }
    return ((await cpu()) - before) / count
  }
  const rows = []
  const row = async (name, bar, client, wire, kind) => {
    const count = kind === 'whole' ? 200 : 20
    const both = (how) => Promise.resolve(work(how, wire, kind, count))
    await both('bare')
    await both(client)
    const rounds = []
    for (let round = 0; round < 9; round++) rounds.push([await both('bare'), await both(client)])
    const ratio = median(rounds.map(([base, ours]) => ours / base))
    rows.push({ name, bar, ratio, ms: median(rounds.map(([, ours]) => ours)) })
  }
  for (const wire of names) await row(`${wire}: 200 events to its own client`, 2, wire, wire, 'stream')
  await row('openai-chat: 200 events to a client of anthropic', 2.2, 'anthropic', 'openai-chat', 'stream')
  await row('anthropic: 200 events to a client of openai-chat', 2.2, 'openai-chat', 'anthropic', 'stream')
  for (const wire of names) {
    await row(`${wire}: a whole answer to its own client`, 1.8, wire, wire, 'whole')
    await row(`${wire}: a whole answer to a page`, 2.5, 'own', wire, 'whole')
  }
  server.kill()
  provider.closeAllConnections()
  provider.close()
  return rows
}

/** Serves a bare copy and gateways, and tells how long it has worked. The path begins with the client, the provider and the kind of answer. */
async function beServer(providerUrl) {
  const gateways = {}
  const { url } = await serve(async (request) => {
    const [, client, wire, kind, ...rest] = new URL(request.url).pathname.split('/')
    const address = `${providerUrl}/${wire}/${kind}`
    if (client === 'bare') {
      const { body, headers } = await fetch(address, { method: 'POST', body: await request.text() })
      return new Response(copy(body), { headers: { 'content-type': headers.get('content-type') } })
    }
    const to = client === 'own' ? own : wires[client]
    gateways[`${client} ${wire} ${kind}`] ??= gatewayOf(to, (_, init) => fetch(address, init), wire)
    const [method, headers] = [request.method, request.headers]
    const inner = new Request(`http://gateway/${rest.join('/')}`, {
      method,
      headers,
      body: request.body,
      duplex: 'half',
    })
    return gateways[`${client} ${wire} ${kind}`](inner)
  })
  process.on('message', () => {
    gc()
    process.send(workedMs())
  })
  process.send(url)
}

function copy(body) {
  const reader = body.getReader()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
}

// ---- in one process -----------------------------------------------------------------------------

async function inProcess() {
  const rows = []
  const row = async (name, bar, base, ours) => {
    const work = async (action, count) => {
      const before = workedMs()
      for (let at = 0; at < count; at++) await action()
      return (workedMs() - before) / count
    }
    await work(base, 20)
    await work(ours, 20)
    const rounds = []
    for (let round = 0; round < 15; round++) rounds.push([await work(base, 3), await work(ours, 3)])
    const ratio = median(rounds.map(([first, second]) => second / first))
    rows.push({ name, bar, ratio, ms: median(rounds.map(([, second]) => second)) })
  }
  for (const wire of names) {
    const provider = provide(streamed(wire, 2000))
    const direct = wires[wire].model('m', { apiKey: 'key', baseUrl: 'https://provider.test', fetch: provider })
    const gateway = gatewayOf(own, provider, wire)
    const answer = () => gateway(new Request('https://server.test/answer', { method: 'POST', ...asked }))
    const asked = { headers: { 'content-type': 'application/json' }, body: questionOf(own).body }
    const events = cutStream(await (await answer()).text(), undefined)
    const page = remote('m', { url: 'https://server.test/answer', fetch: provide(events) })
    const read = async (model) => {
      for await (const _ of stream({ model, prompt: 'Hi' }));
    }
    const server = async () => readAll(await answer())
    await row(`${wire}: 2,000 events, the server of a page to a direct answer`, 1.5, () => read(direct), server)
    await row(
      `${wire}: 2,000 events, the page to a direct answer`,
      0.9,
      () => read(direct),
      () => read(page),
    )
  }
  return rows
}

/** A `fetch` that answers with these chunks. */
function provide(chunks) {
  return async () => {
    let at = 0
    const body = new ReadableStream(
      {
        pull(controller) {
          if (at === chunks.length) controller.close()
          else controller.enqueue(chunks[at++])
        },
      },
      { highWaterMark: 0 },
    )
    return new Response(body, { headers: { 'content-type': 'text/event-stream', 'x-isoglot-answer': '1' } })
  }
}

function gatewayOf({ format }, fetch, wire) {
  const model = wires[wire].model('m', { apiKey: 'key-of-the-provider', baseUrl: 'https://provider.test', fetch })
  const gateway = createGateway({ formats: [format], models: { m: model } })
  return (request) => gateway.fetch(request)
}

function questionOf({ path, body }, isWhole = false) {
  const whole = isWhole && { wholeAnswer: true, onlyWhole: true }
  const question = { version: 1, model: 'm', context: { messages: [{ role: 'user', content: 'Hi' }] }, options: {} }
  return { path, body: JSON.stringify(body ? { ...body, stream: !isWhole } : { ...question, ...whole }) }
}

async function readAll({ body }) {
  const reader = body.getReader()
  while (!(await reader.read()).done);
}
