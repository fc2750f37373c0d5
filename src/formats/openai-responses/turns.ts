/**
 * OpenAI Responses: turns an assistant's blocks into items, for the history of a request and for the output of an answer.
 *
 * A reasoning item and the items after it belong together. The server refuses a reasoning item if no item follows it, and it refuses an
 * item with an id if its reasoning is missing. So the id of an item is sent back only if its reasoning is sent before it.
 *
 * @see https://platform.openai.com/docs/guides/reasoning#keeping-reasoning-items-in-context
 *
 * @module
 */

import { arrayOf, compact, isObject, lookup, stringOr, textOr, unlessEmpty } from '../../core/lookup.ts'
import type {
  CitationBlock,
  ContentBlock,
  Json,
  JsonObject,
  Opaque,
  ReasoningBlock,
  ServerToolCall,
  TextBlock,
} from '../../core/model.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { keptFields, writeAnnotation } from './content.ts'
import { reasoningText, summaryOf } from './items.ts'
import { format, hostedItems } from './tables.ts'
import { encodeCall, wrapperName, wrapperOf } from './tools.ts'

/** For which reader the items are written. */
export interface TurnScope {
  readonly losses: Losses
  /** Returns the data of the proof, if it may be sent to this reader. */
  proof(opaque: Opaque | undefined): JsonObject | undefined
  /**
   * `answer`: a client, which gets everything. `stored`: a server that has the earlier items stored. `stateless`: a server that has not
   * stored them, so reasoning is sent back only in encrypted form.
   */
  readonly reader: 'answer' | 'stored' | 'stateless'
  /** Whether unknown items came from this reader. If not, they are not sent. */
  readonly isOwn: boolean
}

interface Turn {
  readonly scope: TurnScope
  readonly items: JsonObject[]
  /** Items of calls that the server ran, by the id of the call. A result may be part of the item of its call. */
  readonly hosted: Map<string | undefined, JsonObject>
  /** The message that the last item is, and its id, which the item itself may not have. The next part may belong to it. */
  message: { readonly item: JsonObject; readonly id: Json | undefined; readonly content: Json[] } | undefined
  /** The id of the last reasoning; `null` if it was left out. */
  reasoning: Json | undefined
}

/** Turns the blocks of one turn into items. */
export function encodeTurn(blocks: readonly ContentBlock[], path: string, scope: TurnScope): JsonObject[] {
  const items: JsonObject[] = []
  const turn: Turn = { scope, items, hosted: new Map(), message: undefined, reasoning: undefined }
  for (const [at, block] of blocks.entries()) {
    const item = encodeBlock(turn, block, `${path}.content[${at}]`)
    if (item !== undefined) add(turn, item)
  }
  while (scope.reader !== 'answer' && items.at(-1)?.type === 'reasoning') {
    reportLoss(scope.losses, 'dropped', `${path}.content`, 'reasoning is refused without the item that follows it')
    items.pop()
  }
  return items
}

/** Returns the item of a block; `undefined` if the block is part of another item, or if it was dropped with a loss. */
function encodeBlock(turn: Turn, block: ContentBlock, path: string): object | undefined {
  const { losses, reader, isOwn } = turn.scope
  const proof = turn.scope.proof('opaque' in block ? block.opaque : undefined)
  const drop = (reason: string, severity?: 'major') => void reportLoss(losses, 'dropped', path, reason, severity)
  switch (block.type) {
    case 'text':
    case 'plain_text':
      return addText(turn, block, proof, path)
    case 'reasoning': {
      const known = reader === 'stored' ? proof : textOr(proof?.encrypted_content, undefined)
      const isSent = reader === 'answer' || known !== undefined
      turn.reasoning = isSent ? (proof?.id ?? undefined) : null
      return isSent ? encodeReasoning(block, proof) : drop(reasons.reasoningProof)
    }
    case 'tool_call': {
      const wrapper = wrapperOf(block)
      if (wrapper === undefined) return { ...proof, ...encodeCall(block) }
      const isWritten = turn.items.at(-1)?.call_id === wrapper.call_id
      return isWritten ? undefined : { ...proof, type: 'function_call', name: wrapperName, ...wrapper }
    }
    case 'server_tool_call':
      if (proof === undefined) return drop(reasons.serverTool)
      turn.hosted.set(block.id, add(turn, encodeHosted(block, proof)))
      return undefined
    case 'server_tool_result': {
      const item = proof ?? turn.hosted.get(block.toolCallId)
      if (item === undefined) return drop(reasons.serverTool)
      const { output = 'error' } = lookup(hostedItems, item.type) ?? {}
      const result = { [item.error ? 'error' : output]: (block.output ?? null) as Json }
      if (proof !== undefined) return { ...proof, ...result }
      Object.assign(item, result)
      return undefined
    }
    case 'image':
      if (block.data !== undefined && (proof !== undefined || reader === 'answer'))
        return { status: 'completed', ...proof, type: 'image_generation_call', result: block.data }
      return drop('an image of an assistant goes back only to the provider that made it', 'major')
    case 'unknown': {
      const { part, proof: own } = keptFields(block)
      if (block.format !== format || !isObject(block.value)) return drop(reasons.foreignBlock)
      if (part === true) return addPart(turn, block.value, isOwn && isObject(own) ? own : undefined)
      return isOwn ? block.value : drop(`"${block.providerType}" is an item of another provider`)
    }
    default:
      return drop(`a block of type "${block.type}" cannot be output here`, 'major')
  }
}

/** Adds an item. In a request it has its id only if its reasoning is sent before it, and no field that only answers have. */
function add(turn: Turn, data: object): JsonObject {
  const { reasoningId, ...item } = data as JsonObject // `reasoningId` is a field of isoglot's proofs, not of the wire
  if (turn.scope.reader !== 'answer') {
    for (const name of answerOnly) delete item[name]
    const isSeparated = turn.reasoning === null || (reasoningId !== undefined && reasoningId !== turn.reasoning)
    if (isSeparated) delete item.id
  }
  turn.items.push(item)
  turn.message = undefined
  return item
}

/** Fields that only answers have. They are not sent back. */
const answerOnly: readonly string[] = ['created_by', 'parsed', 'parsed_arguments']

// ---- messages ---------------------------------------------------------------------------------

function addText(
  turn: Turn,
  block: TextBlock | (ContentBlock & { type: 'plain_text' }),
  proof: JsonObject | undefined,
  path: string,
): undefined {
  const { message, ...kept } = keptFields(block)
  const { text, refusal, citations = [] } = block as TextBlock
  const { losses, reader } = turn.scope
  const readable = citations.filter((one) => reader === 'answer' || isReadable(one, proof !== undefined))
  if (readable.length < citations.length) reportLoss(losses, 'dropped', `${path}.citations`, reasons.citations)
  const part: JsonObject = refusal
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', text, annotations: readable.map(writeAnnotation) }
  return addPart(turn, { ...kept, ...part }, proof, isObject(message) ? message : undefined)
}

/** Whether the server accepts a citation: it came from this wire, and has all required fields. A server accepts its own, even incomplete. */
function isReadable({ providerData, title, startIndex, endIndex }: CitationBlock, isOwn: boolean): boolean {
  const own = providerData?.[format]
  if (own === undefined || isOwn || own.type !== 'url_citation') return own !== undefined
  return title !== undefined && startIndex !== undefined && endIndex !== undefined
}

/**
 * Adds a part of a message. Parts that came in one item are written in one item again. A message of one bare text that did not come from this
 * wire has the short form: some servers are strict about the long form, but accept the short one.
 */
function addPart(turn: Turn, part: JsonObject, proof: JsonObject | undefined, fields?: JsonObject): undefined {
  const { message } = turn
  const isSame = message?.id === proof?.id && (fields === undefined || message?.item.phase === fields.phase)
  if (message !== undefined && isSame) {
    message.content.push(part)
    const { item, content } = message
    if (item.type === undefined) turn.items.splice(-1, 1, { type: 'message', role: 'assistant', content })
    return
  }
  const content: Json[] = [part]
  const { type, text = '', annotations, ...rest } = part
  const isBare = type === 'output_text' && arrayOf(annotations).length === 0 && !unlessEmpty(rest)
  const isShort = isBare && proof === undefined && fields === undefined
  const whole = { ...fields, ...proof, type: 'message', role: 'assistant', content }
  turn.message = { item: add(turn, isShort ? { role: 'assistant', content: text } : whole), id: proof?.id, content }
}

// ---- reasoning --------------------------------------------------------------------------------

/** Writes the original parts, unless the text was changed. The proof has the parts only if the text is not enough to write them. */
function encodeReasoning({ text }: ReasoningBlock, proof: JsonObject = {}): JsonObject {
  const { status, summary, content, ...rest } = proof
  const isChanged = summary !== undefined && reasoningText(proof) !== text
  return compact({
    ...rest,
    type: 'reasoning',
    status: stringOr(status, undefined), // the server refuses null
    summary: isChanged ? summaryOf(text) : (summary ?? summaryOf(text)),
    content: isChanged ? undefined : content,
  }) as JsonObject
}

// ---- tools that the server runs ---------------------------------------------------------------

/** Writes the item of a call, with the fields that the proof does not have. */
function encodeHosted(
  { arguments: given, argumentsText = JSON.stringify(given) }: ServerToolCall,
  proof: JsonObject,
): JsonObject {
  const { input } = lookup(hostedItems, proof.type) ?? {}
  if (input === undefined) return proof // the server reported it as a client's call, and the proof has the whole item
  if (typeof input !== 'string') return { ...proof, ...given }
  if (typeof proof[input] === 'string') return { ...proof, [input]: argumentsText }
  return proof[input] === undefined && unlessEmpty(given) ? { ...proof, [input]: given } : proof
}
