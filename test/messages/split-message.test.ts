import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import * as message from '../../src/core/message.ts'
import * as block from '../../src/messages/block.ts'
import { countWords } from '../../src/messages/count-words.ts'
import { type SplitOptions, splitMessage } from '../../src/messages/split-message.ts'

const contents = (text: string, options?: SplitOptions) =>
  splitMessage(message.user(text), options).map((one) => one.content)
const byLength = (text: string) => text.length

describe('splitMessage', () => {
  it('makes three messages of three parts between two delimiters', { meta: { promise: '2.04 2.30 2.32' } }, () => {
    expect(contents('one---two---three', { delimiter: '---' })).toEqual(['one', 'two', 'three'])
  })

  it('cuts between words, after a number of words', { meta: { promise: '2.25 2.28' } }, () => {
    expect(contents('one two three four five', { maxTokens: 2 })).toEqual(['one two ', 'three four ', 'five'])
  })

  it('cuts at the delimiter first, and then each part by its length', { meta: { promise: '2.31' } }, () => {
    expect(contents('a b c|d e', { delimiter: '|', maxTokens: 2 })).toEqual(['a b ', 'c', 'd e'])
    // F4: by words first this would be `a b|c ` and `d`, and then three pieces.
    expect(contents('a b|c d', { delimiter: '|', maxTokens: 2 })).toEqual(['a b', 'c d'])
    expect(contents('a b|c d', { delimiter: '|', maxTokens: 3 })).toEqual(['a b', 'c d'])
  })

  it('cuts at 2048 words if nothing is said', { meta: { promise: '2.05' } }, () => {
    expect(contents('w '.repeat(2048))).toHaveLength(1)
    expect(contents('w '.repeat(2049))).toHaveLength(2)
  })

  it('counts as the caller does, in the middle of a word if need be, and never in the middle of a character', {
    meta: { promise: '2.29' },
  }, () => {
    expect(contents('ab👋cd ef', { maxTokens: 3, countTokens: byLength })).toEqual(['ab', '👋c', 'd ', 'ef'])
  })

  it('gives each piece the role and the name, and one of them the id', { meta: { promise: '2.26' } }, () => {
    const pieces = splitMessage(message.system('a|b', { id: 'm1', name: 'n' }), { delimiter: '|' })
    expect(pieces).toEqual([
      { role: 'system', id: 'm1', name: 'n', content: 'a' },
      { role: 'system', name: 'n', content: 'b' },
    ])
  })

  it('leaves out empty parts', () => {
    expect(contents('|a||b| ', { delimiter: '|' })).toEqual(['a', 'b'])
    expect(contents('||', { delimiter: '|' })).toEqual([''])
  })

  it('keeps other blocks after the text before them', () => {
    const image = block.image({ url: 'https://x/y' })
    const content = [block.text('a|b'), image, block.text('c')]
    expect(splitMessage(message.user(content), { delimiter: '|' }).map((one) => one.content)).toEqual([
      [block.text('a')],
      [block.text('b'), image, block.text('c')],
    ])
  })

  it('never cuts a result', () => {
    const result = message.tool('w '.repeat(5000), { toolCallId: 'a' })
    expect(splitMessage(result)).toEqual([result])
  })

  it('gives new messages; what is stored stays whole', { meta: { promise: '2.33 2.27' } }, () => {
    const stored = Object.freeze(message.user('a|b', { metadata: { mine: 1 } }))
    expect(splitMessage(stored, { delimiter: '|' })).toEqual([
      message.user('a', { metadata: { mine: 1 } }),
      message.user('b', { metadata: { mine: 1 } }),
    ])
    expect(stored.content).toBe('a|b')
  })

  it.each([
    [0, RangeError],
    [-1, RangeError],
    [Number.NaN, TypeError],
  ])('refuses a length of %s', (maxTokens, error) => {
    expect(() => contents('a', { maxTokens })).toThrow(error)
  })

  it('loses nothing of any text and keeps to the length', { meta: { promise: '2.25' } }, () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '👋', '|'), maxLength: 60 })
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 9 }), (given, maxTokens) => {
        const pieces = contents(given, { maxTokens, countTokens: byLength })
        expect(pieces.join('')).toBe(given)
        for (const piece of pieces) expect(piece?.length).toBeLessThanOrEqual(maxTokens)
      }),
      { seed: 2026, numRuns: 2000 },
    )
  })

  it('takes a long text in time that grows as the text does', () => {
    expect(contents('word '.repeat(400_000), { maxTokens: 100 })).toHaveLength(4000)
  })
})

describe('a turn of the assistant', () => {
  it('is split where it holds only text', { meta: { promise: '2.04 2.26' } }, () => {
    const pieces = splitMessage(message.assistant('a|b', { id: 'm1' }), { delimiter: '|' })
    expect(pieces).toEqual([{ role: 'assistant', id: 'm1', content: 'a' }, message.assistant('b')])
    const blocks = [block.text('a|b'), block.text('c')]
    expect(splitMessage(message.assistant(blocks), { delimiter: '|' })).toHaveLength(2)
  })

  it('counts what it used once, and ends once', () => {
    const end = { stopReason: 'stop', usage: { outputTokens: 9 }, response: { id: 'r' } } as const
    const pieces = splitMessage(message.assistant('a|b', end), { delimiter: '|' })
    expect(pieces).toEqual([message.assistant('a'), message.assistant('b', end)])
  })

  it.each([
    ['a call', message.assistant([block.text('a|b'), block.toolCall('c', 'f')])],
    ['a call beside it', message.assistant('a|b', { toolCalls: [block.toolCall('c', 'f')] })],
    ['reasoning', message.assistant([block.reasoning('hm'), block.text('a|b')])],
  ])('stays whole with %s', { meta: { promise: '2.04' } }, (_, turn) => {
    expect(splitMessage(turn, { delimiter: '|' })).toEqual([turn])
  })
})

describe('text without spaces', () => {
  const maxTokens = 10

  it.each([
    ['Chinese', '漢字'.repeat(50), 5],
    ['Japanese', '私は毎日電車で学校に行きます。'.repeat(5), 4],
    ['Thai', 'สวัสดีครับ'.repeat(20), 3],
  ])('is split by its words: %s', (_, text, atLeast) => {
    const pieces = contents(text, { maxTokens })
    expect(pieces.length).toBeGreaterThanOrEqual(atLeast)
    expect(pieces.join('')).toBe(text)
    for (const piece of pieces) expect(countWords(String(piece))).toBeLessThanOrEqual(maxTokens)
  })

  it('is counted by words, beside words with spaces', () => {
    expect(countWords('漢字'.repeat(50))).toBe(50)
    expect(countWords('say 漢字 漢字 twice')).toBe(4)
    expect(countWords('漢字。')).toBe(1)
    expect([countWords(' one  two\n'), countWords(' '), countWords('')]).toEqual([2, 0, 0])
  })

  it('is counted by characters where a runtime cannot find words', () => {
    vi.stubGlobal('Intl', { ...Intl, Segmenter: undefined })
    try {
      expect(countWords('漢字。')).toBe(2)
      expect(contents('漢字'.repeat(50), { maxTokens }).length).toBe(10)
    } finally {
      vi.unstubAllGlobals()
    }
  })
})
