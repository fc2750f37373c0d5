/**
 * Converts a stored conversation to one that a format accepts.
 *
 * The stored conversation does not change. So a conversation can move to another provider, even in the middle of a round, and back again
 * without a loss. Each message is prepared by itself, then calls and results are paired, then messages are placed. The codec's `Rules` say
 * what the format requires.
 *
 * @module
 */

import type { Offered, Rules } from '../core/codec.ts'
import { blocksOf, blocksOfTurn, checkMessages, checkTools, isPaused, noResult, ownProof } from '../core/content.ts'
import { legalId } from '../core/ids.ts'
import { compact, findLastIndex, lookup, wellFormedJson, wellFormedText } from '../core/json.ts'
import type {
  AssistantMessage,
  Content,
  ContentBlock,
  Context,
  ContextTool,
  InvalidToolCall,
  Json,
  Loss,
  Message,
  StopReason,
  TextBlock,
  ToolCall,
  ToolChoice,
  ToolMessage,
} from '../core/messages.ts'
import { placesOf, withPlaces } from '../core/places.ts'
import { placeholder } from '../formats/shared/fit-to-target.ts'
import { fitList } from '../formats/shared/losses.ts'
import { withoutPrefill } from '../formats/shared/prefill.ts'
import * as reasons from '../formats/shared/reasons.ts'

/** The target that a conversation is prepared for. */
export interface PrepareOptions {
  /** The model of the request. Proofs of other model families are not sent. Empty if unknown. */
  readonly model: string
}

/** A conversation that the format accepts, and the losses. */
export interface Prepared {
  readonly context: Context
  /** Every difference from the given conversation. If this is empty, `context` is the given object. */
  readonly losses: Loss[]
  /** The tools, for the decoder of the answer: it gives calls the caller's names back. */
  readonly offered: Offered
  /** The names of tools in the request, by the caller's names. */
  readonly sentNames: ReadonlyMap<string, string>
}

/**
 * Returns the conversation in a form that the format of `rules` accepts, and reports every change. Pure and idempotent: it does not change
 * `context`.
 *
 * A call without a result gets an error result. A result without a call becomes user text between tags. Results follow their calls directly
 * and in the same order. Ids are legal and unique in the conversation. Each name of a tool is legal, and no other tool has it.
 *
 * Something asks for the next answer. If the last message is a user's and says nothing, that is a `major` loss. If the last message is an
 * answer and the model does not continue answers, a user asks it to go on: a `minor` loss if the answer was cut off, else a `major` one.
 *
 * @throws {TypeError} if a value is not an isoglot message. `normalizeMessages` reads raw JSON and the messages of other libraries.
 */
export function prepare(context: Context, rules: Rules, options: PrepareOptions): Prepared {
  checkMessages(context.messages)
  checkTools(context.tools ?? [])
  const { providerState = {} } = context
  const { previousResponseId, conversationId } = providerState
  const task: Task = {
    rules,
    target: { format: rules.format, provider: rules.provider, model: options.model },
    losses: [],
    errors: new Map(),
    chained: rules.chains === true && (previousResponseId ?? conversationId) !== undefined,
    goesOn: providerState.continuationToken !== undefined,
    sentNames: new Map(),
  }
  const { system: given, tools: offeredTools = [], ...rest } = context
  const { sentNames } = task
  const tools = prepareTools(offeredTools, task)
  const offered = { offeredTools, toolNames: new Map([...sentNames].map(([own, sent]) => [sent, own])) }
  const system = prepareSystem(given, task)
  const items = context.messages.flatMap((message, at) => prepareMessage(message, `messages[${at}]`, task))
  const placed = endWithQuestion(placeMessages(pairResults(items, task), task), context.messages, task)
  if (task.losses.length === 0) return { context, losses: [], offered, sentNames }
  const messages = withPlaces(
    placed.map(({ message }) => message),
    placed.map(({ path }) => path),
  )
  const own = compact({ system, tools: context.tools && tools })
  return { context: { ...rest, ...own, messages }, losses: task.losses, offered, sentNames }
}

/** A legal name for a tool: its own if that is legal. {@link prepare} gives another one if two tools would have the same. */
export function legalToolName(name: string, rules: Rules): string {
  return legalId(name, rules.toolName)
}

/** The tool choice, with the names that the tools have in the request. */
export function legalToolChoice(
  choice: ToolChoice | undefined,
  rules: Rules,
  { sentNames }: Pick<Prepared, 'sentNames'>,
): ToolChoice | undefined {
  if (typeof choice !== 'object') return choice
  const nameOf = (own: string) => sentNames.get(own) ?? legalToolName(own, rules)
  return 'name' in choice ? { ...choice, name: nameOf(choice.name) } : { ...choice, names: choice.names.map(nameOf) }
}

// ---- names of tools -----------------------------------------------------------------------------

/** Gives each tool a legal name that no other tool has. A name that is legal stays as it is. */
function prepareTools(tools: readonly ContextTool[], task: Task): readonly ContextTool[] {
  for (const tool of tools) {
    if ('name' in tool && legalToolName(tool.name, task.rules) === tool.name) task.sentNames.set(tool.name, tool.name)
  }
  return fitList(tools, 'tools', (tool, path) => ('name' in tool ? withSentName(tool, path, task) : tool))
}

/** The tool, call or result, with the name of its tool in the request. Each new name is a loss once. */
function withSentName<T extends { readonly name: string }>(named: T, path: string, task: Task): T {
  const { sentNames, rules } = task
  const own = named.name
  let name = sentNames.get(own)
  if (name === undefined) {
    name = legalToolName(own, rules)
    if (name === own) return named
    const taken = new Set(sentNames.values())
    for (let copy = 2; taken.has(name); copy++) name = legalId(`${own}#${copy}`, rules.toolName)
    sentNames.set(own, name)
    note(task, 'changed', `${path}.name`, `"${own}" is not a legal name of a tool here; it goes as "${name}"`)
  }
  return name === own ? named : { ...named, name }
}

// ---- the work to do -----------------------------------------------------------------------------

/** A message that is being prepared, and its place. */
interface Item {
  readonly message: Message
  /** For example `messages[2]`. */
  readonly path: string
}

/** The state of one call of `prepare`. */
interface Task {
  readonly rules: Rules
  /** The format and provider whose proofs are valid. */
  readonly target: { readonly format: string; readonly provider: string; readonly model: string }
  readonly losses: Loss[]
  /** The errors of the invalid calls that these calls replace. */
  readonly errors: Map<ContentBlock, string>
  /** Whether results may answer calls that only the provider stores. */
  readonly chained: boolean
  /** Whether the provider has a paused answer, and goes on with it. */
  readonly goesOn: boolean
  /** The names of tools in the request, by their own names. */
  readonly sentNames: Map<string, string>
}

/** Reports a change. */
function note(
  task: Task,
  action: Loss['action'],
  path: string,
  reason: string,
  severity: Loss['severity'] = 'info',
): undefined {
  task.losses.push({ path, action, reason, severity })
}

/** The item with this content. The same object if that is its content, so that a page can show which messages were changed. */
function withContent(item: Item, content: Content): Item {
  const { message } = item
  return content === message.content ? item : { ...item, message: { ...message, content } as Message }
}

/** Whether a system message has settings or blocks of the target's format, and that format takes it where it is. */
function isBound({ role, content, providerData = {} }: Message, { rules }: Task): boolean {
  if (rules.keepsOwnInstructions !== true || role !== 'system') return false
  const isOwn = blocksOf(content).some((block) => block.type === 'unknown' && block.format === rules.format)
  return isOwn || Object.hasOwn(providerData, rules.format)
}

/** Puts content between tags, so that the model can read what it is and where it came from. */
function tagged(content: Content, tag: string, path: string, attributes = ''): Content {
  const open = `<${tag}${attributes}>`
  const close = `</${tag}>`
  if (typeof content === 'string') return `${open}\n${content}\n${close}`
  return withPlaces([text(open), ...content, text(close)], [path, ...placesOf(content, `${path}.content`), path])
}

/** Puts content of a result between tags: `<tool_result id="call_1" name="shot">`. */
function taggedResult({ toolCallId, name }: ToolMessage, content: Content, path: string): Content {
  const named = name === undefined ? '' : ` name=${JSON.stringify(name)}`
  return tagged(content, 'tool_result', path, wellFormedText(` id=${JSON.stringify(toolCallId)}${named}`))
}

/** A block of text. */
function text(value: string): ContentBlock {
  return { type: 'text', text: value }
}

// ---- each message -------------------------------------------------------------------------------

/** The message, with the results that stand in it as messages: before a user's message, or after an assistant's. */
function prepareMessage(message: Message, path: string, task: Task): readonly Item[] {
  const { role } = message
  const { toolCalls, invalidToolCalls, ...rest } = message as AssistantMessage
  const place = `${path}.content`
  const results: Item[] = []
  const content =
    role === 'assistant'
      ? prepareTurn(message, path, task, results)
      : prepareContent(message.content, place, task, role === 'tool' ? undefined : results)
  if (content === undefined) return []
  if (results.length > 0) note(task, 'changed', place, 'results that stand as blocks became messages')
  const hasLists = toolCalls !== undefined || invalidToolCalls !== undefined
  const item = withContent({ path, message: hasLists ? (rest as Message) : message }, content)
  // Each call needs a result, and some system messages have only settings of the format.
  const mayBeEmpty = role === 'tool' || (role !== 'assistant' && !task.rules.refusesEmpty) || isBound(message, task)
  if (content.length > 0 || (mayBeEmpty && results.length === 0))
    return role === 'assistant' ? [item, ...results] : [...results, item]
  if (results.length === 0) note(task, 'dropped', path, 'there is nothing in it')
  return results
}

const failures: ReadonlySet<StopReason | undefined> = new Set(['error', 'aborted', 'interrupted'])

/** The content of a turn, with all its calls, and without reasoning at its end; `undefined` if it failed before it had content. */
function prepareTurn(message: AssistantMessage, path: string, task: Task, results: Item[]): Content | undefined {
  const { stopReason, toolCalls, invalidToolCalls } = message
  const written = blocksOfTurn(message)
  if (toolCalls !== undefined) note(task, 'changed', `${path}.toolCalls`, 'calls stand in the content')
  if (failures.has(stopReason) && !written.some(isUseful))
    return note(task, 'dropped', path, `the turn ended as "${stopReason}" with nothing in it that can be used`, 'minor')
  const given = toolCalls === undefined ? (message.content ?? []) : written
  const content = prepareContent(given, `${path}.content`, task, results)
  const blocks = [...blocksOf(content)]
  const places = typeof content === 'string' ? [path] : [...placesOf(content, `${path}.content`)]
  for (const invalid of invalidToolCalls ?? []) {
    const next = blocks.findIndex((block) => block.type === 'tool_call' && block.index > invalid.index)
    const at = next < 0 ? blocks.length : next
    blocks.splice(at, 0, sendable(invalid, path, task))
    places.splice(at, 0, path)
  }
  if (invalidToolCalls?.length === 0) note(task, 'dropped', `${path}.invalidToolCalls`, reasons.empty)
  // Some formats bind reasoning to the block after it. A format that keeps reasoning of other providers does not.
  const end = findLastIndex(blocks, ({ type }) => type !== 'reasoning' || task.rules.foreignReasoning === 'keep') + 1
  if (end < blocks.length) note(task, 'dropped', `${path}.content`, reasons.lastReasoning, 'minor')
  else if (invalidToolCalls === undefined) return content
  return withPlaces(blocks.slice(0, end), places.slice(0, end))
}

function isUseful(block: ContentBlock): boolean {
  return block.type === 'text' ? block.text.trim() !== '' : block.type !== 'reasoning'
}

/**
 * Returns the call that is sent for an invalid call, since formats do not have invalid calls and the turn must stay complete. A format that
 * takes any text as arguments is sent the raw text, any other an empty object. The call never runs: it gets an error result.
 */
function sendable({ id, name, index, argumentsText, error }: InvalidToolCall, path: string, task: Task): ToolCall {
  note(task, 'changed', `${path}.invalidToolCalls`, 'an invalid call goes as a call that failed', 'minor')
  const unnamed: ToolCall = {
    type: 'tool_call',
    id: id ?? `invalid_${path.replace(/\D+/g, '')}_${index}`,
    name: name ?? 'unnamed_tool',
    arguments: {},
    argumentsText: wellFormedJson(argumentsText),
    index,
    complete: true,
  }
  const call = withSentName(unnamed, `${path}.invalidToolCalls`, task)
  task.errors.set(call, error)
  return call
}

// ---- blocks -------------------------------------------------------------------------------------

/** The prepared system text; `undefined` if it is absent or empty. */
function prepareSystem(system: Content | undefined, task: Task): Content | undefined {
  if (system === undefined) return undefined
  const prepared = prepareContent(system, 'system', task)
  if (prepared.length > 0 || !task.rules.refusesEmpty) return prepared
  return system.length === 0 ? note(task, 'dropped', 'system', reasons.empty) : undefined
}

/**
 * Makes text well-formed and names legal. Drops proofs and reasoning of other providers, chunks and empty text. Moves results that stand as
 * blocks to `results`, if it is given.
 */
function prepareContent(content: Content, path: string, task: Task, results?: Item[]): Content {
  if (typeof content !== 'string')
    return fitList(content, path, (block, place) => prepareBlock(block, place, task, results))
  if (content === '' || !isBlank(content, task)) return wellFormedFields({ content }, ['content'], path, task).content
  note(task, 'dropped', path, 'it is blank text')
  return ''
}

/** The fields with text of the blocks that are prepared. */
const textFields: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  reasoning: ['text'],
  tool_call: ['argumentsText', 'arguments'],
  plain_text: ['text', 'title'],
  file: ['filename'],
  image: [],
}

/** The block as it is sent; `undefined` if it is not sent there. */
function prepareBlock(block: ContentBlock, path: string, task: Task, results?: Item[]): ContentBlock | undefined {
  if (block.type === 'tool_call_chunk' || block.type === 'server_tool_call_chunk')
    return note(task, 'dropped', path, reasons.chunk, 'minor')
  if (block.type === 'tool_result') {
    const content = prepareContent(block.content, `${path}.content`, task)
    if (results === undefined) return { ...block, content }
    const { type: _, isError, id: _id, ...fields } = block
    const status = isError === undefined ? undefined : isError ? 'error' : 'success'
    results.push({ path, message: { role: 'tool', ...fields, content, ...compact({ status }) } })
    return undefined
  }
  const fields = lookup(textFields, block.type)
  if (fields === undefined) return block
  const { opaque, ...rest } = block as TextBlock
  const isOwn = ownProof(opaque, task.target) !== undefined
  const { foreignReasoning } = task.rules
  if (block.type === 'reasoning' && !isOwn) {
    if (block.text === '') {
      const severity = opaque === undefined ? 'info' : 'minor' // nothing is in it, or it is another provider's
      return note(task, 'dropped', path, 'it is reasoning without text, and no proof of it is valid here', severity)
    }
    if (foreignReasoning === 'drop')
      return note(task, 'dropped', path, 'it is reasoning without a proof that is valid here', 'minor')
    if (foreignReasoning === 'text') {
      note(task, 'changed', path, 'reasoning without a proof that is valid here became text', 'minor')
      return prepareBlock(text(block.text), path, task)
    }
  }
  if (opaque !== undefined && !isOwn)
    note(task, 'dropped', `${path}.opaque`, `it is a proof for ${opaque.provider} and the model "${opaque.model}"`)
  // A block with a proof is sent back even if its text is empty.
  if (block.type === 'text' && !isOwn && isBlank(block.text, task))
    return note(task, 'dropped', path, 'it is empty text')
  const fixed = wellFormedFields(opaque === undefined || isOwn ? block : rest, fields, path, task) as ContentBlock
  if (fixed.type !== 'tool_call' || block.type !== 'tool_call') return fixed
  const named = withSentName(fixed, path, task)
  // The arguments text can contain lone surrogates as escapes, which the server would decode. So it is written from the fixed arguments.
  const argumentsText = fixed.arguments === block.arguments ? fixed.argumentsText : JSON.stringify(fixed.arguments)
  return argumentsText === fixed.argumentsText ? named : { ...named, argumentsText }
}

function isBlank(value: string, task: Task): boolean {
  return (task.rules.refusesEmpty ? value.trim() : value) === ''
}

function wellFormedFields<T extends object>(thing: T, fields: readonly string[], path: string, task: Task): T {
  let fixed = thing as Record<string, unknown>
  for (const field of fields) {
    const value = thing[field as keyof T] as Json | undefined
    const wellFormed = value === undefined ? undefined : wellFormedJson(value)
    if (wellFormed === value) continue
    note(task, 'changed', path, reasons.halves)
    fixed = { ...fixed, [field]: wellFormed }
  }
  return fixed as T
}

// ---- places -------------------------------------------------------------------------------------

/** The text of the user message that is added if a format requires a user message first. */
const opening = '(The conversation begins with the assistant.)'

/** The text of the assistant message that is added if a format requires one between a result and a user message. */
export const bridge = '(The results are in.)'

const mediaBlockTypes: ReadonlySet<ContentBlock['type']> = new Set(['image', 'audio', 'video', 'file'])

/**
 * Moves instructions and media, and adds the messages that the format requires.
 *
 * Some formats take instructions only before the first message. For these, later instructions become user text between tags that name the
 * role, or move to the start. Messages with settings of the format itself, such as Anthropic's changes of tools, stay as they are.
 *
 * Media that a result may not hold move to one user message after all results of the turn. A tag names the call, and the result says that
 * its media follow. Media never become text, since a small image as text would be 100,000 tokens.
 */
function placeMessages(items: readonly Item[], task: Task): readonly Item[] {
  const { bridgesResults, lateInstructions, resultMedia, textErrors, userFirst } = task.rules
  const head: Item[] = []
  const others: Item[] = []
  let media: Content[] = []

  const begin = (): void => {
    note(task, 'invented', 'messages', 'a conversation begins with a user message here', 'minor')
    others.push({ path: 'messages', message: { role: 'user', content: opening } })
  }
  const add = (item: Item): void => {
    const { role } = item.message
    if (userFirst && others.length === 0 && role !== 'user' && !(task.chained && role === 'tool')) begin()
    if (bridgesResults && others.at(-1)?.message.role === 'tool' && role === 'user') {
      note(task, 'invented', item.path, 'an assistant speaks between a result and a user here', 'minor')
      others.push({ path: item.path, message: { role: 'assistant', content: bridge } })
    }
    others.push(item)
  }
  const addMedia = (): void => {
    const places = media.flatMap((content) => placesOf(blocksOf(content), ''))
    const [path] = places
    if (path !== undefined)
      add({ path, message: { role: 'user', content: withPlaces(media.flatMap(blocksOf), places) } })
    media = []
  }

  for (const item of items) {
    const { message, path } = item
    if (message.role !== 'tool') addMedia()
    if (message.role === 'tool' && typeof message.content === 'object') {
      const place = `${path}.content`
      const isTextOnly = textErrors === true && message.status === 'error'
      const isForeign = ({ type }: ContentBlock) => mediaBlockTypes.has(type) && (isTextOnly || !resultMedia.has(type))
      const found = fitList(message.content, place, (block) => (isForeign(block) ? block : undefined))
      const content = fitList(message.content, place, (block, where) => {
        if (isForeign(block)) return text(`[${block.type}: see the message after the results]`)
        if (!isTextOnly || block.type !== 'plain_text') return block
        note(task, 'changed', where, 'a failed result holds only text')
        return text(block.text)
      })
      if (found.length > 0) {
        note(task, 'changed', place, 'media are in a user message after the results', 'minor')
        media.push(taggedResult(message, found, path))
      }
      add(withContent(item, content))
    } else if (message.role !== 'system' && message.role !== 'developer') add(item)
    else if (others.length === 0) head.push(item)
    else if (lateInstructions === 'keep' || isBound(message, task)) add(item)
    else {
      const { name: _, ...rest } = message
      const { role } = message
      const isMoved = lateInstructions === 'hoist'
      const outcome = isMoved ? 'moved there' : 'became user text'
      note(task, 'changed', path, `a ${role} message that is not at the head ${outcome}`, 'minor')
      const content = tagged(message.content, role, path)
      if (isMoved) head.push(item)
      else add({ path, message: { ...rest, role: 'user', content } })
    }
  }
  addMedia()
  if ((userFirst || task.rules.userLast) && others.length === 0 && head.length > 0 && !task.chained) begin()
  return [...head, ...others]
}

/** The text of the user message that is added if an answer is last, and the model does not continue answers. */
const goOn = '(Go on.)'

/** Stop reasons of answers that can go on. */
const cuts: ReadonlySet<StopReason | undefined> = new Set([...failures, 'length', 'pause'])

/** The messages, with one at their end that asks for an answer. */
function endWithQuestion(items: readonly Item[], given: readonly Message[], task: Task): readonly Item[] {
  const last = items.at(-1)?.message
  const asked = given.at(-1)
  const path = `messages[${given.length - 1}]`
  if (asked === undefined || last?.role === 'user' || last?.role === 'tool') return items
  if (asked.role === 'user') {
    note(task, 'dropped', path, 'the last message says nothing, so that nothing asks for an answer', 'major')
    return [...items, { path, message: { role: 'user', content: placeholder } }]
  }
  const { rules, target } = task
  if (last?.role !== 'assistant' || !(rules.userLast === true || withoutPrefill.test(target.model))) return items
  // Its own provider goes on with a paused answer.
  const isOwn = rules.resumesPaused === true && (last.response?.provider ?? rules.provider) === rules.provider
  if (isPaused(last, rules.format) && (task.goesOn || isOwn)) return items
  if (asked.role !== 'assistant') note(task, 'invented', path, 'a user asks for an answer', 'minor')
  else if (cuts.has(last.stopReason))
    note(task, 'invented', path, 'the model does not continue an answer: a user asks it to go on', 'minor')
  else
    note(task, 'changed', path, 'the model does not continue an answer: the last message has to be a user’s', 'major')
  return [...items, { path, message: { role: 'user', content: goOn } }]
}

// ---- calls and results --------------------------------------------------------------------------

// After this pass, every call has exactly one result. The results follow their turn directly, in the order of the calls. Each id is legal
// and unique in the conversation. Each call has the index of its place.

/** A call and its result. */
interface CallWithResult {
  /** The id that results name. */
  readonly id: string
  /** The call as it is sent. */
  readonly call: ToolCall
  /** The path of the turn. */
  readonly path: string
  readonly error: string | undefined
  result?: { readonly message: ToolMessage; readonly path: string; readonly isMoved: boolean }
}

/** The pairs of each id, as results name it. The next one to be answered is the last. */
type Waiting = Map<string, CallWithResult[]>

/** Pairs calls and results. Ignores calls that the provider ran. */
function pairResults(items: readonly Item[], task: Task): readonly Item[] {
  const sequence: (Item | CallWithResult)[] = []
  const waiting: Waiting = new Map()
  const answered = new Map<string, CallWithResult>()
  const taken = new Map<string, number>()
  let latest: readonly CallWithResult[] = []
  for (const item of items) {
    const { path } = item
    let { message } = item
    if (message.role === 'tool') {
      const { name } = message
      const sent = name === undefined ? undefined : withSentName({ name }, path, task).name
      if (sent !== undefined && sent !== name) message = { ...message, name: sent }
      const pair = takePair(message, waiting, latest)
      if (pair !== undefined) {
        const isLast = latest.includes(pair) && latest.at(-1) === sequence.at(-1)
        const later = latest.slice(latest.indexOf(pair))
        pair.result = { message, path, isMoved: !isLast || later.some(({ result }) => result !== undefined) }
        answered.set(pair.id, pair)
      } else if (latest.length === 0 && task.chained) sequence.push({ message, path })
      else sequence.push(...strayResult(message, path, answered.get(message.toolCallId), task))
    } else if (message.role === 'assistant' && typeof message.content === 'object') {
      const pairs: CallWithResult[] = []
      const content = fitList(message.content ?? [], `${path}.content`, (block) => {
        if (block.type !== 'tool_call') return block
        const id = uniqueId(block.id, taken, task)
        const index = pairs.length
        const call = id === block.id && index === block.index ? block : { ...block, id, index }
        if (id !== block.id) note(task, 'changed', `${path}.content`, `the call "${block.id}" goes as "${id}"`)
        if (index !== block.index)
          note(task, 'changed', `${path}.content`, `the call "${id}" is number ${index} of its turn`)
        pairs.push({ id: block.id, call, path, error: task.errors.get(block) })
        return call
      })
      sequence.push(withContent(item, content), ...pairs)
      if (pairs.length > 0) latest = pairs
      for (const pair of [...pairs].reverse()) {
        const same = waiting.get(pair.id) ?? []
        same.push(pair)
        waiting.set(pair.id, same)
      }
    } else sequence.push(item)
  }
  return sequence.map((entry) => ('call' in entry ? resultOf(entry, task) : entry))
}

/** Returns a legal id. If an earlier call already has it, returns a different id, which is the same in every run. */
function uniqueId(id: string, taken: Map<string, number>, { rules }: Task): string {
  const wanted = legalId(id, rules.callId)
  let legal = wanted
  let copy = taken.get(wanted) ?? 1
  while (taken.has(legal)) legal = legalId(`${id}#${++copy}`, rules.callId)
  taken.set(legal, 1).set(wanted, copy)
  return legal
}

/**
 * Finds the call that a result answers. It is the first unanswered call with this id, in the latest turn that has one. A result without an
 * id answers the first unanswered call of this name in the latest turn.
 */
function takePair(
  { toolCallId, name }: ToolMessage,
  waiting: Waiting,
  latest: readonly CallWithResult[],
): CallWithResult | undefined {
  if (toolCallId === '')
    return latest.find(({ call, result }) => result === undefined && (name === undefined || call.name === name))
  const same = waiting.get(toolCallId) ?? []
  let pair = same.pop()
  while (pair?.result !== undefined) pair = same.pop()
  return pair
}

/** A result without an unanswered call. It cannot be sent as a result, so it is sent as user text. */
function strayResult(
  message: ToolMessage,
  path: string,
  answered: CallWithResult | undefined,
  task: Task,
): readonly Item[] {
  const { toolCallId, content } = message
  const isRepeated = JSON.stringify(answered?.result?.message.content) === JSON.stringify(content)
  if (isRepeated || content.length === 0) {
    const reason = isRepeated ? 'the call has this result already' : 'it is the empty result of no call'
    note(task, 'dropped', path, reason)
    return []
  }
  note(task, 'changed', path, `the result of "${toolCallId}" answers no call and became user text`, 'minor')
  return [{ path, message: { role: 'user', content: taggedResult(message, content, path) } }]
}

function resultOf({ call: { id, name }, path, error, result }: CallWithResult, task: Task): Item {
  if (result === undefined) {
    note(task, 'invented', path, `the call "${id}" has no result`, 'minor')
    const content = error === undefined ? noResult : `The call was not run: ${error}`
    return { path, message: { role: 'tool', toolCallId: id, name, content, status: 'error' } }
  }
  const { message, isMoved } = result
  if (isMoved) note(task, 'changed', result.path, 'results must directly follow their calls, in the same order')
  if (message.toolCallId === id && message.name === name) return result
  note(task, 'changed', result.path, `the result names its call "${id}" and its tool "${name}"`)
  return { ...result, message: { ...message, toolCallId: id, name } }
}
