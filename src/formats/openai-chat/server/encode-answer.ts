/**
 * OpenAI Chat Completions: encodes answers, streams and errors for a client. Half of what a server needs; no page loads it.
 *
 * @module
 */

import type { EncodedResponse, Frame, Reply, StreamEncoder } from '../../../core/codec.ts'
import { blocksOfTurn, callsOf, settleStopReason, unknownFieldsOf } from '../../../core/content.ts'
import type { ApiError } from '../../../core/errors.ts'
import { arrayOf, compact, field, isObject, lookup, objectIn, textOr, unlessEmpty } from '../../../core/json.ts'
import { toDataUrl } from '../../../core/media.ts'
import type {
  AssistantMessage,
  ChatResponse,
  ContentBlock,
  InvalidToolCall,
  Json,
  JsonObject,
  Loss,
  MessageEvent,
  TextBlock,
  ToolCall,
  ToolCallChunk,
  Usage,
} from '../../../core/messages.ts'
import type { ProofField } from '../../shared/foreign-proofs.ts'
import { type Losses, newLosses, reportLoss } from '../../shared/losses.ts'
import { reportStopReason } from '../../shared/stop-reason.ts'
import { streamEncoder } from '../../shared/stream-encoder.ts'
import type { Encoding } from '../dialect.ts'
import { encodeCall, isUnknownCall, reasoningDetails } from '../encode-request.ts'
import { openai } from '../openai.ts'
import { errorAnswers, finalErrors, finishReasons, format, stopReasons } from '../tables.ts'
import type { WireCall, WireResponse, WireUsage } from '../wire.ts'

// ---- a whole answer -----------------------------------------------------------------------------

// A complete answer is read like a stream of one large chunk.

/** Encodes an answer, with every field that clients need. */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const { message } = response
  const to: Encoding = { dialect: openai, model: '', losses: newLosses(openai.title, false) }
  const { choices, ...own } = unknownFieldsOf(response, format)
  const [choice, ...others] = arrayOf(choices)
  const answer = encodeAnswer(message, to)
  const body = {
    ...own,
    ...identity(message, reply),
    object: 'chat.completion',
    choices: [
      {
        logprobs: null,
        ...(isObject(choice) ? choice : {}),
        index: 0,
        message: answer,
        finish_reason:
          'function_call' in answer ? 'function_call' : finishReason(response, 'tool_calls' in answer, to.losses),
      },
      ...others,
    ],
    ...compact({ usage: response.usage && encodeUsage(response.usage) }),
  }
  return { body: body as unknown as WireResponse, losses: to.losses.list }
}

/** Returns the first fields of every body and chunk. */
function identity(message: AssistantMessage | undefined, reply: Reply): JsonObject {
  const response = message?.response
  return {
    id: reply.id ?? response?.id ?? 'chatcmpl-0',
    created: reply.createdAt ?? response?.createdAt ?? 0,
    model: reply.model ?? response?.model ?? '',
  }
}

/** Returns `tool_calls` if the answer has calls; otherwise the provider's own reason if this format has it with the same meaning. */
function finishReason(response: ChatResponse, hasCalls: boolean, losses: Losses): string {
  const { rawStopReason: raw } = response.message
  const { stopReason } = response
  if (hasCalls && settleStopReason(stopReason, true) === 'tool_calls') return 'tool_calls'
  const means = lookup(stopReasons, raw)
  if (
    raw !== undefined &&
    (means === stopReason || (means === 'stop' && stopReason === 'refusal' && isRefusal(response)))
  ) {
    return raw
  }
  const word = stopReason === 'tool_calls' || stopReason === 'max_rounds' ? 'stop' : finishReasons[stopReason]
  if (lookup(stopReasons, word) !== stopReason) {
    reportStopReason(losses, stopReason, word)
  }
  return word
}

function isRefusal({ message }: ChatResponse): boolean {
  return blocksOfTurn(message).some((block) => block.type === 'text' && block.refusal === true)
}

function encodeAnswer(message: AssistantMessage, to: Encoding): JsonObject {
  const held = { losses: to.losses, hasAudio: false }
  const blocks = blocksOfTurn(message).filter((block, at) => holds(block, `message.content[${at}]`, held))
  const texts = blocks.filter((block): block is TextBlock => block.type === 'text' && !block.refusal)
  const parts = contentParts(blocks)
  const calls = encodeCalls(message, to)
  return {
    ...unknownFieldsOf(message, format),
    role: 'assistant',
    content: parts ?? (texts.length > 0 ? texts.map((block) => block.text).join('') : null),
    refusal: textOfKind(blocks, (block) => block.type === 'text' && block.refusal === true) ?? null,
    ...encodeReasoning(blocks),
    ...compact({ annotations: unlessEmpty(encodeAnnotations(texts)) }),
    ...encodeMedia(blocks),
    ...compact({ executed_tools: unlessEmpty(blocks.flatMap(executedTools)) }),
    ...calls,
  }
}

function textOfKind(blocks: readonly ContentBlock[], isOfKind: (block: ContentBlock) => boolean): string | undefined {
  const found = blocks.filter(isOfKind) as readonly TextBlock[]
  return found.length === 0 ? undefined : found.map((block) => block.text).join('')
}

/** Returns the content as parts if it has unknown parts of this format, since a string cannot hold them. */
function contentParts(blocks: readonly ContentBlock[]): JsonObject[] | undefined {
  if (!blocks.some(isUnknownPart)) return undefined
  return blocks.flatMap((block) => {
    if (isUnknownPart(block)) return [block.value as JsonObject]
    return block.type === 'text' && !block.refusal ? [{ type: 'text', text: block.text }] : []
  })
}

function isUnknownPart(block: ContentBlock): block is ContentBlock & { type: 'unknown' } {
  return block.type === 'unknown' && block.format === format && !isUnknownCall(block)
}

/** Encodes reasoning in the field that most clients read, and OpenRouter's proofs unchanged. */
function encodeReasoning(blocks: readonly ContentBlock[]): JsonObject {
  const text = textOfKind(blocks, (block) => block.type === 'reasoning')
  const details = blocks.flatMap((block) => reasoningDetails(block))
  return compact({ reasoning_content: text || undefined, reasoning_details: unlessEmpty(details) })
}

/**
 * Encodes citations. In this format, offsets count from the start of the whole text. In isoglot, they start at 0 in each block. `before` is
 * the length of the text before these blocks, in UTF-16 units.
 */
function encodeAnnotations(texts: readonly TextBlock[], before = 0): JsonObject[] {
  let said = before
  return texts.flatMap(({ text, citations = [] }) => {
    const start = said
    said += text.length
    return citations.map((citation) => ({
      type: 'url_citation',
      url_citation: {
        ...unknownFieldsOf(citation, format),
        start_index: start + (citation.startIndex ?? 0),
        end_index: start + (citation.endIndex ?? text.length),
        title: citation.title ?? '',
        url: citation.url ?? '',
      },
    }))
  })
}

/** Encodes generated audio in OpenAI's field, and generated images in OpenRouter's field, which clients read. */
function encodeMedia(blocks: readonly ContentBlock[]): JsonObject {
  const fields: JsonObject = {}
  const images: JsonObject[] = []
  for (const block of blocks) {
    if (block.type === 'audio') {
      const { id = '', data = '', transcript = '' } = block
      fields.audio = { expires_at: 0, ...unknownFieldsOf(block, format), id, data, transcript }
    }
    if (block.type === 'image') {
      const url = block.data === undefined ? block.url : toDataUrl(block.mimeType ?? 'image/png', block.data)
      if (url !== undefined) images.push({ ...unknownFieldsOf(block, format), type: 'image_url', image_url: { url } })
    }
  }
  return images.length > 0 ? { ...fields, images } : fields
}

function encodeCalls(message: AssistantMessage, to: Encoding): JsonObject {
  const blocks = blocksOfTurn(message)
  const calls = callsOf(message)
  const encoded = calls.map((call) => withProof(encodeCall(call, to, true), call))
  if (calls.length > 0 && calls.every(isLegacy)) {
    for (const at of calls.keys()) if (at > 0) dropSecond(at, to.losses)
    return { function_call: encoded[0]?.function ?? null }
  }
  const unknown = blocks.filter(isUnknownCall).map(({ value }) => value)
  return encoded.length + unknown.length > 0 ? { tool_calls: [...encoded, ...unknown] } : {}
}

/** Whether a call has the deprecated form, `function_call`. */
function isLegacy(call: ToolCall | InvalidToolCall): boolean {
  return unknownFieldsOf(call, format).type === 'function_call'
}

/** An answer has one `function_call`. */
function dropSecond(at: number, losses: Losses): void {
  reportLoss(losses, 'dropped', `message.toolCalls[${at}]`, 'a client of "functions" reads one call', 'major')
}

/** Adds the call's proof if it came in this format. The client sends it back to the gateway. */
function withProof(wire: WireCall, call: ToolCall | InvalidToolCall): JsonObject {
  return { ...wire, ...(call.opaque?.format === format && call.opaque.data) }
}

/** Returns the entries of Groq's field `executed_tools`: the tools that Groq ran. */
function executedTools(block: ContentBlock): readonly Json[] {
  return block.type === 'server_tool_call' ? arrayOf(unknownFieldsOf(block, format).executed_tools) : []
}

/** Blocks whose loss does not change the text of the conversation. */
const minorBlocks = /^citation|^server_|_chunk$|^unknown/

/** Whether an answer in this format can hold the block. If it cannot, the loss is reported. An answer has one audio. */
function holds(block: ContentBlock, path: string, to: { readonly losses: Losses; hasAudio: boolean }): boolean {
  const drop = (what: string, severity: Loss['severity'], where = path) => {
    reportLoss(to.losses, 'dropped', where, `an answer has no place for ${what}`, severity)
    return false
  }
  switch (block.type) {
    case 'text':
    case 'tool_call':
      return true
    case 'reasoning':
      if (block.opaque !== undefined && block.opaque.format !== format) drop('this proof', 'info', `${path}.opaque`)
      return true
    case 'audio':
      if (to.hasAudio) return drop('a second audio', 'major')
      to.hasAudio = true
      return true
    case 'image':
      return block.data !== undefined || block.url !== undefined || drop('the id of a file', 'major')
    case 'unknown':
      if (block.format === format) return true
      break
    case 'server_tool_call':
    case 'server_tool_result':
      if (block.providerData?.[format] !== undefined) return true
  }
  return drop(block.type, minorBlocks.test(block.type) ? 'minor' : 'major')
}

// ---- a stream -----------------------------------------------------------------------------------

// This format allows several open calls, so only a call without an id or name must wait.

/** A call that is being written. */
interface CallOut {
  /** Its index in the output. */
  readonly index: number
  isOpen: boolean
  /** Whether the call is held back until it ends, since it is not of a function and its chunks cannot be sent unchanged. */
  isHeld: boolean
  /** The arguments sent so far. Before the call is open: the arguments held back. */
  text: string
}

interface EncodeState {
  readonly reply: Reply
  readonly losses: Losses
  /** The first fields of every chunk. */
  head: JsonObject
  /** The same as JSON, without the last brace. */
  headText: string
  isStarted: boolean
  hasRefusal: boolean
  hasAudio: boolean
  /** Whether the call has the deprecated form. */
  isLegacy: boolean
  /** The calls by the index of their block. */
  readonly calls: Map<number, CallOut>
  /** The length of the text so far, in UTF-16 code units, for the offsets of citations. */
  said: number
  readonly saidBefore: Map<number, number>
}

/** Writes one answer as a stream. */
export function encodeStream(reply: Reply = {}): StreamEncoder {
  const state: EncodeState = {
    reply,
    losses: newLosses(openai.title, false),
    head: {},
    headText: '',
    isStarted: false,
    hasRefusal: false,
    hasAudio: false,
    isLegacy: false,
    calls: new Map(),
    said: 0,
    saidBefore: new Map(),
  }
  return streamEncoder(
    state.losses,
    (event, out) => {
      switch (event.type) {
        case 'message_start':
          return begin(state, event, out)
        case 'text_delta':
          return sendText(state, event, out)
        case 'reasoning_delta':
          return send(state, { reasoning_content: event.text }, out)
        case 'tool_call_chunk':
          if (event.chunk.type === 'tool_call_chunk') sendChunk(state, event.index, event.chunk, out)
          return
        case 'tool_call':
        case 'invalid_tool_call':
          return sendRest(state, event.index, event.call, out)
        case 'content_block':
          return sendBlock(state, event.index, event.block, out)
        case 'message_end':
          return finish(state, event.response, out)
      }
    },
    (error, out) => out.push({ data: JSON.stringify(encodeError(error).body) }),
  )
}

function begin(state: EncodeState, head: { readonly id?: string; readonly model?: string }, out: Frame[]): void {
  if (state.isStarted) return
  state.isStarted = true
  const { id, model } = head
  const response = compact({ id, model })
  state.head = {
    ...identity({ role: 'assistant', content: null, response }, state.reply),
    object: 'chat.completion.chunk',
  }
  state.headText = JSON.stringify(state.head).slice(0, -1)
  pushChunk(state, { role: 'assistant', content: '' }, out)
}

function send(state: EncodeState, delta: JsonObject, out: Frame[]): void {
  if (!state.isStarted) begin(state, {}, out)
  pushChunk(state, delta, out)
}

/** The fields that all chunks have are written once: a stream has thousands of chunks. */
function pushChunk({ headText }: EncodeState, delta: JsonObject, out: Frame[]): void {
  const choice = `{"index":0,"delta":${JSON.stringify(delta)},"finish_reason":null}`
  out.push({ data: `${headText},"choices":[${choice}]}` })
}

// ---- text and other blocks --------------------------------------------------------------------

function sendText(state: EncodeState, event: MessageEvent & { type: 'text_delta' }, out: Frame[]): void {
  const { index, text, refusal } = event
  if (refusal) {
    state.hasRefusal = true
    send(state, { refusal: text }, out)
    return
  }
  if (!state.saidBefore.has(index)) state.saidBefore.set(index, state.said)
  state.said += text.length
  send(state, { content: text }, out)
}

function sendBlock(state: EncodeState, index: number, block: ContentBlock, out: Frame[]): void {
  const path = `message.content[${index}]`
  if (!holds(block, path, state)) return
  switch (block.type) {
    case 'text':
      sendCitations(state, index, block, out)
      return
    case 'reasoning': {
      const details = reasoningDetails(block)
      if (details.length > 0) send(state, { reasoning_details: details }, out)
      return
    }
    case 'audio':
    case 'image':
      send(state, encodeMedia([block]), out)
      return
    case 'server_tool_call': {
      const executed = executedTools(block)
      if (executed.length > 0) send(state, { executed_tools: [...executed] }, out)
      return
    }
    case 'unknown':
      if (block.format === format) {
        reportLoss(state.losses, 'dropped', path, 'a stream has only text where a whole answer may have parts')
      }
  }
}

function sendCitations(state: EncodeState, index: number, block: TextBlock, out: Frame[]): void {
  const annotations = encodeAnnotations([block], state.saidBefore.get(index))
  if (annotations.length > 0) send(state, { annotations }, out)
}

// ---- calls ------------------------------------------------------------------------------------

function callOut(state: EncodeState, index: number): CallOut {
  let call = state.calls.get(index)
  if (call === undefined) {
    call = { index: state.calls.size, isOpen: false, isHeld: false, text: '' }
    state.calls.set(index, call)
  }
  return call
}

/** Clients read id, type and name once. So the first chunk of a call is sent with its first arguments, when the name is complete. */
function sendChunk(state: EncodeState, index: number, chunk: ToolCallChunk, out: Frame[]): void {
  const call = callOut(state, index)
  const { id, name, argumentsDelta = '' } = chunk
  if (unknownFieldsOf(chunk, format).type !== undefined) call.isHeld = true
  if (argumentsDelta === '' || call.isHeld) return
  call.text += argumentsDelta
  if (call.isOpen) {
    sendCall(state, call, { function: { arguments: argumentsDelta } }, out)
    return
  }
  if (id === undefined || name === undefined) return
  call.isOpen = true
  sendCall(state, call, { id, type: 'function', function: { name, arguments: call.text } }, out)
}

/** Sends the rest of a call: everything that its chunks did not have. */
function sendRest(state: EncodeState, index: number, ended: ToolCall | InvalidToolCall, out: Frame[]): void {
  const call = callOut(state, index)
  const whole = encodeCall(ended, wire(state), true)
  const proof = ended.opaque?.format === format ? ended.opaque.data : {}
  if (!call.isOpen && isLegacy(ended)) {
    state.isLegacy = true
    if (call.index > 0) dropSecond(call.index, state.losses)
    else send(state, { function_call: objectIn({ ...whole }, 'function') }, out)
    return
  }
  if (!call.isOpen) {
    if (ended.name === undefined) {
      reportLoss(state.losses, 'invented', `message.invalidToolCalls[${ended.index}].name`, 'a call must have a name')
    }
    sendCall(state, call, { ...whole, ...proof }, out)
    return
  }
  const text = ended.argumentsText
  const rest = text.startsWith(call.text) ? text.slice(call.text.length) : ''
  const { type: _, ...own } = unknownFieldsOf(ended, format)
  const more = { ...own, ...proof }
  if (rest !== '' || Object.keys(more).length > 0) {
    sendCall(state, call, { ...more, function: { ...objectIn(own, 'function'), arguments: rest } }, out)
  }
}

function sendCall(state: EncodeState, call: CallOut, fields: JsonObject, out: Frame[]): void {
  send(state, { tool_calls: [{ index: call.index, ...fields }] }, out)
}

function wire({ losses }: EncodeState): Encoding {
  return { dialect: openai, model: '', losses }
}

// ---- the end ----------------------------------------------------------------------------------

function finish(state: EncodeState, response: ChatResponse, out: Frame[]): void {
  begin(state, response.message.response ?? {}, out)
  const { choices, ...own } = unknownFieldsOf(response, format)
  const choice = arrayOf(choices)[0]
  const last = {
    ...(isObject(choice) ? choice : {}),
    index: 0,
    delta: {},
    finish_reason: state.isLegacy ? 'function_call' : finishReason(response, state.calls.size > 0, state.losses),
  }
  out.push({ data: JSON.stringify({ ...own, ...state.head, choices: [last] }) })
  if (response.usage !== undefined && state.reply.includeUsage !== false) sendUsage(state, response.usage, out)
  out.push({ data: '[DONE]' })
}

function sendUsage(state: EncodeState, usage: Usage, out: Frame[]): void {
  out.push({ data: JSON.stringify({ ...state.head, choices: [], usage: encodeUsage(usage) }) })
}

// ---- usage --------------------------------------------------------------------------------------

/** Encodes usage. A required figure that is unknown is sent as 0. */
function encodeUsage(usage: Usage): WireUsage {
  const { inputTokens = 0, outputTokens = 0 } = usage
  const own = unknownFieldsOf(usage, format)
  const details = (name: string, counts: Record<string, number | undefined>) => {
    const known = compact(counts) as JsonObject
    const before = field(own, name)
    if (Object.keys(known).length === 0) return {}
    return { [name]: { ...(isObject(before) ? before : {}), ...known } }
  }
  return {
    ...own,
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: usage.totalTokens ?? inputTokens + outputTokens,
    ...details('prompt_tokens_details', {
      cached_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    }),
    ...details('completion_tokens_details', { reasoning_tokens: usage.reasoningTokens }),
  }
}

// ---- errors -------------------------------------------------------------------------------------

/** Encodes an error as OpenAI sends it. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: unknown } {
  const { status, type, code } = errorAnswers[error.kind]
  const isFinal = error.providerCode !== undefined && finalErrors.has(error.providerCode)
  const body = { error: { message: error.message, type, param: null, code: isFinal ? error.providerCode : code } }
  return { status, body }
}

// ---- proofs -------------------------------------------------------------------------------------

/** Writes proofs as OpenRouter's `reasoning_details`. Clients that store the answer's message unchanged send this field back. */
export const proofField: ProofField = {
  format,
  owners: ['openrouter', 'gemini'],
  onCalls: false,
  // With the id of its call, as OpenRouter writes Gemini's signatures: some clients, such as pi, send back only those.
  write: (data, _, id) => ({ reasoning_details: [{ type: 'reasoning.encrypted', ...compact({ id }), data }] }),
  read: (proof) => arrayOf(proof.reasoning_details).map((detail) => textOr(field(detail, 'data'), '')),
}
