/**
 * OpenAI Chat Completions: decodes chunks to fragments. `encode-stream.ts` encodes them.
 *
 * @module
 */
import type { DecodeStreamOptions, Fragment, Frame } from '../../core/codec.ts'
import { DecodeError } from '../../core/errors.ts'
import { arrayOf, compact, field, isObject, lookup, numberOr, textOr, unlessEmpty } from '../../core/lookup.ts'
import type { Json, JsonObject } from '../../core/model.ts'
import type { Machine } from '../../core/reducer.ts'
import { type DeltaState, endMessage, isBlank, readDelta } from './delta.ts'
import type { ChatDialect } from './dialect.ts'
import { openai } from './dialects.ts'
import { errorOf, errorWithin } from './errors.ts'
import { bodyFields, choiceFields, format, stopReasons } from './tables.ts'
import { readUsage } from './usage.ts'

/** The decoder's state between two chunks. */
export interface StreamState extends DeltaState {
  isStarted: boolean
  isEnded: boolean
  /** The last finish reason that was sent. */
  finish: string | undefined
  /** Whether generated audio is complete. Such an answer ends without a finish reason. */
  isAudioDone: boolean
  hasOtherChoices: boolean
  otherChoices: JsonObject[]
  logprobs: JsonObject | undefined
  /** Unknown fields of the answer. */
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
 * The answer ends at `[DONE]`. If `[DONE]` is missing, it ends at the end of the stream if there was a finish reason.
 *
 * @throws {ApiError} if a chunk is an error. This can happen after status 200 and a part of the answer.
 * @throws {DecodeError} if a chunk is not a JSON object.
 */
export function decodeStream({
  parse = JSON.parse,
  dialect = openai,
}: DecodeStreamOptions<ChatDialect> = {}): Machine<Frame, Fragment> {
  const state = newStreamState(dialect)
  return {
    push(frame, out) {
      const data = frame.data.trim()
      if (state.isEnded || data === '') return
      if (data === '[DONE]') return finishAnswer(state, out)
      let chunk: unknown
      try {
        chunk = parse(data)
      } catch (cause) {
        throw new DecodeError(`Cannot decode ${dialect.title} stream: a chunk is not valid JSON`, { cause })
      }
      if (frame.event === 'error') throw errorOf(chunk, dialect)
      readBody(state, objectOf(chunk, dialect, 'stream: a chunk is'), out, false)
    },
    end(out) {
      if (state.isEnded) return
      if (hasEndReason(state)) finishAnswer(state, out)
      else pushExtra(state, out)
    },
  }
}

/**
 * Returns a chunk or body as an object.
 *
 * @throws {ApiError} if it is an error.
 * @throws {DecodeError} if it is not an object.
 */
export function objectOf(body: unknown, dialect: ChatDialect, what: string): JsonObject {
  const error = errorWithin(body, dialect)
  if (error !== undefined) throw error
  if (!isObject(body)) throw new DecodeError(`Cannot decode ${dialect.title} ${what} not an object`)
  return body
}

/** Reads a chunk or, with `isWhole`, a complete body. */
export function readBody(state: StreamState, body: JsonObject, out: Fragment[], isWhole: boolean): void {
  const choices = arrayOf(body.choices)
  // Azure and Copilot send a first chunk without choices and without an id.
  if (!state.isStarted && (choices.length > 0 || body.id)) {
    const id = textOr(body.id, undefined)
    const model = textOr(body.model, undefined)
    state.isStarted = true
    state.model = model ?? ''
    out.push(compact({ type: 'start', id, model, createdAt: numberOr(body.created, undefined) }))
  }
  keepOthers(state.extra, body, bodyFields)
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
  const usage = readUsage(body, own, state.dialect)
  if (usage !== undefined) out.push({ type: 'usage', usage })
}

/** Keeps unknown fields. A later null does not replace an earlier value. */
function keepOthers(kept: Record<string, Json>, from: JsonObject, known: ReadonlySet<string>): void {
  for (const name in from) {
    if (known.has(name) || !Object.hasOwn(from, name)) continue
    const value = from[name] as Json
    if (value !== null || !(name in kept)) kept[name] = value
  }
}

function readChoice(state: StreamState, choice: JsonObject, out: Fragment[], isWhole: boolean): void {
  const { finish_reason: finish } = choice
  keepOthers(state.choice, choice, choiceFields)
  if (isObject(choice.logprobs)) addLogprobs(state, choice.logprobs)
  // Perplexity sends both fields: a complete body also has an empty `delta`, and a chunk also has a `message` with all text so far.
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
  const reason = `only the first of several choices is read${isWhole ? '; the others are kept' : ''}`
  const warning = { path: 'choices[1]', action: 'dropped', reason, severity: 'minor' } as const
  out.push({ type: 'warning', warning })
}

/** Appends log probabilities. All are kept, since they are sent only if the request asks for them. */
function addLogprobs(state: StreamState, logprobs: JsonObject): void {
  state.logprobs ??= {}
  for (const [name, added] of Object.entries(logprobs)) {
    const before = state.logprobs[name]
    if (Array.isArray(before) && Array.isArray(added)) for (const one of added) before.push(one)
    else if (Array.isArray(added)) state.logprobs[name] = [...added]
    else if (added !== null || before === undefined) state.logprobs[name] = added
  }
}

/** Whether the answer has a finish reason. Generated audio ends without one. */
function hasEndReason({ finish, isAudioDone }: StreamState): boolean {
  return finish !== undefined || isAudioDone
}

/** Appends the end of the answer. Without a finish reason the answer is incomplete, except for hosts that are known to omit it. */
export function finishAnswer(state: StreamState, out: Fragment[]): void {
  const { dialect, finish } = state
  state.isEnded = true
  endMessage(state, out)
  pushExtra(state, out)
  if (!hasEndReason(state) && !(dialect.endsWithoutReason && state.isStarted)) return
  const word = finish ?? 'stop'
  const reason = lookup(dialect.stopReasons ?? {}, word) ?? lookup(stopReasons, word) ?? 'other'
  const stopReason = finish !== undefined && state.hasRefusal && reason === 'stop' ? 'refusal' : reason
  out.push(compact({ type: 'end', stopReason, rawStopReason: finish }))
}

/** Appends the unknown fields of the answer. `choices` stores the fields of each choice, except its message. */
function pushExtra({ choice, logprobs, otherChoices, extra }: StreamState, out: Fragment[]): void {
  const choices = [{ ...choice, ...compact({ logprobs }) }, ...otherChoices]
  const isSaid = choices.length > 1 || unlessEmpty(choices[0] as JsonObject)
  const fields = unlessEmpty({ ...extra, ...(isSaid && { choices }) })
  if (fields) out.push({ type: 'extra', providerData: { [format]: fields } })
}
