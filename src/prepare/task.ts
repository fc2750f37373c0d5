/** State that the passes of `prepare` share. @module */
import type { Rules } from '../core/codec.ts'
import { blocksOf } from '../core/content.ts'
import type { Content, ContentBlock, InvalidToolCall, Loss, Message, ToolCall } from '../core/model.ts'
import type { Splitting } from '../messages/split-message.ts'

/** A message that is being prepared, and its place. */
export interface Item {
  readonly message: Message
  /** For example `messages[2]`. */
  readonly path: string
}

/** The state of one call of `prepare`. */
export interface Task {
  readonly rules: Rules
  /** The format and provider whose proofs are valid. */
  readonly target: { readonly format: string; readonly provider: string; readonly model: string }
  readonly losses: Loss[]
  /** The path of each block in the caller's conversation. The key is the block that is sent. */
  readonly places: Map<ContentBlock, string>
  /** The invalid call that each of these calls replaces. */
  readonly invalid: Map<ToolCall, InvalidToolCall>
  readonly splitting: Splitting | undefined
  /** Whether results may answer calls that only the provider stores. */
  readonly chained: boolean
}

/** Prepares one message. Returns the message, its replacements, or an empty array. */
export type Step = (item: Item, task: Task) => Item | readonly Item[]

/** Prepares messages that depend on one another. */
export type Pass = (items: readonly Item[], task: Task) => readonly Item[]

/** Reports a change. */
export function note(
  task: Task,
  action: Loss['action'],
  path: string,
  reason: string,
  severity: Loss['severity'] = 'info',
): void {
  task.losses.push({ path, action, reason, severity })
}

/** Whether a system message has settings or blocks of the target's format, and that format takes it where it is. */
export function isBound({ role, content, providerData = {} }: Message, { rules }: Task): boolean {
  if (rules.keepsOwnInstructions !== true || role !== 'system') return false
  const isOwn = blocksOf(content).some((block) => block.type === 'unknown' && block.format === rules.format)
  return isOwn || Object.hasOwn(providerData, rules.format)
}

/** The item with other content; the same item if it has that content. */
export function withContent(item: Item, content: Content | null): Item {
  if (content === item.message.content) return item
  return { ...item, message: { ...item.message, content } as Message }
}

/** Puts content between tags, so that the model can read what it is and where it came from. */
export function tagged(content: Content, open: string, close: string): Content {
  if (typeof content === 'string') return `${open}\n${content}\n${close}`
  const tag = (text: string): ContentBlock => ({ type: 'text', text })
  return [tag(open), ...content, tag(close)]
}

/** The opening tag of a result: `<tool_result id="call_1" name="shot">`. */
export function resultTag(id: string, name: string | undefined): string {
  return `<tool_result id=${JSON.stringify(id)}${name === undefined ? '' : ` name=${JSON.stringify(name)}`}>`
}
