/**
 * Gemini: encodes answers, streams and errors for a client. Half of what a server needs; no page loads it.
 *
 * @see https://ai.google.dev/api/generate-content#method:-models.generatecontent (read 2026-11)
 * @see https://ai.google.dev/api/generate-content#v1beta.GenerationConfig (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/thinking (read 2026-11)
 * @see https://ai.google.dev/api/caching#Content (read 2026-11)
 * @see https://ai.google.dev/api/caching#Tool (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/function-calling (read 2026-11)
 * @see https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse (read 2026-11)
 * @see https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent (read 2026-11)
 * @see https://github.com/googleapis/js-genai/blob/main/src/chats.ts (`isValidResponse`)
 * @see https://ai.google.dev/gemini-api/docs/google-search (read 2026-11)
 * @see https://ai.google.dev/api/generate-content#UsageMetadata (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/troubleshooting (read 2026-11)
 * @see https://cloud.google.com/apis/design/errors#error_details (read 2026-11)
 * @see https://protobuf.dev/programming-guides/json/ (read 2026-11)
 *
 * @module
 */

import type { EncodedResponse, Frame, Reply, StreamEncoder } from '../../../core/codec.ts'
import { blocksOf, blocksOfTurn, ownProof, settleStopReason, unknownFieldsOf } from '../../../core/content.ts'
import type { ApiError } from '../../../core/errors.ts'
import { compact, field, lookup, numberOr, textOr, unlessEmpty } from '../../../core/json.ts'
import type {
  AssistantMessage,
  ChatResponse,
  CitationBlock,
  ContentBlock,
  InvalidToolCall,
  Json,
  JsonObject,
  TextBlock,
  Usage,
} from '../../../core/messages.ts'
import { messageWith } from '../../shared/api-error.ts'
import type { ProofField } from '../../shared/foreign-proofs.ts'
import { tooLong } from '../../shared/google.ts'
import { type Losses, newLosses, reportForeignFields, reportLoss } from '../../shared/losses.ts'
import { type BlockEvent, oneAtATime } from '../../shared/one-at-a-time.ts'
import * as reasons from '../../shared/reasons.ts'
import { reportStopReason } from '../../shared/stop-reason.ts'
import { streamEncoder } from '../../shared/stream-encoder.ts'
import { byteLength, countText } from '../../shared/utf8.ts'
import { newTrack, readCitations } from '../decode-answer.ts'
import { drop, encodeBlock, encodeCall, type Scope } from '../encode-request.ts'
import { isUnchanged } from '../schema.ts'
import { errorStatuses, finishReasons, format, geminiDialect, type Kept, stopReasons } from '../tables.ts'
import type {
  WireCandidate,
  WireError,
  WireGroundingMetadata,
  WirePart,
  WireResponse,
  WireSegment,
  WireUsage,
} from '../wire.ts'

// ---- a whole answer -----------------------------------------------------------------------------

/** Encodes an answer of any provider. */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const book = newLosses('Gemini', false)
  const { message } = response
  const raw = unknownFieldsOf(response, format)
  const { candidates: others, ...rest } = raw
  const first = isBlocked(response) ? [] : [encodeCandidate(message, book)]
  const candidates = [...first, ...keptCandidates(others)]
  const usage = response.usage ?? message.usage
  const body = {
    ...rest,
    ...compact({ candidates: unlessEmpty(candidates), usageMetadata: usage && encodeUsage(usage) }),
    ...encodeHead(message, reply),
  }
  return { body, losses: book.list }
}

/** Returns the model and the id of the answer. Fields that are not known are left out. */
function encodeHead(message: Pick<AssistantMessage, 'response'>, reply: Reply): Partial<WireResponse> {
  return compact({
    modelVersion: reply.model ?? message.response?.model,
    responseId: reply.id ?? message.response?.id,
  })
}

/** Whether the prompt was blocked, so that there is no answer. */
function isBlocked({ message, stopReason, providerData }: ChatResponse): boolean {
  const feedback = field(providerData?.[format], 'promptFeedback')
  const hasReason = (field(feedback, 'blockReason') ?? field(feedback, 'blockReasonMessage')) !== undefined
  return hasReason && stopReason === 'content_filter' && message.content?.length === 0
}

function keptCandidates(others: Json | undefined): readonly WireCandidate[] {
  return Array.isArray(others) ? (others as WireCandidate[]) : []
}

function encodeCandidate(message: AssistantMessage, book: Losses): WireCandidate {
  const { content: keptContent, ...raw } = unknownFieldsOf(message, format)
  const pieces = encodePieces(blocksOfTurn(message), serverScope(book))
  const parts = pieces.map(({ part }) => part)
  return {
    ...encodeCitations(pieces.flatMap(citedText), raw),
    ...((keptContent || parts.length > 0) && {
      content: { ...(keptContent as object), role: 'model' as const, parts },
    }),
    ...encodeFinish(message, book),
    index: 0,
  }
}

/** The scope for answers to a client. Its model is empty, so signatures of all models of Gemini are sent: the client returns them. */
function serverScope(book: Losses): Scope {
  return { losses: book, dialect: geminiDialect, model: '' }
}

interface Piece {
  readonly block: ContentBlock
  readonly part: WirePart
}

function citedText({ block }: Piece, part: number): readonly CitedText[] {
  return block.type === 'text' ? [{ part, text: block.text, citations: block.citations ?? [] }] : []
}

function encodePieces(blocks: readonly ContentBlock[], scope: Scope): readonly Piece[] {
  return blocks.flatMap((block, at) => {
    const part = encodeServed(block, scope, `message.content[${at}]`)
    return part === undefined ? [] : [{ block, part }]
  })
}

/** Encodes a block for a client. Ids that isoglot generated for another format are sent too, so that a result can refer to its call. */
function encodeServed(block: ContentBlock, scope: Scope, path: string): WirePart | undefined {
  const lost = (name: string, reason: string) => drop(scope, `${path}.${name}`, reason, 'info')
  reportForeignFields(block, format, path, scope.losses)
  switch (block.type) {
    case 'citation':
      return drop(scope, path, reasons.citation)
    case 'tool_call_chunk':
    case 'server_tool_call_chunk':
      return drop(scope, path, reasons.chunk)
    case 'unknown':
      return block.format === format ? encodeBlock(block, scope, path) : drop(scope, path, reasons.foreignBlock)
    case 'plain_text':
      if (block.title !== undefined) lost('title', reasons.title)
      break
    case 'file':
      if (block.filename !== undefined) lost('filename', reasons.filename)
      break
  }
  const { opaque, ...rest } = block as ContentBlock & Kept
  const isOwn = ownProof(opaque, { format, provider: scope.dialect.provider, model: scope.model }) !== undefined
  if (opaque !== undefined && !isOwn) lost('opaque', reasons.foreignProof)
  const sent = isOwn ? block : rest
  if (sent.type !== 'tool_call') return encodeBlock(sent, scope, path)
  const { generatedId: _, ...call } = sent
  return encodeCall(call, scope.dialect)
}

type Finish = Pick<WireCandidate, 'finishReason' | 'finishMessage'>

/**
 * Writes the finish reason. One that was received from Gemini is sent unchanged if it still matches the stop reason. A client would run an
 * invalid call with the arguments `{}`, so a turn with such a call gets its own finish reason and a message instead. A call that the token
 * limit or a filter cut off is left out: the finish reason already explains that.
 */
function encodeFinish(message: AssistantMessage, book: Losses): Finish {
  const invalid = message.invalidToolCalls?.[0]
  const reason = message.stopReason ?? 'stop'
  const isCut = reason === 'length' || reason === 'content_filter'
  if (invalid !== undefined && !isCut) return encodeMalformed(invalid, book)
  if (invalid !== undefined) {
    reportLoss(book, 'dropped', 'message.invalidToolCalls', 'the answer was cut before the call was whole', 'major')
  }
  const raw = message.rawStopReason
  // Other formats have words in this form too. So a word that is not in our table counts only if the answer is from a host of Gemini.
  const { provider = 'gemini' } = message.response ?? {}
  const isOurs =
    raw !== undefined &&
    /^[A-Z][A-Z_]*$/.test(raw) &&
    (provider === 'gemini' || provider === 'vertex' || lookup(stopReasons, raw) !== undefined)
  const hasCalls = blocksOfTurn(message).some((block) => block.type === 'tool_call')
  const meaning = settleStopReason(lookup(stopReasons, raw) ?? 'other', hasCalls)
  if (isOurs && meaning === reason) return { finishReason: raw }
  const word = finishReasons[reason]
  if (settleStopReason(lookup(stopReasons, word) ?? 'other', hasCalls) !== reason) reportStopReason(book, reason, word)
  return { finishReason: word }
}

function encodeMalformed(invalid: InvalidToolCall, book: Losses): Finish {
  reportLoss(
    book,
    'changed',
    'message.invalidToolCalls',
    'Gemini reports a malformed call in the finish reason',
    'minor',
  )
  const call = `${invalid.name ?? ''}(${invalid.argumentsText})`
  return { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: `Malformed function call: ${call}` }
}

// ---- a stream -----------------------------------------------------------------------------------

// Every chunk has a part. The last one has an empty text, as the server sends it. If a chunk has no part, the chat of Google's client
// removes the whole answer from its history.

/** The state that is kept from one event to the next. */
interface EncoderState {
  readonly reply: Reply
  readonly losses: Losses
  head: Partial<WireResponse>
  /** The same as JSON, to be appended to other fields. */
  headText: string
  /** The number of parts so far, as a client counts them: text chunks that follow each other are one part. */
  parts: number
  /** The type of the last part; `undefined` if text cannot be added to it. */
  last: 'text' | 'thought' | undefined
  /** The index of the part of each text block. */
  readonly textParts: number[]
}

function headOf(message: Pick<AssistantMessage, 'response'>, reply: Reply): Pick<EncoderState, 'head' | 'headText'> {
  const head = encodeHead(message, reply)
  const fields = Object.entries(head).map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
  return { head, headText: fields.join('') }
}

/** Encodes one answer. The wire has one block at a time, so the events of a block wait while another block is open. */
export function encodeStream(reply: Reply = {}): StreamEncoder {
  const state: EncoderState = {
    reply,
    losses: newLosses('Gemini', false),
    ...headOf({}, reply),
    parts: 0,
    last: undefined,
    textParts: [],
  }
  const write = oneAtATime((event, out) => writeEvent(state, event, out))
  return streamEncoder(
    state.losses,
    (event, out) => {
      switch (event.type) {
        case 'message_start':
          Object.assign(state, headOf({ response: event }, state.reply))
          return
        case 'message_end':
          return writeEnd(state, event.message, unknownFieldsOf(event.response, format), out)
        case 'usage': // the last chunk has the usage
        case 'warning':
          return
        default:
          return write(event, out)
      }
    },
    (error, out) => out.push({ data: JSON.stringify(encodeError(error).body) }),
  )
}

// ---- blocks -------------------------------------------------------------------------------------

function writeEvent(state: EncoderState, event: BlockEvent, out: Frame[]): void {
  switch (event.type) {
    case 'text_delta':
      writePart(state, { text: event.text }, 'text', out)
      break
    case 'reasoning_delta':
      writePart(state, { text: event.text, thought: true }, 'thought', out)
      break
    case 'tool_call':
      writeBlock(state, event.call, `message.content[${event.index}]`, out)
      break
    case 'content_block':
      writeBlock(state, event.block, `message.content[${event.index}]`, out)
      break
    case 'invalid_tool_call': // the finish reason reports it
    case 'tool_call_chunk': // a call is sent whole, at its end
  }
}

/**
 * Writes a block at its end. Text and thoughts have been streamed already, so only their proof is written: on an
 * empty part, as the server does.
 */
function writeBlock(state: EncoderState, block: ContentBlock, path: string, out: Frame[]): void {
  const isStreamed = block.type === 'text' || block.type === 'reasoning'
  const part = isStreamed ? undefined : encodeServed(block, serverScope(state.losses), path)
  if (part !== undefined) writePart(state, part, isText(block) ? 'text' : undefined, out)
  if (isText(block)) state.textParts.push(Math.max(0, state.parts - 1))
  if (!isStreamed) return
  const proof = encodeServed({ ...block, text: '' }, serverScope(state.losses), path)
  if (proof !== undefined) writePart(state, proof, undefined, out)
}

function writePart(state: EncoderState, part: WirePart, kind: EncoderState['last'], out: Frame[]): void {
  if (kind === undefined || kind !== state.last) state.parts++
  state.last = kind
  // Written in parts: a stream has thousands of chunks, and all of them have the same head.
  const candidate = `{"content":{"role":"model","parts":[${JSON.stringify(part)}]},"index":0}`
  out.push({ data: `{"candidates":[${candidate}]${state.headText}}` })
}

function writeEnd(state: EncoderState, message: AssistantMessage, rest: WireResponse | undefined, out: Frame[]): void {
  const { content, ...raw } = unknownFieldsOf(message, format)
  const candidate = {
    ...encodeCitations(citedTexts(state, message), raw),
    content: { ...(content as object), role: 'model', parts: [{ text: '' }] },
    ...encodeFinish(message, state.losses),
    index: 0,
  } as WireCandidate
  const { candidates: others = [], ...fields } = rest ?? {}
  const usage = message.usage && { usageMetadata: encodeUsage(message.usage) }
  writeChunk(state, candidate, { ...fields, ...usage }, out, others)
}

function citedTexts({ textParts }: EncoderState, { content }: AssistantMessage): readonly CitedText[] {
  const texts = blocksOf(content).filter(isText) as readonly TextBlock[]
  return texts.map(({ text, citations = [] }, at) => ({ part: textParts[at] ?? 0, text, citations }))
}

/** Whether a client joins the block with the text before it. */
function isText({ type }: ContentBlock): boolean {
  return type === 'text' || type === 'plain_text'
}

function writeChunk(
  state: EncoderState,
  candidate: WireCandidate,
  fields: Partial<WireResponse>,
  out: Frame[],
  others: readonly WireCandidate[] = [],
): void {
  const chunk: WireResponse = { ...fields, candidates: [candidate, ...others], ...state.head }
  out.push({ data: JSON.stringify(chunk) })
}

// ---- citations ----------------------------------------------------------------------------------

/** A text block of an answer that is being encoded. */
interface CitedText {
  /** The index of its part. Text blocks that follow each other may share one part. */
  readonly part: number
  readonly text: string
  readonly citations: readonly CitationBlock[]
}

/**
 * Writes the fields of a candidate that hold citations. If `raw` still decodes to the same citations, it is returned unchanged. Otherwise the
 * citations replace its grounding and citation metadata.
 */
function encodeCitations(texts: readonly CitedText[], raw: JsonObject): JsonObject {
  const tracks = texts.map((cited, at) => {
    const track = newTrack(cited.part, -bytesBefore(texts, at))
    countText(track, cited.text)
    return track
  })
  const now = texts.map(({ citations }) => citations)
  if (isUnchanged(raw, (kept) => readCitations(kept, tracks), now)) return raw
  const { citationMetadata: _recited, groundingMetadata, ...rest } = raw
  const { groundingChunks: _chunks, groundingSupports: _supports, ...facts } = (groundingMetadata ?? {}) as JsonObject
  const grounding = { ...facts, ...(encodeGrounding(texts) as JsonObject | undefined) }
  return Object.keys(grounding).length > 0 ? { ...rest, groundingMetadata: grounding } : rest
}

/** The number of UTF-8 bytes in the texts before this one that share its part. */
function bytesBefore(texts: readonly CitedText[], at: number): number {
  let bytes = 0
  for (let one = at - 1; one >= 0 && texts[one]?.part === texts[at]?.part; one--)
    bytes += byteLength(texts[one]?.text ?? '')
  return bytes
}

/** Writes each source once, and one support for each citation. Returns `undefined` if there are no citations. */
function encodeGrounding(texts: readonly CitedText[]): WireGroundingMetadata | undefined {
  const sources = new Map<string, { readonly index: number; readonly uri?: string; readonly title?: string }>()
  const supports = texts.flatMap(({ part, text, citations }, at) => {
    const before = citations.length > 0 ? bytesBefore(texts, at) : 0
    return citations.map((citation) => {
      const name = JSON.stringify([citation.url, citation.title])
      const source = sources.get(name) ?? {
        index: sources.size,
        ...compact({ uri: citation.url, title: citation.title }),
      }
      sources.set(name, source)
      return { segment: encodeSegment(part, before, text, citation), groundingChunkIndices: [source.index] }
    })
  })
  if (supports.length === 0) return undefined
  const groundingChunks = [...sources.values()].map(({ index: _, ...web }) => ({ web }))
  return { groundingChunks, groundingSupports: supports }
}

function encodeSegment(
  part: number,
  before: number,
  text: string,
  { startIndex = 0, endIndex, text: quoted }: CitationBlock,
): WireSegment {
  const byteAt = (unit: number) => before + byteLength(text.slice(0, unit))
  const start = endIndex === undefined ? 0 : byteAt(startIndex)
  return compact({
    partIndex: part > 0 ? part : undefined,
    startIndex: start > 0 ? start : undefined,
    endIndex: endIndex === undefined ? undefined : byteAt(endIndex),
    text: quoted ?? (endIndex === undefined ? undefined : text.slice(startIndex, endIndex)),
  })
}

// ---- usage --------------------------------------------------------------------------------------

/** Splits the sums into the counts of the wire. A count of 0 is left out, as the server does, unless it was received. */
function encodeUsage(usage: Usage): WireUsage {
  const raw = unknownFieldsOf(usage, format)
  const part = (name: keyof WireUsage) => numberOr(field(raw, name), 0)
  const { inputTokens, outputTokens, reasoningTokens, cacheReadTokens } = usage
  const counts = {
    promptTokenCount:
      inputTokens === undefined ? undefined : Math.max(0, inputTokens - part('toolUsePromptTokenCount')),
    candidatesTokenCount: outputTokens === undefined ? undefined : Math.max(0, outputTokens - (reasoningTokens ?? 0)),
    thoughtsTokenCount: reasoningTokens,
    cachedContentTokenCount: cacheReadTokens,
    totalTokenCount: usage.totalTokens ?? sum(inputTokens, outputTokens),
  }
  const kept = Object.entries(counts).filter(([name, count]) => count !== undefined && (count !== 0 || name in raw))
  return { ...raw, ...Object.fromEntries(kept) }
}

function sum(input: number | undefined, output: number | undefined): number | undefined {
  return input === undefined || output === undefined ? undefined : input + output
}

// ---- errors -------------------------------------------------------------------------------------

const retryInfo = 'type.googleapis.com/google.rpc.RetryInfo'

/** Encodes an error of any provider in this format. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireError } {
  const [code, status] = errorStatuses[error.kind]
  const wait = error.retryAfterMs
  const details = wait === undefined ? {} : { details: [{ '@type': retryInfo, retryDelay: `${wait / 1000}s` }] }
  return { status: code, body: { error: { code, message: messageWith(tooLong, error), status, ...details } } }
}

// ---- proofs -------------------------------------------------------------------------------------

/** `thoughtSignature`, which any part can have, including calls. It must be base64, and a proof envelope is base64. */
export const proofField: ProofField = {
  format,
  owners: ['gemini'],
  onCalls: true,
  write: (thoughtSignature) => ({ thoughtSignature }),
  read: ({ thoughtSignature }) => [textOr(thoughtSignature, '')],
}
