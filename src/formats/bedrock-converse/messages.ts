/**
 * Bedrock Converse: reads and writes a conversation and its turns.
 *
 * In this format, the turns of the user and the assistant alternate. Tool results are blocks of a user's message. The system text has a
 * separate field.
 *
 * @module
 */
import { blocksOf, blocksOfTurn } from '../../core/content.ts'
import { compact, field, isObject, otherFields, unlessEmpty } from '../../core/lookup.ts'
import type { AssistantMessage, ContentBlock, Context, InvalidToolCall, JsonObject, Message } from '../../core/model.ts'
import { readCall, textOfArguments } from '../../core/tool-call.ts'
import { reportLoss } from '../../kit/losses.ts'
import * as lackReasons from '../../kit/reasons.ts'
import { encodeCachePoint, isCachePoint, readCachePoint } from './cache.ts'
import { decodeBlock, encodeBlock, keptFields, listAt, misfit, objectAt, type Scope } from './content.ts'
import { format, reasons } from './tables.ts'
import { decodeResult, encodeCall, encodeInvalidCall, encodeToolResult, readCallFragment } from './tools.ts'
import type { WireBlock, WireMessage, WireRequest } from './wire.ts'

// ---- encode -----------------------------------------------------------------------------------

/** The text of a user's turn if none of its blocks can be sent. Without it the turn would be omitted. */
const placeholder = '(Nothing that can be shown here.)'

/** Writes the system text and the turns. Consecutive messages of the same role become one turn. */
export function encodeConversation(
  { system, messages }: Context,
  scope: Omit<Scope, 'place'>,
): Pick<WireRequest, 'system' | 'messages'> {
  const start = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const leading = start < 0 ? messages.length : start
  const texts = [
    ...textsOf(blocksOf(system ?? ''), 'system', scope),
    ...messages.slice(0, leading).flatMap((message, at) => {
      if (Object.keys(keptFields(message)).length > 0)
        reportLoss(scope.losses, 'dropped', `messages[${at}].providerData`, lackReasons.fields, 'info')
      const path = `messages[${at}]`
      const written = textsOf(blocksOf(message.content), `${path}.content`, scope)
      return [...written, ...encodeCachePoint(message.metadata, written.at(-1), path, scope)]
    }),
  ]
  const turns: WireMessage[] = []
  for (let at = leading; at < messages.length; at++) {
    const message = messages[at] as Message
    const path = `messages[${at}]`
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const content = encodeMessage(message, path, { ...scope, place: role })
    if (content.length === 0 && role === 'user' && blocksOf(message.content).some(({ type }) => type !== 'text'))
      content.push({ text: placeholder })
    if (content.length === 0) {
      reportLoss(scope.losses, 'dropped', path, lackReasons.empty, 'info')
      continue
    }
    content.push(...encodeCachePoint(message.metadata, content.at(-1), path, scope))
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...content)
    // The kept fields of a tool message are written in its block, not here.
    else turns.push({ ...(message.role !== 'tool' && keptFields(message)), role, content })
  }
  for (const turn of turns) if (turn.role === 'user') settle(turn, scope)
  trimPrefill(turns, scope)
  return { messages: turns, ...compact({ system: unlessEmpty(texts) }) }
}

function textsOf(
  blocks: readonly ContentBlock[],
  path: string,
  scope: Omit<Scope, 'place'>,
): NonNullable<WireRequest['system']> {
  const { losses } = scope
  return blocks.flatMap((block, at) => {
    if (block.type !== 'text' && block.type !== 'plain_text') {
      reportLoss(losses, 'dropped', `${path}[${at}]`, reasons.onlyText, block.type === 'unknown' ? 'minor' : 'major')
      return []
    }
    if (block.type === 'plain_text' && block.title !== undefined)
      reportLoss(losses, 'dropped', `${path}[${at}].title`, lackReasons.title, 'info')
    if (block.text.trim() === '') return []
    const text = { text: block.text }
    return [text, ...encodeCachePoint(block.metadata, text, `${path}[${at}]`, scope)]
  })
}

function encodeMessage(message: Message, path: string, scope: Scope): WireBlock[] {
  if (message.role === 'tool') return [{ toolResult: encodeToolResult(message, path, scope) }]
  if (message.role === 'assistant') {
    const calls = (message.invalidToolCalls ?? []).map((call, at) => ({
      toolUse: encodeInvalidCall(call, `${path}.invalidToolCalls[${at}]`, scope.losses),
    }))
    return [...encodeTurnBlocks(message, path, scope), ...calls]
  }
  return blocksOf(message.content).flatMap((block, at) => encodePart(block, `${path}.content[${at}]`, scope))
}

/** Writes the blocks of an assistant's turn, for a request or an answer. */
export function encodeTurnBlocks(message: AssistantMessage, path: string, scope: Scope): WireBlock[] {
  return blocksOfTurn(message).flatMap((block, at) => encodePart(block, `${path}.content[${at}]`, scope))
}

/** Writes a block, and its cache point after it. */
function encodePart(block: ContentBlock, path: string, scope: Scope): WireBlock[] {
  const written: WireBlock | undefined =
    block.type === 'tool_call'
      ? { toolUse: encodeCall(block) }
      : block.type === 'tool_result'
        ? { toolResult: encodeToolResult(block, path, scope) }
        : encodeBlock(block, path, scope)
  if (written === undefined) return []
  if (scope.place === 'answer' || !('metadata' in block)) return [written]
  return [written, ...encodeCachePoint(block.metadata, written, path, scope)]
}

/** Moves the results of a turn to its start, and adds a text if the turn has a document but no text. Bedrock requires both. */
function settle(turn: WireMessage, { losses }: Omit<Scope, 'place'>): void {
  const results: WireBlock[] = []
  const others: WireBlock[] = []
  let list = others
  for (const block of turn.content) {
    // A cache point stays after its block.
    if (!isCachePoint(block)) list = 'toolResult' in block ? results : others
    list.push(block)
  }
  const lacksText = others.some((block) => 'document' in block) && !others.some((block) => 'text' in block)
  if (lacksText) reportLoss(losses, 'invented', 'messages', reasons.documentText, 'info')
  turn.content = [...results, ...others, ...(lacksText ? [{ text: 'See the document.' }] : [])]
}

/** Removes white space at the end of a last assistant turn, which the model continues. Bedrock refuses white space there. */
function trimPrefill(turns: readonly WireMessage[], { losses }: Omit<Scope, 'place'>): void {
  const last = turns.at(-1)
  const block = last?.content.at(-1)
  if (last?.role !== 'assistant' || block === undefined || !('text' in block)) return
  const text = block.text.trimEnd()
  if (text === block.text) return
  reportLoss(losses, 'changed', 'messages', reasons.prefill, 'info')
  last.content.splice(-1, 1, { text })
}

// ---- decode -----------------------------------------------------------------------------------

const messageFields: ReadonlySet<string> = new Set(['role', 'content'])

/** Reads the messages of a request. A message with tool results becomes several messages. */
export function decodeMessages(body: JsonObject): Message[] {
  const names = new Map<string, string>()
  return listAt(field(body, 'messages'), 'messages', 'request').flatMap((entry, at) => {
    const path = `messages[${at}]`
    const wire = objectAt(entry, path, 'request')
    const blocks = listAt(field(wire, 'content'), `${path}.content`, 'request').map((block, index) =>
      objectAt(block, `${path}.content[${index}]`, 'request'),
    )
    const kept = otherFields(wire, messageFields)
    const extras = kept === undefined ? {} : { providerData: { [format]: kept } }
    switch (field(wire, 'role')) {
      case 'user':
        return decodeUser(blocks, names).map((message) =>
          message.role === 'user' ? { ...message, ...extras } : message,
        )
      case 'assistant':
        return [{ ...decodeAssistant(blocks, names), ...extras }]
      case 'system':
        return [{ role: 'system' as const, content: decodeBlocks(blocks), ...extras }]
    }
    throw misfit(`${path}.role`, 'none of user, assistant and system', 'request', field(wire, 'role'))
  })
}

/** Reads a user's message. Its results become separate messages, and its other blocks become a user's message after them. */
function decodeUser(blocks: readonly JsonObject[], names: ReadonlyMap<string, string>): Message[] {
  const results: Message[] = []
  const content: ContentBlock[] = []
  let list: (Message | ContentBlock)[] = content
  for (const block of blocks) {
    if (readCachePoint(block, list)) continue
    const result = field(block, 'toolResult')
    list = isObject(result) ? results : content
    list.push(isObject(result) ? decodeResult(result, names) : decodeBlock(block))
  }
  return content.length === 0 && results.length > 0 ? results : [...results, { role: 'user', content }]
}

/** Reads blocks. A cache point becomes the hint of the block before it. */
export function decodeBlocks(blocks: readonly JsonObject[]): ContentBlock[] {
  const content: ContentBlock[] = []
  for (const block of blocks) if (!readCachePoint(block, content)) content.push(decodeBlock(block))
  return content
}

function decodeAssistant(blocks: readonly JsonObject[], names: Map<string, string>): AssistantMessage {
  const content: ContentBlock[] = []
  const invalidToolCalls: InvalidToolCall[] = []
  let index = 0
  for (const block of blocks) {
    const use = field(block, 'toolUse')
    const fragment = isObject(use) ? readCallFragment(use) : undefined
    if (fragment === undefined || fragment.server) {
      if (!readCachePoint(block, content)) content.push(decodeBlock(block))
      continue
    }
    const { id, name, arguments: given = '', providerData } = fragment
    const argumentsText = typeof given === 'string' ? given : (textOfArguments(given) ?? '[]')
    const call = readCall({ id: id ?? '', name: name ?? undefined, argumentsText, index: index++, providerData })
    names.set(id ?? '', name ?? '')
    if (call.type === 'tool_call') content.push(call)
    else invalidToolCalls.push(call)
  }
  return compact({ role: 'assistant', content, invalidToolCalls: unlessEmpty(invalidToolCalls) })
}
