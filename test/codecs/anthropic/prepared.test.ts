/** Every conversation, prepared and encoded, breaks none of the rules that the API answers with a 400. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/core/messages.ts'
import { createClientCodec, decodeRequest, encodeRequest } from '../../../src/formats/anthropic/index.ts'
import type { WireBlock, WireMessage } from '../../../src/formats/anthropic/wire.ts'
import { prepare } from '../../../src/prepare/prepare.ts'
import { seeded, tidy, untidy } from '../../support/conversations.ts'
import { casesOf } from '../../support/corpus.ts'
import { isExhaustive } from '../../support/cuts.ts'

const model = 'claude'
const { rules } = createClientCodec()

function encode(messages: readonly Message[]): WireMessage[] {
  const { context } = prepare({ messages }, rules, { model })
  return encodeRequest(context, { model, maxTokens: 10, strict: false }).body.messages
}

function blocksOf({ content }: WireMessage): readonly WireBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}
function idsOf(message: WireMessage | undefined, type: 'tool_use' | 'tool_result'): string[] {
  const blocks = message === undefined ? [] : blocksOf(message)
  return blocks.flatMap((block) => {
    if (block.type === 'tool_use' && type === 'tool_use') return [block.id]
    return block.type === 'tool_result' && type === 'tool_result' ? [block.tool_use_id] : []
  })
}

/** The rules of wire/anthropic.md §2.4 that a body breaks. */
function broken(messages: readonly WireMessage[]): string[] {
  const found: string[] = []
  const ids = messages.flatMap((message) => idsOf(message, 'tool_use'))
  if (messages.length > 0 && messages[0]?.role !== 'user') found.push("the first message is not a user's")
  if (new Set(ids).size < ids.length) found.push('tool_use ids must be unique')
  if (ids.some((id) => !/^[a-zA-Z0-9_-]{1,64}$/.test(id))) found.push('an id is not legal')
  for (const [at, message] of messages.entries()) {
    const blocks = blocksOf(message)
    const isLast = at === messages.length - 1
    if (blocks.length === 0) found.push(`messages[${at}] is empty`)
    if (message.role === messages[at + 1]?.role) found.push(`messages[${at}] and the next have one role`)
    if (blocks.some((block) => block.type === 'text' && block.text.trim() === ''))
      found.push(`messages[${at}] has blank text`)
    const results = idsOf(messages[at + 1], 'tool_result').sort()
    if (!isLast || idsOf(message, 'tool_use').length > 0) {
      if (idsOf(message, 'tool_use').sort().join() !== results.join())
        found.push(`the calls of messages[${at}] and the results behind them differ`)
    }
    const firstOther = blocks.findIndex(({ type }) => type !== 'tool_result')
    if (blocks.findLastIndex(({ type }) => type === 'tool_result') > firstOther && firstOther >= 0)
      found.push(`messages[${at}] has text before results`)
    if (message.role !== 'assistant') continue
    const last = blocks.at(-1)
    if (last?.type === 'thinking' || last?.type === 'redacted_thinking')
      found.push(`messages[${at}] ends with thinking`)
    if (isLast && last?.type === 'text' && last.text !== last.text.trimEnd())
      found.push(`messages[${at}] ends in white space`)
    if (blocks.some((block) => block.type === 'thinking' && block.signature === ''))
      found.push(`messages[${at}] has unsigned thinking`)
  }
  return found
}

describe('a conversation that was prepared', () => {
  it.each([
    ['tidy', tidy],
    ['untidy', untidy],
  ])('breaks no rule of the wire: %s ones', (_, conversations) => {
    fc.assert(
      fc.property(conversations, (messages) => {
        expect(broken(encode(messages))).toEqual([])
      }),
      { ...seeded, numRuns: isExhaustive ? 1500 : 500 },
    )
  })

  it('would be found if it did', () => {
    const text = { type: 'text', text: ' ' } as const
    expect(broken([{ role: 'assistant', content: [text] }])).toEqual([
      "the first message is not a user's",
      'messages[0] has blank text',
      'messages[0] ends in white space',
    ])
    const call = { type: 'tool_use', id: 'a:b', name: 'f', input: {} } as const
    expect(
      broken([
        { role: 'user', content: 'a' },
        { role: 'assistant', content: [call] },
      ]),
    ).toHaveLength(2)
  })
})

describe('a recorded request', () => {
  it.each(casesOf('anthropic').filter(({ request }) => request !== undefined))(
    '$name: does not change when it is prepared',
    ({ request }) => {
      const { context, options } = decodeRequest(request)
      expect(prepare(context, rules, { model: options.model }).losses).toEqual([])
    },
  )
})
