/** State that the steps of `prepare` share. @module */
import type { Rules } from '../core/codec.ts'
import { blocksOf } from '../core/content.ts'
import type { Content, ContentBlock, Loss, Message, ToolMessage } from '../core/model.ts'
import { placesOf, withPlaces } from '../kit/losses.ts'
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
  /** The errors of the invalid calls that these calls replace. */
  readonly errors: Map<ContentBlock, string>
  readonly splitting: Splitting | undefined
  /** Whether results may answer calls that only the provider stores. */
  readonly chained: boolean
}

/** Reports a change. */
export function note(
  task: Task,
  action: Loss['action'],
  path: string,
  reason: string,
  severity: Loss['severity'] = 'info',
): undefined {
  task.losses.push({ path, action, reason, severity })
}

/** The item with this content. The same object if that is its content, so that a page can show which messages were changed. */
export function withContent(item: Item, content: Content): Item {
  const { message } = item
  return content === message.content ? item : { ...item, message: { ...message, content } as Message }
}

/** Whether a system message has settings or blocks of the target's format, and that format takes it where it is. */
export function isBound({ role, content, providerData = {} }: Message, { rules }: Task): boolean {
  if (rules.keepsOwnInstructions !== true || role !== 'system') return false
  const isOwn = blocksOf(content).some((block) => block.type === 'unknown' && block.format === rules.format)
  return isOwn || Object.hasOwn(providerData, rules.format)
}

/** Puts content between tags, so that the model can read what it is and where it came from. */
export function tagged(content: Content, tag: string, path: string, attributes = ''): Content {
  const open = `<${tag}${attributes}>`
  const close = `</${tag}>`
  if (typeof content === 'string') return `${open}\n${content}\n${close}`
  return withPlaces([text(open), ...content, text(close)], [path, ...placesOf(content, `${path}.content`), path])
}

/** Puts content of a result between tags: `<tool_result id="call_1" name="shot">`. */
export function taggedResult({ toolCallId, name }: ToolMessage, content: Content, path: string): Content {
  const named = name === undefined ? '' : ` name=${JSON.stringify(name)}`
  return tagged(content, 'tool_result', path, ` id=${JSON.stringify(toolCallId)}${named}`)
}

/** A block of text. */
export function text(value: string): ContentBlock {
  return { type: 'text', text: value }
}
