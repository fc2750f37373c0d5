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

import { compact, field, isObject, lookup, stringOr, textOr } from '../../core/lookup.ts'
import type {
  CitationBlock,
  ContentBlock,
  ImageBlock,
  InvalidToolCall,
  Json,
  JsonObject,
  Opaque,
  ReasoningBlock,
  ServerToolCall,
  ServerToolResult,
  TextBlock,
  ToolCall,
  UnknownBlock,
} from '../../core/model.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { keptFields, writeAnnotation } from './content.ts'
import { reasoningText } from './items.ts'
import { format, type HostedCall, hostedCalls, hostedResults } from './tables.ts'
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

/** An item before the whole turn is known. */
interface Draft {
  readonly item: JsonObject
  /** The id of the reasoning item that this item belongs to. */
  readonly after: string | undefined
  /** Whether its reasoning was left out. Then the id of the item must not be sent. */
  readonly isCutOff: boolean
  /** Whether the item is a message whose text did not come from this wire. Then the short form is enough. */
  readonly isPlain: boolean
}

interface Turn {
  readonly scope: TurnScope
  readonly path: string
  /** Results that are part of the item of their call, by the id of the call. */
  readonly results: ReadonlyMap<string, ServerToolResult>
  readonly drafts: Draft[]
  /** Whether the last reasoning was left out. */
  isCutOff: boolean
}

/** Turns the blocks and the invalid calls of one turn into items. */
export function encodeTurn(
  blocks: readonly ContentBlock[],
  invalidCalls: readonly InvalidToolCall[],
  path: string,
  scope: TurnScope,
): JsonObject[] {
  const results = new Map<string, ServerToolResult>()
  for (const block of blocks) {
    if (block.type === 'server_tool_result' && block.opaque === undefined) results.set(block.toolCallId ?? '', block)
  }
  const turn: Turn = { scope, path, results, drafts: [], isCutOff: false }
  const waiting = [...invalidCalls].sort((one, other) => one.index - other.index)
  const addInvalid = (call: InvalidToolCall) =>
    addInvalidCall(turn, call, `${path}.invalidToolCalls[${invalidCalls.indexOf(call)}]`)
  for (const [at, block] of blocks.entries()) {
    while (block.type === 'tool_call' && waiting[0] !== undefined && waiting[0].index < block.index) {
      addInvalid(waiting.shift() as InvalidToolCall)
    }
    addBlock(turn, block, `${path}.content[${at}]`)
  }
  for (const call of waiting) addInvalid(call)
  return finishTurn(turn)
}

function addBlock(turn: Turn, block: ContentBlock, path: string): void {
  if (block.metadata?.cacheHint !== undefined && turn.scope.reader !== 'answer')
    reportLoss(turn.scope.losses, 'dropped', `${path}.metadata.cacheHint`, reasons.cacheHint, 'info')
  switch (block.type) {
    case 'text':
      addText(turn, block, path)
      break
    case 'plain_text':
      addText(turn, { type: 'text', text: block.text }, path)
      break
    case 'reasoning':
      addReasoning(turn, block, path)
      break
    case 'tool_call':
      addCall(turn, block)
      break
    case 'server_tool_call':
      addHosted(turn, block, path)
      break
    case 'server_tool_result':
      addResult(turn, block, path)
      break
    case 'image':
      addImage(turn, block, path)
      break
    case 'unknown':
      addUnknown(turn, block, path)
      break
    default:
      reportLoss(turn.scope.losses, 'dropped', path, `a block of type "${block.type}" cannot be output here`, 'major')
  }
}

/** Adds an item. `reasoningId` is a field of isoglot's proofs, not of the wire, so the item does not have it. */
function add(turn: Turn, { reasoningId, ...item }: JsonObject, isPlain = false): void {
  turn.drafts.push({ item, after: stringOr(reasoningId, undefined), isCutOff: turn.isCutOff, isPlain })
}

// ---- messages ---------------------------------------------------------------------------------

function addText(turn: Turn, block: TextBlock, path: string): void {
  const { message, ...kept } = keptFields(block)
  const proof = turn.scope.proof(block.opaque)
  addPart(
    turn,
    encodeText(block, kept, turn, path, proof !== undefined),
    proof,
    isObject(message) ? message : undefined,
  )
}

function encodeText(block: TextBlock, kept: JsonObject, { scope }: Turn, path: string, isOwn: boolean): JsonObject {
  if (block.refusal) return { ...kept, type: 'refusal', refusal: block.text }
  const citations = block.citations ?? []
  const readable = scope.reader === 'answer' ? citations : citations.filter((one) => isReadable(one, isOwn))
  if (readable.length < citations.length) {
    reportLoss(scope.losses, 'dropped', `${path}.citations`, reasons.citations)
  }
  const annotations = readable.map((one) => writeAnnotation(one, block.text)) as unknown as Json
  const logprobs = scope.reader === 'answer' && { logprobs: [] }
  return { ...logprobs, ...kept, type: 'output_text', text: block.text, annotations }
}

/** Whether the server accepts a citation: it came from this wire, and has all required fields. A server accepts its own, even incomplete. */
function isReadable({ providerData, title, startIndex, endIndex }: CitationBlock, isOwn: boolean): boolean {
  const own = providerData?.[format]
  if (own === undefined || isOwn || own.type !== 'url_citation') return own !== undefined
  return title !== undefined && startIndex !== undefined && endIndex !== undefined
}

/** Adds a part of a message. Parts that came in one item are written in one item again. */
function addPart(turn: Turn, part: Json, proof: JsonObject | undefined, message: JsonObject | undefined): void {
  const last = turn.drafts.at(-1)?.item
  const content = last?.type === 'message' ? last.content : undefined
  const isSame = last !== undefined && last.id === proof?.id && (message === undefined || last.phase === message.phase)
  if (isSame && Array.isArray(content)) {
    content.push(part)
    return
  }
  const isPlain = proof === undefined && message === undefined
  add(turn, { ...message, ...proof, type: 'message', role: 'assistant', content: [part] }, isPlain)
}

// ---- reasoning --------------------------------------------------------------------------------

function addReasoning(turn: Turn, block: ReasoningBlock, path: string): void {
  const proof = turn.scope.proof(block.opaque)
  const reason = whyUnsendable(proof, turn.scope)
  if (reason !== undefined) {
    reportLoss(turn.scope.losses, 'dropped', path, reason)
    turn.isCutOff = true
    return
  }
  turn.isCutOff = false
  if (block.opaque !== undefined && proof === undefined) {
    reportLoss(turn.scope.losses, 'dropped', `${path}.opaque`, reasons.foreignProof, 'info')
  }
  add(turn, encodeReasoning(block, proof ?? {}))
}

/** Returns why reasoning cannot be sent, or `undefined` if it can. */
function whyUnsendable(proof: JsonObject | undefined, { reader }: TurnScope): string | undefined {
  if (reader === 'answer') return undefined
  if (proof === undefined) return 'it is reasoning without a proof that is valid here'
  const isEncrypted = textOr(field(proof, 'encrypted_content'), undefined) !== undefined
  return reader === 'stateless' && !isEncrypted
    ? 'it is reasoning that only a server that stores it would know'
    : undefined
}

/** Writes the original parts, unless the text was changed. The proof has the parts only if the text is not enough to write them. */
function encodeReasoning(block: ReasoningBlock, { status, ...proof }: JsonObject): JsonObject {
  const summary = block.text === '' ? [] : [{ type: 'summary_text', text: block.text }]
  const isSame = !('summary' in proof) || reasoningText(proof) === block.text
  const { content: _, ...changed } = proof
  // The server refuses a reasoning item with "status": null.
  const kept = compact({ status: stringOr(status, undefined), type: 'reasoning' })
  return isSame ? { summary, ...proof, ...kept } : { ...changed, summary, ...kept }
}

// ---- calls ------------------------------------------------------------------------------------

function addCall(turn: Turn, call: ToolCall): void {
  const proof = turn.scope.proof(call.opaque)
  const wrapper = wrapperOf(call)
  if (wrapper === undefined) add(turn, { ...proof, ...encodeCall(call) } as JsonObject)
  else if (turn.drafts.at(-1)?.item.call_id !== wrapper.call_id) {
    add(turn, { ...proof, type: 'function_call', name: wrapperName, ...wrapper })
  }
}

function addInvalidCall(turn: Turn, call: InvalidToolCall, path: string): void {
  if (call.id === undefined || call.name === undefined) {
    reportLoss(turn.scope.losses, 'dropped', path, reasons.namelessCall)
    return
  }
  const { type: _, ...kept } = keptFields(call)
  const { id: call_id, name, argumentsText } = call
  const proof = turn.scope.proof(call.opaque)
  add(turn, { ...kept, ...proof, type: 'function_call', call_id, name, arguments: argumentsText })
}

/** Adds a call that the server ran, together with its result, as one item. Only the provider that ran it accepts the item. */
function addHosted(turn: Turn, call: ServerToolCall, path: string): void {
  const proof = turn.scope.proof(call.opaque)
  if (proof === undefined) {
    reportLoss(turn.scope.losses, 'dropped', path, reasons.serverTool)
    return
  }
  add(turn, encodeHosted(call, turn.results.get(call.id ?? ''), proof))
}

export function encodeHosted(
  call: ServerToolCall,
  result: ServerToolResult | undefined,
  proof: JsonObject,
): JsonObject {
  const hosted = lookup(hostedCalls, proof.type)
  if (hosted === undefined) return proof // the server reported it as a client's call, and the proof has the whole item
  const item = { ...proof, ...hostedInput(call, proof, hosted) }
  const isRepeated = proof.error !== undefined && JSON.stringify(proof.error) === JSON.stringify(result?.output)
  if (result === undefined || isRepeated) return item
  const isOutput = hosted.output !== undefined && !Object.hasOwn(proof, hosted.output)
  return { ...item, [isOutput ? (hosted.output as string) : 'error']: (result.output ?? null) as Json }
}

function hostedInput(call: ServerToolCall, proof: JsonObject, { input }: HostedCall): JsonObject {
  if (typeof proof.arguments === 'string') {
    return { arguments: call.argumentsText ?? JSON.stringify(call.arguments) }
  }
  if (typeof input !== 'string') return call.arguments
  const isGiven = !Object.hasOwn(proof, input) && Object.keys(call.arguments).length > 0
  return isGiven ? { [input]: call.arguments } : {}
}

/** Adds the result of a server call. It is a separate item, or part of the item of its call. */
function addResult(turn: Turn, result: ServerToolResult, path: string): void {
  const proof = turn.scope.proof(result.opaque)
  const own = lookup(hostedResults, proof?.type)
  if (own !== undefined) {
    add(turn, { ...proof, [own.output]: (result.output ?? null) as Json })
    return
  }
  const isTaken = turn.drafts.some(({ item }) => item.id === result.toolCallId)
  if (!isTaken) reportLoss(turn.scope.losses, 'dropped', path, reasons.serverTool)
}

// ---- images and unknown items ------------------------------------------------------------------

function addImage(turn: Turn, block: ImageBlock, path: string): void {
  const proof = turn.scope.proof(block.opaque)
  const isAnswer = turn.scope.reader === 'answer'
  if (block.data === undefined || (proof === undefined && !isAnswer)) {
    reportLoss(
      turn.scope.losses,
      'dropped',
      path,
      'an image of an assistant goes back only to the provider that made it',
      'major',
    )
    return
  }
  add(turn, { status: 'completed', ...proof, type: 'image_generation_call', result: block.data })
}

function addUnknown(turn: Turn, block: UnknownBlock, path: string): void {
  const { scope } = turn
  if (block.format !== format || !isObject(block.value)) {
    reportLoss(scope.losses, 'dropped', path, reasons.foreignBlock)
    return
  }
  const { part, proof } = keptFields(block)
  if (part === true) addPart(turn, block.value, isObject(proof) && scope.isOwn ? proof : undefined, undefined)
  else if (scope.isOwn)
    turn.drafts.push({ item: block.value, after: undefined, isCutOff: turn.isCutOff, isPlain: false })
  else reportLoss(scope.losses, 'dropped', path, `"${block.providerType}" is an item of another provider`)
}

// ---- pairing ----------------------------------------------------------------------------------

/** Fields that only answers have. They are not sent back. */
const answerOnly: ReadonlySet<string> = new Set(['created_by', 'parsed', 'parsed_arguments'])

function finishTurn({ drafts, scope, path }: Turn): JsonObject[] {
  if (scope.reader === 'answer') return drafts.map(({ item }) => item)
  while (drafts.at(-1)?.item.type === 'reasoning') {
    reportLoss(scope.losses, 'dropped', `${path}.content`, 'reasoning is refused without the item that follows it')
    drafts.pop()
  }
  const reasoned = new Set(drafts.flatMap(({ item }) => (item.type === 'reasoning' ? stringOr(item.id, []) : [])))
  return drafts.map(({ item, after, isCutOff, isPlain }) => {
    const isSeparated = isCutOff || (after !== undefined && !reasoned.has(after))
    return (isPlain ? shortForm(item) : undefined) ?? withoutFields(item, isSeparated)
  })
}

/** Returns the short form of a message that has only one text. Some servers are strict about the long form, but accept the short one. */
function shortForm({ content }: JsonObject): JsonObject | undefined {
  const [part, second] = Array.isArray(content) ? content : []
  if (second !== undefined || field(part, 'type') !== 'output_text' || !isObject(part)) return undefined
  const isBare = Object.keys(part).length === 3 && Array.isArray(part.annotations) && part.annotations.length === 0
  return isBare ? { role: 'assistant', content: part.text ?? '' } : undefined
}

function withoutFields(item: JsonObject, isSeparated: boolean): JsonObject {
  const entries = Object.entries(item).filter(([name]) => !answerOnly.has(name) && !(isSeparated && name === 'id'))
  return entries.length === Object.keys(item).length ? item : Object.fromEntries(entries)
}
