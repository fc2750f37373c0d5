/**
 * OpenAI Chat Completions: the messages of a request, to the wire. The other way is `decode-messages.ts`.
 *
 * @module
 */
import { blocksOf, blocksOfTurn, callsOf } from '../../core/content.ts'
import { compact, unlessEmpty } from '../../core/lookup.ts'
import type {
  AssistantMessage,
  AudioBlock,
  ContentBlock,
  Context,
  InstructionMessage,
  InvalidToolCall,
  JsonObject,
  Message,
  ToolMessage,
  UserMessage,
} from '../../core/model.ts'
import { type IdRule, legalId } from '../../kit/ids.ts'
import { lose } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import {
  beyondTypes,
  cacheMark,
  encodeTextPart,
  encodeTextParts,
  encodeUserParts,
  kept,
  loseReasoning,
  toContent,
} from './content.ts'
import type { Encoding, ReasoningReplay, ReasoningTurn } from './dialect.ts'
import { format } from './tables.ts'
import { encodeCall, encodeResultFor } from './tools.ts'
import type {
  WireAnyPart,
  WireAssistant,
  WireCall,
  WireInstruction,
  WireMessage,
  WireRefusalPart,
  WireTextPart,
} from './wire.ts'

/** What an assistant may say. */
type SaidPart = WireTextPart | WireRefusalPart

/** All messages, the system text first, arranged as the host wants them. */
export function encodeMessages(context: Context, to: Encoding): WireMessage[] {
  const { system } = context
  const messages = to.dialect.withoutTools?.(context.messages, to) ?? context.messages
  const firstCalls = messages.findIndex((message) => message.role === 'assistant' && callsOf(message).length > 0)
  const out = messages.flatMap((message, at) => {
    const inCalls = firstCalls >= 0 && at >= firstCalls
    return encodeMessage(message, `messages[${at}]`, inCalls, to)
  })
  if (system !== undefined) out.unshift(encodeInstruction({ role: 'system', content: system }, 'system', 'system', to))
  return to.dialect.order?.arrange(out, to) ?? out
}

function encodeMessage(message: Message, path: string, inCalls: boolean, to: Encoding): WireMessage[] {
  switch (message.role) {
    case 'system':
    case 'developer':
      return [encodeInstruction(message, path, `${path}.content`, to)]
    case 'user':
      return encodeUser(message, path, to)
    case 'assistant':
      return encodeTurn(message, path, inCalls, to)
    case 'tool':
      return [encodeResultFor(to, message, `${path}.`)]
  }
}

function encodeInstruction(
  message: InstructionMessage,
  path: string,
  contentPath: string,
  to: Encoding,
): WireInstruction {
  const parts = encodeTextParts(blocksOf(message.content), contentPath, to)
  return {
    ...kept(message),
    role: message.role === 'developer' ? to.dialect.developerRole : 'system',
    content: withMark(toContent(parts, to, typeof message.content === 'string'), message, path, to),
    ...named(message, path, to),
  }
}

/** OpenAI answers 400 to a name with any other character. */
const participantNames: IdRule = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 }

function named(
  message: InstructionMessage | UserMessage | AssistantMessage,
  path: string,
  { dialect, ledger }: Encoding,
): JsonObject {
  if (message.name === undefined || dialect.names === false) return {}
  const name = legalId(message.name, participantNames)
  if (name !== message.name) lose(ledger, 'changed', `${path}.name`, `${dialect.title} takes plain names alone`, 'info')
  return { name }
}

/** A mark on the message stands on its last part. */
function withMark<Part extends WireAnyPart>(
  content: string | Part[],
  message: Message,
  path: string,
  to: Encoding,
): string | (Part | WireTextPart)[] {
  const mark = cacheMark(message.metadata, path, to)
  if (Object.keys(mark).length === 0) return content
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  return parts.map((part, at) => (at === parts.length - 1 ? { ...part, ...mark } : part))
}

/** Results that stand in a user's message come before it, each in a message of its own. */
function encodeUser(message: UserMessage, path: string, to: Encoding): WireMessage[] {
  const blocks = blocksOf(message.content)
  const said = blocks.filter((block) => block.type !== 'tool_result')
  const results = blocks.flatMap((block, at) => {
    if (block.type !== 'tool_result') return []
    const { type: _, isError, id: _id, ...result } = block
    const status = isError ? ('error' as const) : undefined
    const answer: ToolMessage = { ...result, role: 'tool', ...compact({ status }) }
    return [encodeResultFor(to, answer, `${path}.content[${at}].`)]
  })
  if (results.length > 0 && said.length === 0) return results
  const parts = encodeUserParts(blocks, `${path}.content`, to)
  const content = withMark(toContent(parts, to, typeof message.content === 'string'), message, path, to)
  return [...results, { ...kept(message), role: 'user', content, ...named(message, path, to) }]
}

/** A turn of which nothing can be sent, such as one of another provider's tools alone, is none: empty messages are refused. */
function encodeTurn(message: AssistantMessage, path: string, inCalls: boolean, to: Encoding): WireAssistant[] {
  const encoded = encodeAssistant(message, path, inCalls, to)
  const isSaid = blocksOf(message.content).every((block) => block.type === 'text')
  const isBlank = Object.entries(encoded).every(([key, value]) => key === 'role' || key === 'name' || value === '')
  if (isSaid || !isBlank) return [encoded]
  lose(to.ledger, 'dropped', path, reasons.nothing)
  return []
}

function encodeAssistant(message: AssistantMessage, path: string, inCalls: boolean, to: Encoding): WireAssistant {
  const blocks = blocksOfTurn(message)
  const calls = callsOf(message).flatMap((call) => {
    if (call.name !== undefined) return [encodeCall(call, to)]
    const at = message.invalidToolCalls?.indexOf(call as InvalidToolCall)
    lose(to.ledger, 'dropped', `${path}.invalidToolCalls[${at}]`, reasons.namelessCall)
    return []
  })
  calls.push(...unknownCalls(blocks))
  const audio = blocks.find((block): block is AudioBlock => block.type === 'audio' && block.id !== undefined)
  const parts = encodeSaid(blocks, `${path}.content`, to)
  const isAlone = calls.length === 0 && audio === undefined
  const content = parts.length > 0 ? toContent(parts, to, parts.length === 1, '') : isAlone ? '' : null
  return {
    ...keptFor(message, path, to),
    role: 'assistant',
    content: content === null ? null : withMark(content, message, path, to),
    ...named(message, path, to),
    ...encodeReasoning({ blocks, path: `${path}.content`, inCalls, content }, to),
    ...compact({ audio: audio?.id === undefined ? undefined : { id: audio.id }, tool_calls: unlessEmpty(calls) }),
  }
}

/** What a provider said of its message goes back to that provider alone. */
function keptFor(message: AssistantMessage, path: string, to: Encoding): JsonObject | undefined {
  const own = kept(message)
  const from = message.response?.provider
  if (own === undefined || from === undefined || from === to.dialect.provider) return own
  lose(to.ledger, 'dropped', `${path}.providerData.${format}`, `${from} said it, and not ${to.dialect.title}`, 'info')
  return undefined
}

function unknownCalls(blocks: readonly ContentBlock[]): WireCall[] {
  return blocks.flatMap((block) => (isUnknownCall(block) ? [beyondTypes<WireCall>(block.value)] : []))
}

function isUnknownCall(block: ContentBlock): block is ContentBlock & { type: 'unknown' } {
  return block.type === 'unknown' && block.format === format && block.providerType.startsWith('tool_calls:')
}

/** What the assistant said: text, and how it refused where the host takes that. */
function encodeSaid(blocks: readonly ContentBlock[], path: string, to: Encoding): SaidPart[] {
  return blocks.flatMap((block, at): SaidPart[] => {
    if (block.type === 'tool_call' || block.type === 'reasoning' || isUnknownCall(block)) return []
    if (block.type === 'audio' && block.id !== undefined) return []
    if (block.type === 'audio' && block.transcript !== undefined) {
      lose(to.ledger, 'changed', `${path}[${at}]`, 'audio without an id is sent as what is said in it')
      return [{ type: 'text', text: block.transcript }]
    }
    const part = encodeTextPart(block, `${path}[${at}]`, to)
    const isRefusal = block.type === 'text' && block.refusal === true && to.dialect.textParts === true
    if (isRefusal) return [{ type: 'refusal', refusal: block.text }]
    return part === undefined ? [] : [part]
  })
}

/** Earlier reasoning, in the way the host wants it back, if it does. */
function encodeReasoning(turn: ReasoningTurn, to: Encoding): ReturnType<ReasoningReplay['write']> {
  const { replay } = to.dialect
  if (replay !== undefined) return replay.write(turn, to)
  loseReasoning(turn, to)
  return {}
}
