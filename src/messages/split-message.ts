/**
 * One long message as several of the same role. Nothing is cut that does not ask for it, and what is stored stays whole: this
 * happens when a conversation is prepared for a wire.
 *
 * @module
 */

import { checkOptions } from '../core/checks.ts'
import { checkMessage } from '../core/content.ts'
import { compact } from '../core/json.ts'
import type { AssistantMessage, Content, ContentBlock, Message } from '../core/model.ts'
import type { Splitting } from '../core/question.ts'
import { countWords } from './count-words.ts'
import { counted, piecesOf } from './pieces.ts'

/** How the length of a piece is counted. */
export interface SplitBy {
  /** Counts the length of a piece, for `maxTokens`. Default: in words. */
  readonly countTokens?: (text: string) => number
}

export type { Splitting }

/**
 * The `split` of a request: each message with `split` goes to the provider as its pieces, see {@link splitMessage}.
 *
 * @example
 * ```ts
 * const prompt = message.user(text, { split: { maxTokens: 1000 } })
 * await generate({ model, prompt, split: splitting() })
 * ```
 */
export function splitting(by: SplitBy = {}): Splitting {
  checkOptions('splitting', by)
  return { split: (message) => splitMessage(message, by) }
}

/**
 * Splits a message that has `split`: first at each `delimiter`, which is left out, then, if a piece is longer than `maxTokens` (2048),
 * between words. Other messages are returned unchanged, as are results and assistant turns with other blocks than text.
 *
 * @throws {RangeError} if `maxTokens` is less than 1.
 * @throws {TypeError} for a message in the form of another library: `normalizeMessages` reads those.
 */
export function splitMessage(message: Message, by: SplitBy = {}): readonly Message[] {
  checkOptions('splitting', by)
  checkMessage(message)
  if (message.role === 'tool' || message.split === undefined) return [message]
  if (message.role === 'assistant' && !isTextOnly(message)) return [message]
  const { split, ...rest } = message
  const whole: Whole = { ...rest, content: rest.content ?? '' }
  const { maxTokens = 2048, delimiter } = split
  if (!(maxTokens >= 1))
    throw new RangeError(`Cannot split a message: "maxTokens" is ${maxTokens}, and has to be at least 1`)
  const countTokens = by.countTokens ?? countWords
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
