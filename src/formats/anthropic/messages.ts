/**
 * Anthropic Messages: encodes and decodes a conversation.
 *
 * In this format, users and assistants alternate, results of tools are blocks of a user message, and the system text is a separate field.
 *
 * @module
 */
import { blocksOf, blocksOfTurn, isText } from '../../core/content.ts'
import { DecodeError } from '../../core/errors.ts'
import { compact, field, findLastIndex, isObject, stringOr, unlessEmpty } from '../../core/lookup.ts'
import type {
  AssistantMessage,
  Content,
  ContentBlock,
  Context,
  InstructionMessage,
  InvalidToolCall,
  JsonObject,
  Message,
  ProviderData,
  UserMessage,
} from '../../core/model.ts'
import { reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { encodeCacheHint } from './cache.ts'
import { decodeBlock, encodeBlock } from './content.ts'
import { extrasOf, keptOf, type Origin, type Scope, unknownBlock } from './scope.ts'
import { knownFields } from './tables.ts'
import { decodeCall, decodeResult, encodeCall, encodeInvalidCall, encodeResultBlock } from './tools.ts'
import type { WireBlock, WireMessage, WireRequest, WireText } from './wire.ts'

// ---- encoding ---------------------------------------------------------------------------------

type Turns = Omit<Scope, 'place'>

/** A message that is being encoded. */
interface Turn {
  readonly role: WireMessage['role']
  /** A string until a block is added, then a list of blocks. */
  content: string | WireBlock[]
  kept: JsonObject | undefined
  /** The path of its last message. */
  path: string
}

/** The text of a user's turn if none of its blocks can be sent, since a turn must not be empty. The losses name the blocks. */
const placeholder = '(Nothing that can be shown here.)'

function hadMore({ role, content }: Message): boolean {
  return role === 'user' && content !== null && !isText(content)
}

/** Whether a system message has only settings, such as an effort, for the turns after it. */
function isSetting(message: Message): boolean {
  return message.role === 'system' && keptOf(message)?.output_config !== undefined
}

/** Encodes the system text and the turns. Consecutive messages of one role become one turn. */
export function encodeConversation(context: Context, scope: Turns): Pick<WireRequest, 'system' | 'messages'> {
  const start = context.messages.findIndex(
    (message) => (message.role !== 'system' && message.role !== 'developer') || isSetting(message),
  )
  const leading = start < 0 ? context.messages.length : start
  const system = encodeSystem(context, leading, scope)
  const turns: Turn[] = []
  for (let at = leading; at < context.messages.length; at++) {
    const message = context.messages[at] as Message
    const path = `messages[${at}]`
    const content = encodeMessage(message, path, scope)
    if (content.length > 0 || isSetting(message)) addTurn(turns, message, content, path)
    else if (hadMore(message)) addTurn(turns, message, placeholder, path)
    else reportLoss(scope.losses, 'dropped', path, reasons.empty, 'info')
  }
  const messages = turns.map((turn, at) => settleTurn(turn, at === turns.length - 1, scope))
  return compact({ system, messages: messages.filter(({ content }) => content?.length !== 0) })
}

/** Encodes the system text and the instructions before the first turn. Returns a string if there is only one string. */
function encodeSystem(context: Context, leading: number, scope: Turns): WireRequest['system'] {
  const place = { ...scope, place: 'system' } as const
  const { system } = context
  const instructions = context.messages.slice(0, leading)
  for (const [at, message] of instructions.entries()) {
    if (message.providerData !== undefined)
      reportLoss(scope.losses, 'dropped', `messages[${at}].providerData`, reasons.fields, 'info')
  }
  if (typeof system === 'string' && system !== '' && instructions.length === 0) return system
  if (system === undefined && instructions.length === 1) {
    const only = encodeContent(instructions[0] as InstructionMessage, 'messages[0]', place)
    return only.length === 0 ? undefined : (only as string | WireText[])
  }
  const blocks = blocksOf(system ?? '').flatMap((block, at) => encodeBlock(block, `system[${at}]`, place) ?? [])
  // Developer messages come after system messages, because they have lower priority.
  for (const role of ['system', 'developer'] as const) {
    for (const [at, message] of instructions.entries()) {
      if (message.role !== role) continue
      blocks.push(...toBlocks(encodeContent(message, `messages[${at}]`, place)))
    }
  }
  return blocks.length === 0 ? undefined : (blocks as WireText[])
}

function encodeMessage(message: Message, path: string, scope: Turns): string | WireBlock[] {
  switch (message.role) {
    case 'system':
    case 'developer':
      return encodeContent(message, path, { ...scope, place: 'system' })
    case 'user':
      return encodeContent(message, path, { ...scope, place: 'user' })
    case 'tool':
      return [encodeResultBlock(message, path, { ...scope, place: 'user' })]
    case 'assistant': {
      const { provider } = scope.target
      const isForeign = (message.response?.provider ?? provider) !== provider
      return encodeAssistant(message, path, { ...scope, place: 'assistant', isForeign })
    }
  }
}

function encodeContent(message: InstructionMessage | UserMessage, path: string, scope: Scope): string | WireBlock[] {
  const mark = encodeCacheHint(message.metadata, path, scope.losses)
  if (typeof message.content === 'string' && mark === undefined)
    return message.content.trim() === '' ? [] : message.content
  const blocks = blocksOf(message.content).flatMap(
    (block, at) => encodePart(block, `${path}.content[${at}]`, scope) ?? [],
  )
  const last = blocks.at(-1)
  if (mark !== undefined && last !== undefined) Object.assign(last, { cache_control: mark })
  return blocks
}

function encodeAssistant(message: AssistantMessage, path: string, scope: Scope): string | WireBlock[] {
  const invalid = message.invalidToolCalls ?? []
  const isPlain = message.toolCalls === undefined && invalid.length === 0 && message.metadata?.cacheHint === undefined
  if (typeof message.content === 'string' && isPlain) return message.content.trim() === '' ? [] : message.content
  const blocks = encodeTurnBlocks(message, path, scope)
  blocks.push(...invalid.map((call, at) => encodeInvalidCall(call, `${path}.invalidToolCalls[${at}]`, scope)))
  const mark = encodeCacheHint(message.metadata, path, scope.losses)
  const last = blocks[findLastIndex(blocks, ({ type }) => type !== 'thinking' && type !== 'redacted_thinking')]
  if (mark !== undefined && last !== undefined) Object.assign(last, { cache_control: mark })
  return blocks
}

/** Encodes the blocks of an assistant's turn, for a request or an answer. */
export function encodeTurnBlocks(message: AssistantMessage, path: string, scope: Scope): WireBlock[] {
  return blocksOfTurn(message).flatMap((block, at) => encodePart(block, `${path}.content[${at}]`, scope) ?? [])
}

function encodePart(block: ContentBlock, path: string, scope: Scope): WireBlock | undefined {
  if (block.type === 'tool_call') return encodeCall(block, path, scope)
  if (block.type === 'tool_result') return encodeResultBlock(block, path, scope)
  return encodeBlock(block, path, scope)
}

function addTurn(turns: Turn[], message: Message, content: string | WireBlock[], path: string): void {
  const role =
    message.role === 'assistant' ? 'assistant' : message.role === 'user' || message.role === 'tool' ? 'user' : 'system'
  // The stored fields of a tool message are sent in its block.
  const kept = message.role === 'tool' ? undefined : keptOf(message)
  const last = turns.at(-1)
  if (last?.role !== role) {
    turns.push({ role, content, kept, path })
    return
  }
  const before = toBlocks(last.content)
  before.push(...toBlocks(content))
  last.content = before
  last.path = path
  last.kept = kept === undefined ? last.kept : { ...last.kept, ...kept }
}

function toBlocks(content: string | WireBlock[]): WireBlock[] {
  if (typeof content !== 'string') return content
  return content === '' ? [] : [{ type: 'text', text: content }]
}

function settleTurn({ role, content, kept, path }: Turn, isLast: boolean, scope: Turns): WireMessage {
  let settled = content
  if (typeof settled !== 'string' && role === 'user') settled = resultsFirst(settled)
  if (typeof settled !== 'string' && role === 'assistant')
    settled = withoutLastThinking(callsLast(settled, path, scope), path, scope)
  if (isLast && role === 'assistant') settled = trimEnd(settled, path, scope)
  const isBare = role === 'system' && settled.length === 0
  return { ...kept, role, ...(!isBare && { content: settled }) } as WireMessage
}

function resultsFirst(blocks: readonly WireBlock[]): WireBlock[] {
  const isResult = ({ type }: WireBlock) => type === 'tool_result'
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))]
}

/**
 * Moves text after calls to the place before them, because the API has refused text after a call. Text never moves across other blocks.
 */
function callsLast(blocks: readonly WireBlock[], path: string, scope: Turns): readonly WireBlock[] {
  const settled: WireBlock[] = []
  let calls: WireBlock[] = []
  for (const block of blocks) {
    if (block.type === 'tool_use') {
      calls.push(block)
      continue
    }
    if (block.type !== 'text') {
      settled.push(...calls)
      calls = []
    }
    settled.push(block)
  }
  settled.push(...calls)
  if (settled.every((block, index) => block === blocks[index])) return blocks
  reportLoss(scope.losses, 'changed', path, 'calls are moved after the text that followed them', 'info')
  return settled
}

function withoutLastThinking(blocks: readonly WireBlock[], path: string, scope: Turns): WireBlock[] {
  const end = findLastIndex(blocks, ({ type }) => type !== 'thinking' && type !== 'redacted_thinking') + 1
  if (end < blocks.length) reportLoss(scope.losses, 'dropped', path, 'a turn may not end with thinking')
  return blocks.slice(0, end)
}

/** Removes white space at the end of a last assistant turn. The model continues this turn, and the API refuses white space there. */
function trimEnd(content: string | WireBlock[], path: string, scope: Turns): string | WireBlock[] {
  const last = typeof content === 'string' ? content : content.at(-1)
  const text = typeof last === 'object' && last.type === 'text' ? last.text : last
  if (typeof text !== 'string' || text.trimEnd() === text) return content
  reportLoss(scope.losses, 'changed', path, 'a prefilled answer may not end in white space', 'info')
  if (typeof content === 'string') return content.trimEnd()
  return [...content.slice(0, -1), { ...(last as WireText), text: text.trimEnd() }]
}

// ---- decoding ---------------------------------------------------------------------------------

/** Decodes each message to one or more messages of isoglot. */
export function decodeConversation(body: JsonObject, origin: Origin): Pick<Context, 'system' | 'messages'> {
  const messages = field(body, 'messages')
  if (!Array.isArray(messages)) throw wrong('messages', 'is not an array')
  const system = field(body, 'system') ?? null
  const names = new Map<string, string>()
  return compact({
    system: system === null ? undefined : decodeContent(system, 'system', origin),
    messages: messages.flatMap((message, at) => decodeMessage(message, `messages[${at}]`, names, origin)),
  })
}

function wrong(path: string, finding: string): DecodeError {
  return new DecodeError(`Cannot decode Anthropic request: "${path}" ${finding}`, { path })
}

function decodeMessage(wire: unknown, path: string, names: Map<string, string>, origin: Origin): Message[] {
  if (!isObject(wire)) throw wrong(path, 'is not an object')
  const content = field(wire, 'content')
  const { providerData } = extrasOf(wire, knownFields.message)
  const extras = providerData === undefined ? {} : { providerData }
  switch (field(wire, 'role')) {
    case 'user':
      return decodeUser(content, `${path}.content`, names, origin, extras)
    case 'assistant':
      return [{ ...decodeAssistant(content, `${path}.content`, names, origin), ...extras }]
    case 'system':
    case 'developer':
      // A message that only changes settings has no content.
      if (content === undefined && providerData !== undefined) return [{ role: 'system', content: [], providerData }]
      return [{ role: 'system', content: decodeContent(content, `${path}.content`, origin), ...extras }]
  }
  throw wrong(`${path}.role`, 'is not user, assistant or system')
}

/** Returns the blocks of a content. Each is an object with a type. */
function blocksIn(content: unknown, path: string): readonly JsonObject[] {
  if (!Array.isArray(content)) throw wrong(path, 'is neither a string nor an array')
  return content.map((block, at) => {
    if (!isObject(block)) throw wrong(`${path}[${at}]`, 'is not an object')
    if (typeof field(block, 'type') !== 'string') throw wrong(`${path}[${at}].type`, 'is not a string')
    return block
  })
}

function decodeContent(content: unknown, path: string, origin: Origin): Content {
  if (typeof content === 'string') return content
  return blocksIn(content, path).map((block) => decodeBlock(block, origin))
}

/** Decodes a user message. Its results come first, as separate messages; the other blocks follow. */
function decodeUser(
  content: unknown,
  path: string,
  names: ReadonlyMap<string, string>,
  origin: Origin,
  extras: { providerData?: ProviderData },
): Message[] {
  if (typeof content === 'string') return [{ role: 'user', content, ...extras }]
  const blocks = blocksIn(content, path)
  const results = blocks.filter((block) => field(block, 'type') === 'tool_result')
  const rest = blocks.filter((block) => field(block, 'type') !== 'tool_result')
  const messages: Message[] = results.map((block) => decodeResult(block, names, origin))
  const isSaid = rest.length > 0 || messages.length === 0 || extras.providerData !== undefined
  if (isSaid) messages.push({ role: 'user', content: rest.map((block) => decodeBlock(block, origin)), ...extras })
  return messages
}

function decodeAssistant(content: unknown, path: string, names: Map<string, string>, origin: Origin): AssistantMessage {
  if (typeof content === 'string') return { role: 'assistant', content }
  const blocks: ContentBlock[] = []
  const invalidToolCalls: InvalidToolCall[] = []
  let calls = 0
  for (const wire of blocksIn(content, path)) {
    const call = field(wire, 'type') === 'tool_use' ? decodeCall(wire, calls) : undefined
    if (call !== undefined) {
      calls++
      names.set(stringOr(call.id, ''), stringOr(call.name, ''))
    }
    if (call?.type === 'invalid_tool_call') invalidToolCalls.push(call)
    else blocks.push(call ?? (field(wire, 'type') === 'tool_use' ? unknownBlock(wire) : decodeBlock(wire, origin)))
  }
  return compact({ role: 'assistant', content: blocks, invalidToolCalls: unlessEmpty(invalidToolCalls) })
}
