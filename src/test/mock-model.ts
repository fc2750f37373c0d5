/** A model whose answers a test decides, in the bytes of a real format. @module */

import { httpModel } from '../ask/http-model.ts'
import { checkOptions } from '../core/checks.ts'
import { compact, isObject } from '../core/json.ts'
import type { Context, JsonObject, RequestOptions } from '../core/messages.ts'
import type { HttpModel } from '../core/question.ts'
import { statusOf } from '../formats/shared/api-error.ts'
import type { MockAnswer, MockRefusal, MockTurn } from './answers.ts'
import { bodyOf, joined, piecesOf, streamTypes } from './body.ts'
import type { MockFormat } from './formats.ts'
import { noAnswer, openHeaders } from './recordings.ts'
import { breakdownOf, checkCount, codecsOf, refusalOf, streamOf, wholeOf } from './write.ts'

/** A request to a mock. */
export interface MockRequest {
  /** The conversation, decoded from the body. */
  readonly context: Context
  /** The options, decoded from the body. */
  readonly options: RequestOptions
  /** The body as it was sent. */
  readonly body: JsonObject
  /** Without headers that may contain a key. */
  readonly headers: Readonly<Record<string, string>>
  readonly url: string
}

/** A model without a server, made by {@link mockModel}. */
export interface MockModel extends HttpModel {
  /** The requests so far, in order. */
  readonly requests: readonly MockRequest[]
  /** The `fetch` that answers. Give it to your own model to test the settings and the name of that model. */
  readonly fetch: typeof fetch
}

/** Options of a mock. */
export interface MockOptions {
  /** The format of the bytes. Default `openai-chat`. */
  readonly format?: MockFormat
  /** The size of a chunk: a number of bytes, or one event of the format. Default `event`; an event of text is one word. */
  readonly chunk?: number | 'event'
  /** The pause between two chunks, in milliseconds. Default 0. */
  readonly delayMs?: number
}

/**
 * A model for tests. It replaces `fetch` and answers with bytes that isoglot's encoders write, so that the test includes framing, codec,
 * retries and the tool loop.
 *
 * @param answers Given in order, one for each request, also for each retry; or a function of the request. A request without an answer
 * rejects with a `ConnectionError` that has both counts.
 * @throws {TypeError} for what is not a list or a function of answers; in the run, if the format cannot express an answer.
 * @example
 * ```ts
 * import { call, mockModel } from 'isoglot/test'
 *
 * const mock = mockModel([{ calls: [call('get_weather', { city: 'Tokyo' })] }, 'It is sunny.'])
 * const { text } = await generate({ model: mock, prompt: 'Weather in Tokyo?', tools: [weather] })
 * console.log(text, mock.requests.length) // It is sunny. 2
 * ```
 */
export function mockModel(
  answers: readonly MockAnswer[] | ((request: MockRequest) => MockAnswer | Promise<MockAnswer>),
  options: MockOptions = {},
): MockModel {
  checkOptions('mockModel', options)
  if (!Array.isArray(answers) && typeof answers !== 'function') {
    throw new TypeError('Cannot make a mock: "answers" is neither a list nor a function')
  }
  const { chunk = 'event' } = options
  if (chunk !== 'event' && (typeof chunk !== 'number' || !(chunk >= 1))) {
    throw new TypeError('Cannot make a mock: "chunk" is neither "event" nor a number from 1 on')
  }
  const { client, server } = codecsOf(options)
  const requests: MockRequest[] = []
  let calls = 0

  async function answer(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const sent = new Request(input, init)
    const { url, signal } = sent
    signal.throwIfAborted()
    const body: JsonObject = await sent.json()
    const decoded = server.decodeRequest(body, { path: new URL(url).pathname })
    const { context, options: asked } = decoded
    const request = { context, options: asked, body, headers: openHeaders(sent.headers), url }
    requests.push(request)
    const given =
      typeof answers === 'function' ? await failingAsFetch(() => answers(request)) : answers[requests.length - 1]
    if (given === undefined) {
      throw noAnswer('mockModel', typeof answers === 'function' ? 0 : answers.length, requests.length)
    }
    if (given instanceof Response) return given
    const firstCall = calls + 1
    calls += callsIn(given)
    return failingAsFetch(() => responseTo(given, { ...options, firstCall, isStreamed: asked.stream === true, signal }))
  }

  return { ...httpModel(client, 'mock', { baseUrl: 'https://mock.invalid' }), fetch: answer, requests }
}

const fields = 'text reasoning calls usage stopReason error status retryAfterMs afterEvents of cutAfter clean silentFor'
const kinds = Object.keys(statusOf)

/** @throws {TypeError} for a field or an error that a mock does not have. It would answer with nothing. */
function checkAnswer(given: Exclude<MockAnswer, Response>): void {
  const asked = typeof given === 'string' ? {} : given
  const unknown = Object.keys(asked).find((name) => !fields.split(' ').includes(name))
  if (unknown !== undefined) throw new TypeError(`Cannot mock the field "${unknown}"; an answer has ${fields}`)
  if ('error' in asked && !kinds.includes(asked.error)) {
    throw new TypeError(`Cannot mock the error "${asked.error}"; it is one of ${kinds.join(' ')}`)
  }
}

/** An error of the test itself, in the form in which the client shows the message of a failed `fetch`. */
async function failingAsFetch<T>(action: () => T | Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (cause) {
    throw new TypeError('fetch failed', { cause })
  }
}

function callsIn(answer: MockAnswer): number {
  const turn = mockTurnOf(answer)
  return typeof turn === 'object' ? (turn.calls?.length ?? 0) : 0
}

function mockTurnOf(answer: MockAnswer): MockTurn | undefined {
  if (answer instanceof Response) return undefined
  if (typeof answer === 'object' && 'of' in answer) return answer.of
  return isObject(answer) && 'error' in answer ? undefined : (answer as MockTurn)
}

interface Asked extends MockOptions {
  readonly firstCall: number
  readonly isStreamed: boolean
  readonly signal: AbortSignal
}

function responseTo(answer: Exclude<MockAnswer, Response>, asked: Asked): Response {
  checkAnswer(answer)
  const { isStreamed } = asked
  const write = (turn: MockTurn) => (isStreamed ? streamOf(turn, asked) : wholeOf(turn, asked))
  if (typeof answer === 'string' || !('of' in answer || 'error' in answer)) return respondAs(write(answer), asked)
  if ('silentFor' in answer) return respondAs(write(answer.of), asked, { silentMs: answer.silentFor })
  if ('cutAfter' in answer) {
    const events = write(answer.of)
    checkCount(events.length - 1, answer.cutAfter)
    return respondAs(events.slice(0, answer.cutAfter), asked, { breaks: answer.clean !== true })
  }
  if ('of' in answer && isStreamed)
    return respondAs(breakdownOf(answer.of, answer.afterEvents, answer.error, asked), asked)
  const { status, headers: own, body } = refusalOf(answer.error, asked)
  const { status: given = status, retryAfterMs } = answer as MockRefusal
  const wait = retryAfterMs === undefined ? undefined : `${Math.ceil(retryAfterMs / 1000)}`
  const headers = { 'content-type': 'application/json', ...own, ...compact({ 'retry-after': wait }) }
  return new Response(JSON.stringify(body), { status: given, headers })
}

function respondAs(
  events: readonly Uint8Array[],
  asked: Asked,
  how: { readonly silentMs?: number; readonly breaks?: boolean } = {},
): Response {
  const { chunk = 'event', delayMs = 0, signal, isStreamed } = asked
  const chunks = chunk === 'event' ? events : piecesOf(joined(events), chunk)
  const { framing } = codecsOf(asked).client
  const headers = { 'content-type': isStreamed ? streamTypes[framing] : 'application/json' }
  return new Response(bodyOf(chunks, { delayMs, signal, ...how }), { headers })
}
