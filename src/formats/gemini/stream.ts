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
import { arrayOf, compact, field, isObject, lookup, numberOr, otherFields, setOwn, textOr } from '../../core/lookup.ts'
import type { ContentBlock, Json, JsonObject } from '../../core/model.ts'
import type { Machine } from '../../core/reducer.ts'
import { follow } from '../../kit/utf8.ts'
import { newTrack, readCitations, type Track } from './citations.ts'
import { decodePart } from './content.ts'
import { decodeError } from './errors.ts'
import { addPartialArgs, endPartialCall, newPartialCall, type PartialCall } from './partial-call.ts'
import { type GeminiDialect, geminiDialect, knownFields, stopReasons } from './tables.ts'
import { readCallPart } from './tools.ts'
import { decodeUsage, isSameSnapshot } from './usage.ts'

/** The state that is kept from one chunk to the next. */
export interface State {
  readonly dialect: GeminiDialect
  /** The provider and the model, which made the proofs. */
  readonly provider: string
  model: string
  isStarted: boolean
  hasCandidates: boolean
  /** The number of wire parts so far, as `partIndex` counts them: text that continues in the next chunk counts once. It makes keys of blocks. */
  parts: number
  /** One entry for each text block. */
  readonly tracks: Track[]
  /** The text block that the next unsigned text continues. */
  openText: Track | undefined
  /** The ends of text blocks. The next chunk closes them, because the chunk that ends them may also contain their citations. */
  ends: Fragment[]
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
  /** The other candidates. isoglot has only one answer, but a request can ask for several. */
  readonly others: Json[]
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
      if (text !== '' && text !== '[DONE]') readChunks(state, parseFrame(parse, text), out)
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
    hasCandidates: false,
    parts: 0,
    tracks: [],
    openText: undefined,
    ends: [],
    partialCall: undefined,
    finishReason: undefined,
    blockReason: undefined,
    usage: {},
    snapshot: undefined,
    figures: undefined,
    candidate: {},
    others: [],
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
  const { error, candidates, promptFeedback, usageMetadata } = chunk
  if (error !== undefined && error !== null) {
    throw decodeError({ status: 0, headers: { get: () => null }, body: chunk }, { dialect: state.dialect })
  }
  if (!state.isStarted) begin(state, chunk, out)
  if (state.ends.length > 0) out.push(...state.ends.splice(0))
  for (const [at, candidate] of listIn(candidates, 'candidates').entries()) readCandidate(state, candidate, at, out)
  // A blocked prompt has no candidates. Some hosts send a message instead of the reason.
  const reason = textOr(field(promptFeedback, 'blockReason'), undefined)
  const message = textOr(field(promptFeedback, 'blockReasonMessage'), undefined)
  if (reason !== undefined || message !== undefined) state.blockReason = reason ?? state.blockReason ?? ''
  if (isObject(usageMetadata)) readUsage(state, usageMetadata, out)
  state.response = addFields(state.response, otherFields(chunk, knownFields.response))
}

function begin(state: State, chunk: JsonObject, out: Fragment[]): void {
  state.isStarted = true
  const { modelVersion, responseId, createTime } = chunk
  const model = textOr(modelVersion, undefined)
  const createdAt = numberOr(Math.floor(Date.parse(textOr(createTime, '')) / 1000), undefined)
  if (model !== undefined) state.model = model
  out.push(compact({ type: 'start', id: textOr(responseId, undefined), model, createdAt }))
}

/** Reads the usage, which most streams repeat unchanged in every chunk. If it is unchanged, the same fragment is sent again. */
function readUsage(state: State, snapshot: JsonObject, out: Fragment[]): void {
  if (state.figures === undefined || !isSameSnapshot(snapshot, state.snapshot)) {
    state.usage = addFields(state.usage, snapshot)
    state.figures = { type: 'usage', usage: decodeUsage(state.usage) }
    state.snapshot = snapshot
  }
  out.push(state.figures)
}

function readCandidate(state: State, candidate: Json, at: number, out: Fragment[]): void {
  const path = `candidates[${at}]`
  if (!isObject(candidate)) throw invalid(path, 'it is not an object')
  state.hasCandidates = true
  if (numberOr(candidate.index, 0) !== 0) {
    state.others.push(candidate)
    return
  }
  const content = candidate.content ?? {}
  if (!isObject(content)) throw invalid(`${path}.content`, 'it is not an object')
  const parts = listIn(content.parts, `${path}.content.parts`)
  for (let index = 0; index < parts.length; index++) readPart(state, parts[index] as Json, index > 0, out)
  state.finishReason = textOr(candidate.finishReason, state.finishReason)
  state.candidate = addFields(state.candidate, otherFields(candidate, knownFields.candidate))
  const rest = otherFields(content, knownFields.content)
  if (rest !== undefined) state.candidate = addFields(state.candidate, { content: rest })
}

function listIn(value: Json | undefined, path: string): readonly Json[] {
  if (value !== undefined && value !== null && !Array.isArray(value)) throw invalid(path, 'it is not an array')
  return value ?? []
}

/** Objects and lists that are spread over several chunks: later chunks add fields and entries. */
const growing = new Set(['groundingMetadata', 'citationMetadata', 'citationSources', 'citations', 'content'])

/** Adds fields to those of earlier chunks. A field replaces an earlier value, unless it grows; null adds nothing. */
function addFields(before: JsonObject, added: JsonObject | undefined): JsonObject {
  if (added === undefined) return before
  const merged = { ...before }
  for (const [name, value] of Object.entries(added)) {
    const old = growing.has(name) ? before[name] : undefined
    if (isObject(old) && isObject(value)) merged[name] = addFields(old, value)
    else if (Array.isArray(old) && Array.isArray(value)) merged[name] = [...old, ...value]
    else if (value !== null) setOwn(merged, name, value)
  }
  return merged
}

// ---- parts ------------------------------------------------------------------------------------

function readPart(state: State, given: Json, isNext: boolean, out: Fragment[]): void {
  const text = isObject(given) ? plainText(given) : undefined
  if (text !== undefined) {
    readText(state, text, isNext, out)
    return
  }
  const part = isObject(given) ? addFields({}, given) : given
  const call = field(part, 'functionCall')
  if (isObject(part) && isObject(call)) readCall(state, part, call, out)
  // Image models send parts without fields between images, and the server refuses them in a request.
  else if (!isObject(part) || Object.keys(part).length > 0) readBlock(state, decodePart(part, state), out)
}

/** Returns the text of a part that has no other value. Most parts are like that. */
function plainText(part: JsonObject): string | undefined {
  for (const key in part) if (key !== 'text' && part[key] !== null) return undefined
  return typeof part.text === 'string' ? part.text : undefined
}

/** Adds text to the open text block. If it is not the first part of its chunk, citations count it as a part of its own. */
function readText(state: State, text: string, isNext: boolean, out: Fragment[]): void {
  if (text === '') return
  if (state.openText !== undefined && isNext) {
    state.openText.parts.push({ part: state.parts++, byte: state.openText.bytes })
  }
  const track = state.openText ?? openText(state)
  follow(track, text)
  out.push({ type: 'text', text, key: track.key })
}

function openText(state: State): Track {
  const track = newTrack(state.parts++)
  state.tracks.push(track)
  state.openText = track
  return track
}

function endText(state: State): void {
  if (state.openText !== undefined) state.ends.push({ type: 'close', key: state.openText.key })
  state.openText = undefined
}

/** Reads a block. A thought without a proof continues the one before; every other block is complete. */
function readBlock(state: State, block: ContentBlock, out: Fragment[]): void {
  endText(state)
  if (block.type === 'text') {
    const track = openText(state)
    follow(track, block.text)
    out.push({ type: 'block', block, key: track.key, open: true })
    endText(state)
  } else if (block.type === 'reasoning' && block.opaque === undefined && block.providerData === undefined) {
    out.push({ type: 'reasoning', text: block.text })
  } else {
    state.parts++
    out.push({ type: 'block', block })
  }
}

/** Reads a call. It is whole, or its arguments follow in parts without a name. */
function readCall(state: State, part: JsonObject, call: JsonObject, out: Fragment[]): void {
  endText(state)
  const willContinue = call.willContinue === true
  if (state.partialCall === undefined || textOr(call.name, undefined) !== undefined) {
    closePartial(state, false, out)
    const key = state.parts++
    out.push(readCallPart(part, call, state, key))
    if (!willContinue && arrayOf(call.partialArgs).length === 0) {
      out.push({ type: 'close', key })
      return
    }
    state.partialCall = newPartialCall(key)
  }
  addPartialArgs(state.partialCall, call.partialArgs)
  if (!willContinue) closePartial(state, true, out)
}

function closePartial(state: State, isFinished: boolean, out: Fragment[]): void {
  if (state.partialCall === undefined) return
  const { key } = state.partialCall
  out.push({ type: 'call', key, arguments: endPartialCall(state.partialCall, isFinished) }, { type: 'close', key })
  state.partialCall = undefined
}

// ---- the end ----------------------------------------------------------------------------------

/** Adds the citations and the other fields, and the end if the wire reported that the answer is complete. */
export function endAnswer(state: State, out: Fragment[]): void {
  closePartial(state, false, out)
  const { candidate, others, finishReason, tracks } = state
  const response = others.length > 0 ? { ...state.response, candidates: others } : state.response
  for (const [at, citations] of readCitations(candidate, tracks).entries()) {
    if (citations.length > 0) out.push({ type: 'patch', key: tracks[at]?.key as number, citations })
  }
  if (Object.keys(candidate).length > 0) out.push({ type: 'extra', providerData: { gemini: candidate }, on: 'message' })
  if (Object.keys(response).length > 0) out.push({ type: 'extra', providerData: { gemini: response } })
  const rawStopReason = finishReason ?? state.blockReason
  if (rawStopReason === undefined) return
  const stopReason = finishReason === undefined ? 'content_filter' : (lookup(stopReasons, finishReason) ?? 'other')
  const continuationToken = textOr(field(candidate, 'continuationToken'), undefined)
  const isPaused = stopReason === 'pause' && continuationToken !== undefined
  const providerState = isPaused ? { continuationToken } : undefined
  out.push(compact({ type: 'end', stopReason, rawStopReason: rawStopReason || undefined, providerState }))
}

function invalid(path: string, finding: string): DecodeError {
  const where = path === '' ? '' : `"${path}": `
  return new DecodeError(`Cannot decode Gemini response: ${where}${finding}`, { path })
}
