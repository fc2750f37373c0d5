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

const chunk = (delta, end = null) =>
  `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: end }] })}\n\n`
const event = (value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`

/** For each format: its start, a piece of text, the pieces of a call, and those that end it. */
const wires = {
  'openai-chat': {
    model: (options) => openaiChat('m', options),
    text: (text) => chunk({ content: text }),
    call: [
      chunk({ role: 'assistant', content: 'Let me look.' }),
      chunk({ tool_calls: [{ index: 0, id: 'call_1', function: { name: 'weather', arguments: '{"city":' } }] }),
    ],
    callEnd: [
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Rome"}' } }] }),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ],
    start: '',
  },
  anthropic: {
    model: (options) => anthropic('m', options),
    start:
      event({
        type: 'message_start',
        message: { id: 'm', model: 'm', role: 'assistant', content: [], usage: { input_tokens: 1, output_tokens: 1 } },
      }) + event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    text: (text) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    call: [
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Let me look.' } }),
      event({ type: 'content_block_stop', index: 0 }),
      event({
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 't1', name: 'weather', input: {} },
      }),
      event({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"city":' } }),
    ],
    callEnd: [
      event({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '"Rome"}' } }),
      event({ type: 'content_block_stop', index: 1 }),
      event({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } }),
      event({ type: 'message_stop' }),
    ],
  },
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
  await run.opened
  await run.write(wire.start + wire.text('One '))
  take()
  await run.write(wire.text('two '))
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
  await run.opened
  await run.write(wire.start + wire.call.join(''))
  take()
  await run.write(wire.callEnd.join(''))
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
