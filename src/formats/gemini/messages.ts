/**
 * Gemini: encodes messages as `contents`. The only roles are `user` and `model`; results have the role `user`.
 *
 * @see https://ai.google.dev/api/caching#Content (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures (read 2026-11)
 *
 * @module
 */
import { blocksOf, blocksOfTurn } from '../../core/content.ts'
import { objectIn } from '../../core/lookup.ts'
import type { AssistantMessage, Content, Context, JsonObject, Message, ToolCall } from '../../core/model.ts'
import { reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { encodeBlock } from './content.ts'
import { drop, type Scope } from './part.ts'
import { isGemini3, unsignedCall } from './tables.ts'
import { encodeCall, encodeResultPart } from './tools.ts'
import type { WireContent, WirePart } from './wire.ts'

/**
 * A content that is being built. Messages of one role that follow each other become one content. Results have a content of their own, because
 * models may misread them between other parts.
 */
interface Turn {
  readonly kind: 'user' | 'model' | 'results'
  readonly parts: WirePart[]
  fields: JsonObject
}

/** Encodes the messages in their order, without system messages. */
export function encodeContents(context: Context, scope: Scope): readonly WireContent[] {
  const { losses, dialect } = scope
  const turns: Turn[] = []
  const calls = new Map<string, ToolCall>()
  /** Media of results that a content after all results of the turn has. */
  const media: WirePart[] = []
  for (const [at, message] of withoutPaused(context).entries()) {
    const { role, content } = message
    const path = `messages[${at}]`
    const fields = objectIn(message.providerData?.gemini, 'content')
    if (content === '' && role !== 'tool') drop(scope, path, reasons.empty, 'info')
    if (role !== 'tool') add(turns, 'user', media.splice(0), {})
    if (role === 'assistant') {
      for (const block of blocksOfTurn(message)) if (block.type === 'tool_call') calls.set(block.id, block)
      add(turns, 'model', encodeTurn(message, scope, path), fields)
    } else if (role === 'tool') {
      add(turns, 'results', [encodeResultPart(message, calls.get(message.toolCallId), scope, path, media)], fields)
    } else if (role === 'user' || (role === 'developer' && dialect.developer === 'user')) {
      if (role === 'developer') reportLoss(losses, 'changed', path, 'Gemini has no role for developers: a user says it')
      add(turns, 'user', encodeInput(content, scope, `${path}.content`), fields)
    }
  }
  add(turns, 'user', media, {})
  signFirstCalls(turns, scope)
  return turns.map(({ kind, parts, fields }) => ({ ...fields, role: kind === 'model' ? 'model' : 'user', parts }))
}

/** Leaves out a paused answer at the end. The same request with its token continues it, so the answer itself is not sent. */
function withoutPaused({ messages, providerState }: Context): readonly Message[] {
  const last = messages.at(-1)
  const isPaused = last?.role === 'assistant' && last.stopReason === 'pause'
  return isPaused && typeof providerState?.continuationToken === 'string' ? messages.slice(0, -1) : messages
}

/** Encodes content of the system or of a user. */
export function encodeInput(content: Content | null, scope: Scope, path: string): readonly WirePart[] {
  return blocksOf(content).flatMap((block, at) => encodeBlock(block, scope, `${path}[${at}]`) ?? [])
}

/** Encodes a turn of the model. Invalid calls are not sent, and blocks that isoglot does not know go only to the provider that sent them. */
function encodeTurn(message: AssistantMessage, scope: Scope, path: string): readonly WirePart[] {
  for (const at of (message.invalidToolCalls ?? []).keys())
    drop(scope, `${path}.invalidToolCalls[${at}]`, 'an invalid call cannot be sent')
  const { provider } = scope.dialect
  const isForeign = (message.response?.provider ?? provider) !== provider
  return blocksOfTurn(message).flatMap((block, at) => {
    const where = `${path}.content[${at}]`
    if (block.type === 'unknown' && isForeign) return drop(scope, where, 'it is a block of another provider') ?? []
    if (block.type === 'tool_call') return encodeCall(block, scope.dialect)
    return encodeBlock(block, scope, where) ?? []
  })
}

/** Adds parts to the last content if that is of their kind, otherwise as a new one. */
function add(turns: Turn[], kind: Turn['kind'], parts: readonly WirePart[], fields: JsonObject): void {
  if (parts.length === 0) return
  const last = turns.at(-1)
  if (last?.kind !== kind) turns.push({ kind, parts: [...parts], fields })
  else {
    last.parts.push(...parts)
    last.fields = { ...last.fields, ...fields }
  }
}

/**
 * Signs the first call of each turn that has no signature, with the documented placeholder: Gemini 3 refuses a call of another model without
 * one. The server does not check earlier turns, but they are signed too, so that a later request sends them unchanged.
 */
function signFirstCalls(turns: readonly Turn[], { model, losses }: Scope): void {
  if (!isGemini3(model)) return
  for (const { kind, parts } of turns) {
    const at = kind === 'model' ? parts.findIndex((part) => part.functionCall !== undefined) : -1
    const part = parts[at]
    if (part === undefined || part.thoughtSignature !== undefined) continue
    parts[at] = { ...part, thoughtSignature: unsignedCall }
    reportLoss(losses, 'invented', 'contents', 'Gemini 3 wants a signature on a call that it did not make', 'info')
  }
}
