/**
 * Gemini: encodes a streamed answer.
 *
 * Every chunk has a part. The last one has an empty text, as the server sends it. If a chunk has no part, the chat of Google's client removes
 * the whole answer from its history.
 *
 * @see https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent (read 2026-11)
 * @see https://github.com/googleapis/js-genai/blob/main/src/chats.ts (`isValidResponse`)
 *
 * @module
 */
import type { Frame, Reply, StreamEncoder } from '../../core/codec.ts'
import { blocksOf } from '../../core/content.ts'
import type { ApiError } from '../../core/errors.ts'
import type { AssistantMessage, ContentBlock } from '../../core/model.ts'
import { cutOff } from '../../kit/api-error.ts'
import { type Losses, newLosses } from '../../kit/losses.ts'
import { type BlockEvent, oneAtATime } from '../../kit/one-at-a-time.ts'
import { type CitedText, encodeCitations } from './citations.ts'
import { encodeError } from './errors.ts'
import { encodeFinish, encodeHead, encodeServed, serverScope } from './response.ts'
import { encodeUsage } from './usage.ts'
import type { WireCandidate, WirePart, WireResponse } from './wire.ts'

/** The state that is kept from one event to the next. */
interface EncoderState {
  readonly reply: Reply
  readonly losses: Losses
  head: Partial<WireResponse>
  /** The number of parts so far, as a client counts them: text chunks that follow each other are one part. */
  parts: number
  /** The type of the last part; `undefined` if text cannot be added to it. */
  last: 'text' | 'thought' | undefined
  /** The index of the part of each text block. */
  readonly textParts: number[]
  isEnded: boolean
}

/** Encodes one answer. The wire has one block at a time, so the events of a block wait while another block is open. */
export function encodeStream(reply: Reply = {}): StreamEncoder {
  const state: EncoderState = {
    reply,
    losses: newLosses('Gemini', false),
    head: encodeHead({}, reply),
    parts: 0,
    last: undefined,
    textParts: [],
    isEnded: false,
  }
  const write = oneAtATime((event, out) => writeEvent(state, event, out))
  return {
    push(event, out) {
      if (state.isEnded) return
      switch (event.type) {
        case 'message_start':
          state.head = encodeHead({ response: event }, state.reply)
          return
        case 'message_end':
          return writeEnd(state, event.message, event.response.providerData?.gemini, out)
        case 'usage': // the last chunk has the usage
        case 'warning':
          return
        default:
          return write(event, out)
      }
    },
    end: (out) => fail(state, cutOff(), out),
    fail: (error, out) => fail(state, error, out),
    losses: state.losses.list,
  }
}

function fail(state: EncoderState, error: ApiError, out: Frame[]): void {
  if (state.isEnded) return
  state.isEnded = true
  out.push({ data: JSON.stringify(encodeError(error).body) })
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
  if (block.type !== 'text' && block.type !== 'reasoning') {
    const part = encodeServed(block, serverScope(state.losses), path)
    if (part !== undefined) writePart(state, part, undefined, out)
    return
  }
  if (block.type === 'text') state.textParts.push(Math.max(0, state.parts - 1))
  const proof = encodeServed({ ...block, text: '' }, serverScope(state.losses), path)
  if (proof !== undefined) writePart(state, proof, undefined, out)
}

function writePart(state: EncoderState, part: WirePart, kind: EncoderState['last'], out: Frame[]): void {
  if (kind === undefined || kind !== state.last) state.parts++
  state.last = kind
  writeChunk(state, { content: { role: 'model', parts: [part] }, index: 0 }, {}, out)
}

function writeEnd(state: EncoderState, message: AssistantMessage, rest: WireResponse | undefined, out: Frame[]): void {
  state.isEnded = true
  const { content: _, ...raw } = message.providerData?.gemini ?? {}
  const candidate = {
    ...encodeCitations(citedTexts(state, message), raw),
    content: { role: 'model', parts: [{ text: '' }] },
    ...encodeFinish(message, state.losses),
    index: 0,
  } as WireCandidate
  const { candidates: others = [], ...fields } = rest ?? {}
  const usage = message.usage && { usageMetadata: encodeUsage(message.usage) }
  writeChunk(state, candidate, { ...fields, ...usage }, out, others)
}

function citedTexts({ textParts }: EncoderState, { content }: AssistantMessage): readonly CitedText[] {
  const texts = blocksOf(content).filter((block) => block.type === 'text')
  return texts.map(({ text, citations = [] }, at) => ({ part: textParts[at] ?? 0, text, citations }))
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
