/**
 * The laws that every codec keeps, as tests for any test runner: what a codec must do with each recorded answer, each conversation and each
 * error. isoglot's own formats pass them.
 *
 * @module
 */

import { decodeAnswer } from '../ask/http-model.ts'
import { fold } from '../assemble/assemble.ts'
import { checkOptions } from '../core/checks.ts'
import type { ClientCodec, Fragment, Frame, ServerCodec } from '../core/codec.ts'
import { blocksOf, canRunTools } from '../core/content.ts'
import { type ApiErrorKind, IsoglotError } from '../core/errors.ts'
import { isObject } from '../core/json.ts'
import type { AssistantMessage, ChatResponse, ContentBlock, Context, Loss, MessageEvent } from '../core/messages.ts'
import { piecesOf } from './body.ts'
import { conversations } from './conversations.ts'

/** One law of {@link conformance}, for one recording, conversation or error. */
export interface ConformanceTest {
  readonly name: string
  /** Throws an `Error` that says what is wrong. */
  readonly run: () => void
}

/** What a codec's author knows of the format, from the provider's documents and answers. */
export interface ConformanceFacts {
  /** A model's name, as requests have it. */
  readonly model: string
  /** Streamed answers as the provider sent them, whole, by names of your choice. */
  readonly streams: Readonly<Record<string, Uint8Array | string>>
  /** Whole answers, parsed. One with the name of a stream is the same answer: both must say the same. Default: none. */
  readonly answers?: Readonly<Record<string, unknown>>
  /** Error bodies of the provider, with their status, and the kind that each must be. Default: none. */
  readonly errors?: readonly (readonly [status: number, body: unknown, kind: ApiErrorKind])[]
  /** Conversations to encode, beside those that every codec gets. Default: none. */
  readonly conversations?: Readonly<Record<string, Context>>
  /** Why the provider would refuse the body of a request. Default: it takes all. */
  readonly refusals?: (body: unknown) => readonly string[]
  /** The half of a gateway, if the format has one: it must read what the codec writes, and write what the codec reads. */
  readonly server?: ServerCodec
}

/**
 * The tests of a codec. They need no test runner of their own, and no network:
 *
 * - An answer reads the same in chunks of any size. Its events make its message. If it is cut, it is an error with the part that came, and
 *   no call of it can run. Unknown fields change nothing. A wrong value anywhere is read, or is one of isoglot's errors.
 * - A request is plain JSON, the conversation is not changed, and what is not in the body is reported as a loss.
 * - Answers can be sent back as history.
 * - With `server`: it reads requests and writes answers without a change.
 *
 * @throws {TypeError} if there is no stream in `facts`.
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { test } from 'node:test'
 * import { conformance } from 'isoglot/test'
 *
 * const streams = { hello: readFileSync('recordings/hello.sse') }
 * for (const { name, run } of conformance(codec, { model: 'acme-1', streams })) test(name, run)
 * ```
 */
export function conformance(codec: ClientCodec, facts: ConformanceFacts): readonly ConformanceTest[] {
  checkOptions('conformance', facts)
  const { streams, answers = {}, errors = [], server } = facts
  if (Object.keys(streams).length === 0)
    throw new TypeError('Cannot test the codec: "streams" is empty. Give at least one recorded answer.')
  const asked = { ...conversations, ...facts.conversations }
  return [
    ...Object.entries(streams).flatMap(([name, given]) => streamTests(codec, name, bytesOf(given), facts)),
    ...Object.entries(answers).flatMap(([name, body]) => answerTests(codec, name, body, facts)),
    ...Object.entries(asked).flatMap(([name, context]) => requestTests(codec, name, context, facts)),
    ...errors.map(([status, body, kind]) => errorTest(codec, status, body, kind, server)),
  ]
}

// ---- streams --------------------------------------------------------------------------------------

interface Decoded {
  readonly events: readonly MessageEvent[]
  readonly response?: ChatResponse | undefined
  readonly error?: IsoglotError
}

function streamTests(
  codec: ClientCodec,
  name: string,
  bytes: Uint8Array,
  facts: ConformanceFacts,
): readonly ConformanceTest[] {
  const read = (chunks: readonly Uint8Array[]) => decode(codec, chunks)
  const whole = () => responseOrThrow(read([bytes]), name)
  const tests: [string, () => void][] = [
    [
      'reads the same in chunks of any size',
      () => {
        const expected = contentOf(whole().message)
        for (const size of [1, 2, 3, 7, 64, 1000])
          same(
            contentOf(responseOrThrow(read(piecesOf(bytes, size)), `chunks of ${size}`).message),
            expected,
            `chunks of ${size}`,
          )
      },
    ],
    ['its events make its message', () => checkEvents(read([bytes]))],
    ['cut off, it is an error, and none of its calls can run', () => checkCuts(codec, bytes, whole())],
    [
      'a field that does not exist yet changes nothing',
      () => {
        const frames = framesOf(codec, bytes).map((frame) => changed(frame, (data) => ({ ...data, zz_new: 'zz' })))
        same(contentOf(decodeAll(codec, frames).message), contentOf(whole().message), 'with the field "zz_new"')
      },
    ],
    ['a wrong value at any place is read or refused', () => checkWrongValues(codec, framesOf(codec, bytes))],
    ['can be sent back', () => checkHistory(codec, whole(), facts)],
  ]
  const { server, answers = {} } = facts
  if (name in answers)
    tests.push([
      'says what the whole answer says',
      () => same(contentOf(whole().message), contentOf(codec.decodeResponse(answers[name]).message), 'the stream'),
    ])
  if (server)
    tests.push(['is the same if the server writes it again', () => checkServedStream(codec, server, read([bytes]))])
  return tests.map(([law, run]) => ({ name: `stream ${name}: ${law}`, run }))
}

/** @throws what is not one of isoglot's errors. */
function decode(codec: ClientCodec, chunks: readonly Uint8Array[]): Decoded {
  const events: MessageEvent[] = []
  const decoder = decodeAnswer(codec)
  try {
    for (const chunk of chunks) decoder.push(chunk, events)
    decoder.end(events)
  } catch (error) {
    if (error instanceof IsoglotError) return { events, error }
    throw error
  }
  const end = events.find((event) => event.type === 'message_end')
  return end === undefined ? { events } : { events, response: end.response }
}

function responseOrThrow({ response, error }: Decoded, what: string): ChatResponse {
  if (error) throw error
  check(response !== undefined, `${what}: there is neither an answer nor an error`)
  return response
}

function checkEvents({ events, response }: Decoded): void {
  const types = events.map(({ type }) => type)
  check(types[0] === 'message_start', `the first event is "${types[0]}", not "message_start"`)
  check(types.at(-1) === 'message_end', `the last event is "${types.at(-1)}", not "message_end"`)
  check(types.filter((type) => type === 'message_end').length === 1, 'there are several ends')
  const { message } = responseOrThrow({ events, response }, 'the stream')
  const deltas = (type: string) =>
    events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('')
  same(deltas('text_delta'), textIn(message, 'text'), 'the text of all "text_delta"')
  same(deltas('reasoning_delta'), textIn(message, 'reasoning'), 'the text of all "reasoning_delta"')
  const called = events.flatMap((event) => (event.type === 'tool_call' ? [event.call.id] : []))
  same(
    called,
    callsOf(message).map(({ id }) => id),
    'the calls of all "tool_call"',
  )
  check(new Set(called).size === called.length, 'two calls have one id')
  check(plain(message), 'the message is not plain JSON: a field is undefined')
}

function checkCuts(codec: ClientCodec, bytes: Uint8Array, whole: ChatResponse): void {
  const places = new Set(Array.from({ length: 200 }, (_, at) => Math.floor((at * bytes.length) / 200)))
  for (let at = 1; at <= 40; at++) places.add(Math.max(0, bytes.length - at))
  for (const at of places) {
    const { response, error, events } = decode(codec, [bytes.subarray(0, at)])
    if (response !== undefined) {
      // The format's own end had come: figures and marks may follow it.
      same(contentOf(response.message), contentOf(whole.message), `cut at byte ${at}, it counts as complete, but`)
      continue
    }
    check(error !== undefined, `cut at byte ${at}, there is neither an answer nor an error`)
    const { partial } = error
    check(partial !== undefined, `cut at byte ${at}, the error has no "partial"`)
    check(!canRunTools(partial), `cut at byte ${at}, calls could run`)
    const told = events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('')
    same(textIn(partial, 'text'), told, `cut at byte ${at}, the text of "partial"`)
  }
}

function framesOf(codec: ClientCodec, bytes: Uint8Array): readonly Frame[] {
  const frames: Frame[] = []
  const framing = codec.decodeFrames({})
  framing.push(bytes, frames)
  framing.end(frames)
  return frames
}

/** The frame with another object as its data. A frame without an object stays as it is. */
function changed(frame: Frame, change: (data: Readonly<Record<string, unknown>>) => unknown): Frame {
  const data = parsed(frame.data)
  return isObject(data) ? { ...frame, data: JSON.stringify(change(data)) } : frame
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function decodeAll(codec: ClientCodec, frames: readonly Frame[]): ChatResponse {
  const fragments: Fragment[] = []
  const decoder = codec.decodeStream()
  for (const frame of frames) decoder.push(frame, fragments)
  decoder.end(fragments)
  return fold(fragments, { provider: codec.provider, idPrefix: codec.idPrefix })
}

// ---- wrong values -----------------------------------------------------------------------------------

type Path = readonly (string | number)[]

const wrongValues: readonly unknown[] = [
  null,
  7,
  -1.5,
  '',
  'zz',
  true,
  [],
  {},
  [null],
  { type: 7 },
  { __proto__: { a: 1 } },
]

/** How many places of one recording are tried. */
const mostTrials = 500

function checkWrongValues(codec: ClientCodec, frames: readonly Frame[]): void {
  const trials = frames.flatMap((frame, at) => {
    const data = parsed(frame.data)
    return typeof data === 'object' ? pathsOf(data).map((path) => ({ at, data, path })) : []
  })
  const step = Math.max(1, Math.ceil(trials.length / mostTrials))
  for (let number = 0; number < trials.length; number += step) {
    const { at, data, path } = trials[number] as (typeof trials)[number]
    const value = wrongValues[number % wrongValues.length]
    const wrong = frames.map((frame, other) =>
      other === at ? { ...frame, data: JSON.stringify(replaced(data, path, value)) } : frame,
    )
    refusedOrRead(() => decodeAll(codec, wrong), `${JSON.stringify(value)} at "${path.join('.')}" of event ${at}`)
  }
}

function pathsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const isList = Array.isArray(value)
  return [path, ...Object.entries(value).flatMap(([key, one]) => pathsOf(one, [...path, isList ? Number(key) : key]))]
}

function replaced(value: unknown, [step, ...rest]: Path, wanted: unknown): unknown {
  if (step === undefined) return wanted
  if (Array.isArray(value)) return value.map((one, at) => (at === step ? replaced(one, rest, wanted) : one))
  const fields = value as Readonly<Record<string, unknown>>
  return { ...fields, [step]: replaced(fields[step], rest, wanted) }
}

function refusedOrRead(action: () => unknown, where: string): void {
  try {
    action()
  } catch (error) {
    check(error instanceof IsoglotError, `${where} is a crash: ${error instanceof Error ? error.stack : error}`)
  }
}

// ---- whole answers ----------------------------------------------------------------------------------

function answerTests(
  codec: ClientCodec,
  name: string,
  body: unknown,
  facts: ConformanceFacts,
): readonly ConformanceTest[] {
  const { server } = facts
  const tests: [string, () => void][] = [
    [
      'is not changed, and its message is plain JSON',
      () => check(plain(codec.decodeResponse(frozen(body)).message), 'a field of the message is undefined'),
    ],
    [
      'a wrong value at any place is read or refused',
      () => {
        for (const [number, path] of pathsOf(body).entries()) {
          const wrong = replaced(body, path, wrongValues[number % wrongValues.length])
          refusedOrRead(() => codec.decodeResponse(wrong), `a wrong value at "${path.join('.')}"`)
        }
      },
    ],
    ['can be sent back', () => checkHistory(codec, codec.decodeResponse(body), facts)],
  ]
  if (server)
    tests.push([
      'is the same if the server writes it again',
      () => {
        const response = codec.decodeResponse(body)
        const { body: written, losses } = server.encodeResponse(response)
        if (losses.length > 0) return
        same(contentOf(codec.decodeResponse(written).message), contentOf(response.message), 'written again, the answer')
      },
    ])
  return tests.map(([law, run]) => ({ name: `answer ${name}: ${law}`, run }))
}

function checkServedStream(codec: ClientCodec, server: ServerCodec, { events, response }: Decoded): void {
  const encoder = server.encodeStream({ provider: codec.provider })
  const frames: Frame[] = []
  for (const event of events) encoder.push(event, frames)
  encoder.end(frames)
  if (encoder.losses.length > 0) return
  const { message } = responseOrThrow({ events, response }, 'the stream')
  same(contentOf(decodeAll(codec, frames).message), contentOf(message), 'written again, the answer')
}

/** The answer, its calls with results, and a question after it. */
function checkHistory(codec: ClientCodec, { message }: ChatResponse, facts: ConformanceFacts): void {
  const results = callsOf(message).map(
    ({ id, name }) => ({ role: 'tool', toolCallId: id, name, content: 'ok' }) as const,
  )
  const messages = [
    { role: 'user', content: 'Hello' },
    message,
    ...results,
    { role: 'user', content: 'Go on' },
  ] as const
  checkBody(encodeQuestion(codec, { messages }, facts).body, facts)
}

// ---- requests ---------------------------------------------------------------------------------------

function requestTests(
  codec: ClientCodec,
  name: string,
  context: Context,
  facts: ConformanceFacts,
): readonly ConformanceTest[] {
  const tests: [string, () => void][] = [
    [
      'is plain JSON, the same each time, and changes nothing that it was given',
      () => {
        const [body, again] = [1, 2].map(() => encodeQuestion(codec, frozen(context), facts).body)
        same(again, body, 'a second request')
        checkBody(body, facts)
      },
    ],
    [
      'is sent whole, or what is missing is a loss',
      () => {
        const { body, losses } = encodeQuestion(codec, context, facts)
        const text = JSON.stringify(body)
        for (const [path, words] of textsWithPaths(context)) {
          const isReported = losses.some((loss) => path.startsWith(loss.path) || loss.path.startsWith(path))
          check(isReported || text.includes(words), `"${words}" at "${path}" is neither in the body nor a loss`)
        }
      },
    ],
  ]
  const { server, model } = facts
  if (server)
    tests.push([
      'is read by the server as it was meant',
      () => {
        const { path, body } = encodeQuestion(codec, context, facts)
        const read = server.decodeRequest(body, { path })
        const again = encodeQuestion(codec, read.context, { ...facts, model: read.options.model || model })
        const missing = textsWithPaths(context).filter(
          ([, words]) => JSON.stringify(body).includes(words) && !JSON.stringify(again.body).includes(words),
        )
        same(missing, [], 'what the server did not read')
      },
    ])
  return tests.map(([law, run]) => ({ name: `request with ${name}: ${law}`, run }))
}

function encodeQuestion(
  codec: ClientCodec,
  context: Context,
  { model }: ConformanceFacts,
): { readonly path: string; readonly body: unknown; readonly losses: readonly Loss[] } {
  return codec.encodeRequest(context, { model, strict: false, stream: true })
}

function checkBody(body: unknown, { refusals }: ConformanceFacts): void {
  check(plain(body), 'the body is not plain JSON: a field is undefined')
  same(refusals?.(body) ?? [], [], 'reasons to refuse the body')
}

/** The texts that a model must get, and where they are. */
function textsWithPaths(value: unknown, path = ''): readonly (readonly [path: string, text: string])[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => {
    const place = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
    if (typeof one !== 'string') return textsWithPaths(one, place)
    return /^(?:text|content|system|description|data|city)$/.test(key) ? [[place, one] as const] : []
  })
}

// ---- errors -----------------------------------------------------------------------------------------

function errorTest(
  codec: ClientCodec,
  status: number,
  body: unknown,
  kind: ApiErrorKind,
  server: ServerCodec | undefined,
): ConformanceTest {
  return {
    name: `error ${status}: is of the kind "${kind}", and so is anything else with this status an error`,
    run() {
      const decodeError = (given: unknown) => codec.decodeError({ status, headers: new Headers(), body: given })
      same(decodeError(body).kind, kind, 'the kind')
      for (const given of [undefined, null, '', '<html>', [], {}, { error: null }])
        check(decodeError(given).message !== '', 'an error says nothing')
      if (server === undefined) return
      const written = server.encodeError(decodeError(body))
      same(
        codec.decodeError({ ...written, headers: new Headers(written.headers) }).kind,
        kind,
        'written again, the kind',
      )
    },
  }
}

// ---- to compare -------------------------------------------------------------------------------------

function check(holds: boolean, complaint: string): asserts holds {
  if (!holds) throw new Error(complaint)
}

function same(found: unknown, expected: unknown, what: string): void {
  const [one, other] = [found, expected].map((value) => JSON.stringify(value))
  check(one === other, `${what}: found ${one}, expected ${other}`)
}

/** What an answer says, without values that only its maker can read, and without ids that were made here. */
function contentOf({ content, invalidToolCalls, stopReason }: AssistantMessage): unknown {
  return [
    blocksOf(content).filter(isSaid).map(sayingOf),
    invalidToolCalls?.map(({ name, argumentsText }) => ({ name, argumentsText })),
    stopReason,
  ]
}

/** Text without words has only a signature. */
function isSaid(block: ContentBlock): boolean {
  return block.type !== 'text' || block.text !== ''
}

function sayingOf(block: ContentBlock): unknown {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      return { type: block.type, text: block.text }
    case 'tool_call':
      return { type: block.type, name: block.name, arguments: block.arguments }
    default:
      return { type: block.type }
  }
}

function textIn(message: AssistantMessage, type: string): string {
  return blocksOf(message.content)
    .map((block) => (block.type === type && 'text' in block ? block.text : ''))
    .join('')
}

function callsOf(message: AssistantMessage) {
  return blocksOf(message.content).flatMap((block) => (block.type === 'tool_call' ? [block] : []))
}

/** Whether JSON has the whole value. */
function plain(value: unknown): boolean {
  if (value === undefined || typeof value === 'function') return false
  return typeof value !== 'object' || value === null || Object.values(value).every(plain)
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const one of Object.values(value)) frozen(one)
  return Object.freeze(value)
}

function bytesOf(given: Uint8Array | string): Uint8Array {
  return typeof given === 'string' ? new TextEncoder().encode(given) : given
}
