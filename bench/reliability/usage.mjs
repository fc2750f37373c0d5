/**
 * W19: 10,000 answers that end in every way. If the provider reported its final usage, is that what the accounts booked? If it could not, did
 * they book all that was reserved? Texts are as English is: about four bytes a token.
 */
import { seeded } from '../../test/support/random.ts'
import { readAll, send, textOf } from './client.mjs'
import { begin, longPieces } from './provider.mjs'
import { eachOf, models, openSession, pause, secret } from './rig.mjs'

const [count, bytesPerToken, maxTokens] = [10_000, 4, 4000]
const adminToken = secret('admin')
const [inputPrice, outputPrice] = [1, 5]
export const told = {
  ADMIN_TOKEN: adminToken,
  PRICES: JSON.stringify({ '*': [inputPrice, outputPrice] }),
  IDLE_TIMEOUT_MS: '3000',
  // A client that leaves a whole answer is noticed from then on.
  WHOLE_COMMIT_MS: '1000',
}

const wires = Object.keys(models)
/** Those that take a while are rarer. */
const ends = [...['proper', 'cut', 'reset', 'error', 'left', 'refused'].flatMap((end) => [end, end, end]), 'stall']
const words =
  'the of and a to in is that it was for on are as with his they at be this have from or one had by word'.split(' ')

const tokensIn = (text) => Math.ceil(text.length / bytesPerToken)

/** The fields for the figures of an answer whose input was 11 tokens and whose output 7. */
const inputNames = /"(prompt_tokens|input_tokens|promptTokenCount|prompt_eval_count)":11/g
const outputNames = /"(completion_tokens|output_tokens|candidatesTokenCount|eval_count)":7/g
const withUsage = (piece, { input, output }) =>
  piece
    .replace(inputNames, (_, name) => `"${name}":${input}`)
    .replace(outputNames, (_, name) => `"${name}":${output}`)
    .replace(/"(total_tokens|totalTokenCount)":18/g, (_, name) => `"${name}":${input + output}`)
/** The event that has the figures of the whole answer. */
const finals = {
  'openai-chat': /"usage":\{/,
  'openai-responses': /"type":"response.completed"/,
  anthropic: /"type":"message_delta"/,
  gemini: /"finishReason"/,
  ollama: /"done":true/,
}

export async function usage({ worker, upstream }) {
  const plans = plan(seeded(19))
  upstream.play = (asked, response) => play(plans[Number(/case (\d+)\./.exec(asked.text)[1])], asked, response)
  await eachOf(plans, 40, (one, at) => go(one, at, worker.url))
  const rows = await untilSettled(worker.url)
  const asked = plans.map((one, at) => ({ ...one, ...rows.get(userOf(at)) }))
  return [...judgeTold(asked), ...judgeCut(asked), ...judgeRest(asked)]
}

/** Each answer has an account of its own. */
const userOf = (at) => `user-${at}`

function plan(random) {
  const pick = (list) => list[Math.floor(random() * list.length)]
  const sentence = (length) => Array.from({ length }, () => `${pick(words)} `)
  return Array.from({ length: count }, () => {
    const stream = random() < 0.8
    return {
      ...{ stream, wire: pick(wires), provider: pick(wires), end: pick(ends) },
      ...{
        texts: sentence(20 + Math.floor(random() * 200)),
        prompt: sentence(50 + Math.floor(random() * 500)).join(''),
      },
      /** How much of it is said before it ends; in a third of them all but perhaps the very last. */
      share: random() < 1 / 3 ? 1 : random(),
    }
  })
}

/** Answers as planned, and notes what it said by then. */
async function play(one, asked, response) {
  const input = tokensIn(one.prompt)
  const text = one.texts.join('')
  const figures = { input, output: tokensIn(text) }
  if (one.end === 'refused') return response.writeHead(529).end('{}')
  one.truth = figures
  const { before, said, after } = longPieces(asked.wire, one.texts)
  const pieces = [...before, ...said, ...after]
  const last = pieces.findIndex((piece) => finals[asked.wire].test(piece))
  const least = before.length + 1
  const sent = one.end === 'proper' ? pieces.length : countOf(one, least, pieces.length)
  one.sentText = one.texts.slice(0, Math.max(0, sent - before.length)).join('')
  one.isTold = last < sent
  if (!one.isTold) one.truth = { input, output: tokensIn(one.sentText) }
  const running = (at) => ({
    input,
    output: tokensIn(one.texts.slice(0, Math.max(0, at + 1 - before.length)).join('')),
  })
  begin(response, asked.wire)
  response.write(
    pieces
      .slice(0, sent)
      .map((piece, at) => withUsage(piece, at < last ? running(at) : figures))
      .join(''),
  )
  one.isSent = true
  if (one.end === 'proper' || one.end === 'cut') return response.end()
  if (one.end === 'error') return response.end(errorOf(asked.wire))
  // The bytes have to be with the Worker before the connection breaks.
  if (one.end === 'reset') setTimeout(() => response.destroy(), 100)
}

/** A complete answer does not count as cut. But it may be left, or reset, or stop sending, after its usage. */
function countOf({ share, end }, least, all) {
  const most = end === 'cut' || end === 'error' ? all - 2 : all
  return Math.max(least, share === 1 ? most : Math.floor(share * most))
}

function errorOf(wire) {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'x' }, message: 'x', code: 'server_error' }
  return wire === 'ollama' ? '{"error":"x"}\n' : `event: error\ndata: ${JSON.stringify(error)}\n\n`
}

/** Asks, reads as planned, and notes what came. */
async function go(one, at, url) {
  const { wire, provider, stream, prompt } = one
  const token = await openSession(url, userOf(at))
  const say = `case ${at}. ${prompt}`
  const { answer, leave } = send(url, { wire, model: models[provider], token, stream, say, maxTokens })
  // A whole answer that is cut off in its last moments also ends the connection.
  const incoming = await answer.catch(() => undefined)
  if (incoming === undefined) return
  const { text } = await (one.end === 'left' ? leaveBehind(one, incoming, leave) : readAll(incoming))
  // Only the Worker has a part of a whole answer that was cut off.
  if (stream) one.gotText = incoming.statusCode === 200 ? textOf(wire, wholeEvents(wire, text)) : ''
}

/** Leaves once all that the provider said has come. */
async function leaveBehind(one, incoming, leave) {
  let text = ''
  incoming.on('error', () => {}).on('data', (chunk) => (text += chunk))
  const hasAll = () =>
    one.isSent && (!one.stream || textOf(one.wire, wholeEvents(one.wire, text)).length >= one.sentText.length)
  for (let tries = 0; tries < 1000 && !hasAll(); tries++) await pause(10)
  await pause(100)
  leave()
  return { text }
}

/** Without the last one, if it is incomplete. */
function wholeEvents(wire, text) {
  const border = wire === 'ollama' ? '\n' : '\n\n'
  return text.slice(0, text.includes(border) ? text.lastIndexOf(border) + border.length : 0)
}

/** The accounts by user, after all requests have ended. */
async function untilSettled(url) {
  for (let tries = 0; ; tries++) {
    const { live } = await summary(url)
    if (live.length === 0 || tries === 100) break
    await pause(200)
  }
  const rows = new Map()
  let query = ''
  do {
    const { days, next } = await summary(url, query)
    for (const row of days) rows.set(row.user, row)
    query = next && `?after=${encodeURIComponent(next)}`
  } while (query)
  return rows
}

async function summary(url, query = '') {
  const headers = { authorization: `Bearer ${adminToken}` }
  return (await fetch(`${url}/admin/summary${query}`, { headers })).json()
}

const costOf = ({ input, output }) => input * inputPrice + output * outputPrice

function judgeTold(asked) {
  const seen = asked.filter(({ isTold }) => isTold)
  const behind = seen.filter(({ end }) => end !== 'proper').length
  const wrong = seen.filter((one) => one.spent !== costOf(one.truth) || one.outputTokens !== one.truth.output)
  return [
    {
      what: `${count} answers; of these the usage was reported, ${seen.length} times, ${behind} of them cut off after it`,
      figure: `${wrong.length} settled otherwise`,
      bar: '0',
      met: wrong.length === 0,
    },
  ]
}

function judgeCut(asked) {
  const cut = asked.filter(({ isTold, end }) => !isTold && end !== 'refused')
  // All of the output limit, and of the input at least a token for each byte of the prompt.
  const below = cut.filter(
    (one) => !(one.outputTokens === maxTokens && one.spent >= costOf({ input: one.prompt.length, output: maxTokens })),
  )
  return [
    {
      what: `cut before their usage, ${cut.length} times`,
      figure: `${below.length} settled below what was reserved`,
      bar: '0',
      met: below.length === 0,
    },
  ]
}

function judgeRest(asked) {
  const refused = asked.filter(({ end }) => end === 'refused')
  const charged = refused.filter(({ spent }) => spent !== 0).length
  const odd = asked.filter(({ requests }) => requests !== 1).length
  return [
    {
      what: `refused by the provider, ${refused.length} times`,
      figure: `${charged} cost something`,
      bar: '0',
      met: charged === 0,
    },
    { what: 'of all, not settled, or more than once', figure: `${odd}`, bar: '0', met: odd === 0 },
  ]
}
