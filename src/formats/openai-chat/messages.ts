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
  dropOther,
  dropReasoning,
  encodeMedia,
  encodeParts,
  isUnknownCall,
  kept,
  toContent,
} from './content.ts'
import type { Encoding } from './dialect.ts'
import { format, plainNames, proofNames } from './tables.ts'
import { encodeCall, encodeResultFor } from './tools.ts'
import type { WireAnyPart, WireAssistant, WireCall, WireMessage, WireTextPart } from './wire.ts'

/** Encodes all messages, the system text first, in the order that the host requires. */
export function encodeMessages({ system, messages: given }: Context, to: Encoding): WireMessage[] {
  const { withoutTools, order } = to.dialect
  const messages = withoutTools?.(given, to) ?? given
  const firstCalls = messages.findIndex((message) => message.role === 'assistant' && callsOf(message).length > 0)
  const out = messages.flatMap((message, at) => {
    const path = `messages[${at}]`
    if (message.role === 'tool') return [encodeResultFor(to, message, `${path}.content`)]
    if (message.role !== 'assistant') return [encodeSaid(message, path, `${path}.content`, to)]
    return encodeTurn(message, path, firstCalls >= 0 && at >= firstCalls, to)
  })
  if (system !== undefined) out.unshift(encodeSaid({ role: 'system', content: system }, 'system', 'system', to))
  return order?.arrange(out, to) ?? out
}

/** Encodes an instruction or a user message. */
function encodeSaid(
  message: InstructionMessage | UserMessage,
  path: string,
  contentPath: string,
  to: Encoding,
): WireMessage {
  const { role, content } = message
  const parts = encodeParts<WireAnyPart>(blocksOf(content), contentPath, to, role === 'user' ? encodeMedia : undefined)
  const encoded = {
    ...kept(message),
    role: role === 'developer' ? to.dialect.developerRole : role,
    content: withMark(toContent(parts, to, typeof content === 'string'), message, path, to),
    ...named(message, path, to),
  }
  return encoded as WireMessage
}

function named(message: Exclude<Message, { role: 'tool' }>, path: string, { dialect, losses }: Encoding): JsonObject {
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
  const blocks = blocksOfTurn(message)
  const calls = callsOf(message).map((call) => encodeCall(call, to))
  calls.push(...blocks.filter(isUnknownCall).map(({ value }) => beyondTypes<WireCall>(value)))
  const audio = blocks.find(isMadeAudio)
  const parts = encodeParts(blocks, `${path}.content`, to, encodeOther)
  const isAlone = calls.length === 0 && audio === undefined
  const content = parts.length > 0 || isAlone ? toContent(parts, to, parts.length === 1, '') : null
  const turn = { blocks, path: `${path}.content`, inCalls, content }
  const { replay } = to.dialect
  const own = keptFor(message, path, to)
  const encoded: WireAssistant = {
    ...own,
    role: 'assistant',
    content: content === null ? null : withMark(content, message, path, to),
    ...named(message, path, to),
    ...(replay ? replay.write(turn, to) : dropReasoning(turn, to)),
    ...compact({ audio: audio && { id: audio.id }, tool_calls: unlessEmpty(calls) }),
  }
  const isBlank = isAlone && encoded.content === '' && own === undefined
  if (!isBlank || blocks.every((block) => block.type === 'text')) return [encoded]
  reportLoss(to.losses, 'dropped', path, reasons.nothing)
  return []
}

/** Returns the stored fields of a message. They are sent only to the provider of the message, and proofs only to its model. */
function keptFor(message: AssistantMessage, path: string, to: Encoding): JsonObject | undefined {
  const own = kept(message)
  const { provider, title } = to.dialect
  const { provider: from = provider, model = to.model } = message.response ?? {}
  const place = `${path}.providerData.${format}`
  if (
    own === undefined ||
    ownProof({ format, provider: from, model, data: own }, { format, provider, model: to.model })
  )
    return own
  if (from !== provider) {
    reportLoss(to.losses, 'dropped', place, `${from} said it, and not ${title}`, 'info')
    return undefined
  }
  for (const name of Object.keys(own)) {
    if (proofNames.has(name)) reportLoss(to.losses, 'dropped', `${place}.${name}`, reasons.foreignProof, 'info')
  }
  return otherFields(own, proofNames)
}

function isMadeAudio(block: ContentBlock): block is AudioBlock & { id: string } {
  return block.type === 'audio' && block.id !== undefined
}

/** Encodes the transcript of audio in an assistant message. Calls, reasoning and generated audio are not parts. */
function encodeOther(block: ContentBlock, path: string, to: Encoding): WireTextPart | undefined {
  const { type } = block
  if (type === 'tool_call' || type === 'reasoning' || isMadeAudio(block)) return undefined
  if (type !== 'audio' || block.transcript === undefined) return dropOther(block, path, to)
  reportLoss(to.losses, 'changed', path, 'audio without an id is sent as what is said in it')
  return { type: 'text', text: block.transcript }
}
