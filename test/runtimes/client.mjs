/** The client over real HTTP: what it sends, how it streams, and how it lets go. */
import { anthropic } from '../../dist/anthropic.js'
import { gemini } from '../../dist/gemini.js'
import { generate, resumable, stream, tool } from '../../dist/index.js'
import { ollama } from '../../dist/ollama.js'
import { openaiChat } from '../../dist/openai-chat.js'
import { openaiResponses } from '../../dist/openai-responses.js'
import { equal, failureOf, ok, within } from './assert.mjs'
import { summary } from './decode.mjs'
import { chatChunk, chatWhole, roundOf, sse, wires } from './wires.mjs'

const key = 'sk-canary-0123456789'
const providers = { anthropic, gemini, ollama, 'openai-chat': openaiChat, 'openai-responses': openaiResponses }
/** Which header has the key, and what a path looks like. */
const places = {
  anthropic: ['x-api-key', key, /^\/messages$/],
  gemini: ['x-goog-api-key', key, /^\/models\/m:streamGenerateContent/],
  ollama: ['authorization', `Bearer ${key}`, /^\/api\/chat$/],
  'openai-chat': ['authorization', `Bearer ${key}`, /^\/chat\/completions$/],
  'openai-responses': ['authorization', `Bearer ${key}`, /^\/responses$/],
}

export const hello = sse(chatChunk({ content: 'Hel' }), chatChunk({ content: 'lo' }), chatChunk({}, 'stop'), '[DONE]')
export const begun = sse(chatChunk({ content: 'Hel' }))
export const endless = Array.from({ length: 1200 }, () => sse(chatChunk({ content: 'x' })))
const whole = chatWhole({ content: 'Hello' }, 'stop')
const refusal = { error: { message: 'No', type: 'x', code: null } }
const answersHello = { stream: hello }

let count = 0

/** A place on the server with answers of its own. */
export async function scripted(base, ...answers) {
  const id = `${Math.random().toString(36).slice(2)}-${count++}`
  const json = async (path) => (await fetch(`${base}/${path}`)).json()
  await (await fetch(`${base}/script/${id}`, { method: 'POST', body: JSON.stringify(answers) })).text()
  const url = `${base}/run/${id}`
  return {
    id,
    url,
    asked: async () => (await json(`asked/${id}`)).map((one) => ({ ...one, body: JSON.parse(one.body || 'null') })),
    closed: (at = 0) => json(`closed/${id}/${at}`),
    ask: (more = {}) => ({ model: openaiChat('m', { apiKey: key, baseUrl: url }), prompt: 'Hi', retries: 0, ...more }),
  }
}

export async function readAll(run) {
  const events = []
  for await (const event of run) events.push(event)
  return events
}

export const textOf = (events) => events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : [])).join('')

/** Chromium sometimes reads for five more seconds before it closes the connection. */
export async function isCancelledUpstream(upstream, at) {
  const { isCancelled } = await upstream.closed(at)
  ok(isCancelled, 'the provider was not hung up on')
}

const makeWeather = (seen) =>
  tool({
    name: 'get_weather',
    description: 'Current weather in a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    execute: (input) => {
      seen.push(input.city)
      return `25 degrees in ${input.city}`
    },
  })

export function clientCases(base) {
  return [
    ...wires.map((wire) => [`streams over HTTP, 7 bytes at a time: ${wire.name}`, () => streams(base, wire)]),
    ...Object.keys(providers).map((format) => [`a round of tools: ${format}`, () => toolRound(base, format)]),
    ...Object.keys(providers).map((format) => [`asks for a whole answer: ${format}`, () => asksWhole(base, format)]),
    ['hands out what came while the answer goes on', () => handsOutEarly(base)],
    ['reads the text alone', () => readsText(base)],
    ['runs by itself when only its response is asked for', () => runsByItself(base)],
    ['streams twenty answers at once', () => streamsMany(base)],
    ['leaving the iteration hangs up', () => leaving(base)],
    ['an abort in mid-stream hangs up, with the signal’s own reason and what came', () => abortMidStream(base)],
    ['an abort before the call asks nobody', () => abortBefore(base)],
    ['an abort before the headers rejects with its reason', () => abortBeforeHeaders(base)],
    ['an abort while a tool runs reaches the tool', () => abortInTool(base)],
    ['a run is read once', () => readTwice(base)],
    ['gives up on a first byte that does not come', () => firstByteTimeout(base)],
    ['gives up on a stream that falls silent, and keeps what came', () => idleTimeout(base)],
    ['gives up on an answer that drips for ever', () => totalTimeout(base)],
    ['is done at the end of the answer, though the connection stays open', () => endsAtTheEnd(base)],
    ['a stream that the server keeps goes on after a clean end too early', () => goesOn(base, 'end')],
    ['a stream that the server keeps goes on after its connection broke', () => goesOn(base, 'reset')],
    ['a stream that the server keeps ends there when it is stopped', () => stopsThere(base)],
    ['a clean end too early is an interruption, with what came', () => cutShort(base, 'end')],
    ['a connection that breaks is an interruption, with what came', () => cutShort(base, 'reset')],
    ...[301, 302, 303, 307, 308].map((status) => [`does not follow a ${status}`, () => redirect(base, status)]),
    ['asks again where it was refused for load', () => retries(base)],
    ['does not ask again where the provider may have worked', () => doesNotRetry(base)],
    ['asks again after a 500 with an idempotency key', () => retriesWithKey(base)],
    ['gives up after two retries', () => givesUp(base)],
    ['says what the provider answered, without the key', () => tellsErrors(base)],
    ['an error in mid-stream keeps what came', () => errorMidStream(base)],
    ['an answer that is not valid JSON is an error of decoding', () => noJson(base)],
    ['an event without an end hits its limit', () => limit(base)],
    ['a server that is not there is an error of the connection', () => nobodyThere(base)],
    ['takes your own fetch', () => ownFetch()],
  ]
}

const modelOf = (format, url) => providers[format]('m', { apiKey: key, baseUrl: url })

async function streams(base, { format, stream: text, says }) {
  const upstream = await scripted(base, { stream: text, every: 7 })
  const run = stream(upstream.ask({ model: modelOf(format, upstream.url) }))
  const events = await readAll(run)
  const result = await run.response
  equal(summary(result), says)
  const spoken = says.blocks.filter(([type]) => type === 'text').map(([, text]) => text)
  equal(textOf(events), spoken.join(''), 'the text of the events')
}

async function toolRound(base, format) {
  const { calls, speaks } = roundOf(format)
  const upstream = await scripted(base, { stream: calls.stream, every: 64 }, { stream: speaks.stream, every: 64 })
  const cities = []
  const run = stream(upstream.ask({ model: modelOf(format, upstream.url), tools: [makeWeather(cities)] }))
  const events = await readAll(run)
  const wanted = calls.says.blocks.filter(([type]) => type === 'tool_call').map(([, , , args]) => args.city)
  equal(cities, wanted, 'the cities that the tool saw')
  ok(textOf(events).endsWith(speaks.says.blocks[0][1]), 'the second answer was not told')
  const asked = await upstream.asked()
  equal(asked.length, 2, 'how often it asked')
  const again = JSON.stringify(asked[1].body)
  for (const city of wanted)
    ok(again.includes(JSON.stringify(`25 degrees in ${city}`).slice(1, -1)), `no result for ${city}`)
  const [header, value, path] = places[format]
  equal(asked[0].headers[header], value, `the header ${header}`)
  ok(path.test(asked[0].path), `it asked ${asked[0].path}`)
  equal((await run.response).stopReason, 'stop', 'the end')
}

async function asksWhole(base, format) {
  const { speaks } = roundOf(format)
  const upstream = await scripted(base, { json: speaks.whole })
  const result = await generate(upstream.ask({ model: modelOf(format, upstream.url) }))
  equal(summary(result), speaks.says)
}

async function handsOutEarly(base) {
  const upstream = await scripted(base, { stream: begun, after: 'hang' })
  const run = stream(upstream.ask())
  let first
  for await (const event of run) {
    if (event.type !== 'text_delta') continue
    first = event.text
    break
  }
  equal(first, 'Hel', 'the first text')
}

async function readsText(base) {
  const upstream = await scripted(base, answersHello)
  const texts = []
  for await (const text of stream(upstream.ask()).text()) texts.push(text)
  equal(texts.join(''), 'Hello', 'the text')
}

async function runsByItself(base) {
  const upstream = await scripted(base, answersHello)
  const { message, messages } = await stream(upstream.ask()).response
  equal(message.content, [{ type: 'text', text: 'Hello' }], 'the content')
  equal(
    messages.map(({ role }) => role),
    ['user', 'assistant'],
    'the roles',
  )
}

async function streamsMany(base) {
  const upstream = await scripted(base, { stream: hello, every: 40, gapMs: 1 })
  const answers = await Promise.all(Array.from({ length: 20 }, () => stream(upstream.ask()).response))
  for (const { message } of answers) equal(message.content, [{ type: 'text', text: 'Hello' }], 'the content')
}

async function leaving(base) {
  const upstream = await scripted(base, { stream: endless, gapMs: 10 })
  const run = stream(upstream.ask())
  for await (const event of run) if (event.type === 'text_delta') break
  equal((await failureOf(run.response)).name, 'AbortError', 'the error')
  await isCancelledUpstream(upstream)
}

async function abortMidStream(base) {
  const upstream = await scripted(base, { stream: endless, gapMs: 10 })
  const controller = new AbortController()
  const reason = new Error('I changed my mind')
  const run = stream(upstream.ask({ signal: controller.signal }))
  const reading = async () => {
    for await (const event of run) if (event.type === 'text_delta') controller.abort(reason)
  }
  ok((await within(2000, failureOf(reading()), 'the abort')) === reason, 'it rejects with something else')
  equal(run.partial.stopReason, 'aborted', 'how it ended')
  await isCancelledUpstream(upstream)
}

async function abortBefore(base) {
  const upstream = await scripted(base, answersHello)
  const request = upstream.ask({ signal: AbortSignal.abort('early') })
  equal(await failureOf(generate(request)), 'early', 'the reason')
  equal(await failureOf(readAll(stream(request))), 'early', 'the reason')
  equal(await upstream.asked(), [], 'what was asked')
}

async function abortBeforeHeaders(base) {
  const upstream = await scripted(base, { hang: true })
  const controller = new AbortController()
  const asking = failureOf(readAll(stream(upstream.ask({ signal: controller.signal }))))
  setTimeout(() => controller.abort('late'), 30)
  equal(await within(2000, asking, 'the abort'), 'late', 'the reason')
}

async function abortInTool(base) {
  const { calls } = roundOf('openai-chat')
  const upstream = await scripted(base, { stream: calls.stream })
  const controller = new AbortController()
  let sawAbort = false
  const slow = tool({
    name: 'get_weather',
    parameters: { type: 'object' },
    execute: (_input, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          sawAbort = true
          reject(signal.reason)
        })
        controller.abort('enough')
      }),
  })
  const run = stream(upstream.ask({ tools: [slow], toolMode: 'sequential', signal: controller.signal }))
  equal(await within(2000, failureOf(readAll(run)), 'the abort'), 'enough', 'the reason')
  ok(sawAbort, 'the tool saw no abort')
  equal((await upstream.asked()).length, 1, 'how often it asked')
}

async function readTwice(base) {
  const upstream = await scripted(base, answersHello)
  const run = stream(upstream.ask())
  await readAll(run)
  ok((await failureOf(readAll(run))) instanceof TypeError, 'it is not a TypeError')
}

async function firstByteTimeout(base) {
  const upstream = await scripted(base, { hang: true })
  const error = await failureOf(readAll(stream(upstream.ask({ timeouts: { firstByteMs: 80 } }))))
  equal([error.code, error.phase, error.timeoutMs], ['timeout', 'first_byte', 80], 'the error')
}

async function idleTimeout(base) {
  const upstream = await scripted(base, { stream: begun, after: 'hang' })
  const error = await failureOf(readAll(stream(upstream.ask({ timeouts: { idleMs: 80 } }))))
  equal([error.code, error.phase], ['timeout', 'idle'], 'the error')
  equal(error.partial.content, [{ type: 'text', text: 'Hel' }], 'what came')
}

async function totalTimeout(base) {
  const upstream = await scripted(base, { stream: endless, gapMs: 10 })
  const error = await failureOf(readAll(stream(upstream.ask({ timeouts: { totalMs: 200 } }))))
  equal([error.code, error.phase], ['timeout', 'total'], 'the error')
}

async function endsAtTheEnd(base) {
  const upstream = await scripted(base, { stream: hello, after: 'hang' })
  const events = await within(2000, readAll(stream(upstream.ask())), 'the answer')
  equal(events.at(-1).type, 'done', 'the last event')
}

/** A server that stores its answer: each connection except the last sends this number of bytes of the requested events. */
async function keptScript(base, cuts, after) {
  const events = hello.split(/(?<=\n\n)/).map((event, at) => `id: ${at + 1}\n${event}`)
  const upstream = await scripted(base)
  const headers = { 'x-isoglot-stream': upstream.id }
  const answers = [...cuts.map((bytes) => ({ events, bytes, headers, after })), { events, headers }]
  const put = { method: 'POST', body: JSON.stringify(answers) }
  await (await fetch(`${base}/script/${upstream.id}`, put)).text()
  return upstream
}

async function goesOn(base, after) {
  const [first] = hello.split(/(?<=\n\n)/)
  const upstream = await keptScript(base, [`id: 1\n${first}`.length + 20, 9], after)
  const run = stream(upstream.ask({ resume: resumable() }))
  equal(textOf(await readAll(run)), 'Hello', 'the text')
  const [asked, ...others] = await upstream.asked()
  ok(asked.headers['idempotency-key'] !== undefined, 'there was no key')
  equal(others.at(-1).headers.authorization, `Bearer ${key}`, 'the key')
  // A connection that is reset may take with it what was on its way: then it is asked for again.
  const behind = others.map(({ headers }) => headers['last-event-id'])
  if (after === 'end') equal(behind, ['1', '1'], 'what was asked for')
}

async function stopsThere(base) {
  const upstream = await keptScript(base, [`id: 1\n${hello.split(/(?<=\n\n)/)[0]}`.length], 'hang')
  const run = stream(upstream.ask({ resume: resumable() }))
  const reading = async () => {
    for await (const event of run) if (event.type === 'text_delta') await run.stop()
  }
  equal((await within(5000, failureOf(reading()), 'the stop')).name, 'AbortError', 'the error')
  equal(
    (await upstream.asked()).map(({ method }) => method),
    ['POST', 'DELETE'],
    'what was asked',
  )
  equal(run.streamId, upstream.id, 'the name')
}

async function cutShort(base, after) {
  const upstream = await scripted(base, { stream: [begun, begun], gapMs: 40, after })
  const run = stream(upstream.ask())
  const error = await failureOf(readAll(run))
  equal([error.code, error.partial.stopReason], ['interrupted', 'interrupted'], 'the error')
  ok(/^(Hel){1,2}$/.test(error.partial.content[0].text), 'what came is lost')
}

async function redirect(base, status) {
  const { other } = await (await fetch(`${base}/addresses`)).json()
  const target = await scripted(base, { json: whole })
  const elsewhere = target.url.replace(base, other)
  const upstream = await scripted(base, { status, headers: { location: `${elsewhere}/chat/completions` } })
  const error = await failureOf(generate(upstream.ask()))
  equal([error.code, error.kind], ['api', 'server'], 'the error')
  equal(await target.asked(), [], 'what the other server was asked')
}

const overloaded = { status: 429, headers: { 'retry-after-ms': '1' }, json: refusal }

async function retries(base) {
  const upstream = await scripted(base, overloaded, answersHello)
  equal((await stream(upstream.ask({ retries: 2 })).response).stopReason, 'stop', 'the end')
  equal((await upstream.asked()).length, 2, 'how often it asked')
}

async function doesNotRetry(base) {
  // No 408: Chromium itself asks again after one on a connection that it used before.
  for (const status of [400, 401, 404, 409, 500, 502, 504]) {
    const upstream = await scripted(base, { status, headers: { 'retry-after-ms': '1' }, json: refusal })
    equal((await failureOf(generate(upstream.ask({ retries: 2 })))).status, status, 'the status')
    equal((await upstream.asked()).length, 1, `how often it asked after ${status}`)
  }
}

async function retriesWithKey(base) {
  const upstream = await scripted(base, { ...overloaded, status: 500 }, { json: whole })
  await generate(upstream.ask({ retries: 2, idempotencyKey: 'once' }))
  const keys = (await upstream.asked()).map(({ headers }) => headers['idempotency-key'])
  equal(keys, ['once', 'once'], 'the keys')
}

async function givesUp(base) {
  const upstream = await scripted(base, overloaded)
  const error = await failureOf(generate(upstream.ask({ retries: 2 })))
  equal([error.kind, error.retryable, error.retryAfterMs], ['rate_limit', true, 1], 'the error')
  equal((await upstream.asked()).length, 3, 'how often it asked')
}

async function tellsErrors(base) {
  const body = {
    error: { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' },
  }
  const upstream = await scripted(base, { status: 401, headers: { 'x-request-id': 'req_1' }, json: body })
  const error = await failureOf(generate(upstream.ask()))
  equal(
    [error.code, error.kind, error.status, error.providerCode],
    ['api', 'authentication', 401, 'invalid_api_key'],
    'it',
  )
  ok(error instanceof Error, 'it is not an Error')
  for (const text of [String(error), error.stack, JSON.stringify(error)]) ok(!text.includes(key), 'it holds the key')
}

async function errorMidStream(base) {
  const failure = { error: { message: 'Overloaded', type: 'server_error', code: 'overloaded' } }
  const upstream = await scripted(base, { stream: begun + sse(failure) })
  const error = await failureOf(readAll(stream(upstream.ask({ retries: 2, idempotencyKey: 'once' }))))
  equal([error.code, error.partial.stopReason, error.partial.content[0].text], ['api', 'error', 'Hel'], 'the error')
  equal((await upstream.asked()).length, 1, 'how often it asked')
}

async function noJson(base) {
  const upstream = await scripted(base, { stream: '<!doctype html>', headers: { 'content-type': 'text/html' } })
  equal((await failureOf(generate(upstream.ask()))).code, 'decode', 'the code')
}

async function limit(base) {
  const upstream = await scripted(base, { stream: Array.from({ length: 64 }, () => 'x'.repeat(4096)), after: 'hang' })
  const error = await failureOf(readAll(stream(upstream.ask({ maxEventBytes: 65_536 }))))
  equal([error.code, error.limit, error.max], ['limit', 'maxEventBytes', 65_536], 'the error')
}

async function nobodyThere(base) {
  const { dead } = await (await fetch(`${base}/addresses`)).json()
  const model = openaiChat('m', { apiKey: key, baseUrl: `${dead}/v1?secret=1` })
  const error = await failureOf(generate({ model, prompt: 'Hi', retries: 0 }))
  equal(error.code, 'connection', 'the code')
  ok(!error.message.includes('secret'), 'it holds more than the origin')
}

async function ownFetch() {
  const seen = []
  const model = openaiChat('m', {
    apiKey: async () => key,
    baseUrl: 'https://api.example.com/v1',
    fetch: async (url, init) => {
      seen.push([url, init.method, init.redirect, init.headers.authorization])
      return new Response(hello, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  equal((await stream({ model, prompt: 'Hi' }).response).stopReason, 'stop', 'the end')
  equal(seen, [['https://api.example.com/v1/chat/completions', 'POST', 'manual', `Bearer ${key}`]], 'what it saw')
}
