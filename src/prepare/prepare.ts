/**
 * Converts a stored conversation to one that a format accepts from this model, with the options of the request.
 *
 * The stored conversation does not change. So a conversation can move to another provider, even in the middle of a round, and back again
 * without a loss. Each message is prepared by itself, then calls and results are paired, then messages are placed. The `Target` says what
 * the format requires. What is left is what the format has a field for; an encoder only writes it.
 *
 * @module
 */

import type { EncodeRequestOptions, Offered, ParameterNames } from '../core/codec.ts'
import { blocksOf, blocksOfTurn, checkMessages, checkTools, ownProof } from '../core/content.ts'
import { compact, field, findLastIndex, lookup, objectIn, textOr, wellFormedJson } from '../core/json.ts'
import type {
  AssistantMessage,
  CitationBlock,
  Content,
  ContentBlock,
  Context,
  ContextTool,
  InvalidToolCall,
  Json,
  Loss,
  Message,
  ProviderState,
  ReasoningBlock,
  RequestOptions,
  ServerToolCall,
  ServerToolResult,
  ToolCall,
  ToolResultBlock,
  UnknownBlock,
} from '../core/messages.ts'
import { placesIn, placesOf, withPlaces } from '../core/places.ts'
import type { Losses, Target } from '../core/target.ts'
import { formats } from '../formats/shared/format-names.ts'
import { fitList, newLosses } from '../formats/shared/losses.ts'
import { renameFields } from '../formats/shared/parameter-names.ts'
import * as reasons from '../formats/shared/reasons.ts'
import { fitFields, wellFormedFields } from './fields.ts'
import { fitToolChoice, fitTools, withSentName } from './fit-tools.ts'
import { pairHosted, pairResults } from './pair-results.ts'
import { endWithQuestion, failures, isBound, placeMessages } from './place-messages.ts'
import { type Item, note, type Task, text, withContent } from './task.ts'

/** A request that the target takes, and the losses. */
export interface Prepared {
  readonly context: Context
  readonly options: RequestOptions
  /** Every difference from the given request. */
  readonly losses: readonly Loss[]
  /** Takes the losses that only an encoder knows, and adds them to `losses`. */
  readonly report: Losses
  /** The tools, for the decoder of the answer: it gives calls the caller's names back. */
  readonly offered: Offered
}

/**
 * Returns the request in a form that the target accepts, and reports every change. Pure and idempotent: it does not change what it is given.
 *
 * A call without a result gets an error result. A result without a call becomes user text between tags. Results follow their calls directly
 * and in the same order. Ids are legal and unique in the conversation. Each name of a tool is legal, and no other tool has it. Features that
 * the target lacks are left out, and so is what belongs to another format or provider.
 *
 * Something asks for the next answer. If the last message is a user's and says nothing, that is a `major` loss. If the last message is an
 * answer and the model does not continue answers, a user asks it to go on: a `minor` loss if the answer was cut off, else a `major` one.
 *
 * @throws {TypeError} if a value is not an isoglot message. `normalizeMessages` reads raw JSON and the messages of other libraries.
 * @throws {UnsupportedError} for a loss that `strict` does not allow.
 */
export function prepare(given: Context, target: Target, asked: EncodeRequestOptions): Prepared {
  checkMessages(given.messages)
  checkTools(given.tools ?? [])
  const { system: givenSystem, messages: givenMessages, tools: offeredTools, providerState = {}, ...rest } = given
  const task = start(given, asked, target)
  const { losses, sentNames, parameterNames } = task
  const tools = offeredTools && fitTools(offeredTools, task)
  const system = prepareSystem(givenSystem, task)
  const items = givenMessages.flatMap((message, at) => prepareMessage(message, `messages[${at}]`, task))
  // A turn can end with a call that waits, until a question follows it.
  const placed = pairHosted(placeMessages(pairResults(items, task), task), task)
  const asking = pairHosted(endWithQuestion(placed, givenMessages, task), task)
  const messages = fittedMessages(asking, givenMessages, task)
  const context = {
    ...rest,
    ...compact({
      system,
      tools: tools?.length === 0 && offeredTools?.length !== 0 ? undefined : tools,
      providerState: given.providerState && fitState(providerState, messages, task),
    }),
    messages,
  }
  const options = fitOptions(asked, task)
  recordPlaces(context, '', losses)
  const toolNames = new Map([...sentNames].map(([own, sent]) => [sent, own]))
  const offered = compact({
    offeredTools: offeredTools ?? [],
    toolNames,
    parameterNames: parameterNames.size > 0 ? parameterNames : undefined,
  })
  return { context, options, losses: losses.list, report: losses, offered }
}

/** The tools as a request would send them, under their own names, and the names of parameters that are others there. */
export function prepareTools(
  tools: readonly ContextTool[],
  target: Target,
): { readonly tools: readonly ContextTool[]; readonly parameterNames: ParameterNames | undefined } {
  const anyName = { ...target, toolName: { pattern: /^/, maxLength: Number.POSITIVE_INFINITY } }
  const { context, offered } = prepare({ messages: [], tools }, anyName, { model: '', strict: false })
  return { tools: context.tools ?? [], parameterNames: offered.parameterNames }
}

function start({ providerState = {} }: Context, asked: RequestOptions, target: Target): Task {
  const { model, strict, providerOptions } = asked
  const { previousResponseId, conversationId, continuationToken, containerId } = providerState
  return {
    target: { ...target, model },
    losses: newLosses(target.title, strict),
    unsupported: target.unsupported ?? new Set(),
    takesAll: target.unsupported === undefined,
    isOwn: false,
    errors: new Map(),
    chained: target.chains === true && (previousResponseId ?? conversationId) !== undefined,
    hasContainer: (containerId ?? objectIn(providerOptions, target.format).container) !== undefined,
    goesOn: continuationToken !== undefined,
    sentNames: new Map(),
    unsent: new Set(),
    parameterNames: new Map(),
    ownCalls: new Set(),
  }
}

/** The messages without the fields that the target lacks. The given list if nothing changed. */
function fittedMessages(items: readonly Item[], given: readonly Message[], task: Task): readonly Message[] {
  const messages = items.map(({ message, path, isFitted }) =>
    isFitted ? message : fitFields(message, message.role === 'tool' ? 'tool' : 'message', path, task),
  )
  if (messages.length === given.length && messages.every((message, at) => message === given[at])) return given
  return withPlaces(
    messages,
    items.map(({ path }) => path),
  )
}

/** Records the caller's place of each entry, for the losses that the encoder reports after this pass. */
function recordPlaces(lists: object, path: string, losses: Losses): void {
  for (const [name, list] of Object.entries(lists)) {
    for (const [at, place] of (placesIn(list) ?? []).entries()) {
      const here = `${path}${name}[${at}]`
      losses.places.set(here, place)
      recordPlaces(list[at], `${here}.`, losses)
    }
  }
}

// ---- each message -------------------------------------------------------------------------------

/** What is found in a message beside its content. */
interface Found {
  /** The results that stand in it. */
  readonly results: Item[]
  /** There are blocks that only another format has. */
  hasForeign: boolean
}

/** The message, with the results that stand in it as messages: before a user's message, or after an assistant's. */
function prepareMessage(message: Message, path: string, task: Task): readonly Item[] {
  const { role } = message
  const { toolCalls, invalidToolCalls, ...rest } = message as AssistantMessage
  const place = `${path}.content`
  const found: Found = { results: [], hasForeign: false }
  const { results } = found
  const content =
    role === 'assistant'
      ? prepareTurn(message, path, task, found)
      : prepareContent(message.content, place, ofInput(task), role === 'tool' ? undefined : found)
  if (content === undefined) return []
  if (results.length > 0) note(task, 'changed', place, 'results that stand as blocks became messages')
  const hasLists = toolCalls !== undefined || invalidToolCalls !== undefined
  const item = withContent({ path, message: hasLists ? (rest as Message) : message }, content)
  // Each call needs a result, some system messages have only settings of the format, and a user's turn keeps its place.
  const isKept = role === 'tool' || isBound(message, task) || found.hasForeign || !task.target.refusesEmpty
  const mayBeEmpty = role !== 'assistant' && isKept
  if (content.length > 0 || (mayBeEmpty && results.length === 0))
    return role === 'assistant' ? [item, ...results] : [...results, item]
  if (results.length > 0) {
    // Nothing else is left of the message.
    const { name, metadata, providerData } = message
    const lost = compact({ name, 'metadata.cacheHint': metadata?.cacheHint, providerData })
    for (const field in lost) note(task, 'dropped', `${path}.${field}`, reasons.fields)
    return results
  }
  if (found.hasForeign) note(task, 'dropped', path, reasons.nothing, 'minor')
  else note(task, 'dropped', path, 'there is nothing in it')
  return []
}

/** The task for what is not the assistant's: formats have a mark for a refusal only in a turn of the assistant, and some no citations. */
function ofInput(task: Task): Task {
  const { unsupported } = task
  const more = unsupported.has('inputCitations') ? ['refusals', 'citations'] : ['refusals']
  return { ...task, isOwn: false, unsupported: new Set([...unsupported, ...more]) }
}

/** The content of a turn, with all its calls, and without reasoning at its end; `undefined` if it failed before it had content. */
function prepareTurn(message: AssistantMessage, path: string, given: Task, found: Found): Content | undefined {
  const { stopReason, invalidToolCalls, response } = message
  const task = { ...given, isOwn: response?.provider === given.target.provider }
  const place = `${path}.content`
  const written = contentOfTurn(message, path, task)
  if (failures.has(stopReason) && !blocksOf(written).some(isUseful))
    return note(task, 'dropped', path, `the turn ended as "${stopReason}" with nothing in it that can be used`, 'minor')
  const content = prepareContent(written, place, task, found)
  const blocks = [...blocksOf(content)]
  const places = typeof content === 'string' ? [place] : [...placesOf(content, place)]
  for (const [number, invalid] of (invalidToolCalls ?? []).entries()) {
    const next = blocks.findIndex((block) => block.type === 'tool_call' && block.index > invalid.index)
    const at = next < 0 ? blocks.length : next
    const where = `${path}.invalidToolCalls[${number}]`
    blocks.splice(at, 0, sendable(invalid, where, task))
    places.splice(at, 0, where)
  }
  if (invalidToolCalls?.length === 0) note(task, 'dropped', `${path}.invalidToolCalls`, reasons.empty)
  // Some formats bind reasoning to the block after it. A format that keeps reasoning of other providers does not.
  const end = findLastIndex(blocks, ({ type }) => type !== 'reasoning' || task.target.foreignReasoning === 'keep') + 1
  for (const at of places.slice(end)) note(task, 'dropped', at, reasons.lastReasoning, 'minor')
  if (end === blocks.length && invalidToolCalls === undefined) return content
  return withPlaces(blocks.slice(0, end), places.slice(0, end))
}

/** The content of a turn, with the calls that stand beside it. */
function contentOfTurn(message: AssistantMessage, path: string, task: Task): Content {
  const { toolCalls, content } = message
  if (toolCalls === undefined) return content ?? []
  const place = `${path}.content`
  note(task, 'changed', `${path}.toolCalls`, 'calls stand in the content')
  const said = typeof content === 'string' ? prepareContent(content, place, task) : content
  const blocks = [...blocksOfTurn({ ...message, content: said })]
  const places = blocks.map((block, at) => {
    const beside = toolCalls.indexOf(block as ToolCall)
    return beside < 0 ? `${place}[${at}]` : `${path}.toolCalls[${beside}]`
  })
  return withPlaces(blocks, places)
}

function isUseful(block: ContentBlock): boolean {
  return block.type === 'text' ? block.text.trim() !== '' : block.type !== 'reasoning'
}

/**
 * Returns the call that is sent for an invalid call, since formats do not have invalid calls and the turn must stay complete. A format that
 * takes any text as arguments is sent the raw text, any other an empty object. The call never runs: it gets an error result.
 */
function sendable({ id, name, index, argumentsText, error }: InvalidToolCall, path: string, task: Task): ToolCall {
  note(task, 'changed', path, 'an invalid call goes as a call that failed', 'minor')
  const unnamed: ToolCall = {
    type: 'tool_call',
    id: id ?? `invalid_${/\d+/.exec(path)?.[0]}_${index}`,
    name: name ?? 'unnamed_tool',
    arguments: {},
    argumentsText: wellFormedJson(argumentsText),
    index,
    complete: true,
  }
  const call = withSentName(unnamed, path, task)
  task.errors.set(call, error)
  return call
}

/** The prepared system text; `undefined` if it is absent or empty. */
function prepareSystem(system: Content | undefined, task: Task): Content | undefined {
  if (system === undefined) return undefined
  const prepared = prepareContent(system, 'system', ofInput(task))
  if (prepared.length > 0 || !task.target.refusesEmpty) return prepared
  return system.length === 0 ? note(task, 'dropped', 'system', reasons.empty) : undefined
}

/**
 * Makes text well-formed and names legal. Drops proofs and reasoning of other providers, chunks, empty text and what the target lacks. Moves
 * results that stand as blocks to `found`, if it is given.
 */
function prepareContent(content: Content, path: string, task: Task, found?: Found): Content {
  if (typeof content !== 'string')
    return fitList(content, path, (block, place) => prepareBlock(block, place, task, found))
  if (content !== '' && isBlank(content, task)) {
    note(task, 'dropped', path, reasons.blankText)
    return ''
  }
  const wellFormed = wellFormedJson(content)
  if (wellFormed !== content) note(task, 'changed', path, reasons.halves)
  return wellFormed
}

// ---- each block ---------------------------------------------------------------------------------

/** The fields with text of the blocks, by their types. */
const textFields: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  reasoning: ['text'],
  tool_call: ['argumentsText', 'arguments'],
  plain_text: ['text', 'title'],
  file: ['filename'],
}

/** The block as it is sent; `undefined` if it is not sent there. */
function prepareBlock(block: ContentBlock, path: string, task: Task, found?: Found): ContentBlock | undefined {
  switch (block.type) {
    case 'tool_call_chunk':
    case 'server_tool_call_chunk':
      return note(task, 'dropped', path, reasons.chunk, 'minor')
    case 'tool_result':
      return prepareResult(block, path, task, found)
    case 'reasoning':
      return prepareReasoning(block, path, task)
    case 'text':
      // A block with a proof is sent back even if its text is empty.
      if (isBlank(block.text, task) && ownProof(block.opaque, task.target) === undefined)
        return note(task, 'dropped', path, reasons.blankText)
      break
    case 'citation':
    case 'unknown':
    case 'server_tool_call':
    case 'server_tool_result': {
      const foreign = whyForeign(block, task)
      if (foreign === undefined) break
      if (found) found.hasForeign = true
      note(task, foreign.text ? 'changed' : 'dropped', path, foreign.reason, 'minor')
      return foreign.text ? prepareBlock(text(foreign.text), path, task) : undefined
    }
  }
  return block.type === 'unknown' ? block : fitBlock(block, path, task)
}

/** A result that stands as a block becomes a message, unless it stands in a result. */
function prepareResult(block: ToolResultBlock, path: string, task: Task, found?: Found): ContentBlock | undefined {
  if (found === undefined && !task.takesAll) return note(task, 'dropped', path, reasons.innerResult, 'major')
  const content = prepareContent(block.content, `${path}.content`, ofInput(task))
  if (found === undefined) return { ...block, content }
  const { type: _, isError, id: _id, ...fields } = fitFields(block, block.type, path, task)
  const status = isError === undefined ? undefined : isError ? 'error' : 'success'
  const message: Message = { role: 'tool', ...fields, content, ...compact({ status }) }
  found.results.push({ path, message, isFitted: true })
  return undefined
}

/** Reasoning goes back to who made it, with its proof. */
function prepareReasoning(block: ReasoningBlock, path: string, task: Task): ContentBlock | undefined {
  const { foreignReasoning } = task.target
  if (ownProof(block.opaque, task.target) !== undefined) return fitBlock(block, path, task)
  if (block.text === '') {
    const severity = block.opaque === undefined ? 'info' : 'minor' // nothing is in it, or it is another provider's
    return note(task, 'dropped', path, 'it is reasoning without text, and no proof of it is valid here', severity)
  }
  if (foreignReasoning === 'drop')
    return note(task, 'dropped', path, 'it is reasoning without a proof that is valid here', 'minor')
  if (foreignReasoning === 'keep') return fitBlock(block, path, task)
  note(task, 'changed', path, 'reasoning without a proof that is valid here became text', 'minor')
  return prepareBlock(text(block.text), path, task)
}

/** The block with well-formed text and legal names, and without the fields that the target lacks. */
function fitBlock(given: ContentBlock, path: string, task: Task): ContentBlock {
  let block = given
  if ('opaque' in block && block.opaque !== undefined && ownProof(block.opaque, task.target) === undefined) {
    const { opaque, ...rest } = block
    const reason = `it is a proof for ${opaque.provider} and the model "${opaque.model}"`
    note(task, 'dropped', `${path}.opaque`, reason)
    block = rest
  }
  block = wellFormedFields(block, lookup(textFields, block.type) ?? [], path, task)
  if (block.type === 'tool_call') block = fitCall(block, given as ToolCall, path, task)
  return fitFields(block, block.type, path, task)
}

/** The call with the names that its tool and its parameters have in the request. */
function fitCall(call: ToolCall, given: ToolCall, path: string, task: Task): ToolCall {
  const named = withSentName(call, path, task)
  // The arguments text can contain lone surrogates as escapes, which the server would decode. So it is written from the fixed arguments.
  const argumentsText = call.arguments === given.arguments ? call.argumentsText : JSON.stringify(call.arguments)
  const own = task.parameterNames.get(named.name)
  if (own === undefined) return argumentsText === call.argumentsText ? named : { ...named, argumentsText }
  const sent = new Map([...own].map(([wire, name]) => [name, wire]))
  return { ...named, argumentsText, arguments: renameFields(call.arguments, sent) }
}

function isBlank(value: string, { target }: Task): boolean {
  return (target.refusesEmpty ? value.trim() : value) === ''
}

// ---- blocks of other formats --------------------------------------------------------------------

/** Why a block cannot be sent, and the text of it for any model where it has one; `undefined` if it can be sent. */
function whyForeign(
  block: CitationBlock | UnknownBlock | ServerToolCall | ServerToolResult,
  task: Task,
): { readonly reason: string; readonly text?: string } | undefined {
  const { target, takesAll, unsupported } = task
  if (takesAll) return undefined
  if (block.type === 'citation') return { reason: reasons.citation }
  if (block.type === 'unknown') {
    if (block.format === target.format) return undefined
    return { reason: reasons.foreignBlock, ...foreignText(block.providerType, block.value) }
  }
  if (isTied(block, task) && !unsupported.has('serverTools')) return undefined
  const value = { content: 'output' in block ? block.output : undefined }
  return { reason: reasons.serverTool, ...foreignText(block.name, value) }
}

function foreignText(type: string | undefined, value: unknown): { readonly text?: string } {
  const [name = '', what] = lookup(foreignTexts, type) ?? []
  const words = textOr(field(value, name), '')
  return words === '' ? {} : { text: what + words }
}

/** Blocks of Anthropic with a text for any model: the field that has it, and what it is. */
const foreignTexts: Readonly<Record<string, readonly [field: string, what: string]>> = {
  compaction: ['content', '[summary of the conversation so far]\n'],
  tool_reference: ['tool_name', '[tool found] '],
}

/** Whether kept fields or a proof tie it to this format. A result also belongs to its call. */
function isTied(block: ServerToolCall | ServerToolResult, { target, ownCalls }: Task): boolean {
  const isKept = block.providerData !== undefined && Object.hasOwn(block.providerData, target.format)
  const isOwn = isKept || ownProof(block.opaque, target) !== undefined
  if (block.type === 'server_tool_result') return isOwn || ownCalls.has(block.toolCallId ?? '')
  if (isOwn) ownCalls.add(block.id ?? '')
  return isOwn
}

// ---- state and options ------------------------------------------------------------------------------

/** A stored answer or conversation replaces the messages before it. If the request has those messages too, nothing is lost. */
function fitState(state: ProviderState, messages: readonly Message[], task: Task): ProviderState {
  if (task.takesAll) return state
  const taken: readonly string[] = task.target.states ?? []
  const turns = messages.filter(({ role }) => role === 'assistant') as readonly AssistantMessage[]
  const left: Record<string, Json | undefined> = {}
  for (const [name, value] of Object.entries(state)) {
    if (taken.includes(name)) left[name] = value
    if (value === undefined || taken.includes(name)) continue
    const isHistory = name === 'previousResponseId' || name === 'conversationId'
    const isKnown = turns.some(({ response }) => response?.id === value)
    const severity = isKnown ? 'info' : isHistory && turns.length === 0 ? 'major' : 'minor'
    note(task, 'dropped', `providerState.${name}`, 'the target does not have this state', severity)
  }
  return left
}

function fitOptions(asked: RequestOptions, task: Task): RequestOptions {
  const { format } = task.target
  const { toolChoice, ...others } = asked
  const choice = toolChoice && fitToolChoice(toolChoice, task)
  const named = toolChoice === undefined ? asked : { ...others, ...compact({ toolChoice: choice }) }
  if (task.takesAll) return named
  const left = fitFields(named, 'options', 'options', task)
  for (const name of Object.keys(asked.providerOptions ?? {})) {
    if (name === format) continue
    const path = `options.providerOptions.${name}`
    if ((formats as readonly string[]).includes(name)) note(task, 'dropped', path, reasons.foreignFields)
    else {
      const reason = `no format has this name: they are ${formats.join(', ')}, and the target is ${format}`
      note(task, 'dropped', path, reason, 'minor')
    }
  }
  const fixed = wellFormedFields(left, Object.keys(left), 'options', task)
  if (fixed.responseFormat === undefined) return fixed
  return { ...fixed, responseFormat: fitFields(fixed.responseFormat, 'responseFormat', 'options.responseFormat', task) }
}
