/** Whether what was given are messages at all: the compiler says so of what code writes, and nobody of raw JSON. @module */
import type { Message } from '../../model.ts'

const roles: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool'])

/**
 * Looks at the outside of each message; `normalizeMessages` is for what may be wrong inside.
 *
 * @throws {TypeError} which says which one is none.
 */
export function checkMessages(messages: readonly Message[]): void {
  for (const [at, message] of messages.entries()) {
    const finding = findingOf(message)
    if (finding === undefined) continue
    throw new TypeError(`Cannot send "messages[${at}]": ${finding}; raw JSON goes through normalizeMessages`)
  }
}

function findingOf(message: Message): string | undefined {
  if (typeof message !== 'object' || message === null) return 'it is no message'
  const { role, content } = message
  if (!roles.has(role)) return `the role ${JSON.stringify(role) ?? 'undefined'} is not known`
  if (role === 'tool' && typeof message.toolCallId !== 'string') return '"toolCallId" is missing'
  if (typeof content === 'string' || (role === 'assistant' && content === null)) return undefined
  if (!Array.isArray(content)) return '"content" is neither text nor a list of blocks'
  return content.every(isTagged) ? undefined : 'a block in it has no type'
}

function isTagged(block: unknown): boolean {
  return typeof block === 'object' && block !== null && 'type' in block && typeof block.type === 'string'
}
