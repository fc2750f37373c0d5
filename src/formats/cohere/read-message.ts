/**
 * Cohere Chat v2: what whole messages and streams are read with in the same way.
 *
 * A citation may follow the end of its text, so the block of a text stays open until another begins.
 *
 * @module
 */
import type { Fragment } from '../../core/codec.ts'
import { arrayOf, field, isObject, lookup, numberOr, objectIn, otherFields, textOr } from '../../core/lookup.ts'
import type { Json, JsonObject, Usage } from '../../core/model.ts'
import { settleUsage, tokenCount } from '../../core/usage.ts'
import { decodeCitation, isOfText } from './citations.ts'
import { listAt, objectAt, restOf, type Subject, stringAt, unknownPart } from './content.ts'
import { decodeError } from './errors.ts'
import { format, stopReasons } from './tables.ts'
import { readCallFragment } from './tools.ts'

/** State between two pieces of an answer. */
export interface ReadState {
  /** Pieces of what may be cited, by the wire's index of the content. */
  readonly texts: Map<number, string[]>
  /** Those whose text has not ended. */
  readonly citations: JsonObject[]
  readonly otherCitations: Json[]
  /** Contents of kinds that we do not know, until they are whole. */
  readonly unknown: Map<number, JsonObject>
  hasPlan: boolean
  /** One entry a token, where they were asked for. */
  readonly logprobs: Json[]
}

export function newState(): ReadState {
  return { texts: new Map(), citations: [], otherCitations: [], unknown: new Map(), hasPlan: false, logprobs: [] }
}

/** Where the contents, the calls and the plan of an answer stand: each has a count of its own. */
export const keyOf = { content: (at: number) => `content ${at}`, call: (at: number) => `call ${at}`, plan: 'plan' }

const messageFields: ReadonlySet<string> = new Set(['role', 'content', 'tool_plan', 'tool_calls', 'citations'])

/** A whole message: what is said, the plan, the calls. */
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

/** Appends what is known only at the end of a message, and contents whose own end never came. */
export function endMessage(state: ReadState, out: Fragment[]): void {
  for (const at of [...state.unknown.keys()]) endContent(state, at, out)
  endTexts(state, out)
  const { otherCitations: citations } = state
  if (citations.length > 0) out.push({ type: 'extra', on: 'message', providerData: { [format]: { citations } } })
}

function textParts(text: string): Json[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

/** A content, or the beginning of one. */
export function startContent(state: ReadState, at: number, part: JsonObject, out: Fragment[]): void {
  const key = keyOf.content(at)
  // Some hosts begin with only the type.
  const { type, text = type === 'text' ? '' : undefined, thinking = type === 'thinking' ? '' : undefined } = part
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

/** The plan has neither a beginning nor an end of its own. */
export function addPlan(state: ReadState, text: string, out: Fragment[]): void {
  if (text === '') return
  const block = { type: 'reasoning', text: '', providerData: { [format]: { toolPlan: true } } } as const
  if (!state.hasPlan) out.push({ type: 'block', key: keyOf.plan, open: true, block })
  state.hasPlan = true
  out.push({ type: 'reasoning', key: keyOf.plan, text })
}

/**
 * Ends the texts so far, with their citations; what is cited later is added to them all the same. Citations of thinking and of plans have
 * no block that could hold them, and are kept with the message.
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

/** Figures of the answer, beside what was paid. Images are counted apart from the other input. */
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
 * The end of an answer: why, the figures, and what else is said of it.
 *
 * @throws {ApiError} if it ended with an error, and says which.
 */
export function readEnd(state: ReadState, end: JsonObject, out: Fragment[]): void {
  const usage = field(end, 'usage')
  if (isObject(usage)) out.push({ type: 'usage', usage: decodeUsage(usage) })
  const { logprobs } = state
  const kept = { ...otherFields(end, endFields), ...(logprobs.length > 0 && { logprobs }) }
  if (Object.keys(kept).length > 0) out.push({ type: 'extra', providerData: { [format]: kept } })
  const error = textOr(field(end, 'error'), undefined)
  if (error !== undefined) throw decodeError({ status: 0, headers: noHeaders, body: { message: error } })
  const word = field(end, 'finish_reason')
  if (typeof word === 'string')
    out.push({ type: 'end', stopReason: lookup(stopReasons, word) ?? 'other', rawStopReason: word })
}

export const noHeaders = { get: () => null }
