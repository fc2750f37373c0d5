/** Filters the messages of a conversation. @module */
import { checkOptions } from '../core/checks.ts'
import { blocksOf, toolCallsOf } from '../core/content.ts'
import { compact, unlessEmpty } from '../core/json.ts'
import type { AssistantMessage, ContentBlock, Message, Role } from '../core/messages.ts'
import { answersOf } from './groups.ts'
import { type MessageLike, messagesOf } from './message-like.ts'
import { checkRoles } from './roles.ts'

/** A message is included if any `include…` names it, or if there is no `include…`. A message that an `exclude…` names is left out. */
export interface FilterOptions {
  readonly includeNames?: readonly string[]
  readonly excludeNames?: readonly string[]
  readonly includeRoles?: readonly Role[]
  readonly excludeRoles?: readonly Role[]
  readonly includeIds?: readonly string[]
  readonly excludeIds?: readonly string[]
  /** `true`: all calls and their results. A list: the calls of these ids, and theirs. The rest of a turn stays. */
  readonly excludeToolCalls?: boolean | readonly string[]
}

/**
 * Returns the messages that the options include. A result is removed with its call, and a call with its result, so a valid history stays
 * valid. A turn with only reasoning left is removed with its calls.
 *
 * @throws {TypeError} for an option that there is not, or of the wrong type.
 */
export function filterMessages(messages: readonly MessageLike[], options: FilterOptions): Message[] {
  checkOptions('filterMessages', options)
  for (const name of ['includeRoles', 'excludeRoles'] as const)
    checkRoles(options[name] ?? [], `Cannot filter messages: "${name}"`)
  const all = messagesOf(messages)
  const kept = all.filter((message) => isIncluded(message, options) && !isExcluded(message, options))
  const gone = callsThatGo(all, new Set(kept), options)
  return kept.flatMap((message) => withoutCalls(message, gone))
}

function isIncluded(message: Message, { includeNames, includeRoles, includeIds }: FilterOptions): boolean {
  if (includeNames === undefined && includeRoles === undefined && includeIds === undefined) return true
  return isNamed(message, includeNames, includeRoles, includeIds)
}

function isExcluded(message: Message, { excludeNames, excludeRoles, excludeIds }: FilterOptions): boolean {
  return isNamed(message, excludeNames, excludeRoles, excludeIds)
}

function isNamed(
  { name, role, id }: Message,
  names: readonly string[] = [],
  roles: readonly Role[] = [],
  ids: readonly string[] = [],
): boolean {
  return (name !== undefined && names.includes(name)) || roles.includes(role) || (id !== undefined && ids.includes(id))
}

/** The ids of calls that are excluded, or that lost their call or their result. */
function callsThatGo(
  all: readonly Message[],
  kept: ReadonlySet<Message>,
  { excludeToolCalls = [] }: FilterOptions,
): ReadonlySet<string> {
  const lost = all.filter((message) => !kept.has(message))
  const calls = excludeToolCalls === true ? all : lost
  const listed = typeof excludeToolCalls === 'boolean' ? [] : excludeToolCalls
  return new Set([
    ...listed,
    ...calls.flatMap(callIdsIn),
    ...lost.flatMap(answersOf),
    ...(excludeToolCalls === true ? all.flatMap(answersOf) : []),
  ])
}

function callIdsIn(message: Message): readonly string[] {
  return toolCallsOf(message).map((call) => call.id)
}

function withoutCalls(message: Message, gone: ReadonlySet<string>): readonly Message[] {
  if (message.role === 'tool') return gone.has(message.toolCallId) ? [] : [message]
  if (typeof message.content === 'string' && message.role !== 'assistant') return [message]
  const blocks = blocksOf(message.content)
  const left = blocks.filter((block) => !isGone(block, gone))
  const isSame = left.length === blocks.length
  if (message.role !== 'assistant') return isSame ? [message] : left.length === 0 ? [] : [{ ...message, content: left }]
  return turnWithout(message, left, isSame, gone)
}

function turnWithout(
  message: AssistantMessage,
  left: readonly ContentBlock[],
  isSame: boolean,
  gone: ReadonlySet<string>,
): readonly Message[] {
  const { toolCalls, invalidToolCalls, ...rest } = message
  const calls = toolCalls?.filter((call) => !gone.has(call.id))
  const invalid = invalidToolCalls?.filter((call) => call.id === undefined || !gone.has(call.id))
  if (isSame && calls?.length === toolCalls?.length && invalid?.length === invalidToolCalls?.length) return [message]
  const isBare = left.every((block) => block.type === 'reasoning') && !calls?.length && !invalid?.length
  if (isBare) return []
  return [
    {
      ...rest,
      ...compact({
        content: isSame ? undefined : left,
        toolCalls: calls && unlessEmpty(calls),
        invalidToolCalls: invalid && unlessEmpty(invalid),
      }),
    },
  ]
}

function isGone(block: ContentBlock, gone: ReadonlySet<string>): boolean {
  if (block.type === 'tool_call') return gone.has(block.id)
  return block.type === 'tool_result' && gone.has(block.toolCallId)
}
