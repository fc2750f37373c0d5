/** Counts words, as the simplest count of tokens. @module */

/** Characters of the scripts that put no spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

let segmenter: Intl.Segmenter | undefined

/**
 * Counts words: runs of characters other than white space. In scripts without spaces (Chinese, Japanese, Thai and others), the words that
 * `Intl.Segmenter` finds. It is not a tokenizer: pass your own `countTokens` for an exact count.
 */
export function countWords(text: string): number {
  if (!unspaced.test(text)) return text.match(/\S+/g)?.length ?? 0
  return wordEnds(text).length - (/^\s+$/.test(text) ? 1 : 0)
}

/** The places at which the words of a text end, each with the white space around it; the last one is the end of the text. */
export function wordEnds(text: string): number[] {
  const ends: number[] = []
  for (const { 0: word, index } of text.matchAll(/\s*\S+\s*|\s+/g)) {
    if (unspaced.test(word)) ends.push(...wordEndsWithin(word, index))
    else ends.push(index + word.length)
  }
  return ends
}

/** Punctuation belongs to the word before it. A runtime without `Intl.Segmenter` (Firefox before 125) takes each character for a word. */
function wordEndsWithin(text: string, start: number): number[] {
  const ends: number[] = []
  const add = (end: number, isWord: boolean) => {
    if (isWord || ends.length === 0) ends.push(end)
    else ends[ends.length - 1] = end
  }
  if (typeof Intl.Segmenter !== 'function') {
    let end = start
    for (const character of text) {
      end += character.length
      add(end, /[\p{L}\p{N}]/u.test(character))
    }
    return ends
  }
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' })
  for (const { segment, index, isWordLike } of segmenter.segment(text)) {
    add(start + index + segment.length, isWordLike === true)
  }
  return ends
}
