/**
 * Anthropic Messages: encodes a conversation.
 *
 * In this format, users and assistants alternate, results of tools are blocks of a user message, and the system text is a separate field.
 *
 * @module
 */
import { blocksOf, blocksOfTurn } from '../../core/content.ts'
import { compact, field, findLastIndex } from '../../core/lookup.ts'
import type { Context, JsonObject, Message } from '../../core/model.ts'
import { reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { encodeCacheHint } from './cache.ts'
import { encodeBlocks, encodeResultBlock } from './content.ts'
import { drop, keptOf, type Scope } from './scope.ts'
import type { WireBlock, WireMessage, WireRequest } from './wire.ts'

type Turns = Omit<Scope, 'place'>

/** A message that is being encoded, or several of one role. */
interface Turn {
  readonly role: WireMessage['role']
  readonly blocks: WireBlock[]
  /** Whether the content stays a string. */
  isString: boolean
  kept: JsonObject
  /** The path of its last message. */
  path: string
}

/** The text of a user's turn if none of its blocks can be sent, since a turn must not be empty. The losses name the blocks. */
const placeholder = '(Nothing that can be shown here.)'

/** Encodes the system text and the turns. Consecutive messages of one role become one turn. */
export function encodeConversation(context: Context, scope: Turns): Pick<WireRequest, 'system' | 'messages'> {
  const { messages } = context
  const first = messages.findIndex((message) => roleOf(message) !== 'system' || isSetting(message))
  const leading = first < 0 ? messages.length : first
  const system = encodeSystem(context, leading, scope)
  const turns: Turn[] = []
  for (let at = leading; at < messages.length; at++) {
    addTurn(turns, encodeMessage(messages[at] as Message, `messages[${at}]`, scope))
  }
  for (const turn of turns) if (turn.role === 'assistant') moveCallsLast(turn, scope)
  trimEnd(turns.at(-1), scope)
  return compact({ system: system && contentOf(system), messages: turns.map(encodeTurn) }) as Pick<
    WireRequest,
    'system' | 'messages'
  >
}

function roleOf({ role }: Message): WireMessage['role'] {
  return role === 'developer' ? 'system' : role === 'tool' ? 'user' : role
}

/** Whether a system message has only settings, such as an effort, for the turns after it. */
function isSetting(message: Message): boolean {
  return message.role === 'system' && keptOf(message).output_config !== undefined
}

/** Encodes the system text and the instructions before the first turn: developer messages last, because they have lower priority. */
function encodeSystem({ system = '', messages }: Context, leading: number, scope: Turns): Turn | undefined {
  const turns: Turn[] = []
  addTurn(turns, encodeMessage({ role: 'system', content: system }, 'system', scope, 'system'))
  for (const role of ['system', 'developer']) {
    for (const [at, message] of messages.slice(0, leading).entries()) {
      if (message.role !== role) continue
      const path = `messages[${at}]`
      if (message.providerData !== undefined) drop(`${path}.providerData`, reasons.fields, scope, 'info')
      addTurn(turns, encodeMessage(message, path, scope))
    }
  }
  return turns[0]
}

function encodeMessage(message: Message, path: string, scope: Turns, contentPath = `${path}.content`): Turn {
  const role = roleOf(message)
  const { provider } = scope.target
  if (message.role === 'tool') {
    const result = encodeResultBlock(message, path, { ...scope, place: role })
    return { role, blocks: [result], isString: false, kept: {}, path }
  }
  const isTurn = message.role === 'assistant'
  const isForeign = isTurn && (message.response?.provider ?? provider) !== provider
  const given = isTurn ? blocksOfTurn(message) : blocksOf(message.content)
  const blocks = encodeBlocks(given, contentPath, { ...scope, place: role, isForeign })
  if (isTurn && message.invalidToolCalls !== undefined)
    drop(`${path}.invalidToolCalls`, 'only "prepare" makes them calls that can be sent', scope, 'major')
  const isLost = role === 'user' && blocks.length === 0
  if (isLost) blocks.push({ type: 'text', text: placeholder })
  const mark = encodeCacheHint(message.metadata, path, scope.losses)
  const last = blocks[findLastIndex(blocks, (block) => !isThinking(block))]
  if (mark !== undefined && last !== undefined) Object.assign(last, { cache_control: mark })
  const isString = isLost || (typeof message.content === 'string' && blocks.length === 1)
  return { role, blocks, isString: isString && mark === undefined, kept: keptOf(message), path }
}

/** Whether it is a block that belongs to the block after it. */
export function isThinking(block: unknown): boolean {
  const type = field(block, 'type')
  return type === 'thinking' || type === 'redacted_thinking'
}

/** Adds a turn, or its blocks to the turn before it. The losses name what an empty turn held. */
function addTurn(turns: Turn[], turn: Turn): void {
  const last = turns.at(-1)
  if (turn.blocks.length === 0 && turn.kept.output_config === undefined) return
  if (last?.role !== turn.role) {
    turns.push(turn)
    return
  }
  last.blocks.push(...turn.blocks)
  last.isString = false
  last.kept = { ...last.kept, ...turn.kept }
  last.path = turn.path
}

function contentOf({ blocks, isString }: Turn): string | WireBlock[] {
  const [first] = blocks
  return isString && first?.type === 'text' ? first.text : blocks
}

function encodeTurn(turn: Turn): WireMessage {
  const { role, kept } = turn
  return { ...kept, role, ...(turn.blocks.length > 0 && { content: contentOf(turn) }) } as WireMessage
}

/** Moves calls after the text that follows them, because the API has refused text after a call. Text never moves across other blocks. */
function moveCallsLast({ blocks, path }: Turn, { losses }: Turns): void {
  let isMoved = false
  for (const [from, block] of blocks.entries()) {
    let to = from
    while (block.type === 'text' && blocks[to - 1]?.type === 'tool_use') to--
    if (to === from) continue
    isMoved = true
    blocks.splice(from, 1)
    blocks.splice(to, 0, block)
  }
  if (isMoved) reportLoss(losses, 'changed', path, 'calls are moved after the text that followed them', 'info')
}

/** Removes white space at the end of a last assistant turn. The model continues this turn, and the API refuses white space there. */
function trimEnd(turn: Turn | undefined, { losses }: Turns): void {
  const last = turn?.blocks.at(-1)
  if (turn?.role !== 'assistant' || last?.type !== 'text' || last.text.trimEnd() === last.text) return
  reportLoss(losses, 'changed', turn.path, 'a prefilled answer may not end in white space', 'info')
  last.text = last.text.trimEnd()
}
