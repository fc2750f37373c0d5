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
import { keptFields, type Origin } from './part.ts'
import { newPartialCall, type PartialCall } from './partial-call.ts'
import { type GeminiDialect, geminiDialect, knownFields, stopReasons } from './tables.ts'
import { readCallPart } from './tools.ts'
import { decodeUsage, isSameSnapshot } from './usage.ts'

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
  const reader = answerReader(dialect)
  return {
    push({ data }, out) {
      const text = data.trim()
      if (text !== '' && text !== '[DONE]') reader.read(parseFrame(parse, text), out)
    },
    end: (out) => reader.end(out),
  }
}

function parseFrame(parse: (text: string) => unknown, text: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    throw new DecodeError('Cannot decode Gemini stream: an event is not JSON', { cause })
  }
}

/** Reads the chunks of one answer. */
export interface AnswerReader {
  /** Reads a chunk, a whole body, or a list of chunks. The API sends a list if the request did not ask for SSE. */
  read(value: unknown, out: Fragment[]): void
  /** Adds the citations and the other fields, and the end if the wire reported that the answer is complete. */
  end(out: Fragment[]): void
  /** Whether there was a candidate, or the prompt was blocked. */
  isAnswer(): boolean
}

/** Reads the chunks of one answer. */
export function answerReader(dialect: GeminiDialect): AnswerReader {
  let isAnswer = false
  /** The provider and the model, which made the proofs. */
  let origin: Origin = { provider: dialect.provider, model: '' }
  let isStarted = false
  /** The number of wire parts so far, as `partIndex` counts them: text that continues in the next chunk counts once. It makes keys of blocks. */
  let partCount = 0
  /** One entry for each text block. */
  const tracks: Track[] = []
  /** The text block that the next unsigned text continues. */
  let openText: Track | undefined
  /** The ends of text blocks. The next chunk closes them, because the chunk that ends them may also contain their citations. */
  const ends: Fragment[] = []
  let partialCall: PartialCall | undefined
  let finishReason: string | undefined
  /** Why the prompt was blocked; empty if the wire does not say why. */
  let blockReason: string | undefined
  /** All usage snapshots merged. */
  let allUsage: JsonObject = {}
  /** The last usage snapshot. */
  let lastUsage: JsonObject | undefined
  /** The fragment for the merged usage. */
  let figures: Fragment | undefined
  /** Fields of the candidate that isoglot has no field for. */
  let candidateFields: JsonObject = {}
  /** The other candidates. isoglot has only one answer, but a request can ask for several. */
  const others: Json[] = []
  /** Fields of the response that isoglot has no field for. */
  let responseFields: JsonObject = {}

  function read(value: unknown, out: Fragment[]): void {
    if (!Array.isArray(value)) readChunk(value, '', out)
    else for (const [at, chunk] of value.entries()) readChunk(chunk, `[${at}]`, out)
  }

  function end(out: Fragment[]): void {
    endCall(false, out)
    for (const [at, citations] of readCitations(candidateFields, tracks).entries()) {
      if (citations.length > 0) out.push({ type: 'patch', key: tracks[at]?.key as number, citations })
    }
    const message = keptFields(candidateFields)
    const response = keptFields(others.length > 0 ? { ...responseFields, candidates: others } : responseFields)
    if (message !== undefined) out.push({ type: 'extra', providerData: message, on: 'message' })
    if (response !== undefined) out.push({ type: 'extra', providerData: response })
    const rawStopReason = finishReason ?? blockReason
    if (rawStopReason === undefined) return
    const stopReason = finishReason === undefined ? 'content_filter' : (lookup(stopReasons, rawStopReason) ?? 'other')
    const continuationToken = textOr(candidateFields.continuationToken, undefined)
    const isPaused = stopReason === 'pause' && continuationToken !== undefined
    const providerState = isPaused ? { continuationToken } : undefined
    out.push(compact({ type: 'end', stopReason, rawStopReason: rawStopReason || undefined, providerState }))
  }

  // ---- chunks ---------------------------------------------------------------------------------

  function readChunk(chunk: unknown, path: string, out: Fragment[]): void {
    if (!isObject(chunk)) throw invalid(path, 'a response is not an object')
    const { error, promptFeedback, usageMetadata } = chunk
    if (error !== undefined && error !== null) {
      throw decodeError({ status: 0, headers: { get: () => null }, body: chunk }, { dialect })
    }
    if (!isStarted) begin(chunk, out)
    if (ends.length > 0) out.push(...ends.splice(0))
    const candidates = chunk.candidates ?? []
    if (!Array.isArray(candidates)) throw invalid('candidates', 'it is not an array')
    for (let at = 0; at < candidates.length; at++) readCandidate(candidates[at] as Json, at, out)
    // A blocked prompt has no candidates. Some hosts send a message instead of the reason.
    const reason = textOr(field(promptFeedback, 'blockReason'), undefined)
    const message = textOr(field(promptFeedback, 'blockReasonMessage'), undefined)
    if (reason !== undefined || message !== undefined) {
      blockReason = reason ?? blockReason ?? ''
      isAnswer = true
    }
    if (isObject(usageMetadata)) readUsage(usageMetadata, out)
    responseFields = addFields(responseFields, otherFields(chunk, knownFields.response))
  }

  function begin({ modelVersion, responseId, createTime }: JsonObject, out: Fragment[]): void {
    isStarted = true
    const model = textOr(modelVersion, undefined)
    const createdAt = numberOr(Math.floor(Date.parse(textOr(createTime, '')) / 1000), undefined)
    origin = { ...origin, model: model ?? '' }
    out.push(compact({ type: 'start', id: textOr(responseId, undefined), model, createdAt }))
  }

  /** Reads the usage, which most streams repeat unchanged in every chunk. If it is unchanged, the same fragment is sent again. */
  function readUsage(snapshot: JsonObject, out: Fragment[]): void {
    if (figures === undefined || !isSameSnapshot(snapshot, lastUsage)) {
      allUsage = addFields(allUsage, snapshot)
      figures = { type: 'usage', usage: decodeUsage(allUsage) }
      lastUsage = snapshot
    }
    out.push(figures)
  }

  function readCandidate(candidate: Json, index: number, out: Fragment[]): void {
    if (!isObject(candidate)) throw invalid(`candidates[${index}]`, 'it is not an object')
    isAnswer = true
    if (numberOr(candidate.index, 0) !== 0) {
      others.push(candidate)
      return
    }
    const content = candidate.content ?? {}
    if (!isObject(content)) throw invalid(`candidates[${index}].content`, 'it is not an object')
    const parts = content.parts ?? []
    if (!Array.isArray(parts)) throw invalid(`candidates[${index}].content.parts`, 'it is not an array')
    for (let at = 0; at < parts.length; at++) readPart(parts[at] as Json, at > 0, out)
    finishReason = textOr(candidate.finishReason, finishReason)
    const rest = otherFields(content, knownFields.content)
    candidateFields = addFields(candidateFields, otherFields(candidate, knownFields.candidate))
    candidateFields = addFields(candidateFields, rest && { content: rest })
  }

  // ---- parts ----------------------------------------------------------------------------------

  function readPart(given: Json, isNext: boolean, out: Fragment[]): void {
    const text = isObject(given) ? plainText(given) : undefined
    if (text !== undefined) {
      readText(text, isNext, out)
      return
    }
    const part = isObject(given) ? addFields({}, given) : given
    const call = field(part, 'functionCall')
    if (isObject(part) && isObject(call)) readCall(part, call, out)
    // Image models send parts without fields between images, and the server refuses them in a request.
    else if (!isObject(part) || Object.keys(part).length > 0) readBlock(decodePart(part, origin), out)
  }

  /** Adds text to the open text block. If it is not the first part of its chunk, citations count it as a part of its own. */
  function readText(text: string, isNext: boolean, out: Fragment[]): void {
    if (text === '') return
    if (isNext) openText?.parts.push({ part: partCount++, byte: openText.bytes })
    const track = openText ?? startText()
    follow(track, text)
    out.push({ type: 'text', text, key: track.key })
  }

  function startText(): Track {
    openText = newTrack(partCount++)
    tracks.push(openText)
    return openText
  }

  function endText(): void {
    if (openText !== undefined) ends.push({ type: 'close', key: openText.key })
    openText = undefined
  }

  /** Reads a block. A thought without a proof continues the one before; every other block is complete. */
  function readBlock(block: ContentBlock, out: Fragment[]): void {
    endText()
    if (block.type === 'text') {
      const track = startText()
      follow(track, block.text)
      out.push({ type: 'block', block, key: track.key, open: true })
      endText()
    } else if (block.type === 'reasoning' && block.opaque === undefined && block.providerData === undefined) {
      out.push({ type: 'reasoning', text: block.text })
    } else {
      partCount++
      out.push({ type: 'block', block })
    }
  }

  /** Reads a call. It is whole, or its arguments follow in parts without a name. */
  function readCall(part: JsonObject, call: JsonObject, out: Fragment[]): void {
    endText()
    const willContinue = call.willContinue === true
    if (partialCall === undefined || textOr(call.name, undefined) !== undefined) {
      endCall(false, out)
      const key = partCount++
      out.push(readCallPart(part, call, origin, key))
      if (!willContinue && arrayOf(call.partialArgs).length === 0) {
        out.push({ type: 'close', key })
        return
      }
      partialCall = newPartialCall(key)
    }
    partialCall.add(call.partialArgs)
    if (!willContinue) endCall(true, out)
  }

  function endCall(isFinished: boolean, out: Fragment[]): void {
    if (partialCall === undefined) return
    const { key } = partialCall
    out.push({ type: 'call', key, arguments: partialCall.end(isFinished) }, { type: 'close', key })
    partialCall = undefined
  }

  return { read, end, isAnswer: () => isAnswer }
}

/** Returns the text of a part that has no other value. Most parts are like that. */
function plainText(part: JsonObject): string | undefined {
  for (const key in part) if (key !== 'text' && part[key] !== null) return undefined
  return typeof part.text === 'string' ? part.text : undefined
}

function invalid(path: string, finding: string): DecodeError {
  const where = path === '' ? '' : `"${path}": `
  return new DecodeError(`Cannot decode Gemini response: ${where}${finding}`, { path })
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
