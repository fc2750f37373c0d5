/**
 * One long message as several of the same role. Nothing is cut that does not ask for it, and what is stored stays whole: this
 * happens when a conversation is prepared for a wire.
 *
 * @see spec/features.md 2.25 to 2.33, spec/decisions.md C11
 * @module
 */
import type { ContentBlock, InstructionMessage, Message, UserMessage } from '../model.ts'
import { countWords } from './count-words.ts'
import { piecesOf } from './pieces.ts'

/** How the length of a piece is counted. */
export interface SplitBy {
  /** What a piece may have `maxTokens` of. Default: words. */
  readonly countTokens?: (text: string) => number
}

/**
 * The pieces of a message that has `split`: first at each `delimiter`, which is left out, then wherever a piece is longer than
 * `maxTokens` (2048), between words. Other messages come back as they are: results and turns of the assistant are never cut.
 *
 * @throws {RangeError} if `maxTokens` is less than 1.
 */
export function splitMessage(message: Message, by: SplitBy = {}): readonly Message[] {
  if (message.role === 'assistant' || message.role === 'tool' || message.split === undefined) return [message]
  const { split, ...whole } = message
  const { maxTokens = 2048, delimiter } = split
  if (!(maxTokens >= 1))
    throw new RangeError(`Cannot split a message: "maxTokens" is ${maxTokens}, and has to be at least 1`)
  const countTokens = by.countTokens ?? countWords
  const cut = (text: string): readonly string[] =>
    partsOf(text, delimiter).flatMap((part) =>
      part === '' ? [''] : [...piecesOf(part, (piece) => countTokens(piece) <= maxTokens)],
    )
  if (typeof whole.content === 'string') return cut(whole.content).map((content, at) => piece(whole, content, at))
  return groups(whole.content, cut).map((content, at) => piece(whole, content, at))
}

type Whole = Omit<InstructionMessage, 'split'> | Omit<UserMessage, 'split'>

/** Two messages never have one id. */
function piece(whole: Whole, content: Whole['content'], at: number): Message {
  const { id, ...rest } = whole
  return { ...rest, ...(at === 0 && id !== undefined && { id }), content }
}

/** An empty part is no message. */
function partsOf(text: string, delimiter: string | undefined): readonly string[] {
  if (delimiter === undefined || delimiter === '') return [text]
  const parts = text.split(delimiter).filter((part) => part.trim() !== '')
  return parts.length === 0 ? [''] : parts
}

/** Each text is cut by itself: every piece but its first begins a message, and what is no text stays behind the piece before it. */
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
