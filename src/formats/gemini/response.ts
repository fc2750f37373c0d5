/**
 * Gemini: decodes and encodes whole answers.
 *
 * @see https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse (read 2026-11)
 *
 * @module
 */
import { fold } from '../../assemble/fold.ts'
import type {
  CodecOptions,
  DecodedCalls,
  DecodeResponseOptions,
  EncodedResponse,
  Fragment,
  Reply,
} from '../../core/codec.ts'
import { blocksOfTurn } from '../../core/content.ts'
import { refuseDeep } from '../../core/depth.ts'
import { DecodeError } from '../../core/errors.ts'
import { compact, field, lookup, unlessEmpty } from '../../core/lookup.ts'
import type { AssistantMessage, ChatResponse, ContentBlock, InvalidToolCall, Json } from '../../core/model.ts'
import { settleStopReason } from '../../core/stop-reason.ts'
import { type Losses, newLosses, reportForeignFields, reportLoss } from '../../kit/losses.ts'
import { ownProof } from '../../kit/opaque.ts'
import * as reasons from '../../kit/reasons.ts'
import { type CitedText, encodeCitations } from './citations.ts'
import { encodeBlock } from './content.ts'
import { drop, type Kept, type Scope } from './part.ts'
import { answerReader } from './stream.ts'
import { finishReasons, type GeminiDialect, geminiDialect, stopReasons } from './tables.ts'
import { encodeCall } from './tools.ts'
import { encodeUsage } from './usage.ts'
import type { WireCandidate, WirePart, WireResponse } from './wire.ts'

// ---- decode -----------------------------------------------------------------------------------

/**
 * Decodes a whole answer: an object, or the JSON array of a stream without `alt=sse`.
 *
 * @throws {DecodeError} if the body has neither candidates nor a blocked prompt, or a field has the wrong type.
 * @throws {ApiError} if the body is an error.
 * @throws {InterruptedError} if the body has no `finishReason`; `partial` has the answer so far.
 */
export function decodeResponse(
  body: unknown,
  { callsBefore = 0, events, dialect = geminiDialect }: DecodeResponseOptions<GeminiDialect> = {},
): ChatResponse {
  refuseDeep(body, 'Cannot decode Gemini response')
  const fragments: Fragment[] = []
  if (!readBody(body, dialect, fragments)) {
    throw new DecodeError('Cannot decode Gemini response: "candidates" is missing', { path: 'candidates' })
  }
  return fold(fragments, { provider: dialect.provider, idPrefix: 'gemini_', callsBefore, events })
}

/** Decodes the calls of a body, even if the body does not report a complete answer. */
export function decodeToolCalls(
  body: unknown,
  { dialect = geminiDialect }: CodecOptions<GeminiDialect> = {},
): DecodedCalls {
  const fragments: Fragment[] = []
  readBody(body, dialect, fragments)
  const pieces: Fragment[] = [...fragments.filter(({ type }) => type !== 'end'), { type: 'end', stopReason: 'stop' }]
  const { message } = fold(pieces, { provider: dialect.provider, idPrefix: 'gemini_' })
  return {
    toolCalls: blocksOfTurn(message).filter((block) => block.type === 'tool_call'),
    invalidToolCalls: message.invalidToolCalls ?? [],
  }
}

/** Returns whether the body is an answer. */
function readBody(body: unknown, dialect: GeminiDialect, out: Fragment[]): boolean {
  const reader = answerReader(dialect)
  reader.read(body, out)
  reader.end(out)
  return reader.isAnswer()
}

// ---- encode -----------------------------------------------------------------------------------

/** Encodes an answer of any provider. */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const book = newLosses('Gemini', false)
  const { message } = response
  const raw = response.providerData?.gemini ?? {}
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
export function encodeHead(message: Pick<AssistantMessage, 'response'>, reply: Reply): Partial<WireResponse> {
  return compact({
    modelVersion: reply.model ?? message.response?.model,
    responseId: reply.id ?? message.response?.id,
  })
}

/** Whether the prompt was blocked, so that there is no answer. */
function isBlocked({ message, stopReason, providerData }: ChatResponse): boolean {
  const feedback = field(providerData?.gemini, 'promptFeedback')
  const hasReason = (field(feedback, 'blockReason') ?? field(feedback, 'blockReasonMessage')) !== undefined
  return hasReason && stopReason === 'content_filter' && message.content?.length === 0
}

function keptCandidates(others: Json | undefined): readonly WireCandidate[] {
  return Array.isArray(others) ? (others as WireCandidate[]) : []
}

function encodeCandidate(message: AssistantMessage, book: Losses): WireCandidate {
  const { content: keptContent, ...raw } = message.providerData?.gemini ?? {}
  const pieces = encodePieces(blocksOfTurn(message), serverScope(book))
  const parts = pieces.map(({ part }) => part)
  return {
    ...encodeCitations(pieces.flatMap(citedText), raw),
    ...(parts.length > 0 && { content: { ...(keptContent as object), role: 'model' as const, parts } }),
    ...encodeFinish(message, book),
    index: 0,
  }
}

/** The scope for answers to a client. Its model is empty, so signatures of all models of Gemini are sent: the client returns them. */
export function serverScope(book: Losses): Scope {
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
export function encodeServed(block: ContentBlock, scope: Scope, path: string): WirePart | undefined {
  const lost = (name: string, reason: string) => drop(scope, `${path}.${name}`, reason, 'info')
  reportForeignFields(block, 'gemini', path, scope.losses)
  switch (block.type) {
    case 'citation':
      return drop(scope, path, reasons.citation)
    case 'tool_call_chunk':
    case 'server_tool_call_chunk':
      return drop(scope, path, reasons.chunk)
    case 'unknown':
      return block.format === 'gemini' ? encodeBlock(block, scope, path) : drop(scope, path, reasons.foreignBlock)
    case 'plain_text':
      if (block.title !== undefined) lost('title', reasons.title)
      break
    case 'file':
      if (block.filename !== undefined) lost('filename', reasons.filename)
      break
  }
  const { opaque, ...rest } = block as ContentBlock & Kept
  const isOwn =
    ownProof(opaque, { format: 'gemini', provider: scope.dialect.provider, model: scope.model }) !== undefined
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
export function encodeFinish(message: AssistantMessage, book: Losses): Finish {
  const invalid = message.invalidToolCalls?.[0]
  const reason = message.stopReason ?? 'stop'
  const isCut = reason === 'length' || reason === 'content_filter'
  if (invalid !== undefined && !isCut) return encodeMalformed(invalid, book)
  if (invalid !== undefined) {
    reportLoss(book, 'dropped', 'message.invalidToolCalls', 'the answer was cut before the call was whole', 'major')
  }
  const raw = message.rawStopReason
  // Other formats have words in this form too. So a word that is not in our table counts only if the answer is from Gemini.
  const { provider = 'gemini' } = message.response ?? {}
  const isOurs =
    raw !== undefined && /^[A-Z][A-Z_]*$/.test(raw) && (provider === 'gemini' || lookup(stopReasons, raw) !== undefined)
  const hasCalls = blocksOfTurn(message).some((block) => block.type === 'tool_call')
  const meaning = settleStopReason(lookup(stopReasons, raw) ?? 'other', hasCalls)
  if (isOurs && meaning === reason) return { finishReason: raw }
  const word = finishReasons[reason]
  if (settleStopReason(lookup(stopReasons, word) ?? 'other', hasCalls) !== reason) {
    reportLoss(book, 'changed', 'stopReason', `Gemini has no word for "${reason}": "${word}" is sent`)
  }
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
