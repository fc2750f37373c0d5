/** How much of a key a stream ever shows, in whatever pieces it comes: a part that is shorter than the scrubber's, and three letters of its beginning. */
import { describe, expect, it } from 'vitest'
import { Hold } from '../../src/gateway/hold.ts'
import { createSearch } from '../../src/gateway/scrub.ts'
import { seeded } from '../support/random.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-'
const random = seeded(7)
/** No four of them come twice. */
const letters = Array.from({ length: 150 }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')
const keys = [8, 9, 17, 40, 60, letters.length].map((length) => letters.slice(0, length))
/** A text waits for this number of others at most. */
const mostHeld = 64

const spellings = [
  { write: (text: string) => text, read: (text: string) => text },
  {
    write: (text: string) => text.replace(/./g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`),
    read: (text: string) => text.replace(/\\u00(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  },
]

/** Ways to cut a text: in equal pieces from each place on, and at random. */
function* splitsOf(text: string): Generator<string[]> {
  for (const size of [1, 2, 3, 5, 8, 13, text.length])
    for (let first = 1; first <= size; first++)
      yield [text.slice(0, first), ...(text.slice(first).match(new RegExp(`.{1,${size}}`, 'gs')) ?? [])]
  for (let turn = 0; turn < 20; turn++)
    yield text.replace(/./gs, (char) => (random() < 0.4 ? `\n${char}` : char)).split('\n')
}

/** What has been passed on after each piece, and at the end. */
function* shown(key: string, pieces: readonly string[]): Generator<string> {
  const hold = new Hold<string>(createSearch([key]), (_, __, [after = '']) => after)
  const out: string[] = []
  for (const piece of pieces) {
    hold.push(piece, [['text', piece]], out)
    yield out.join('')
  }
  hold.end(out)
  yield out.join('')
}

/** The longest part of the key that the text has, from a place that `isStart`. */
function mostOf(text: string, key: string, isStart: (at: number) => boolean): number {
  let most = 0
  for (let at = 0; at < key.length; at++)
    while (isStart(at) && at + most < key.length && text.includes(key.slice(at, at + most + 1))) most++
  return most
}

describe.each(keys)('a stream with the key %s, in any pieces,', (key) => {
  const least = Math.max(8, Math.ceil(key.length / 2))
  const texts = [
    ['', ''],
    ['It is ', ', really'],
    [key.slice(-3), key.slice(1, 4)],
  ] as const

  // A longer key leaves in parts, which the test below judges.
  if (key.length < mostHeld)
    it('shows three letters of its beginning at most, and all other text', () => {
      for (const [before, after] of texts)
        for (const { write, read } of spellings) {
          if (write(key).length > mostHeld) continue
          const expected = [0, 1, 2, 3].map((length) => `${before}${key.slice(0, length)}[redacted]${after}`)
          for (const pieces of splitsOf(before + write(key) + after)) {
            const all = [...shown(key, pieces)].map(read)
            const most = Math.max(...all.map((text) => mostOf(text.slice(before.length), key, (at) => at === 0)))
            expect(most, pieces.join('|')).toBeLessThan(4)
            expect(expected, pieces.join('|')).toContain(all.at(-1))
          }
        }
    })

  it('shows each part that is shorter than half of it, and less than half of any other', () => {
    for (let start = 0; start < key.length; start++) {
      const end = start + 1 + Math.floor(random() * (key.length - start))
      const text = `It is ${key.slice(start, end)}${random() < 0.5 ? '' : ', really'}`
      for (const pieces of splitsOf(text)) {
        const all = [...shown(key, pieces)]
        const most = Math.max(...all.map((text) => mostOf(text, key, () => true)))
        expect(most, pieces.join('|')).toBeLessThan(least)
        if (end - start < least) expect(all.at(-1)).toBe(text)
      }
    }
  })
})
