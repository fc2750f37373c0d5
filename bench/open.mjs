/**
 * The heap that one open stream takes, in bytes: of a raw `fetch` with a reader, and of `stream()`. Each stream has had its first text and waits
 * for more. Prints
 * JSON.
 *
 * `node scripts/with-node.mjs bench/open.mjs`
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'

const src = `${pathToFileURL(join(import.meta.dirname, '..', 'src'))}/`
const { stream } = await import(`${src}index.ts`)
const { openaiChat } = await import(`${src}formats/openai-chat/index.ts`)

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

const streams = 500
const delta = { id: 'c', model: 'm', choices: [{ index: 0, delta: { content: 'Hello ' }, finish_reason: null }] }
/** A server in a thread of its own, whose heap is not counted. It sends one event and then waits. */
const server = new Worker(
  `const { createServer } = require('node:http')
  const { parentPort, workerData } = require('node:worker_threads')
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(workerData)
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`,
  { eval: true, workerData: `data: ${JSON.stringify(delta)}\n\n` },
)
const [port] = await once(server, 'message')
const baseUrl = `http://127.0.0.1:${port}/v1`

async function heapOf(open) {
  const kept = []
  for (let at = 0; at < 20; at++) kept.push(await open())
  const before = await settledHeap()
  for (let at = 0; at < streams; at++) kept.push(await open())
  const each = ((await settledHeap()) - before) / streams
  for (const leave of kept) leave()
  return Math.round(each)
}

async function settledHeap() {
  for (let at = 0; at < 3; at++) {
    await pause(20)
    collect()
  }
  return process.memoryUsage().heapUsed
}

async function openRaw() {
  const { body } = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', body: '{}' })
  const reader = body.getReader()
  await reader.read()
  reader.read()
  return () => reader.cancel()
}

async function openOurs() {
  const left = new AbortController()
  const model = openaiChat('m', { apiKey: 'k', baseUrl })
  const events = stream({ model, prompt: 'Hi', signal: left.signal })[Symbol.asyncIterator]()
  while ((await events.next()).value.type !== 'text_delta');
  events.next().catch(() => {})
  return () => left.abort()
}

console.log(JSON.stringify({ raw: await heapOf(openRaw), ours: await heapOf(openOurs) }))
process.exit(0)
