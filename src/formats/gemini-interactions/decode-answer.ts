/**
 * Gemini Interactions: reads an answer, whole or streamed, and its errors.
 *
 * @see https://ai.google.dev/api/interactions-api (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/function-calling (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/interactions/streaming (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/interactions (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/api-errors (read 2026-11)
 *
 * @module
 */

import { fold, foldCalls } from '../../assemble/assemble.ts'
import type {
  DecodedCalls,
  DecodeResponseOptions,
  DecodeStreamOptions,
  DecodeToolCallsOptions,
  ErrorAnswer,
  Fragment,
  Frame,
} from '../../core/codec.ts'
import { keepUnknown, keepUnknownOn } from '../../core/content.ts'
import type { ApiError } from '../../core/errors.ts'
import {
  arrayOf,
  bodyOf,
  compact,
  decodeErrorAt,
  field,
  isObject,
  lookup,
  numberOr,
  objectAt,
  otherFields,
  parseEvent,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/json.ts'
import type {
  ChatResponse,
  CitationBlock,
  ContentBlock,
  ImageBlock,
  Json,
  JsonObject,
  Opaque,
  ProviderState,
  Usage,
} from '../../core/messages.ts'
import type { Machine } from '../../core/reducer.ts'
import { besideOutput, countOrZero, settleUsage, tokenCount } from '../../core/usage.ts'
import { prepareTools } from '../../prepare/prepare.ts'
import { inStream, readApiError } from '../shared/api-error.ts'
import { checkEnded, unfinished } from '../shared/background.ts'
import { isEnvelope } from '../shared/envelope.ts'
import { isKeyInvalid, type Media, place } from '../shared/google.ts'
import { allWithOwnNames, withOwnNames } from '../shared/parameter-names.ts'
import { countText, type Lengths, newLengths, unitsAt } from '../shared/utf8.ts'
import {
  blockedCodes,
  errorWords,
  format,
  hostedOf,
  idPrefix,
  provider,
  readStopReason,
  stepsOfDeltas,
  targetOf,
  title,
} from './tables.ts'

/** Reads the contents of a step. The wire has a list, one object, or a string. */
export function contentsOf(value: unknown): readonly Json[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  return isObject(value) ? [value] : arrayOf(value)
}

const knownOfText: ReadonlySet<string> = new Set(['type', 'text', 'annotations'])

/** Decodes one content. A content that isoglot does not know is kept unchanged. */
export function decodeContent(content: Json): ContentBlock {
  const text = field(content, 'text')
  if (isObject(content) && field(content, 'type') === 'text' && typeof text === 'string') {
    const lengths = newLengths()
    countText(lengths, text)
    const citations = readAnnotations(field(content, 'annotations'), lengths)
    const kept = keepUnknown(otherFields(content, knownOfText), format)
    return { type: 'text', text, ...compact({ citations: unlessEmpty(citations) }), ...kept }
  }
  return readMedia(content) ?? unknownContent(content)
}

/** Keeps an unknown content as a block. Its `providerData` marks it as a content, because an unknown step becomes an `unknown` block too. */
function unknownContent(value: Json): ContentBlock {
  const providerType = stringOr(field(value, 'type'), '')
  return { type: 'unknown', format, providerType, value, ...keepUnknown({ content: true }, format) }
}

const mediaTypes: Readonly<Record<string, Media['type']>> = {
  image: 'image',
  audio: 'audio',
  video: 'video',
  document: 'file',
}
const details: Readonly<Record<string, NonNullable<ImageBlock['detail']>>> = { low: 'low', high: 'high' }

/** Reads media with data or a URI. Returns `undefined` for any other content. */
function readMedia(content: Json): Media | undefined {
  const type = lookup(mediaTypes, field(content, 'type'))
  if (type === undefined || !isObject(content)) return undefined
  const { type: _, data, uri, mime_type: mimeType, ...rest } = content
  const source = typeof data === 'string' ? { data } : typeof uri === 'string' ? place(uri) : undefined
  if (source === undefined) return undefined
  const detail = type === 'image' ? lookup(details, rest.resolution) : undefined
  if (detail !== undefined) delete rest.resolution
  const common = compact({ mimeType: stringOr(mimeType, undefined), detail })
  return { type, ...source, ...common, ...keepUnknown(rest, format) } as Media
}

const knownOfAnnotation = new Set(['url', 'title', 'start_index', 'end_index'])

/**
 * Reads annotations of any type as citations. `providerData` keeps their type and the fields that isoglot has no field for, and marks them as
 * citations of this format.
 */
function readAnnotations(annotations: unknown, lengths: Lengths): CitationBlock[] {
  const unit = (byte: Json | undefined) =>
    typeof byte === 'number' && byte >= 0 && byte <= lengths.bytes ? unitsAt(lengths, byte) : undefined
  return arrayOf(annotations)
    .filter(isObject)
    .map((annotation) => {
      const end = unit(field(annotation, 'end_index'))
      const start = end === undefined ? undefined : unit(numberOr(field(annotation, 'start_index'), 0))
      return {
        type: 'citation',
        ...compact({
          url: stringOr(field(annotation, 'url'), undefined),
          title: stringOr(field(annotation, 'title'), undefined),
          startIndex: start,
          endIndex: start === undefined ? undefined : end,
        }),
        providerData: { [format]: otherFields(annotation, knownOfAnnotation) ?? {} },
      }
    })
}

// ---- calls ------------------------------------------------------------------------------------

/** Decodes only the calls of an answer. */
export function decodeToolCalls(body: unknown, { tools = [] }: DecodeToolCallsOptions = {}): DecodedCalls {
  const reading = newReading(textOr(field(body, 'model'), ''))
  const fragments: Fragment[] = []
  for (const step of arrayOf(field(body, 'steps') ?? field(body, 'outputs'))) {
    if (field(step, 'type') === 'function_call') readStep(step, reading, fragments)
  }
  if (field(body, 'status') === 'incomplete') fragments.push({ type: 'end', stopReason: 'length' })
  return foldCalls(allWithOwnNames(fragments, prepareTools(tools, targetOf('')).parameterNames), idPrefix)
}

// ---- a whole answer -----------------------------------------------------------------------------

/**
 * Decodes a whole answer.
 *
 * @throws {ApiError} if the body is an error, or an answer that failed.
 * @throws {DecodeError} if the body is not an answer, or if it is a background answer that is still `queued` or `in_progress`.
 */
export function decodeResponse(body: unknown, options: DecodeResponseOptions = {}): ChatResponse {
  if (Array.isArray(body) || field(body, 'error')) throw midStreamError(body)
  const answer = bodyOf(body, `${title} answer`)
  const steps = stepsOf(answer)
  if (steps === undefined && typeof answer.status !== 'string')
    throw decodeErrorAt('steps', 'not a list', `${title} answer`)
  checkEnded(answer, 'interactions', `${title} answer`)
  const out: Fragment[] = []
  readStart(answer, out)
  const reading = newReading(textOr(answer.model, ''))
  for (const step of steps ?? []) readStep(step, reading, out)
  readEnd(answer, reading, out)
  return fold(allWithOwnNames(out, options.parameterNames), { ...options, provider, idPrefix })
}

/** Returns the steps of an answer; `undefined` if it does not have any list of them. The legacy schema has a list of contents instead. */
function stepsOf(interaction: unknown): readonly Json[] | undefined {
  const steps = field(interaction, 'steps')
  if (Array.isArray(steps)) return steps
  const outputs = field(interaction, 'outputs')
  return Array.isArray(outputs) ? outputs.map(stepOfContent) : undefined
}

const contentTypes: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'video', 'document'])

/** Converts a content of the legacy schema to a step. Text and media become a `model_output`; every other content is already like a step. */
function stepOfContent(content: Json): Json {
  return contentTypes.has(field(content, 'type')) ? { type: 'model_output', content: [content] } : content
}

/** Reads the id and the model. An answer that is not stored has no id, or an empty one. */
function readStart(interaction: unknown, out: Fragment[]): void {
  const createdAt = Date.parse(textOr(field(interaction, 'created'), '')) / 1000
  out.push({
    type: 'start',
    ...compact({
      id: textOr(field(interaction, 'id'), undefined),
      model: textOr(field(interaction, 'model'), undefined),
      createdAt: Number.isNaN(createdAt) ? undefined : createdAt,
    }),
  })
}

const knownOfResponse = new Set([
  ...['id', 'object', 'model', 'created', 'updated', 'status', 'steps', 'outputs', 'role', 'usage', 'errors'],
  ...['continuation_token'],
])

/** Reads the end of an answer: its usage, its unknown fields and its stop reason. The `end` fragment is the last one. */
function readEnd(interaction: JsonObject, reading: Reading, out: Fragment[]): void {
  const usage = readUsage(field(interaction, 'usage'))
  if (usage !== undefined) out.push({ type: 'usage', usage })
  const extra = otherFields(interaction, knownOfResponse)
  keepUnknownOn('response', extra, format, out)
  const status = textOr(field(interaction, 'status'), '')
  const [error] = arrayOf(field(interaction, 'errors'))
  const code = textOr(field(error, 'code'), undefined)
  const isBlocked = status === 'failed' && blockedCodes.has(code)
  if (status === 'failed' && !isBlocked) throw midStreamError({ error: error ?? { message: 'The interaction failed' } })
  out.push({
    type: 'end',
    stopReason: isBlocked ? 'content_filter' : readStopReason(status, reading.hasCalls),
    ...compact({
      rawStopReason: (isBlocked ? code : status) || undefined,
      providerState: readState(interaction, status),
    }),
  })
}

/**
 * Reads the state for the next request. An answer with an id is stored, and the next request can continue it. An answer that requires
 * continuation has a token, stored or not.
 */
function readState(interaction: JsonObject, status: string): ProviderState | undefined {
  const isHop = status === 'requires_continuation'
  const state = compact({
    previousResponseId: textOr(field(interaction, 'id'), undefined),
    continuationToken: isHop ? textOr(field(interaction, 'continuation_token'), undefined) : undefined,
  })
  return Object.keys(state).length > 0 ? state : undefined
}

/** Reads the usage, in tokens. Input includes cached tokens, but not the input that tools added. Output excludes thoughts. */
function readUsage(wire: unknown): Usage | undefined {
  if (!isObject(wire)) return undefined
  const figures = {
    inputTokens: (tokenCount(wire.total_input_tokens) ?? Number.NaN) + countOrZero(wire.total_tool_use_tokens),
    outputTokens: wire.total_output_tokens,
    totalTokens: wire.total_tokens,
    cacheReadTokens: wire.total_cached_tokens,
    reasoningTokens: wire.total_thought_tokens,
  }
  return { ...settleUsage(figures, besideOutput), providerData: { [format]: wire } }
}

// ---- a stream -----------------------------------------------------------------------------------

// It also reads events of the legacy schema, which stored streams and old gateways send.
//
// The decoder keeps the lengths of texts, for citations, but not the texts.

/** The state that is kept from one event to the next. */
interface StreamState extends Reading {
  isEnded: boolean
  /** The index of the last event, for events without an index. */
  last: number
  /** The open steps, by their index. */
  readonly steps: Map<number, OpenStep>
  /** The start of each step as JSON, by its index. It shows whether a start was sent twice, as some proxies do. */
  readonly starts: Map<number, string>
  /** The token of the last checkpoint. */
  token: Json | undefined
}

/**
 * Decodes one answer.
 *
 * @throws {ApiError} at an `error` event, or if the answer failed. Both can come after part of an answer.
 * @throws {DecodeError} if an event is not a JSON object.
 */
export function decodeStream({ parameterNames }: DecodeStreamOptions = {}): Machine<Frame, Fragment> {
  const state: StreamState = {
    ...newReading(''),
    isEnded: false,
    last: 0,
    steps: new Map(),
    starts: new Map(),
    token: undefined,
  }
  const decoder: Machine<Frame, Fragment> = {
    push(frame, out) {
      if (state.isEnded || frame.data === '' || frame.data.trim() === '[DONE]') return
      const event = readEvent(frame)
      const type = textOr(field(event, 'event_type'), frame.event ?? ((event.error ?? event.detail) ? 'error' : ''))
      lookup(events, type)?.(state, event, out) // events of unknown types are skipped
      const usage = readUsage(field(event.metadata, 'usage') ?? field(event.metadata, 'total_usage'))
      if (usage !== undefined && !state.isEnded) out.push({ type: 'usage', usage })
    },
    end: (out) => endSteps(state, out),
  }
  return withOwnNames(decoder, parameterNames)
}

function readEvent({ data }: Frame): JsonObject {
  const event = parseEvent(data, `${title} event`)
  if (Array.isArray(event)) throw midStreamError(event) // Google's front end sends this after ten minutes
  return objectAt(event, '', `${title} event`)
}

type Step = (state: StreamState, event: JsonObject, out: Fragment[]) => void

const events: Readonly<Record<string, Step>> = {
  'interaction.created': start,
  'interaction.start': start,
  'interaction.status_update': noteToken,
  'step.start': addStep,
  'content.start': addStep,
  'step.delta': addToStep,
  'content.delta': addToStep,
  'step.stop': endStep,
  'content.stop': endStep,
  'interaction.completed': finish,
  'interaction.complete': finish,
  error: fail,
}

function start(state: StreamState, { interaction }: JsonObject, out: Fragment[]): void {
  state.model = textOr(field(interaction, 'model'), state.model)
  readStart(interaction, out)
}

function noteToken(state: StreamState, event: JsonObject): void {
  state.token = field(event, 'continuation_token') ?? state.token
}

function addStep(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const step = event.step ?? stepOfContent(event.content ?? null)
  if (!isObject(step)) return
  const index = numberOr(event.index, state.last)
  const start = JSON.stringify(step)
  if (state.steps.has(index) && state.starts.get(index) === start) return
  const before = state.steps.get(index)
  if (before !== undefined) closeStep(before, state, out, false) // its own end was not received
  state.last = index
  state.steps.set(
    index,
    openStep(step, state, out, before?.key ?? (step.type === 'function_call' ? `call ${index}` : undefined)),
  )
  state.starts.set(index, start)
}

/** Adds a delta to its step. If the start of the step was not received, the delta starts it. */
function addToStep(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const { delta } = event
  if (!isObject(delta)) return
  state.last = numberOr(event.index, state.last)
  let step = state.steps.get(state.last)
  if (step === undefined) {
    const type = textOr(field(delta, 'type'), '')
    step = openStep({ type: lookup(stepsOfDeltas, type) ?? type }, state, out)
    state.steps.set(state.last, step)
  }
  addDelta(step, delta, out)
}

function endStep(state: StreamState, event: JsonObject, out: Fragment[]): void {
  state.last = numberOr(event.index, state.last)
  const step = state.steps.get(state.last)
  state.steps.delete(state.last)
  if (step !== undefined) closeStep(step, state, out)
}

/** Ends the answer. A background answer that is not complete yet does not end here: this stream does not report its end. */
function finish(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const interaction = isObject(event.interaction) ? event.interaction : {}
  if (unfinished.has(field(interaction, 'status'))) return
  start(state, event, out)
  endSteps(state, out)
  if (state.count === 0) for (const step of stepsOf(interaction) ?? []) readStep(step, state, out)
  state.isEnded = true
  readEnd({ ...compact({ continuation_token: state.token }), ...interaction }, state, out)
}

/** Ends the steps whose own end was not received. */
function endSteps(state: StreamState, out: Fragment[]): void {
  for (const step of state.steps.values()) closeStep(step, state, out, false)
  state.steps.clear()
}

/** Throws the error of an `error` event. An empty error is skipped, because real streams have continued after one. */
function fail(state: StreamState, event: JsonObject): void {
  const error = event.error ?? event.detail ?? {}
  if (isObject(error) && !field(error, 'code') && !field(error, 'message')) return
  state.isEnded = true
  throw midStreamError(event)
}

// ---- steps --------------------------------------------------------------------------------------

// A stream sends a step as a start, deltas and a stop. A whole step is read like a start that has all content already. The decoders of
// answers, streams and requests use this code.

/** The state of an answer while its steps are read. */
interface Reading {
  model: string
  /** Whether a call takes the signature of the thought before it. Calls in a history do not, because the history has the thought itself. */
  readonly signsCalls: boolean
  /** The signature of the last thought. The next call takes it; it is then empty. */
  signature: string
  /** Whether the answer has calls that the client must run. */
  hasCalls: boolean
  /** The number of steps so far. */
  count: number
}

export function newReading(model: string, signsCalls = true): Reading {
  return { model, signsCalls, signature: '', hasCalls: false, count: 0 }
}

/** A step that has started and not ended. */
interface OpenStep {
  readonly type: string
  /** The fields of the step. Deltas that contain whole values are merged into it. */
  step: JsonObject
  readonly key: string
  /** The number of texts so far. Each text is a block: text that follows an image starts a new one. */
  parts: number
  /** The lengths of the open text; `undefined` if no text is open. */
  text: Lengths | undefined
  /** The images in the summary of a thought. */
  readonly pictures: Json[]
  /** Whether the thought has a block already. */
  hasBlock: boolean
  /** Whether the arguments were received as deltas. */
  hasPieces: boolean
}

/** Reads a whole step. */
export function readStep(step: Json, reading: Reading, out: Fragment[]): void {
  if (isObject(step)) closeStep(openStep(step, reading, out), reading, out)
}

/** Starts a step, and reads the content that it already has. It has the key of an open step at its place, if there is one. */
function openStep(step: JsonObject, reading: Reading, out: Fragment[], key = `${reading.count}`): OpenStep {
  const type = textOr(field(step, 'type'), '')
  reading.count++
  const open: OpenStep = { type, step, key, parts: 0, text: undefined, pictures: [], hasBlock: false, hasPieces: false }
  switch (type) {
    case 'model_output':
      for (const content of contentsOf(field(step, 'content'))) {
        closeText(open, out) // each text of a whole step is a block of its own
        addContent(open, content, out)
      }
      break
    case 'thought':
      for (const content of contentsOf(field(step, 'summary'))) addSummary(open, content, out)
      break
    case 'function_call':
      reading.hasCalls = true
      addCall(open, field(step, 'name'), out)
      break
    default:
      if (hostedOf(type)?.part === 'call') addCall(open, nameOf(type, step), out)
  }
  return open
}

/** Adds a delta to its step. A delta of an unknown type is skipped. */
function addDelta(open: OpenStep, delta: JsonObject, out: Fragment[]): void {
  const type = textOr(field(delta, 'type'), '')
  if (type === 'arguments_delta') addArguments(open, field(delta, 'arguments'), out)
  else if (type === 'thought_signature') addSignature(open, field(delta, 'signature'))
  else if (type === 'thought_summary') addSummary(open, field(delta, 'content') ?? null, out)
  else if (type === open.type) open.step = { ...open.step, ...delta }
  else if (open.type === 'model_output' && lookup(stepsOfDeltas, type) === open.type) addContent(open, delta, out)
}

/**
 * Ends a step. Its fields that are not streamed become a block. `isWhole` is false if the step's own end was not received: its call then stays
 * open, and the end of the answer decides whether it is valid.
 */
function closeStep(open: OpenStep, reading: Reading, out: Fragment[], isWhole = true): void {
  const { type, step, key } = open
  switch (type) {
    case 'model_output':
      closeText(open, out)
      if (isObject(field(step, 'error'))) {
        keepUnknownOn('message', { error: step.error as Json }, format, out)
      }
      break
    case 'thought':
      closeThought(open, reading, out)
      break
    case 'function_call':
      closeCall(open, reading, out)
      if (isWhole) out.push({ type: 'close', key })
      break
    case 'user_input':
      break // an answer that is fetched later begins with the input of its request
    default: {
      const hosted = hostedOf(type)
      if (hosted?.part === 'call') closeHostedCall(open, reading, out)
      else if (hosted?.part === 'result') out.push(resultFragment(open, hosted.name, reading))
      else if (type !== '') {
        out.push({ type: 'block', key, block: { type: 'unknown', format, providerType: type, value: step } })
      }
    }
  }
}

// ---- output -----------------------------------------------------------------------------------

/** Adds a content. Text continues the open text block; other content, such as an image, closes it. */
function addContent(open: OpenStep, content: Json, out: Fragment[]): void {
  const type = field(content, 'type')
  if (type === 'text_annotation' || type === 'text_annotation_delta') {
    addAnnotations(open, content, out)
    return
  }
  if (type !== 'text') {
    closeText(open, out)
    out.push({ type: 'block', block: decodeContent(content) })
    return
  }
  const text = field(content, 'text')
  if (typeof text !== 'string') return
  if (open.text === undefined) {
    open.text = newLengths()
    open.parts++
  }
  countText(open.text, text)
  out.push({ type: 'text', key: textKey(open), text })
  const kept = isObject(content) ? otherFields(content, knownOfText) : undefined
  if (kept !== undefined) out.push({ type: 'patch', key: textKey(open), ...keepUnknown(kept, format) })
  addAnnotations(open, content, out)
}

function addAnnotations(open: OpenStep, content: Json, out: Fragment[]): void {
  if (open.text === undefined) return
  const citations = readAnnotations(field(content, 'annotations'), open.text)
  if (citations.length > 0) out.push({ type: 'patch', key: textKey(open), citations })
}

function textKey({ key, parts }: OpenStep): string {
  return `${key}/${parts}`
}

function closeText(open: OpenStep, out: Fragment[]): void {
  if (open.text !== undefined) out.push({ type: 'close', key: textKey(open) })
  open.text = undefined
}

// ---- thoughts ---------------------------------------------------------------------------------

function addSummary(open: OpenStep, content: Json, out: Fragment[]): void {
  const text = field(content, 'text')
  open.hasBlock = true
  if (typeof text === 'string') {
    out.push({ type: 'reasoning', key: open.key, text })
    return
  }
  open.pictures.push(content)
  out.push({ type: 'reasoning', key: open.key, text: '' })
  out.push({ type: 'patch', key: open.key, ...keepUnknown({ summary: [...open.pictures] }, format) })
}

/** Adds the signature of a thought. The server also sends empty ones; the last one that is not empty counts. */
function addSignature(open: OpenStep, signature: unknown): void {
  if (typeof signature === 'string' && signature !== '') open.step = { ...open.step, signature }
}

/** Ends a thought. A thought without text and signature is left out. */
function closeThought(open: OpenStep, reading: Reading, out: Fragment[]): void {
  const { step, key } = open
  const signature = textOr(field(step, 'signature'), '')
  if (signature !== '') {
    reading.signature = isEnvelope(signature) ? '' : signature // the proof of another provider, in an envelope, cannot sign a call
    out.push({ type: 'reasoning', key, text: '' }, { type: 'patch', key, opaque: proof({ signature }, reading) })
  }
  if (signature !== '' || open.hasBlock) out.push({ type: 'close', key })
}

// ---- calls ------------------------------------------------------------------------------------

function addCall({ key, step, type }: OpenStep, name: unknown, out: Fragment[]): void {
  const server = type === 'function_call' ? {} : { server: true as const }
  out.push({ type: 'call', key, id: textOr(field(step, 'id'), null), name: textOr(name, null), ...server })
}

/** Adds a piece of the arguments' JSON text. Arguments in the start of the step are then ignored. */
function addArguments(open: OpenStep, piece: unknown, out: Fragment[]): void {
  if (typeof piece !== 'string' || piece === '') return
  open.hasPieces = true
  const server = open.type === 'function_call' ? {} : { server: true as const }
  out.push({ type: 'call', key: open.key, arguments: piece, ...server })
}

const knownOfCall = new Set(['type', 'id', 'name', 'arguments', 'signature'])

function closeCall(open: OpenStep, reading: Reading, out: Fragment[]): void {
  const { step, key } = open
  const signature = textOr(field(step, 'signature'), reading.signsCalls ? reading.signature : '')
  reading.signature = ''
  out.push(
    compact({
      type: 'call',
      key,
      id: textOr(field(step, 'id'), null),
      name: textOr(field(step, 'name'), null),
      ...givenArguments(open),
      opaque: signature === '' ? undefined : proof({ signature }, reading),
      ...keepUnknown(otherFields(step, knownOfCall), format),
    }),
  )
}

/** Returns the arguments in the step: an object, or JSON text from some clients. Every start has an empty object, which is ignored. */
function givenArguments({ step, hasPieces }: OpenStep): { arguments?: string | JsonObject; final?: true } {
  const given = field(step, 'arguments')
  if (hasPieces || !(typeof given === 'string' || isObject(given))) return {}
  return Object.keys(given).length === 0 ? {} : { arguments: given, final: true }
}

function closeHostedCall(open: OpenStep, reading: Reading, out: Fragment[]): void {
  const { step, key, type } = open
  const { id, arguments: _, ...data } = step
  const server = true as const
  const given = givenArguments(open)
  const name = nameOf(type, step)
  out.push({ type: 'call', key, id: textOr(id, null), name, ...given, server, opaque: proof(data, reading) })
  out.push({ type: 'close', key })
}

/** Returns the name of the tool: the step's `name`, which steps of MCP servers have, otherwise the name from the step's type. */
function nameOf(type: string, step: JsonObject): string {
  return textOr(field(step, 'name'), hostedOf(type)?.name ?? '')
}

function resultFragment({ key, step, type }: OpenStep, name: string, reading: Reading): Fragment {
  const { call_id, result, is_error, ...data } = step
  return {
    type: 'block',
    key,
    block: {
      type: 'server_tool_result',
      toolCallId: stringOr(call_id, ''),
      name: nameOf(type, step) || name,
      status: is_error === true ? 'error' : 'success',
      ...compact({ output: result }),
      opaque: proof(data, reading),
    },
  }
}

function proof(data: JsonObject, { model }: Reading): Opaque {
  return { provider, model, format, data }
}

// ---- errors -------------------------------------------------------------------------------------

/** Decodes an error answer: in the shape of this format, or as a `google.rpc.Status`, which may be in an array. */
export function decodeError(answer: ErrorAnswer): ApiError {
  return readApiError(answer, isKeyInvalid(answer.body) ? { ...errorWords, statuses: {}, kinds: keyKinds } : errorWords)
}

const keyKinds = { ...errorWords.kinds, INVALID_ARGUMENT: 'authentication', invalid_request: 'authentication' } as const

/** Returns the error of an answer with status 200: an `error` event, or an answer that failed. */
function midStreamError(body: unknown): ApiError {
  return decodeError(inStream(body))
}
