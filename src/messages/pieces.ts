/** Cuts text between words, to a length that the caller measures. @module */
import { wordEnds } from './count-words.ts'

/**
 * The text in pieces that each fit, cut after words and the white space that follows them; a word that does not fit by itself is cut
 * between characters. Joined, they are the text. `fits` must hold for every head of a text that it holds for; it is asked in O(log n) for
 * each piece.
 */
export function* piecesOf(text: string, fits: (piece: string) => boolean): Generator<string> {
  const words = wordEnds(text)
  let start = 0
  let word = 0
  while (start < text.length) {
    const from = start
    const size = mostThat(words.length - word, (size) => fits(text.slice(from, words[word + size - 1])))
    const end =
      size > 0 ? (words[word + size - 1] ?? text.length) : endInWord(text, from, words[word] ?? text.length, fits)
    if (size > 0) word += size
    else if (end === words[word]) word++
    yield text.slice(from, end)
    start = end
  }
}

/** The first piece; empty if not even that fits. */
export function longestHead(text: string, fits: (piece: string) => boolean): string {
  const [head = ''] = piecesOf(text, fits)
  return fits(head) ? head : ''
}

/** At least one character, so that cutting ends. */
function endInWord(text: string, from: number, to: number, fits: (piece: string) => boolean): number {
  const endAt = (size: number) => (isHighSurrogate(text, from + size - 1) ? from + size + 1 : from + size)
  const size = mostThat(to - from, (size) => fits(text.slice(from, endAt(size))))
  return Math.min(endAt(Math.max(1, size)), text.length)
}

function isHighSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xd800 && code < 0xdc00
}

/** @throws {TypeError} for a count that is not a number, such as a promise: nothing would fit. */
export function counted(count: unknown): number {
  if (typeof count === 'number' && !Number.isNaN(count)) return count
  const found = count instanceof Promise ? 'a promise' : typeof count
  throw new TypeError(`Cannot measure messages: "countTokens" returned ${found} and not a number`)
}

/** The largest number, up to `most`, for which it holds, if it holds for all smaller ones; asks in O(log of it). */
export function mostThat(most: number, holds: (size: number) => boolean): number {
  let low = 0
  let high = 1
  while (high <= most && holds(high)) {
    low = high
    high *= 2
  }
  high = Math.min(high, most + 1)
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (holds(middle)) low = middle
    else high = middle
  }
  return low
}
