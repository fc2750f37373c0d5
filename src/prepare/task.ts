/** State that the passes of `prepare` share. @module */
import type { Rules } from '../core/codec.ts'
import type { Content, ContentBlock, InvalidToolCall, Loss, Message, ToolCall } from '../core/model.ts'
import type { Splitting } from '../messages/split-message.ts'

/** A message that is being prepared, and its place. */
export interface Item {
  readonly message: Message
  /** Such as `messages[2]`. */
  readonly path: string
}

/** One `prepare`. */
export interface Task {
  readonly rules: Rules
  /** The format and provider whose proofs are valid. */
  readonly target: { readonly format: string; readonly provider: string; readonly model: string }
  readonly losses: Loss[]
  /** Where blocks stood in what the caller wrote, by the block that goes. */
  readonly places: Map<ContentBlock, string>
  /** The invalid calls from which calls in this conversation were made. */
  readonly invalid: Map<ToolCall, InvalidToolCall>
  readonly splitting: Splitting | undefined
  /** Results may answer calls that only the provider has. */
  readonly chained: boolean
}

/** Prepares one message. Returns it, its replacement, or nothing. */
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

/** The item with other content; the same item if it has that content. */
export function withContent(item: Item, content: Content | null): Item {
  if (content === item.message.content) return item
  return { ...item, message: { ...item.message, content } as Message }
}

/** Content between tags, so that a model sees what it is and where it came from. */
export function tagged(content: Content, open: string, close: string): Content {
  if (typeof content === 'string') return `${open}\n${content}\n${close}`
  const tag = (text: string): ContentBlock => ({ type: 'text', text })
  return [tag(open), ...content, tag(close)]
}

/** The opening tag of a result: `<tool_result id="call_1" name="shot">`. */
export function resultTag(id: string, name: string | undefined): string {
  return `<tool_result id=${JSON.stringify(id)}${name === undefined ? '' : ` name=${JSON.stringify(name)}`}>`
}
