/**
 * Bedrock Converse: reads an answer, whole or streamed. `errors.ts` reads errors.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html (read 2026-11)
 *
 * @module
 */

import { fold, foldCalls } from '../../assemble/assemble.ts'
import type {
  BlockKey,
  CallFragment,
  DecodedCalls,
  DecodeResponseOptions,
  DecodeStreamOptions,
  DecodeToolCallsOptions,
  Fragment,
  Frame,
} from '../../core/codec.ts'
import { keepUnknown, keepUnknownOn, textOfArguments } from '../../core/content.ts'
import {
  arrayOf,
  bodyOf,
  compact,
  field,
  isObject,
  listAt,
  lookup,
  numberOr,
  objectAt,
  objectIn,
  otherFields,
  parseEvent,
  stringAt,
  textOr,
  unlessEmpty,
} from '../../core/json.ts'
import type {
  ChatResponse,
  CitationBlock,
  ContentBlock,
  Json,
  JsonObject,
  Opaque,
  ReasoningBlock,
  Usage,
} from '../../core/messages.ts'
import type { Machine } from '../../core/reducer.ts'
import { besideInput, settleUsage } from '../../core/usage.ts'
import { prepareTools } from '../../prepare/prepare.ts'
import { inStream } from '../shared/api-error.ts'
import { allWithOwnNames, withOwnNames } from '../shared/parameter-names.ts'
import { decodeError, decodeException } from './errors.ts'
import { targetOf } from './families.ts'
import { format, idPrefix, mediaFormats, provider, stopReasons } from './tables.ts'

/** Reads a block, except a call or a result of the user's tools. The block has one key that is not null, which names its type. */
export function decodeBlock(wire: JsonObject): ContentBlock {
  const [kind = '', ...others] = Object.keys(wire).filter((name) => wire[name] !== null)
  const text = wire.text
  if (typeof text === 'string' && others.length === 0) return { type: 'text', text }
  const known = others.length === 0 ? lookup(decoders, kind)?.(objectIn(wire, kind)) : undefined
  return known ?? { type: 'unknown', format, providerType: kind, value: wire }
}

const decoders: Readonly<Record<string, (body: JsonObject) => ContentBlock | undefined>> = {
  image: (body) => decodeMedia('image', body),
  video: (body) => decodeMedia('video', body),
  audio: (body) => decodeMedia('audio', body),
  document: decodeDocument,
  guardContent: decodeGuarded,
  reasoningContent: decodeReasoning,
  citationsContent: decodeCited,
  toolUse: decodeServerCall,
  toolResult: decodeServerResult,
}

function decodeMedia(kind: keyof typeof mediaFormats, { format: word, source, ...more }: JsonObject) {
  const bytes = field(source, 'bytes')
  const { uri, ...place } = objectIn(source, 's3Location')
  const found = typeof bytes === 'string' ? { data: bytes } : typeof uri === 'string' ? { url: uri } : undefined
  if (found === undefined) return undefined
  const mimeType = Object.entries(mediaFormats[kind]).find(([, name]) => name === word)?.[0]
  const s3Location = unlessEmpty(place)
  const media = { ...more, ...compact({ s3Location, format: mimeType === undefined ? (word ?? '') : undefined }) }
  const type = kind === 'document' ? ('file' as const) : kind
  return { type, ...found, ...compact({ mimeType }), ...keepUnknown(compact({ media: unlessEmpty(media) }), format) }
}

function decodeDocument({ name, ...body }: JsonObject): ContentBlock | undefined {
  const text = field(body.source, 'text')
  const title = textOr(name, undefined)
  if (typeof text === 'string' && Object.keys(body).length === 2) return compact({ type: 'plain_text', text, title })
  const media = decodeMedia('document', body)
  return media && { ...media, type: 'file', ...compact({ filename: title }) }
}

function decodeGuarded(body: JsonObject): ContentBlock | undefined {
  const text = field(body.text, 'text')
  return typeof text === 'string' ? { type: 'text', text, ...keepUnknown({ guardContent: body }, format) } : undefined
}

function decodeReasoning(body: JsonObject): ReasoningBlock | undefined {
  const { text, signature, ...others } = objectIn(body, 'reasoningText')
  const redacted = body.redactedContent
  if (typeof redacted === 'string') return { type: 'reasoning', text: '', opaque: proof({ redactedContent: redacted }) }
  if (typeof text !== 'string') return undefined
  const data = unlessEmpty(compact({ ...others, signature: textOr(signature, undefined) }))
  return compact({ type: 'reasoning', text, opaque: data && proof(data) })
}

/** Returns a proof with this data. Its model is empty, since an answer of this format does not name its model. */
function proof(data: JsonObject): Opaque {
  return { provider, model: '', format, data }
}

function decodeCited(body: JsonObject): ContentBlock | undefined {
  const text = arrayOf(body.content)
    .map((part) => textOr(field(part, 'text'), ''))
    .join('')
  const citations = arrayOf(body.citations).filter(isObject)
  return { type: 'text', text, citations: citations.map((one) => decodeCitation(one, text.length)) }
}

/** Reads a citation. It covers the whole text; `length` is the length of that text in UTF-16 units. */
function decodeCitation(wire: JsonObject, length: number): CitationBlock {
  const source = textOr(wire.source, undefined)
  const address = source !== undefined && /^https?:/.test(source) ? source : undefined
  const url = textOr(field(field(wire.location, 'web'), 'url'), address)
  const passages = arrayOf(wire.sourceContent).map((part) => textOr(field(part, 'text'), ''))
  return compact({
    type: 'citation',
    url,
    title: textOr(wire.title, undefined),
    text: passages.length === 0 ? undefined : passages.join(''),
    startIndex: 0,
    endIndex: length,
    providerData: { [format]: wire },
  })
}

/** Reads a call that Bedrock ran. Returns `undefined` for any other call. */
function decodeServerCall({ toolUseId, name, input, ...kept }: JsonObject): ContentBlock | undefined {
  const argumentsText = isObject(input) ? textOfArguments(input) : undefined
  if (kept.type !== 'server_tool_use' || typeof name !== 'string' || argumentsText === undefined) return undefined
  const id = textOr(toolUseId, '')
  return {
    type: 'server_tool_call',
    id,
    name,
    arguments: input as JsonObject,
    argumentsText,
    ...keepUnknown(kept, format),
  }
}

/** Reads the result of a call that Bedrock ran. It is in the same message as the call. */
function decodeServerResult(body: JsonObject): ContentBlock {
  return compact({
    type: 'server_tool_result',
    toolCallId: textOr(body.toolUseId, undefined),
    status: body.status === 'error' ? 'error' : 'success',
    output: body.content,
    providerData: { [format]: body },
  })
}

// ---- tools --------------------------------------------------------------------------------------

const callFields: ReadonlySet<string> = new Set(['toolUseId', 'name', 'input'])
/** Of newer calls, whose type `tool_use` AWS does not document: it is not sent back. */
const typedCallFields: ReadonlySet<string> = new Set([...callFields, 'type'])

/** Reads a call, or the start of a call, as a fragment. */
export function readCallFragment(body: JsonObject): CallFragment {
  const input = body.input
  const isServers = body.type === 'server_tool_use'
  return compact({
    type: 'call',
    id: textOr(body.toolUseId, undefined),
    name: textOr(body.name, undefined),
    arguments: input === undefined || input === null ? undefined : argumentsOf(input),
    server: isServers || undefined,
    ...keepUnknown(otherFields(body, body.type === 'tool_use' ? typedCallFields : callFields), format),
  })
}

function argumentsOf(input: Json): string | JsonObject {
  return isObject(input) || typeof input === 'string' ? input : JSON.stringify(input)
}

/** Reads the calls in the body of an answer, except those that Bedrock ran. */
export function decodeToolCalls(body: unknown, { tools = [] }: DecodeToolCallsOptions = {}): DecodedCalls {
  const content = field(field(field(body, 'output'), 'message'), 'content') ?? field(body, 'content')
  const uses = arrayOf(content).flatMap((block) => {
    const use = field(block, 'toolUse')
    return isObject(use) && use.type !== 'server_tool_use' ? [use] : []
  })
  const calls = uses.map((use, key) => ({ ...readCallFragment(use), key }))
  return foldCalls(allWithOwnNames(calls, prepareTools(tools, targetOf('')).parameterNames), idPrefix)
}

// ---- a whole answer -----------------------------------------------------------------------------

/**
 * Reads a whole answer.
 *
 * @throws {ApiError} if the body is an error, though its status was 200.
 * @throws {DecodeError} if the body is not an answer.
 * @throws {InterruptedError} if the body does not have a `stopReason`.
 */
export function decodeResponse(body: unknown, options: DecodeResponseOptions = {}): ChatResponse {
  const response = bodyOf(body, 'Bedrock response')
  if (response.output === undefined && typeof (response.message ?? response.Message) === 'string')
    throw decodeError(inStream(response))
  const message = objectAt(field(response.output, 'message'), 'output.message', 'Bedrock response')
  const out: Fragment[] = [{ type: 'start' }]
  let last: LastText | undefined
  for (const [key, entry] of listAt(message.content, 'output.message.content', 'Bedrock response').entries()) {
    const block = objectAt(entry, `output.message.content[${key}]`, 'Bedrock response')
    last = readBlock(block, key, last, out)
  }
  readExtra(response, out)
  const reason = response.stopReason
  if (typeof reason === 'string') out.push(endFragment(reason))
  return fold(allWithOwnNames(out, options.parameterNames), { ...options, provider, idPrefix })
}

/** The last text. Citations in the blocks after it belong to it. `length` is in UTF-16 units. */
interface LastText {
  readonly key: BlockKey
  readonly length: number
}

function readBlock(
  block: JsonObject,
  key: BlockKey,
  last: LastText | undefined,
  out: Fragment[],
): LastText | undefined {
  const use = block.toolUse
  const cited = block.citationsContent
  if (isObject(use)) {
    out.push({ ...readCallFragment(use), key }, { type: 'close', key })
    return undefined
  }
  if (isObject(cited) && arrayOf(cited.content).length === 0 && last !== undefined) {
    const citations = arrayOf(cited.citations).filter(isObject)
    out.push({ type: 'patch', key: last.key, citations: citations.map((one) => decodeCitation(one, last.length)) })
    return last
  }
  const decoded = decodeBlock(block)
  // gpt-oss starts its answers with an empty text.
  if (decoded.type === 'text' && decoded.text === '' && decoded.citations === undefined) return last
  if (decoded.type !== 'text') {
    out.push({ type: 'block', block: decoded, key })
    return undefined
  }
  out.push({ type: 'block', block: decoded, key, open: true }) // its citations may follow in a block of their own
  return { key, length: decoded.text.length }
}

const answerFields: ReadonlySet<string> = new Set(['output', 'stopReason', 'usage', 'p'])

/** Reads the usage and the unknown fields of an answer. */
function readExtra(wire: JsonObject, out: Fragment[]): void {
  const usage = wire.usage
  if (isObject(usage)) out.push({ type: 'usage', usage: decodeUsage(usage) })
  keepUnknownOn('response', otherFields(wire, answerFields), format, out)
}

function endFragment(reason: string): Fragment {
  return { type: 'end', stopReason: lookup(stopReasons, reason) ?? 'other', rawStopReason: reason }
}

/** Reads the usage, in tokens. Bedrock counts cached input separately; here it is part of `inputTokens`. */
function decodeUsage(wire: JsonObject): Usage {
  const { inputTokens, outputTokens, totalTokens } = wire
  const { cacheReadInputTokens: cacheReadTokens, cacheWriteInputTokens: cacheWriteTokens } = wire
  return {
    ...settleUsage({ inputTokens, outputTokens, totalTokens, cacheReadTokens, cacheWriteTokens }, besideInput),
    providerData: { [format]: wire },
  }
}

// ---- a stream -----------------------------------------------------------------------------------

// Calls and results have a start event. Text, reasoning and citations start with their first delta.

/** State that is kept from event to event. */
interface DecodeState {
  isStarted: boolean
  /** The text that is still open, and its length in UTF-16 units. It stays open because its citations may be in the next block. */
  text: { readonly key: number; length: number } | undefined
  /** Citations by the key of their block. They are stored until their text is complete. */
  citations: { readonly key: number; readonly citation: JsonObject }[]
  /** The keys of reasoning blocks that have started. */
  readonly reasoning: Set<number>
  /** Blocks of all other types, such as images and results of tools that Bedrock ran. They are stored until they are complete. */
  readonly others: Map<number, JsonObject>
  stopReason: string | undefined
  isEnded: boolean
}

/**
 * Decodes one answer.
 *
 * @throws {ApiError} if an exception arrives, which can come after status 200 and part of the answer.
 * @throws {DecodeError} if an event is not a JSON object, or does not have a required field.
 */
export function decodeStream({ parameterNames }: DecodeStreamOptions = {}): Machine<Frame, Fragment> {
  const state: DecodeState = {
    isStarted: false,
    text: undefined,
    citations: [],
    reasoning: new Set(),
    others: new Map(),
    stopReason: undefined,
    isEnded: false,
  }
  const decoder: Machine<Frame, Fragment> = {
    push({ event = '', data }, out) {
      const body = objectAt(parseEvent(data || '{}', 'Bedrock event'), '', 'Bedrock event')
      if (event.startsWith('exception:')) throw decodeException(event.slice('exception:'.length), body)
      readEvent(state, event, body, out)
    },
    end(out) {
      endBlocks(state, out)
      end(state, out)
    },
  }
  return withOwnNames(decoder, parameterNames)
}

function readEvent(state: DecodeState, type: string, event: JsonObject, out: Fragment[]): void {
  const key = numberOr(event.contentBlockIndex, 0)
  switch (type) {
    case 'contentBlockDelta':
      readDelta(state, key, objectAt(event.delta, 'delta', 'Bedrock event'), out)
      return
    case 'messageStart':
      if (!state.isStarted) out.push({ type: 'start' })
      state.isStarted = true
      return
    case 'contentBlockStart':
      readStart(state, key, event.start, out)
      return
    case 'contentBlockStop':
      readStop(state, key, out)
      return
    case 'messageStop': {
      endBlocks(state, out)
      const { stopReason, ...more } = event
      readExtra(more, out)
      state.stopReason = stringAt(stopReason, 'stopReason', 'Bedrock event')
      out.push({ type: 'stop' })
      return
    }
    case 'metadata':
      readExtra(event, out)
      end(state, out)
  }
  // `initial-response` and unknown types are ignored.
}

/** Ends the answer. Bedrock sends the usage after the stop reason. An answer without usage is still complete. */
function end(state: DecodeState, out: Fragment[]): void {
  if (state.stopReason === undefined || state.isEnded) return
  state.isEnded = true
  out.push(endFragment(state.stopReason))
}

/** Ends all open blocks at the end of the answer, in case their own end event did not arrive. */
function endBlocks(state: DecodeState, out: Fragment[]): void {
  const [lone] = state.citations
  if (lone !== undefined && state.text === undefined) {
    state.text = { key: lone.key, length: 0 } // no text came before its citations
    out.push({ type: 'text', key: lone.key, text: '' })
  }
  for (const key of [...state.others.keys()]) readStop(state, key, out)
  closeText(state, -1, out)
}

/** Ends the open text when the block `key` starts. The text gets the stored citations, except those of the block `key`. */
function closeText(state: DecodeState, key: number, out: Fragment[]): void {
  closeCitations(state, (at) => at !== key, out)
  if (state.text !== undefined) out.push({ type: 'close', key: state.text.key })
  state.text = undefined
}

function readStart(state: DecodeState, key: number, start: Json | undefined, out: Fragment[]): void {
  const use = field(start, 'toolUse')
  const result = field(start, 'toolResult')
  if (isObject(use)) {
    closeText(state, key, out)
    out.push({ ...readCallFragment(use), key })
  } else addOther(state, key, isObject(result) ? { toolResult: { ...result, content: [] } } : start, out)
}

function readDelta(state: DecodeState, key: number, delta: JsonObject, out: Fragment[]): void {
  const { text, toolUse, reasoningContent, citation, toolResult } = delta
  if (typeof text === 'string') addText(state, key, text, out)
  else if (toolUse !== undefined && toolUse !== null) {
    const piece = field(toolUse, 'input')
    const args = isObject(piece) ? piece : stringAt(piece, 'delta.toolUse.input', 'Bedrock event')
    if (args !== '') out.push({ type: 'call', key, arguments: args })
  } else if (isObject(reasoningContent)) addReasoning(state, key, reasoningContent, out)
  else if (isObject(citation)) state.citations.push({ key, citation })
  else if (Array.isArray(toolResult)) addOther(state, key, { toolResult: { content: toolResult } }, out)
  else if (isObject(delta.image) || state.others.has(key)) addOther(state, key, delta, out)
}

/**
 * Adds a part to a block of another type, such as an image. Strings, such as base64, and lists are appended. An empty start event is
 * ignored.
 */
function addOther(state: DecodeState, key: number, part: Json | undefined, out: Fragment[]): void {
  if (!isObject(part) || !Object.values(part).some(isObject)) return
  closeText(state, key, out)
  state.others.set(key, grown(state.others.get(key), part) as JsonObject)
}

function grown(before: Json | undefined, part: Json): Json {
  if (typeof before === 'string' && typeof part === 'string') return before + part
  if (Array.isArray(before) && Array.isArray(part)) return [...before, ...part]
  if (!isObject(before) || !isObject(part)) return part
  return {
    ...before,
    ...Object.fromEntries(Object.entries(part).map(([name, one]) => [name, grown(field(before, name), one)])),
  }
}

/** Adds a piece of text. Empty deltas are common, so they are ignored. A block that has only empty deltas is not reported. */
function addText(state: DecodeState, key: number, text: string, out: Fragment[]): void {
  if (text === '') return
  if (state.text?.key !== key) {
    closeText(state, key, out)
    state.text = { key, length: 0 }
  }
  state.text.length += text.length
  out.push({ type: 'text', key, text })
}

function addReasoning(state: DecodeState, key: number, content: JsonObject, out: Fragment[]): void {
  const { text, signature, redactedContent } = content
  closeText(state, key, out)
  if (typeof redactedContent === 'string') {
    if (redactedContent === '') return
    out.push({ type: 'block', block: { type: 'reasoning', text: '', opaque: proof({ redactedContent }) } })
    return
  }
  if (!state.reasoning.has(key)) out.push({ type: 'block', key, open: true, block: { type: 'reasoning', text: '' } })
  state.reasoning.add(key)
  if (typeof text === 'string' && text !== '') out.push({ type: 'reasoning', key, text })
  const whole = textOr(signature, undefined) // a later signature replaces an earlier one
  if (whole !== undefined) out.push({ type: 'patch', key, opaque: proof({ signature: whole }) })
}

/** Emits the stored citations of the blocks that `isDue` selects. A block without text has citations for the text before it. */
function closeCitations(state: DecodeState, isDue: (key: number) => boolean, out: Fragment[]): void {
  const last: LastText | undefined = state.text
  const due = state.citations.filter(({ key }) => isDue(key))
  if (due.length === 0 || last === undefined) return
  state.citations = state.citations.filter(({ key }) => !isDue(key))
  out.push({
    type: 'patch',
    key: last.key,
    citations: due.map(({ citation }) => decodeCitation(citation, last.length)),
  })
}

function readStop(state: DecodeState, key: number, out: Fragment[]): void {
  closeCitations(state, () => true, out)
  const other = state.others.get(key)
  state.others.delete(key)
  if (other !== undefined) out.push({ type: 'block', block: decodeBlock(other) })
  else if (state.text?.key !== key) out.push({ type: 'close', key })
}
