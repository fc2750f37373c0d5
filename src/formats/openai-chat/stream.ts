/**
 * OpenAI Chat Completions: from its chunks to fragments. The other way is `encode-stream.ts`.
 *
 * @module
 */
import type { DecodeStreamOptions, Fragment, Frame } from '../../core/codec.ts'
import { DecodeError } from '../../core/errors.ts'
import { arrayOf, compact, field, isObject, lookup, numberOr, textOr } from '../../core/lookup.ts'
import type { Json, JsonObject, StopReason } from '../../core/model.ts'
import type { Machine } from '../../core/reducer.ts'
import { type DeltaState, endMessage, isBlank, readDelta } from './delta.ts'
import type { ChatDialect } from './dialect.ts'
import { openai } from './dialects.ts'
import { errorWithin } from './errors.ts'
import { bodyFields, choiceFields, format, stopReasons } from './tables.ts'
import { decodeUsage, findUsage } from './usage.ts'

/** What one chunk leaves for the next. */
export interface StreamState extends DeltaState {
  isStarted: boolean
  isEnded: boolean
  /** The last word on why it ends. */
  finish: string | undefined
  /** Made audio ends without a reason. */
  isAudioDone: boolean
  hasOtherChoices: boolean
  otherChoices: JsonObject[]
  logprobs: JsonObject | undefined
  /** Fields of the answer as a whole that we have no word for. */
  readonly extra: Record<string, Json>
}

export function newStreamState(dialect: ChatDialect): StreamState {
  return {
    dialect,
    model: '',
    hasRefusal: false,
    hasAudio: false,
    isText: false,
    details: undefined,
    detailsBlock: 0,
    hasPlainReasoning: false,
    openCustom: new Map(),
    choice: Object.create(null),
    isStarted: false,
    isEnded: false,
    finish: undefined,
    isAudioDone: false,
    hasOtherChoices: false,
    otherChoices: [],
    logprobs: undefined,
    extra: Object.create(null),
  }
}

/**
 * Decodes one answer.
 *
 * It ends at `[DONE]`, or, where that is missing, at the end of the stream if a reason for it was given.
 *
 * @throws {ApiError} at an error, which can follow a 200 and half an answer.
 * @throws {DecodeError} at a chunk that is not a JSON object.
 */
export function decodeStream({
  parse = JSON.parse,
  dialect = openai,
}: DecodeStreamOptions<ChatDialect> = {}): Machine<Frame, Fragment> {
  const state = newStreamState(dialect)
  return {
    push(frame, out) {
      if (state.isEnded) return
      const data = frame.data.trim()
      if (data === '') return
      if (data === '[DONE]') return finishAnswer(state, out)
      const chunk = parseChunk(parse, data, dialect)
      const isNamedError = frame.event === 'error' && !field(chunk, 'error')
      const error = errorWithin(isNamedError ? { error: chunk } : chunk, dialect)
      if (error !== undefined) throw error
      if (!isObject(chunk)) throw new DecodeError(`Cannot decode ${dialect.title} stream: a chunk is not an object`)
      readBody(state, chunk, out, false)
    },
    end(out) {
      if (!state.isEnded && (state.finish !== undefined || state.isAudioDone)) finishAnswer(state, out)
    },
  }
}

function parseChunk(parse: (text: string) => unknown, data: string, { title }: ChatDialect): unknown {
  try {
    return parse(data)
  } catch (cause) {
    throw new DecodeError(`Cannot decode ${title} stream: a chunk is not valid JSON`, { cause })
  }
}

/** Reads a chunk, or a whole body. */
export function readBody(state: StreamState, body: JsonObject, out: Fragment[], isWhole: boolean): void {
  const choices = arrayOf(body.choices)
  // Azure and Copilot begin with a chunk that has neither choices nor an id.
  if (!state.isStarted && (choices.length > 0 || body.id)) start(state, body, out)
  for (const name in body) {
    if (!bodyFields.has(name) && Object.hasOwn(body, name)) keep(state.extra, name, body[name])
  }
  let own: JsonObject | undefined
  for (const choice of choices) {
    if (!isObject(choice)) continue
    if (numberOr(choice.index, 0) !== 0) {
      readOtherChoice(state, choice, out, isWhole)
      continue
    }
    own = choice
    readChoice(state, choice, out, isWhole)
  }
  const usage = findUsage(body, own)
  if (usage !== undefined) out.push({ type: 'usage', usage: decodeUsage(usage, state.dialect) })
}

function start(state: StreamState, body: JsonObject, out: Fragment[]): void {
  const id = textOr(body.id, undefined)
  const createdAt = numberOr(body.created, undefined)
  state.isStarted = true
  state.model = textOr(body.model, '')
  out.push(compact({ type: 'start', id, model: state.model === '' ? undefined : state.model, createdAt }))
}

/** A later null says nothing against an earlier value. */
function keep(into: Record<string, Json>, name: string, value: Json | undefined): void {
  if (value === undefined || into[name] === value) return // the same again, as in nearly every chunk
  if (value !== null || !(name in into)) into[name] = value
}

function readChoice(state: StreamState, choice: JsonObject, out: Fragment[], isWhole: boolean): void {
  const { finish_reason: finish } = choice
  for (const name in choice) {
    if (!choiceFields.has(name) && Object.hasOwn(choice, name)) keep(state.choice, name, choice[name])
  }
  if (isObject(choice.logprobs)) addLogprobs(state, choice.logprobs)
  // Perplexity sends both: an empty `delta` beside the `message` of a whole body, and all text so far beside the `delta` of a chunk.
  const [first, second] = isWhole ? [choice.message, choice.delta] : [choice.delta, choice.message]
  const delta = first ?? second
  if (isObject(delta)) {
    state.isAudioDone = isObject(delta.audio) && !isBlank(delta.audio) && field(delta.audio, 'expires_at') !== undefined
    readDelta(state, delta, out, isWhole)
  }
  if (typeof finish === 'string' && finish !== '') state.finish = finish
}

function readOtherChoice(state: StreamState, choice: JsonObject, out: Fragment[], isWhole: boolean): void {
  if (isWhole) state.otherChoices.push(choice)
  if (state.hasOtherChoices) return
  state.hasOtherChoices = true
  const reason = isWhole
    ? 'only the first of several choices is read; the others are kept'
    : 'only the first of several choices is read'
  const warning = { path: 'choices[1]', action: 'dropped', reason, severity: 'minor' } as const
  out.push({ type: 'warning', warning })
}

/** They were asked for, so they are kept, however many. */
function addLogprobs(state: StreamState, logprobs: JsonObject): void {
  state.logprobs ??= {}
  for (const [name, added] of Object.entries(logprobs)) {
    const before = state.logprobs[name]
    if (!Array.isArray(added)) keep(state.logprobs, name, added)
    else if (Array.isArray(before)) for (const one of added) before.push(one)
    else state.logprobs[name] = [...added]
  }
}

/** The answer's own end; without a reason for it, it is none, but at hosts known to leave it out. */
export function finishAnswer(state: StreamState, out: Fragment[]): void {
  state.isEnded = true
  endMessage(state, out)
  pushExtra(state, out)
  const isTold = state.finish !== undefined || state.isAudioDone
  if (!isTold && !(state.dialect.endsWithoutReason && state.isStarted)) return
  const raw = state.finish
  out.push(compact({ type: 'end', stopReason: readStopReason(state), rawStopReason: raw }))
}

function readStopReason({ finish, dialect, hasRefusal }: StreamState): StopReason {
  if (finish === undefined) return 'stop'
  const reason = lookup(dialect.stopReasons ?? {}, finish) ?? lookup(stopReasons, finish) ?? 'other'
  return hasRefusal && reason === 'stop' ? 'refusal' : reason
}

/** Under `choices`, which is ours on the wire, is what the choices said beside their message. */
function pushExtra(state: StreamState, out: Fragment[]): void {
  const { logprobs } = state
  const choice: JsonObject = { ...state.choice, ...compact({ logprobs }) }
  const isSaid = Object.keys(choice).length + state.otherChoices.length > 0
  const fields: JsonObject = { ...state.extra, ...(isSaid && { choices: [choice, ...state.otherChoices] }) }
  if (Object.keys(fields).length > 0) out.push({ type: 'extra', providerData: { [format]: fields } })
}
