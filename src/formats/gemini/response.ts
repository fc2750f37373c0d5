/**
 * Gemini: whole answers, both ways.
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
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { type CitedText, encodeCitations } from './citations.ts'
import { encodeBlock } from './content.ts'
import type { Scope } from './part.ts'
import { endAnswer, newState, readChunks, type State } from './stream.ts'
import { finishReasons, type GeminiDialect, geminiDialect, stopReasons } from './tables.ts'
import { encodeCall } from './tools.ts'
import { encodeUsage } from './usage.ts'
import type { WireCandidate, WirePart, WireResponse } from './wire.ts'

// ---- decode -----------------------------------------------------------------------------------

/**
 * Reads a whole answer: an object, or the JSON array that a stream without `alt=sse` is.
 *
 * @throws {DecodeError} if there are neither candidates nor a blocked prompt, or a field is what it cannot be.
 * @throws {ApiError} if it is an error.
 * @throws {InterruptedError} if it has no `finishReason`; `partial` holds what there is.
 */
export function decodeResponse(
  body: unknown,
  { callsBefore = 0, dialect = geminiDialect }: DecodeResponseOptions<GeminiDialect> = {},
): ChatResponse {
  refuseDeep(body, 'Cannot decode Gemini response')
  const { state, fragments } = readBody(body, dialect)
  if (state.candidateCount === 0 && state.blockReason === undefined) {
    throw new DecodeError('Cannot decode Gemini response: "candidates" is missing', { path: 'candidates' })
  }
  return fold(fragments, { provider: dialect.provider, idPrefix: 'gemini_', callsBefore })
}

/** The calls of a body, whether or not it says that it is whole. */
export function decodeToolCalls(
  body: unknown,
  { dialect = geminiDialect }: CodecOptions<GeminiDialect> = {},
): DecodedCalls {
  const { fragments } = readBody(body, dialect)
  const pieces: Fragment[] = [...fragments.filter(({ type }) => type !== 'end'), { type: 'end', stopReason: 'stop' }]
  const { message } = fold(pieces, { provider: dialect.provider, idPrefix: 'gemini_' })
  return {
    toolCalls: blocksOfTurn(message).filter((block) => block.type === 'tool_call'),
    invalidToolCalls: message.invalidToolCalls ?? [],
  }
}

function readBody(body: unknown, dialect: GeminiDialect): { readonly state: State; readonly fragments: Fragment[] } {
  const state = newState(dialect)
  const fragments: Fragment[] = []
  readChunks(state, body, fragments)
  endAnswer(state, fragments)
  return { state, fragments }
}

// ---- encode -----------------------------------------------------------------------------------

/** Writes an answer of any provider. */
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

/** The identity of the answer, without fields that are not known. */
export function encodeHead(message: Pick<AssistantMessage, 'response'>, reply: Reply): Partial<WireResponse> {
  return compact({
    modelVersion: reply.model ?? message.response?.model,
    responseId: reply.id ?? message.response?.id,
  })
}

/** A blocked prompt has no answer. */
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

/** A server has no model: every signature of this wire goes out, and comes back from the client. */
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

/** A block as a server sends it: ids that other wires made go out, so that the client can name the call. */
export function encodeServed(block: ContentBlock, scope: Scope, path: string): WirePart | undefined {
  if (block.type !== 'tool_call') return encodeBlock(block, scope, path)
  const { generatedId: _, ...call } = block
  return encodeCall(call, scope, path)
}

type Finish = Pick<WireCandidate, 'finishReason' | 'finishMessage'>

/**
 * The format's own finish reason, while it still says the same. A client would read `{}` as the arguments of an invalid call and run it, so
 * such a turn gets a finish reason of its own, and a message. A call that the token limit or a filter cut is left out: the reason for the
 * end says why.
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
  // Other wires write such words too: one that we do not know is ours if the answer is.
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
