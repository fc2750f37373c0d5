/** The orders of messages that some hosts require. @module */
import { reportLoss } from '../../shared/losses.ts'
import type { Encoding, MessageOrder } from '../dialect.ts'
import type { WireMessage, WireTextPart } from '../wire.ts'

/** One system message at the start. Several system messages are joined with blank lines. */
export const oneSystem: MessageOrder = {
  userFirst: false,
  arrange: (messages, to) => joinNeighbours(messages, ['system'], to),
}

/** One system message at the start, then user and assistant alternate. Consecutive messages of one role are joined with blank lines. */
export const alternating: MessageOrder = {
  userFirst: true,
  arrange: (messages, to) => joinNeighbours(messages, ['system', 'user', 'assistant'], to),
}

/** The same order, with `prefix: true` on an assistant message at the end. The model continues this message. */
export function markingPrefill(order: MessageOrder): MessageOrder {
  return {
    ...order,
    arrange(messages, to) {
      const out = order.arrange(messages, to)
      const last = out.at(-1)
      if (last?.role !== 'assistant' || last.tool_calls !== undefined) return out
      return [...out.slice(0, -1), { ...last, prefix: true } as WireMessage]
    },
  }
}

function joinNeighbours(
  messages: readonly WireMessage[],
  roles: readonly WireMessage['role'][],
  to: Encoding,
): WireMessage[] {
  const out: WireMessage[] = []
  for (const message of messages) {
    const last = out.at(-1)
    const both = last && roles.includes(message.role) ? join(last, message) : undefined
    if (both === undefined) {
      out.push(message)
      continue
    }
    reportLoss(
      to.losses,
      'changed',
      'messages',
      `${to.dialect.title} wants one ${message.role} message at a time`,
      'info',
    )
    out[out.length - 1] = withCommonName(both, last, message, to)
  }
  return out
}

/** Returns the joined message, without a name if the two messages have different names. */
function withCommonName(
  both: WireMessage,
  one: WireMessage | undefined,
  other: WireMessage,
  to: Encoding,
): WireMessage {
  const [name, otherName] = [one, other].map((message) => (message && 'name' in message ? message.name : undefined))
  if (name === undefined || otherName === undefined || name === otherName) return both
  reportLoss(to.losses, 'dropped', 'messages', `two messages of "${name}" and "${otherName}" are sent as one`, 'info')
  const { name: _, ...nameless } = both as WireMessage & { readonly name?: string }
  return nameless as WireMessage
}

/** Joins two messages of one role. Returns `undefined` if they cannot be joined: nothing can follow calls in a message. */
function join(one: WireMessage, other: WireMessage): WireMessage | undefined {
  if (one.role === 'system' && other.role === 'system')
    return { ...one, ...other, content: joined(one.content, other.content) }
  if (one.role === 'user' && other.role === 'user')
    return { ...one, ...other, content: joined(one.content, other.content) }
  if (one.role === 'assistant' && other.role === 'assistant' && one.tool_calls === undefined)
    return { ...one, ...other, content: joined(one.content, other.content) }
  return undefined
}

function joined<Part>(one: string | Part[] | null, other: string | Part[] | null): string | (Part | WireTextPart)[] {
  if (typeof one === 'string' && typeof other === 'string') return `${one}\n\n${other}`
  const parts = (content: string | Part[] | null): (Part | WireTextPart)[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  return [...parts(one), ...parts(other)]
}
