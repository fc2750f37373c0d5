/**
 * Cohere Chat v2: code that reads both whole messages and streams.
 *
 * A citation may follow the end of its text, so the block of a text stays open until another block begins.
 *
 * @module
 */
import type { Fragment } from '../../core/codec.ts'
import {
  arrayOf,
  compact,
  field,
  isObject,
  lookup,
  numberOr,
  objectIn,
  otherFields,
  textOr,
  unlessEmpty,
} from '../../core/lookup.ts'
import type { Json, JsonObject, Usage } from '../../core/model.ts'
import { settleUsage, tokenCount } from '../../core/usage.ts'
import { decodeCitation, isOfText } from './citations.ts'
import { listAt, objectAt, restOf, type Subject, stringAt, unknownPart } from './content.ts'
import { decodeError } from './errors.ts'
import { format, stopReasons } from './tables.ts'
import { readCallFragment } from './tools.ts'

/** State that is kept while an answer is read. */
export interface ReadState {
  /** The pieces of each text that a citation may refer to, by the index of its content. */
  readonly texts: Map<number, string[]>
  /** Citations whose text has not ended. */
  readonly citations: JsonObject[]
  /** Citations that do not belong to a text. They are kept with the message. */
  readonly otherCitations: Json[]
  /** Contents of unknown types, by index. Each is stored until it is complete. */
  readonly unknown: Map<number, JsonObject>
  hasPlan: boolean
  /** One entry for each token, if the request asked for them. */
  readonly logprobs: Json[]
}

export function newState(): ReadState {
  return { texts: new Map(), citations: [], otherCitations: [], unknown: new Map(), hasPlan: false, logprobs: [] }
}

/** The block keys of contents, calls and the plan. Contents and calls are counted separately, so an index would not be unique. */
export const keyOf = { content: (at: number) => `content ${at}`, call: (at: number) => `call ${at}`, plan: 'plan' }

const messageFields: ReadonlySet<string> = new Set(['role', 'content', 'tool_plan', 'tool_calls', 'citations'])

/** Reads a whole message: its contents, its plan and its calls. */
export function readMessage(
  state: ReadState,
  message: JsonObject,
  path: string,
  subject: Subject,
  out: Fragment[],
): void {
  const content = field(message, 'content')
  const parts = typeof content === 'string' ? textParts(content) : listAt(content, `${path}.content`, subject)
  for (const [at, part] of parts.entries()) {
    startContent(state, at, objectAt(part, `${path}.content[${at}]`, subject), out)
    endContent(state, at, out)
  }
  addPlan(state, stringAt(field(message, 'tool_plan'), `${path}.tool_plan`, subject), out)
  for (const [at, call] of listAt(field(message, 'tool_calls'), `${path}.tool_calls`, subject).entries()) {
    const key = keyOf.call(at)
    out.push({ ...readCallFragment(call, `${path}.tool_calls[${at}]`, subject), key }, { type: 'close', key })
  }
  state.citations.push(...arrayOf(field(message, 'citations')).filter(isObject))
  const kept = otherFields(message, messageFields)
  if (kept !== undefined) out.push({ type: 'extra', on: 'message', providerData: { [format]: kept } })
  endMessage(state, out)
}

/** Emits the citations at the end of a message, and any content that did not end. */
export function endMessage(state: ReadState, out: Fragment[]): void {
  for (const at of [...state.unknown.keys()]) endContent(state, at, out)
  endTexts(state, out)
  const { otherCitations: citations } = state
  if (citations.length > 0) out.push({ type: 'extra', on: 'message', providerData: { [format]: { citations } } })
}

function textParts(text: string): Json[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

/** Reads a whole content, or the start of a content. */
export function startContent(state: ReadState, at: number, part: JsonObject, out: Fragment[]): void {
  const key = keyOf.content(at)
  const { type } = part
  // Some hosts send only the type at the start.
  const text = part.text ?? (type === 'text' ? '' : undefined)
  const thinking = part.thinking ?? (type === 'thinking' ? '' : undefined)
  if (typeof text === 'string') {
    state.texts.set(at, [text])
    out.push({ type: 'block', key, open: true, block: { type: 'text', text, ...restOf(part, 'text') } })
  } else if (typeof thinking === 'string') {
    out.push({
      type: 'block',
      key,
      open: true,
      block: { type: 'reasoning', text: thinking, ...restOf(part, 'thinking') },
    })
  } else state.unknown.set(at, part)
}

export function endContent(state: ReadState, at: number, out: Fragment[]): void {
  const unknown = state.unknown.get(at)
  state.unknown.delete(at)
  if (unknown !== undefined) out.push({ type: 'block', block: unknownPart(unknown) })
  else if (!state.texts.has(at)) out.push({ type: 'close', key: keyOf.content(at) })
}

/** Adds a piece of the plan. Cohere does not send events for its start and end, so the first piece opens the block. */
export function addPlan(state: ReadState, text: string, out: Fragment[]): void {
  if (text === '') return
  const block = { type: 'reasoning', text: '', providerData: { [format]: { toolPlan: true } } } as const
  if (!state.hasPlan) out.push({ type: 'block', key: keyOf.plan, open: true, block })
  state.hasPlan = true
  out.push({ type: 'reasoning', key: keyOf.plan, text })
}

/**
 * Ends all texts read so far and adds their citations. A citation that arrives later is still added to its text. Citations of thinking and
 * of plans do not belong to a text block, so they are kept with the message.
 */
export function endTexts(state: ReadState, out: Fragment[]): void {
  const first = [...state.texts.keys()][0] ?? 0
  const wholes = new Map<number, string>()
  for (const citation of state.citations.splice(0)) {
    const at = numberOr(field(citation, 'content_index'), first)
    const pieces = isOfText(citation) ? state.texts.get(at) : undefined
    if (pieces === undefined) {
      state.otherCitations.push(citation)
      continue
    }
    const text = wholes.get(at) ?? pieces.join('')
    wholes.set(at, text)
    out.push({ type: 'patch', key: keyOf.content(at), citations: decodeCitation(citation, text) })
  }
  for (const at of state.texts.keys()) out.push({ type: 'close', key: keyOf.content(at) })
}

/** Reads the usage of an answer, in tokens. Cohere counts image tokens separately; here they are part of `inputTokens`. */
export function decodeUsage(wire: JsonObject): Usage {
  const tokens = objectIn(wire, 'tokens')
  const counted = Object.keys(tokens).length > 0 ? tokens : objectIn(wire, 'billed_units')
  const count = (name: string) => tokenCount(field(counted, name))
  const input = count('input_tokens')
  const inputTokens = input === undefined ? undefined : input + (count('image_tokens') ?? 0)
  const outputTokens = count('output_tokens')
  const totalTokens = inputTokens === undefined || outputTokens === undefined ? undefined : inputTokens + outputTokens
  const cacheReadTokens = tokenCount(field(wire, 'cached_tokens'))
  const reasoningTokens = count('reasoning_tokens')
  const cacheWriteTokens = undefined
  return {
    ...settleUsage({ inputTokens, outputTokens, totalTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens }),
    providerData: { [format]: wire },
  }
}

const endFields: ReadonlySet<string> = new Set(['id', 'type', 'message', 'finish_reason', 'usage', 'error'])

/**
 * Reads the end of an answer: its usage, its unknown fields and its stop reason.
 *
 * @throws {ApiError} if the answer has an `error`.
 */
export function readEnd(state: ReadState, end: JsonObject, out: Fragment[]): void {
  const usage = field(end, 'usage')
  if (isObject(usage)) out.push({ type: 'usage', usage: decodeUsage(usage) })
  const { logprobs } = state
  const kept = { ...otherFields(end, endFields), ...compact({ logprobs: unlessEmpty(logprobs) }) }
  if (Object.keys(kept).length > 0) out.push({ type: 'extra', providerData: { [format]: kept } })
  const error = textOr(field(end, 'error'), undefined)
  if (error !== undefined) throw decodeError({ status: 0, headers: noHeaders, body: { message: error } })
  const word = field(end, 'finish_reason')
  if (typeof word === 'string')
    out.push({ type: 'end', stopReason: lookup(stopReasons, word) ?? 'other', rawStopReason: word })
}

export const noHeaders = { get: () => null }
