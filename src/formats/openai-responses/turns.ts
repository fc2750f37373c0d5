/**
 * OpenAI Responses: from an assistant's blocks to items, for the history of a request and for the output of an answer.
 *
 * Reasoning and what follows it are one unit: the server refuses a reasoning item without its follower, and an item with an id without its
 * reasoning. So ids go back only where the reasoning they belong to goes before them, and never by themselves.
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

/** The reader of the items. */
export interface TurnScope {
  readonly into: Losses
  /** The proof, if it may go to this reader. */
  proof(opaque: Opaque | undefined): JsonObject | undefined
  /**
   * `answer`: a client, who gets everything. `stored`: the server, which knows the items. `stateless`: the server, which does not,
   * so that reasoning goes back in encrypted form or not at all.
   */
  readonly reader: 'answer' | 'stored' | 'stateless'
  /** Whether unknown items came from this reader. */
  readonly isOwn: boolean
}

/** An item on its way. */
interface Draft {
  readonly item: JsonObject
  /** The reasoning that the item belongs to. */
  readonly after: string | undefined
  /** Its reasoning was left out, so that its id may not be sent. */
  readonly isCutOff: boolean
  /** Text that did not come from this wire, so that the short form says it all. */
  readonly isPlain: boolean
}

interface Turn {
  readonly scope: TurnScope
  readonly path: string
  readonly results: ReadonlyMap<string, ServerToolResult>
  readonly drafts: Draft[]
  isCutOff: boolean
}

/** Turns the blocks of one turn into items. */
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
    reportLoss(turn.scope.into, 'dropped', `${path}.metadata.cacheHint`, reasons.cacheHint, 'info')
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
      reportLoss(turn.scope.into, 'dropped', path, `a block of type "${block.type}" cannot be output here`, 'major')
  }
}

/** `reasoningId` is a proof's, and no field of the wire. */
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
    reportLoss(scope.into, 'dropped', `${path}.citations`, reasons.citations)
  }
  const annotations = readable.map((one) => writeAnnotation(one, block.text)) as unknown as Json
  const logprobs = scope.reader === 'answer' && { logprobs: [] }
  return { ...logprobs, ...kept, type: 'output_text', text: block.text, annotations }
}

/** Of this wire, and with all fields that it requires; who left some out, such as xAI, knows its own. */
function isReadable({ providerData, title, startIndex, endIndex }: CitationBlock, isOwn: boolean): boolean {
  const own = providerData?.[format]
  if (own === undefined || isOwn || own.type !== 'url_citation') return own !== undefined
  return title !== undefined && startIndex !== undefined && endIndex !== undefined
}

/** Parts of one item stand in it together again. */
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
    reportLoss(turn.scope.into, 'dropped', path, reason)
    turn.isCutOff = true
    return
  }
  turn.isCutOff = false
  if (block.opaque !== undefined && proof === undefined) {
    reportLoss(turn.scope.into, 'dropped', `${path}.opaque`, reasons.foreignProof, 'info')
  }
  add(turn, encodeReasoning(block, proof ?? {}))
}

function whyUnsendable(proof: JsonObject | undefined, { reader }: TurnScope): string | undefined {
  if (reader === 'answer') return undefined
  if (proof === undefined) return 'it is reasoning without a proof that is valid here'
  const isEncrypted = textOr(field(proof, 'encrypted_content'), undefined) !== undefined
  return reader === 'stateless' && !isEncrypted
    ? 'it is reasoning that only a server that stores it would know'
    : undefined
}

/** The parts as they came, unless the text was changed since. Parts are kept only where they are more than one text. */
function encodeReasoning(block: ReasoningBlock, { status, ...proof }: JsonObject): JsonObject {
  const summary = block.text === '' ? [] : [{ type: 'summary_text', text: block.text }]
  const isSame = !('summary' in proof) || reasoningText(proof) === block.text
  const { content: _, ...changed } = proof
  // "status": null on a reasoning item is refused.
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
    reportLoss(turn.scope.into, 'dropped', path, reasons.namelessCall)
    return
  }
  const { type: _, ...kept } = keptFields(call)
  const { id: call_id, name, argumentsText } = call
  const proof = turn.scope.proof(call.opaque)
  add(turn, { ...kept, ...proof, type: 'function_call', call_id, name, arguments: argumentsText })
}

/** A call that the server ran, with what came of it: one item, and only for who made it. */
function addHosted(turn: Turn, call: ServerToolCall, path: string): void {
  const proof = turn.scope.proof(call.opaque)
  if (proof === undefined) {
    reportLoss(turn.scope.into, 'dropped', path, reasons.serverTool)
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
  if (hosted === undefined) return proof // reported as a client's call, and whole in its proof
  const item = { ...proof, ...hostedInput(call, proof, hosted) }
  const isSaid = proof.error !== undefined && JSON.stringify(proof.error) === JSON.stringify(result?.output)
  if (result === undefined || isSaid) return item
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

/** A result is part of its call's item, or an item of its own. */
function addResult(turn: Turn, result: ServerToolResult, path: string): void {
  const proof = turn.scope.proof(result.opaque)
  const own = lookup(hostedResults, proof?.type)
  if (own !== undefined) {
    add(turn, { ...proof, [own.output]: (result.output ?? null) as Json })
    return
  }
  const isTaken = turn.drafts.some(({ item }) => item.id === result.toolCallId)
  if (!isTaken) reportLoss(turn.scope.into, 'dropped', path, reasons.serverTool)
}

// ---- images and what is unknown ---------------------------------------------------------------

function addImage(turn: Turn, block: ImageBlock, path: string): void {
  const proof = turn.scope.proof(block.opaque)
  const isAnswer = turn.scope.reader === 'answer'
  if (block.data === undefined || (proof === undefined && !isAnswer)) {
    reportLoss(
      turn.scope.into,
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
    reportLoss(scope.into, 'dropped', path, reasons.foreignBlock)
    return
  }
  const { part, proof } = keptFields(block)
  if (part === true) addPart(turn, block.value, isObject(proof) && scope.isOwn ? proof : undefined, undefined)
  else if (scope.isOwn)
    turn.drafts.push({ item: block.value, after: undefined, isCutOff: turn.isCutOff, isPlain: false })
  else reportLoss(scope.into, 'dropped', path, `"${block.providerType}" is an item of another provider`)
}

// ---- pairing ----------------------------------------------------------------------------------

/** Fields that only an answer has. */
const answerOnly: ReadonlySet<string> = new Set(['created_by', 'parsed', 'parsed_arguments'])

function finishTurn({ drafts, scope, path }: Turn): JsonObject[] {
  if (scope.reader === 'answer') return drafts.map(({ item }) => item)
  while (drafts.at(-1)?.item.type === 'reasoning') {
    reportLoss(scope.into, 'dropped', `${path}.content`, 'reasoning is refused without the item that follows it')
    drafts.pop()
  }
  const reasoned = new Set(drafts.flatMap(({ item }) => (item.type === 'reasoning' ? stringOr(item.id, []) : [])))
  return drafts.map(({ item, after, isCutOff, isPlain }) => {
    const isAlone = isCutOff || (after !== undefined && !reasoned.has(after))
    return (isPlain ? shortForm(item) : undefined) ?? withoutFields(item, isAlone)
  })
}

/** The short form of a message, if it is one text and nothing else: servers that are strict about the long one take it. */
function shortForm({ content }: JsonObject): JsonObject | undefined {
  const [part, second] = Array.isArray(content) ? content : []
  if (second !== undefined || field(part, 'type') !== 'output_text' || !isObject(part)) return undefined
  const isBare = Object.keys(part).length === 3 && Array.isArray(part.annotations) && part.annotations.length === 0
  return isBare ? { role: 'assistant', content: part.text ?? '' } : undefined
}

function withoutFields(item: JsonObject, isAlone: boolean): JsonObject {
  const entries = Object.entries(item).filter(([name]) => !answerOnly.has(name) && !(isAlone && name === 'id'))
  return entries.length === Object.keys(item).length ? item : Object.fromEntries(entries)
}
