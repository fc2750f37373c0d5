import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import * as message from '../../src/core/message.ts'
import type { SplitOptions } from '../../src/core/model.ts'
import * as block from '../../src/messages/block.ts'
import { countWords } from '../../src/messages/count-words.ts'
import { splitMessage, splitting } from '../../src/messages/split-message.ts'
import { prepare } from '../../src/prepare/prepare.ts'
import { wires } from '../support/rules.ts'

const contents = (text: string, split: SplitOptions, countTokens?: (text: string) => number) =>
  splitMessage(message.user(text, { split }), countTokens ? { countTokens } : {}).map((one) => one.content)

describe('splitMessage', () => {
  it('[2.04] [2.30] [2.32] makes three messages of three parts between two delimiters', () => {
    expect(contents('one---two---three', { delimiter: '---' })).toEqual(['one', 'two', 'three'])
  })

  it('[2.25] [2.28] cuts between words, after a number of words', () => {
    expect(contents('one two three four five', { maxTokens: 2 })).toEqual(['one two ', 'three four ', 'five'])
  })

  it('[2.31] cuts at the delimiter first, and then each part by its length', () => {
    expect(contents('a b c|d e', { delimiter: '|', maxTokens: 2 })).toEqual(['a b ', 'c', 'd e'])
    // F4: by words first this would be `a b|c ` and `d`, and then three pieces.
    expect(contents('a b|c d', { delimiter: '|', maxTokens: 2 })).toEqual(['a b', 'c d'])
    expect(contents('a b|c d', { delimiter: '|', maxTokens: 3 })).toEqual(['a b', 'c d'])
  })

  it('[2.05] cuts at 2048 words if nothing is said', () => {
    expect(contents('w '.repeat(2048), {})).toHaveLength(1)
    expect(contents('w '.repeat(2049), {})).toHaveLength(2)
  })

  it('[2.29] counts as the caller does, in the middle of a word if need be, and never in the middle of a character', () => {
    expect(contents('ab👋cd ef', { maxTokens: 3 }, (text) => text.length)).toEqual(['ab', '👋c', 'd ', 'ef'])
  })

  it('[2.26] gives each piece the role and the name, and one of them the id', () => {
    const pieces = splitMessage(message.system('a|b', { id: 'm1', name: 'n', split: { delimiter: '|' } }))
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
    expect(splitMessage(message.user(content, { split: { delimiter: '|' } })).map((one) => one.content)).toEqual([
      [block.text('a')],
      [block.text('b'), image, block.text('c')],
    ])
  })

  it('cuts nothing that does not ask for it, and never a result or a turn with calls', () => {
    const long = 'w '.repeat(5000)
    const result = { ...message.tool(long, { toolCallId: 'a' }), split: { maxTokens: 1 } }
    const turn = { ...message.assistant([block.text(long), block.toolCall('a', 'f')]), split: { maxTokens: 1 } }
    expect(splitMessage(message.user(long))).toHaveLength(1)
    expect(splitMessage(result)).toEqual([result])
    expect(splitMessage(turn)).toEqual([turn])
  })

  it.each([0, -1, Number.NaN])('refuses a length of %s', (maxTokens) => {
    expect(() => contents('a', { maxTokens })).toThrow(RangeError)
  })

  it('[2.25] loses nothing of any text and keeps to the length', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '👋', '|'), maxLength: 60 })
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 9 }), (given, maxTokens) => {
        const pieces = contents(given, { maxTokens }, (piece) => piece.length)
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

describe('A24: a turn of the assistant', () => {
  it('A24: [2.04] [2.26] is split where it holds only text', () => {
    const pieces = splitMessage({ ...message.assistant('a|b', { id: 'm1' }), split: { delimiter: '|' } })
    expect(pieces).toEqual([{ role: 'assistant', id: 'm1', content: 'a' }, message.assistant('b')])
    const blocks = [block.text('a|b'), block.text('c')]
    expect(splitMessage({ ...message.assistant(blocks), split: { delimiter: '|' } })).toHaveLength(2)
  })

  it('A24: counts what it used once, and ends once', () => {
    const end = { stopReason: 'stop', usage: { outputTokens: 9 }, response: { id: 'r' } } as const
    const pieces = splitMessage(message.assistant('a|b', { ...end, split: { delimiter: '|' } }))
    expect(pieces).toEqual([message.assistant('a'), message.assistant('b', end)])
  })

  it.each([
    ['a call', message.assistant([block.text('a|b'), block.toolCall('c', 'f')])],
    ['a call beside it', message.assistant('a|b', { toolCalls: [block.toolCall('c', 'f')] })],
    ['reasoning', message.assistant([block.reasoning('hm'), block.text('a|b')])],
  ])('A24: [2.04] stays whole with %s', (_, turn) => {
    const asking = { ...turn, split: { delimiter: '|' } }
    expect(splitMessage(asking)).toEqual([asking])
  })
})

describe('A25: text without spaces', () => {
  const maxTokens = 10

  it.each([
    ['Chinese', '漢字'.repeat(50), 5],
    ['Japanese', '私は毎日電車で学校に行きます。'.repeat(5), 4],
    ['Thai', 'สวัสดีครับ'.repeat(20), 3],
  ])('A25: is split by its words: %s', (_, text, atLeast) => {
    const pieces = contents(text, { maxTokens })
    expect(pieces.length).toBeGreaterThanOrEqual(atLeast)
    expect(pieces.join('')).toBe(text)
    for (const piece of pieces) expect(countWords(String(piece))).toBeLessThanOrEqual(maxTokens)
  })

  it('A25: is counted by words, beside words with spaces', () => {
    expect(countWords('漢字'.repeat(50))).toBe(50)
    expect(countWords('say 漢字 漢字 twice')).toBe(4)
    expect(countWords('漢字。')).toBe(1)
    expect([countWords(' one  two\n'), countWords(' '), countWords('')]).toEqual([2, 0, 0])
  })

  it('A25: is counted by characters where a runtime cannot find words', () => {
    vi.stubGlobal('Intl', { ...Intl, Segmenter: undefined })
    try {
      expect(countWords('漢字。')).toBe(2)
      expect(contents('漢字'.repeat(50), { maxTokens }).length).toBe(10)
    } finally {
      vi.unstubAllGlobals()
    }
  })
})

describe('splitting while preparing', () => {
  it('[2.33] [2.27] happens on the way to the wire; what is stored stays whole', () => {
    const stored = message.user('a|b', { split: { delimiter: '|' } })
    const { context, losses } = prepare({ messages: [stored] }, wires.chat, { model: '', split: splitting() })
    expect(context.messages).toEqual([message.user('a'), message.user('b')])
    expect(losses).toMatchObject([{ action: 'changed', severity: 'info' }])
    expect(stored.content).toBe('a|b')
  })

  it('[2.29] counts as the caller does', () => {
    const messages = [message.user('abcd', { split: { maxTokens: 2 } })]
    const { context } = prepare({ messages }, wires.chat, {
      model: '',
      split: splitting({ countTokens: (text) => text.length }),
    })
    expect(context.messages.map((one) => one.content)).toEqual(['ab', 'cd'])
  })
})
