/**
 * Gemini: decodes a streamed answer. Each chunk is a whole response object, whose parts continue those before.
 *
 * `response.ts` uses this decoder too: a whole body is one chunk, and a stream without `alt=sse` is a JSON array of chunks.
 *
 * @see https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent (read 2026-11)
 *
 * @module
 */
import type { DecodeStreamOptions, Fragment, Frame } from '../../core/codec.ts'
import { DecodeError } from '../../core/errors.ts'
import { arrayOf, compact, field, isObject, lookup, numberOr, otherFields, textOr } from '../../core/lookup.ts'
import type { ContentBlock, Json, JsonObject } from '../../core/model.ts'
import type { Machine } from '../../core/reducer.ts'
import { follow } from '../../kit/utf8.ts'
import { newTrack, readCitations, type Track } from './citations.ts'
import { decodePart, isEmptyPart } from './content.ts'
import { decodeError } from './errors.ts'
import { addPartialArgs, endPartialCall, newPartialCall, type PartialCall } from './partial-call.ts'
import { type GeminiDialect, geminiDialect, knownFields, stopReasons } from './tables.ts'
import { readCallPart } from './tools.ts'
import { decodeUsage, isSameSnapshot, mergeUsage } from './usage.ts'

/** The state that is kept from one chunk to the next. */
export interface State {
  readonly dialect: GeminiDialect
  /** The provider of the dialect, which made the proofs. */
  readonly provider: string
  model: string
  isStarted: boolean
  /** The number of wire parts so far, as `partIndex` counts them: text that continues in the next chunk counts once. */
  parts: number
  /** The number of candidates in all chunks so far. */
  candidateCount: number
  /** The number of calls so far; it makes their keys. */
  calls: number
  /** One entry for each text block. Its index is the block's key. */
  readonly tracks: Track[]
  /** The key of the text block that the next unsigned text continues. */
  openText: number | undefined
  /** Keys of text blocks that have ended. The next chunk closes them, because the chunk that ends them may also contain their citations. */
  ended: number[]
  partialCall: PartialCall | undefined
  finishReason: string | undefined
  /** Why the prompt was blocked; empty if the wire does not say why. */
  blockReason: string | undefined
  /** All usage snapshots merged. */
  usage: JsonObject
  /** The last usage snapshot. */
  snapshot: JsonObject | undefined
  /** The fragment for the merged usage. */
  figures: Fragment | undefined
  /** Fields of the candidate that isoglot has no field for. */
  candidate: JsonObject
  /** Fields of the response that isoglot has no field for. */
  response: JsonObject
}

/**
 * Decodes one answer. The answer ends at the end of the stream, if it had a `finishReason` or a `blockReason`. A `finishReason` does not end
 * it: old servers repeat it in every chunk, and usage may follow it.
 *
 * @throws {ApiError} at an `error`, which can come after status 200 and part of an answer.
 * @throws {DecodeError} if a frame is not valid JSON, or one of its fields has the wrong type.
 */
export function decodeStream({
  parse = JSON.parse,
  dialect = geminiDialect,
}: DecodeStreamOptions<GeminiDialect> = {}): Machine<Frame, Fragment> {
  const state = newState(dialect)
  return {
    push({ data }, out) {
      const text = data.trim()
      if (text === '' || text === '[DONE]') return
      readChunks(state, parseFrame(parse, text), out)
    },
    end: (out) => endAnswer(state, out),
  }
}

export function newState(dialect: GeminiDialect): State {
  return {
    dialect,
    provider: dialect.provider,
    model: '',
    isStarted: false,
    parts: 0,
    candidateCount: 0,
    calls: 0,
    tracks: [],
    openText: undefined,
    ended: [],
    partialCall: undefined,
    finishReason: undefined,
    blockReason: undefined,
    usage: {},
    snapshot: undefined,
    figures: undefined,
    candidate: {},
    response: {},
  }
}

function parseFrame(parse: (text: string) => unknown, text: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    throw new DecodeError('Cannot decode Gemini stream: an event is not JSON', { cause })
  }
}

// ---- chunks -----------------------------------------------------------------------------------

/** Reads a chunk, a whole body, or a list of chunks. The API sends a list if the request did not ask for SSE. */
export function readChunks(state: State, value: unknown, out: Fragment[]): void {
  if (!Array.isArray(value)) readChunk(state, value, '', out)
  else for (const [at, chunk] of value.entries()) readChunk(state, chunk, `[${at}]`, out)
}

function readChunk(state: State, chunk: unknown, path: string, out: Fragment[]): void {
  if (!isObject(chunk)) throw invalid(path, 'a response is not an object')
  const error = field(chunk, 'error')
  if (error !== undefined && error !== null) {
    throw decodeError({ status: 0, headers: { get: () => null }, body: chunk }, { dialect: state.dialect })
  }
  if (!state.isStarted) begin(state, chunk, out)
  closeEnded(state, out)
  const candidates = field(chunk, 'candidates') ?? []
  if (!Array.isArray(candidates)) throw invalid('candidates', 'it is not an array')
  state.candidateCount += candidates.length
  for (let at = 0; at < candidates.length; at++) readCandidate(state, candidates[at] as Json, at, out)
  readFeedback(state, field(chunk, 'promptFeedback'))
  const usage = field(chunk, 'usageMetadata')
  if (isObject(usage)) readUsage(state, usage, out)
  const rest = otherValues(chunk, knownFields.response)
  if (rest !== undefined) state.response = { ...state.response, ...rest }
}

function begin(state: State, chunk: JsonObject, out: Fragment[]): void {
  state.isStarted = true
  state.model = textOr(field(chunk, 'modelVersion'), '')
  const id = textOr(field(chunk, 'responseId'), undefined)
  const createdAt = Math.floor(Date.parse(textOr(field(chunk, 'createTime'), '')) / 1000)
  const model = textOr(state.model, undefined)
  out.push(compact({ type: 'start', id, model, createdAt: numberOr(createdAt, undefined) }))
}

/** Reads the usage, which most streams repeat unchanged in every chunk. If it is unchanged, the same fragment is sent again. */
function readUsage(state: State, snapshot: JsonObject, out: Fragment[]): void {
  if (state.figures === undefined || !isSameSnapshot(snapshot, state.snapshot)) {
    state.usage = mergeUsage(state.usage, snapshot)
    state.figures = { type: 'usage', usage: decodeUsage(state.usage) }
    state.snapshot = snapshot
  }
  out.push(state.figures)
}

/** Reads why a prompt was blocked; such an answer has no candidates. Some hosts send a message instead of the reason. */
function readFeedback(state: State, feedback: Json | undefined): void {
  const reason = textOr(field(feedback, 'blockReason'), undefined)
  const message = textOr(field(feedback, 'blockReasonMessage'), undefined)
  if (reason !== undefined || message !== undefined) state.blockReason = reason ?? state.blockReason ?? ''
}

function readCandidate(state: State, candidate: Json, at: number, out: Fragment[]): void {
  if (!isObject(candidate)) throw invalid(`candidates[${at}]`, 'it is not an object')
  if (numberOr(field(candidate, 'index'), 0) !== 0) {
    keepOtherCandidate(state, candidate)
    return
  }
  const content = field(candidate, 'content')
  if (isObject(content)) readContent(state, content, at, out)
  else if (content !== undefined && content !== null) throw invalid(`candidates[${at}].content`, 'it is not an object')
  state.finishReason = textOr(field(candidate, 'finishReason'), state.finishReason)
  const rest = otherValues(candidate, knownFields.candidate)
  if (rest !== undefined) keepCandidateFields(state, rest)
}

/** The fields that are not listed, except those that are null. */
function otherValues(value: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  return otherFields(value, { has: (name) => known.has(name) || value[name] === null })
}

/** Keeps a candidate other than the first one unchanged. isoglot has only one answer, but a request can ask for several. */
function keepOtherCandidate(state: State, candidate: JsonObject): void {
  const others = field(state.response, 'candidates')
  if (Array.isArray(others)) others.push(candidate)
  else state.response = { ...state.response, candidates: [candidate] }
}

/** Keeps fields of the candidate. Later fields replace earlier ones, except the objects in `growing`: their fields are merged. */
function keepCandidateFields(state: State, rest: JsonObject): void {
  const before = state.candidate
  const merged = { ...before, ...rest }
  for (const [name, lists] of Object.entries(growing)) {
    const [old, added] = [field(before, name), field(rest, name)]
    if (isObject(old) && isObject(added)) merged[name] = { ...old, ...added, ...joinLists(old, added, lists) }
  }
  state.candidate = merged
}

/** Objects whose fields are spread over several chunks, and their lists to which later chunks add entries. */
const growing: Readonly<Record<string, readonly string[]>> = {
  groundingMetadata: [],
  citationMetadata: ['citationSources', 'citations'],
  content: [],
}

function joinLists(old: JsonObject, added: JsonObject, names: readonly string[]): JsonObject {
  const joined = names
    .map((name) => [name, [...arrayOf(field(old, name)), ...arrayOf(field(added, name))]] as const)
    .filter(([, list]) => list.length > 0)
  return Object.fromEntries(joined) as JsonObject
}

// ---- parts ------------------------------------------------------------------------------------

function readContent(state: State, content: JsonObject, candidate: number, out: Fragment[]): void {
  const parts = field(content, 'parts') ?? []
  if (!Array.isArray(parts)) throw invalid(`candidates[${candidate}].content.parts`, 'it is not an array')
  for (let at = 0; at < parts.length; at++) readPart(state, parts[at] as Json, at > 0, out)
  const rest = otherFields(content, knownFields.content)
  if (rest !== undefined) keepCandidateFields(state, { content: rest })
}

function readPart(state: State, given: Json, isNext: boolean, out: Fragment[]): void {
  const text = isObject(given) ? plainText(given) : undefined
  if (text !== undefined) {
    readText(state, text, isNext, out)
    return
  }
  const part = isObject(given) ? (otherValues(given, new Set()) ?? {}) : given
  const call = field(part, 'functionCall')
  if (isObject(part) && isObject(call)) readCall(state, part, call, out)
  else if (!isEmptyPart(part)) readBlock(state, decodePart(part, state), out)
}

/** Returns the text of a part that has no other value. Most parts are like that. */
function plainText(part: JsonObject): string | undefined {
  for (const key in part) if (key !== 'text' && part[key] !== null) return undefined
  return typeof part.text === 'string' ? part.text : undefined
}

/** Adds text to the open text block. If it is not the first part of its chunk, citations count it as a part of its own. */
function readText(state: State, text: string, isNext: boolean, out: Fragment[]): void {
  if (text === '') return
  const goesOn = state.openText !== undefined
  state.openText ??= openText(state)
  const track = state.tracks[state.openText] as Track
  if (goesOn && isNext) track.parts.push({ part: state.parts++, byte: track.bytes })
  follow(track, text)
  out.push({ type: 'text', text, key: state.openText })
}

function openText(state: State): number {
  return state.tracks.push(newTrack(state.parts++)) - 1
}

function endText(state: State): void {
  if (state.openText !== undefined) state.ended.push(state.openText)
  state.openText = undefined
}

function closeEnded(state: State, out: Fragment[]): void {
  if (state.ended.length === 0) return
  for (const key of state.ended) out.push({ type: 'close', key })
  state.ended = []
}

/** Reads a block. A thought without a proof continues the one before; every other block is complete. */
function readBlock(state: State, block: ContentBlock, out: Fragment[]): void {
  endText(state)
  if (block.type === 'reasoning' && block.opaque === undefined && block.providerData === undefined) {
    out.push({ type: 'reasoning', text: block.text })
    return
  }
  if (block.type === 'text') {
    const key = openText(state)
    follow(state.tracks[key] as Track, block.text)
    out.push({ type: 'block', block, key, open: true })
    state.ended.push(key)
    return
  }
  state.parts++
  out.push({ type: 'block', block })
}

function readCall(state: State, part: JsonObject, call: JsonObject, out: Fragment[]): void {
  endText(state)
  const willContinue = field(call, 'willContinue') === true
  const open = state.partialCall
  const goesOn = open !== undefined && textOr(field(call, 'name'), undefined) === undefined
  if (goesOn) {
    readPartial(state, open, call, willContinue, out)
    return
  }
  if (open !== undefined) closePartial(state, open, false, out)
  state.parts++
  const key = `call-${state.calls++}`
  out.push(readCallPart(part, call, state, key))
  if (willContinue || arrayOf(field(call, 'partialArgs')).length > 0) {
    state.partialCall = newPartialCall(key)
    readPartial(state, state.partialCall, call, willContinue, out)
  } else out.push({ type: 'close', key })
}

function readPartial(state: State, open: PartialCall, call: JsonObject, willContinue: boolean, out: Fragment[]): void {
  addPartialArgs(open, field(call, 'partialArgs'))
  if (!willContinue) closePartial(state, open, true, out)
}

function closePartial(state: State, open: PartialCall, isFinished: boolean, out: Fragment[]): void {
  state.partialCall = undefined
  out.push({ type: 'call', key: open.key, arguments: endPartialCall(open, isFinished) })
  out.push({ type: 'close', key: open.key })
}

// ---- the end ----------------------------------------------------------------------------------

export function endAnswer(state: State, out: Fragment[]): void {
  if (state.partialCall !== undefined) closePartial(state, state.partialCall, false, out)
  const cited = readCitations(state.candidate, state.tracks)
  for (const [key, citations] of cited.entries()) if (citations.length > 0) out.push({ type: 'patch', key, citations })
  endText(state)
  closeEnded(state, out)
  const { candidate, response } = state
  if (Object.keys(candidate).length > 0) out.push({ type: 'extra', providerData: { gemini: candidate }, on: 'message' })
  if (Object.keys(response).length > 0) out.push({ type: 'extra', providerData: { gemini: response } })
  const end = readEnd(state)
  if (end !== undefined) out.push(end)
}

/** Returns the end of the answer; `undefined` if the wire did not report that the answer is complete. */
function readEnd({ finishReason, blockReason, candidate }: State): Fragment | undefined {
  if (finishReason === undefined && blockReason === undefined) return undefined
  const rawStopReason = finishReason ?? blockReason
  const stopReason = finishReason === undefined ? 'content_filter' : (lookup(stopReasons, finishReason) ?? 'other')
  const continuationToken = textOr(field(candidate, 'continuationToken'), undefined)
  const isPaused = stopReason === 'pause' && continuationToken !== undefined
  return compact({
    type: 'end',
    stopReason,
    rawStopReason: rawStopReason || undefined,
    providerState: isPaused ? { continuationToken } : undefined,
  })
}

function invalid(path: string, finding: string): DecodeError {
  const where = path === '' ? '' : `"${path}": `
  return new DecodeError(`Cannot decode Gemini response: ${where}${finding}`, { path })
}
