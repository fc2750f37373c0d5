/**
 * Counts the files and functions of `src` that run between two moments of a run: from a chunk with a text delta to its event, from the end of
 * a call to its `execute`, and from a result to the next request. V8 counts the calls, so this is what a reader crosses in a debugger. Prints
 * JSON.
 *
 * `node scripts/with-node.mjs bench/walks.mjs`, with `--list` for the files
 */
import { Session } from 'node:inspector'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

const src = `${pathToFileURL(join(import.meta.dirname, '..', 'src'))}/`
const { stream, t, tool } = await import(`${src}index.ts`)
const { openaiChat } = await import(`${src}formats/openai-chat/index.ts`)
const { anthropic } = await import(`${src}formats/anthropic/index.ts`)
const { server: chatServer } = await import('../test/formats/openai-chat/server.ts')
const { server: anthropicServer } = await import('../test/formats/anthropic/server.ts')

const session = new Session()
session.connect()
const post = (method, params) => {
  let result
  session.post(method, params, (error, value) => {
    if (error) throw error
    result = value
  })
  return result
}
post('Profiler.enable')
post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
/** The calls since the last time. */
const take = () => post('Profiler.takePreciseCoverage').result

/** Functions of `src` that were called, by file. The body of a file itself counts as none. */
function walked() {
  const files = new Map()
  for (const { url, functions } of take()) {
    if (!url.startsWith(src)) continue
    const called = functions.filter(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0)
    if (called.length > 0) files.set(url.slice(src.length), called.length)
  }
  return files
}

/** By format: a model, and the pieces of its answers. */
const wires = {
  'openai-chat': { model: (options) => openaiChat('m', options), server: chatServer },
  anthropic: { model: (options) => anthropic('m', options), server: anthropicServer },
}

/** The pieces up to the first one with this text, and those from there on. */
function splitAt(pieces, text) {
  const at = pieces.findIndex((piece) => piece.includes(text))
  return [pieces.slice(0, at).join(''), pieces.slice(at).join('')]
}

/** A model whose answers this program writes by hand, and a run that is read to its end. */
function ask({ model }, request, onEvent, onFetch) {
  const bytes = new TextEncoder()
  let controller
  const opened = Promise.withResolvers()
  const fetch = async () => {
    onFetch()
    const body = new ReadableStream({
      start(one) {
        controller = one
      },
    })
    opened.resolve()
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  const left = new AbortController()
  const options = {
    model: model({ apiKey: 'k', fetch }),
    prompt: 'Hi',
    maxTokens: 100,
    signal: left.signal,
    ...request,
  }
  const reading = (async () => {
    for await (const read of stream(options)) onEvent(read)
  })().catch(() => {})
  return {
    opened: opened.promise,
    /** Returns when all that can be done with these bytes is done. */
    async write(text) {
      controller.enqueue(bytes.encode(text))
      await pause(20)
    },
    end() {
      left.abort()
      return reading
    },
  }
}

async function textDelta(wire) {
  let walk
  const onEvent = (read) => {
    if (read.type === 'text_delta') walk = walked()
  }
  const run = ask(wire, {}, onEvent, () => {})
  const [before, text] = splitAt(wire.server.text('One ', 'two '), 'two ')
  await run.opened
  await run.write(before)
  take()
  await run.write(text.slice(0, text.indexOf('\n\n') + 2))
  await run.end()
  return walk
}

async function toolRound(wire) {
  const walks = {}
  let requests = 0
  const weather = tool({
    name: 'weather',
    parameters: t.object({ city: t.string() }),
    execute: () => {
      walks.call = walked()
      return '25 °C'
    },
  })
  const onFetch = () => {
    if (++requests === 2) walks.result = walked()
  }
  const run = ask(wire, { tools: [weather] }, () => {}, onFetch)
  // The last piece of the arguments, and the end.
  const [before, end] = splitAt(wire.server.calls(['call_1', 'weather', '{"city":"Rome"}']), 'Rome')
  await run.opened
  await run.write(before)
  take()
  await run.write(end)
  await run.end()
  return walks
}

const rows = []
for (const [format, wire] of Object.entries(wires)) {
  await textDelta(wire) // the first of each also runs what runs only once
  await toolRound(wire)
  const { call, result } = await toolRound(wire)
  const walks = { 'a text delta to its event': await textDelta(wire), 'the end of a call to `execute`': call }
  for (const [walk, files] of Object.entries({ ...walks, 'a result to the next request': result })) {
    const functions = [...files.values()].reduce((sum, count) => sum + count, 0)
    rows.push({ format, walk, files: files.size, functions })
    if (process.argv.includes('--list')) console.log(walk, Object.fromEntries(files))
  }
}
console.log(JSON.stringify(rows))
