/**
 * Gemini: encodes messages as `contents`. The only roles are `user` and `model`; results have the role `user`.
 *
 * @see https://ai.google.dev/api/caching#Content (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures (read 2026-11)
 *
 * @module
 */
import { blocksOf, blocksOfTurn } from '../../core/content.ts'
import { compact, field } from '../../core/lookup.ts'
import type {
  AssistantMessage,
  Content,
  Context,
  JsonObject,
  Message,
  ToolMessage,
  ToolResultBlock,
} from '../../core/model.ts'
import { reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { encodeBlock } from './content.ts'
import { drop, type Scope } from './part.ts'
import { isGemini3, unsignedCall } from './tables.ts'
import { encodeCall, encodeResultPart, isMadeId } from './tools.ts'
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
  const turns: Turn[] = []
  const calls = callsOf(context.messages)
  const messages = withoutPaused(context)
  for (const [at, message] of messages.entries())
    encodeMessage(message, { turns, calls, scope, path: `messages[${at}]` })
  signFirstCalls(turns, scope)
  return turns.map(({ kind, parts, fields }) => ({ ...fields, role: kind === 'model' ? 'model' : 'user', parts }))
}

/** Leaves out a paused answer at the end. The same request with its token continues it, so the answer itself is not sent. */
function withoutPaused({ messages, providerState }: Context): readonly Message[] {
  const last = messages.at(-1)
  const isPaused = last?.role === 'assistant' && last.stopReason === 'pause'
  return isPaused && typeof providerState?.continuationToken === 'string' ? messages.slice(0, -1) : messages
}

interface Known {
  readonly name: string
  /** Whether isoglot generated the call's id. */
  readonly isMade: boolean
}

/** The fields of each call that its result needs, by the call's id. */
function callsOf(messages: readonly Message[]): ReadonlyMap<string, Known> {
  const calls = new Map<string, Known>()
  for (const message of messages) {
    if (message.role !== 'assistant') continue
    for (const block of blocksOfTurn(message)) {
      if (block.type === 'tool_call')
        calls.set(block.id, { name: block.name, isMade: isMadeId(block.id, block.generatedId) })
    }
  }
  return calls
}

interface Place {
  readonly turns: Turn[]
  readonly calls: ReadonlyMap<string, Known>
  readonly scope: Scope
  /** The path of the message. */
  readonly path: string
}

function encodeMessage(message: Message, place: Place): void {
  const fields = (field(message.providerData?.gemini, 'content') ?? {}) as JsonObject
  switch (message.role) {
    case 'system':
      break
    case 'developer':
      encodeDeveloper(message.content, fields, place)
      break
    case 'user':
      encodeUser(message.content, fields, place)
      break
    case 'assistant':
      if (message.content === '' && blocksOfTurn(message).length === 0)
        reportLoss(place.scope.losses, 'dropped', place.path, reasons.empty, 'info')
      add(place.turns, 'model', encodeTurn(message, place.scope, place.path), fields)
      break
    case 'tool':
      addResult(place, message, { toolCallId: message.toolCallId, isError: message.status === 'error' }, fields)
      break
  }
}

function encodeDeveloper(content: Content, fields: JsonObject, place: Place): void {
  if (place.scope.dialect.developer === 'system') return
  reportLoss(place.scope.losses, 'changed', place.path, 'Gemini has no role for developers: a user says it')
  encodeUser(content, fields, place)
}

/** Writes the results of a user message, then its other blocks. */
function encodeUser(content: Content, fields: JsonObject, place: Place): void {
  const blocks = blocksOf(content)
  for (const block of blocks) {
    if (block.type !== 'tool_result') continue
    addResult(place, block, { toolCallId: block.toolCallId, isError: block.isError === true }, {})
  }
  if (content === '') reportLoss(place.scope.losses, 'dropped', place.path, reasons.empty, 'info')
  const path = `${place.path}.content`
  const parts = blocks.flatMap((block, at) =>
    block.type === 'tool_call'
      ? refuse(place.scope, `${path}[${at}]`)
      : (encodeBlock(block, place.scope, `${path}[${at}]`) ?? []),
  )
  add(place.turns, 'user', parts, fields)
}

function refuse(scope: Scope, path: string): never[] {
  reportLoss(scope.losses, 'dropped', path, 'it stands in a turn of the wrong role', 'major')
  return []
}

/** Encodes a turn of the model as parts. An invalid call is not sent, unless `prepare` has turned it into a valid one. */
function encodeTurn(message: AssistantMessage, scope: Scope, path: string): readonly WirePart[] {
  for (const at of (message.invalidToolCalls ?? []).keys()) {
    reportLoss(scope.losses, 'dropped', `${path}.invalidToolCalls[${at}]`, 'an invalid call cannot be sent')
  }
  const { provider } = scope.dialect
  const isForeign = (message.response?.provider ?? provider) !== provider
  return blocksOfTurn(message).flatMap((block, at) => {
    const where = `${path}.content[${at}]`
    if (block.type === 'unknown' && isForeign) return drop(scope, where, 'it is a block of another provider') ?? []
    if (block.type === 'tool_call') return encodeCall(block, scope, where)
    if (block.type === 'tool_result') return refuse(scope, where)
    return encodeBlock(block, scope, where) ?? []
  })
}

function addResult(
  place: Place,
  result: Pick<ToolMessage | ToolResultBlock, 'content' | 'providerData' | 'name'>,
  { toolCallId, isError }: { readonly toolCallId: string; readonly isError: boolean },
  fields: JsonObject,
): void {
  const { scope, turns, path } = place
  const call = place.calls.get(toolCallId)
  const name = result.name ?? call?.name
  if (name === undefined)
    reportLoss(scope.losses, 'invented', `${path}.name`, 'Gemini needs the name of the tool for a result')
  const hasId = scope.dialect.callIds && !isMadeId(toolCallId, call?.isMade)
  const head = compact({ name: name ?? 'unknown_tool', isError, id: hasId ? toolCallId : undefined })
  const { part, besides } = encodeResultPart(result, head, scope, `${path}.content`)
  add(turns, 'results', [part], fields)
  if (besides.length > 0) add(turns, 'user', besides, {})
}

/** Adds parts to the last content of their kind, or as a new one. Results join those of their turn, even after media of another result. */
function add(turns: Turn[], kind: Turn['kind'], parts: readonly WirePart[], fields: JsonObject): void {
  if (parts.length === 0) return
  const last = turns.at(-1)
  const results =
    kind === 'results' && last?.kind === 'user' && turns.at(-2)?.kind === 'results' ? turns.at(-2) : undefined
  const same = last?.kind === kind ? last : results
  if (same === undefined) turns.push({ kind, parts: [...parts], fields })
  else {
    same.parts.push(...parts)
    same.fields = { ...same.fields, ...fields }
  }
}

/**
 * Signs the first call of each turn that has no signature, with the documented placeholder: Gemini 3 refuses a call of another model without
 * one. The server does not check earlier turns, but they are signed too, so that a later request sends them unchanged.
 */
function signFirstCalls(turns: readonly Turn[], scope: Scope): void {
  if (!isGemini3(scope.model)) return
  for (const { kind, parts } of turns) {
    const at = kind === 'model' ? parts.findIndex((part) => part.functionCall !== undefined) : -1
    const part = parts[at]
    if (part === undefined || part.thoughtSignature !== undefined) continue
    parts[at] = { ...part, thoughtSignature: unsignedCall }
    reportLoss(
      scope.losses,
      'invented',
      'contents',
      'Gemini 3 wants a signature on a call that it did not make',
      'info',
    )
  }
}
