/** A server's run in a page: `toResponse` and `readEvents`, and a history that the page keeps sealed. */
import { message, stream } from '../../dist/index.js'
import { readEvents } from '../../dist/read.js'
import { openMessages, sealMessages, toResponse } from '../../dist/response.js'
import { equal, failureOf, ok, within } from './assert.mjs'
import { begun, endless, hello, isCancelledUpstream, readAll, scripted, textOf } from './client.mjs'

const history = [message.user('Grüße'), message.assistant('Hello')]

/** For every runtime. */
export function pageCases(base) {
  return [
    ['a page reads the run of a server, to its end', () => reads(base)],
    ['a page gets the error of the run, with what came', () => getsErrors(base)],
    ['a response without its end is an interruption', () => isCut(base)],
    ['a page that leaves ends the request of the provider', () => leaves(base)],
    ['a sealed history opens for who sealed it', seals],
  ]
}

/** For those that can serve: `serve(handler)` gives `{ url, stop }`. */
export function servedCases(base, serve) {
  return [
    ['serves a run over HTTP', () => served(base, serve)],
    ['a page that hangs up ends the request of the provider', () => hangsUp(base, serve)],
  ]
}

const answerOf = (upstream, options) => toResponse(stream(upstream.ask()), options)

async function reads(base) {
  const upstream = await scripted(base, { stream: hello, every: 7 })
  const run = readEvents(answerOf(upstream))
  const events = await readAll(run)
  equal(textOf(events), 'Hello', 'the text')
  equal((await run.response).outcome, 'answered', 'the outcome')
  return events.map(({ type }) => type).join(' ')
}

async function getsErrors(base) {
  const refused = await scripted(base, { status: 401, json: { error: { message: 'sk-canary' } } })
  const response = await answerOf(refused)
  equal(response.status, 502, 'the status')
  ok(!(await response.clone().text()).includes('canary'), 'it says what the provider said')
  equal((await failureOf(readAll(readEvents(response)))).name, 'ApiError', 'the error')
  const broken = await scripted(base, { stream: [begun, begun], gapMs: 40, after: 'reset' })
  const error = await failureOf(readAll(readEvents(answerOf(broken))))
  equal([error.name, error.code], ['InterruptedError', 'interrupted'], 'the error')
  ok(/^(Hel){1,2}$/.test(error.partial.content[0].text), 'what came is lost')
}

async function isCut(base) {
  const upstream = await scripted(base, { stream: hello })
  const text = await (await answerOf(upstream)).text()
  const headers = { 'content-type': 'text/event-stream' }
  const cut = new Response(text.slice(0, text.lastIndexOf('id: ')), { headers })
  equal((await failureOf(readAll(readEvents(cut)))).name, 'InterruptedError', 'the error')
}

async function leaves(base) {
  const upstream = await scripted(base, { stream: endless, gapMs: 10 })
  let left
  const ended = new Promise((resolve) => {
    left = resolve
  })
  for await (const event of readEvents(answerOf(upstream, { onEnd: left }))) if (event.type === 'text_delta') break
  await isCancelledUpstream(upstream)
  equal((await within(5000, ended, 'the end')).left, true, 'whether the page left')
}

async function seals() {
  const secret = crypto.getRandomValues(new Uint8Array(32))
  const sealed = await sealMessages(history, secret, 'ada')
  ok(!sealed.includes('Hello'), 'it can be read')
  equal(await openMessages(sealed, secret, 'ada'), history, 'the history')
  await failureOf(openMessages(sealed, secret, 'eve'))
  await failureOf(openMessages(`${sealed.slice(0, -4)}AAAA`, secret, 'ada'))
}

async function served(base, serve) {
  const upstream = await scripted(base, { stream: hello, every: 7 })
  const { url, stop } = await serve((request) => toResponse(stream(upstream.ask({ signal: request.signal }))))
  try {
    equal(textOf(await readAll(readEvents(fetch(url)))), 'Hello', 'the text')
  } finally {
    await stop()
  }
}

async function hangsUp(base, serve) {
  const upstream = await scripted(base, { stream: endless, gapMs: 10 })
  const { url, stop } = await serve(() => answerOf(upstream))
  try {
    for await (const event of readEvents(fetch(url))) if (event.type === 'text_delta') break
    await isCancelledUpstream(upstream)
  } finally {
    await stop()
  }
}
