/**
 * One long message as several of the same role, for a request. What is stored stays whole.
 *
 * @module
 */

import { checkOptions } from '../core/checks.ts'
import { checkMessage } from '../core/content.ts'
import { compact } from '../core/json.ts'
import type { AssistantMessage, Content, ContentBlock, Message } from '../core/messages.ts'
import { countWords } from './count-words.ts'
import { counted, piecesOf } from './pieces.ts'

/** Where a message is split. */
export interface SplitOptions {
  /** Splits at each of these texts, which are left out. Default: only by length. */
  readonly delimiter?: string
  /** The longest piece, as `countTokens` counts. Default 2048. */
  readonly maxTokens?: number
  /** Counts the length of a piece. Default: in words. */
  readonly countTokens?: (text: string) => number
}

/**
 * Splits a message: first at each `delimiter`, then, if a piece is longer than `maxTokens`, between words. Each piece is a message of the
 * same role. A result is returned whole, and so is an assistant turn with other blocks than text.
 *
 * @throws {RangeError} if `maxTokens` is less than 1.
 * @throws {TypeError} for a message in the form of another library: `normalizeMessages` reads those.
 * @example
 * ```ts
 * const messages = splitMessage(message.user(text), { maxTokens: 1000 })
 * await generate({ model, messages })
 * ```
 */
export function splitMessage(message: Message, options: SplitOptions = {}): readonly Message[] {
  checkOptions('splitMessage', options)
  checkMessage(message)
  const { maxTokens = 2048, delimiter, countTokens = countWords } = options
  if (!(maxTokens >= 1))
    throw new RangeError(`Cannot split a message: "maxTokens" is ${maxTokens}, and has to be at least 1`)
  if (message.role === 'tool' || (message.role === 'assistant' && !isTextOnly(message))) return [message]
  const whole: Whole = { ...message, content: message.content ?? '' }
  const cut = (text: string): readonly string[] =>
    partsOf(text, delimiter).flatMap((part) =>
      part === '' ? [''] : [...piecesOf(part, (piece) => counted(countTokens(piece)) <= maxTokens)],
    )
  const pieces: readonly Content[] = typeof whole.content === 'string' ? cut(whole.content) : groups(whole.content, cut)
  return pieces.map((content, at) => piece(whole, content, at, at === pieces.length - 1))
}

type Whole = Exclude<Message, { role: 'tool' }> & { readonly content: Content }

function isTextOnly({ content, toolCalls = [], invalidToolCalls = [] }: AssistantMessage): boolean {
  if (content === null || toolCalls.length > 0 || invalidToolCalls.length > 0) return false
  return typeof content === 'string' || content.every((block) => block.type === 'text' && block.opaque === undefined)
}

/** Two messages never have one id, and what an answer used counts once: it stays with the last piece, as its stop reason does. */
function piece(whole: Whole, content: Content, at: number, isLast: boolean): Message {
  const { id, ...rest } = whole
  const one = { ...rest, ...compact({ id: at === 0 ? id : undefined }), content }
  if (one.role !== 'assistant' || isLast) return one
  const { usage, stopReason, rawStopReason, response, ...fields } = one
  return fields
}

/** An empty part is not a message. */
function partsOf(text: string, delimiter: string | undefined): readonly string[] {
  if (delimiter === undefined || delimiter === '') return [text]
  const parts = text.split(delimiter).filter((part) => part.trim() !== '')
  return parts.length === 0 ? [''] : parts
}

/** Each text is cut by itself: every piece but its first begins a message, and other blocks stay with the piece before them. */
function groups(blocks: readonly ContentBlock[], cut: (text: string) => readonly string[]): readonly ContentBlock[][] {
  const messages: ContentBlock[][] = [[]]
  for (const block of blocks) {
    const pieces = block.type === 'text' ? cut(block.text) : []
    if (block.type !== 'text' || pieces.length === 1) messages.at(-1)?.push(block)
    else {
      const [first, ...others] = pieces.map((text) => ({ ...block, text }))
      if (first !== undefined) messages.at(-1)?.push(first)
      for (const other of others) messages.push([other])
    }
  }
  return messages
}
