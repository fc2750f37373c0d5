/** Messages that must stay together: a turn with calls and their results, and reasoning with the turn after it. @module */
import { blocksOf, toolCallsOf } from '../core/content.ts'
import type { Message } from '../core/messages.ts'

/**
 * The messages in groups that stay or go as one. All messages from a call to the last of its results make a group; so does a turn with only
 * reasoning, and the turn after it. A result without a call is a group of its own, with `isStray`.
 */
export function groupsOf(messages: readonly Message[]): readonly (readonly Message[])[] {
  const groups: Message[][] = []
  const end = lastOfGroups(messages)
  let open = -1
  messages.forEach((message, at) => {
    if (at > open) groups.push([message])
    else groups.at(-1)?.push(message)
    open = Math.max(open, end[at] ?? at)
  })
  return groups
}

/** For each message, the place of the last one that is bound to it. */
function lastOfGroups(messages: readonly Message[]): readonly number[] {
  const end = messages.map((_, at) => at)
  const callers = new Map<string, number>()
  messages.forEach((message, at) => {
    for (const call of toolCallsOf(message)) callers.set(call.id, at)
    for (const id of answersOf(message)) {
      const caller = callers.get(id)
      if (caller !== undefined) end[caller] = at
    }
    if (isThoughtAlone(message) && messages[at + 1]?.role === 'assistant') end[at] = at + 1
  })
  return end
}

/** The ids of the calls that a message answers. */
export function answersOf(message: Message): readonly string[] {
  if (message.role === 'tool') return [message.toolCallId]
  return blocksOf(message.content).flatMap((block) => (block.type === 'tool_result' ? [block.toolCallId] : []))
}

function isThoughtAlone(message: Message): boolean {
  const blocks = blocksOf(message.content)
  return message.role === 'assistant' && blocks.length > 0 && blocks.every((block) => block.type === 'reasoning')
}

/** How many messages at the head are instructions. */
export function countInstructions(messages: readonly Message[]): number {
  const first = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  return first < 0 ? messages.length : first
}
