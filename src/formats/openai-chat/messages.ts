/**
 * OpenAI Chat Completions: encodes the messages of a request. `decode-messages.ts` decodes them.
 *
 * @module
 */
import { blocksOf, blocksOfTurn, callsOf } from '../../core/content.ts'
import { compact, otherFields, unlessEmpty } from '../../core/lookup.ts'
import type {
  AssistantMessage,
  AudioBlock,
  ContentBlock,
  Context,
  InstructionMessage,
  InvalidToolCall,
  JsonObject,
  Message,
  UserMessage,
} from '../../core/model.ts'
import { legalId } from '../../kit/ids.ts'
import { reportLoss } from '../../kit/losses.ts'
import { ownProof } from '../../kit/opaque.ts'
import * as reasons from '../../kit/reasons.ts'
import {
  beyondTypes,
  cacheMark,
  dropReasoning,
  encodeParts,
  encodeTextPart,
  encodeTextParts,
  encodeUserParts,
  kept,
  toContent,
} from './content.ts'
import type { Encoding, ReasoningReplay, ReasoningTurn } from './dialect.ts'
import { format, plainNames, proofNames } from './tables.ts'
import { encodeCall, encodeResultFor } from './tools.ts'
import type { WireAnyPart, WireAssistant, WireInstruction, WireMessage, WireRefusalPart, WireTextPart } from './wire.ts'

/** A part of an assistant message's content. */
type SaidPart = WireTextPart | WireRefusalPart

/** Encodes all messages, the system text first, in the order that the host requires. */
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
  const role = message.role === 'developer' ? to.dialect.developerRole : 'system'
  return { ...kept(message), role, ...saidIn(message, parts, path, to) }
}

/** Encodes a user message. Each result block in it becomes a separate message before it. */
function encodeUser(message: UserMessage, path: string, to: Encoding): WireMessage[] {
  const blocks = blocksOf(message.content)
  const results = encodeParts(blocks, `${path}.content`, (block, place) => {
    if (block.type !== 'tool_result') return undefined
    const { type: _, isError, id: _id, ...result } = block
    return encodeResultFor(to, { ...result, role: 'tool', ...(isError && { status: 'error' }) }, `${place}.`)
  })
  if (results.length > 0 && results.length === blocks.length) return results
  const parts = encodeUserParts(blocks, `${path}.content`, to)
  return [...results, { ...kept(message), role: 'user', ...saidIn(message, parts, path, to) }]
}

/** Returns the content of a user or instruction message, and the name of its author. */
function saidIn<Part extends WireAnyPart>(
  message: InstructionMessage | UserMessage,
  parts: readonly Part[],
  path: string,
  to: Encoding,
): { content: string | (Part | WireTextPart)[]; name?: string } {
  const content = toContent(parts, to, typeof message.content === 'string')
  return { content: withMark(content, message, path, to), ...named(message, path, to) }
}

function named(
  message: InstructionMessage | UserMessage | AssistantMessage,
  path: string,
  { dialect, losses }: Encoding,
): { name?: string } {
  if (message.name === undefined) return {}
  const name = legalId(message.name, plainNames)
  if (name !== message.name)
    reportLoss(losses, 'changed', `${path}.name`, `${dialect.title} takes only plain names`, 'info')
  return { name }
}

/** Adds the message's cache mark to its last part. */
function withMark<Part extends WireAnyPart>(
  content: string | Part[],
  message: Message,
  path: string,
  to: Encoding,
): string | (Part | WireTextPart)[] {
  const mark = cacheMark(message.metadata, path, to)
  if (mark === undefined) return content
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  return parts.map((part, at) => (at === parts.length - 1 ? { ...part, ...mark } : part))
}

/** Encodes a turn. Drops a turn that would have only reasoning, such as one with only another host's tools: servers refuse it. */
function encodeTurn(message: AssistantMessage, path: string, inCalls: boolean, to: Encoding): WireAssistant[] {
  const encoded = encodeAssistant(message, path, inCalls, to)
  const isSaid = blocksOf(message.content).every((block) => block.type === 'text')
  const isBlank = Object.entries(encoded).every(([key, value]) => /^role$|^name$|^reasoning/.test(key) || value === '')
  if (isSaid || !isBlank) return [encoded]
  reportLoss(to.losses, 'dropped', path, reasons.nothing)
  return []
}

function encodeAssistant(message: AssistantMessage, path: string, inCalls: boolean, to: Encoding): WireAssistant {
  const blocks = blocksOfTurn(message)
  const calls = callsOf(message).flatMap((call) => {
    if (call.name !== undefined) return [encodeCall(call, to)]
    const at = message.invalidToolCalls?.indexOf(call as InvalidToolCall)
    reportLoss(to.losses, 'dropped', `${path}.invalidToolCalls[${at}]`, reasons.namelessCall)
    return []
  })
  for (const block of blocks) if (isUnknownCall(block)) calls.push(beyondTypes(block.value))
  const audio = blocks.find(isMadeAudio)
  const parts = encodeParts(blocks, `${path}.content`, (block, place) => encodeSaid(block, place, to))
  const isAlone = calls.length === 0 && audio === undefined
  const content = parts.length > 0 || isAlone ? toContent(parts, to, parts.length === 1, '') : null
  return {
    ...keptFor(message, path, to),
    role: 'assistant',
    content: content === null ? null : withMark(content, message, path, to),
    ...named(message, path, to),
    ...encodeReasoning({ blocks, path: `${path}.content`, inCalls, content }, to),
    ...compact({ audio: audio && { id: audio.id }, tool_calls: unlessEmpty(calls) }),
  }
}

/** Returns the stored fields of a message. They are sent only to the provider of the message, and proofs only to its model. */
function keptFor(message: AssistantMessage, path: string, to: Encoding): JsonObject | undefined {
  const own = kept(message)
  const { provider: from, model = '' } = message.response ?? {}
  if (own === undefined || from === undefined) return own
  const { provider, title } = to.dialect
  const place = `${path}.providerData.${format}`
  if (from !== provider) {
    reportLoss(to.losses, 'dropped', place, `${from} said it, and not ${title}`, 'info')
    return undefined
  }
  const proofs = Object.keys(own).filter((name) => proofNames.has(name))
  if (ownProof({ format, provider, model, data: {} }, { format, provider, model: to.model })) return own
  for (const name of proofs) reportLoss(to.losses, 'dropped', `${place}.${name}`, reasons.foreignProof, 'info')
  return otherFields(own, proofNames)
}

function isUnknownCall(block: ContentBlock): block is ContentBlock & { type: 'unknown' } {
  return block.type === 'unknown' && block.format === format && block.providerType.startsWith('tool_calls:')
}

function isMadeAudio(block: ContentBlock): block is AudioBlock & { id: string } {
  return block.type === 'audio' && block.id !== undefined
}

/** Encodes a block of an assistant message: text, a refusal, or the transcript of audio. */
function encodeSaid(block: ContentBlock, path: string, to: Encoding): SaidPart | undefined {
  const { type } = block
  if (type === 'tool_call' || type === 'reasoning' || isUnknownCall(block) || isMadeAudio(block)) return undefined
  if (type === 'audio' && block.transcript !== undefined) {
    reportLoss(to.losses, 'changed', path, 'audio without an id is sent as what is said in it')
    return { type: 'text', text: block.transcript }
  }
  const part = encodeTextPart(block, path, to)
  return type === 'text' && block.refusal ? { type: 'refusal', refusal: block.text } : part
}

/** Encodes earlier reasoning in the form that the host requires. Drops it if the host does not accept reasoning. */
function encodeReasoning(turn: ReasoningTurn, to: Encoding): ReturnType<ReasoningReplay['write']> {
  const { replay } = to.dialect
  if (replay !== undefined) return replay.write(turn, to)
  dropReasoning(turn, to)
  return {}
}
