import fc from 'fast-check'
import { describe, it } from 'vitest'
import type { Message } from '../../src/core/messages.ts'
import { prepare } from '../../src/prepare/prepare.ts'
import { seeded, tidy, untidy } from '../support/conversations.ts'
import { frozen } from '../support/frozen.ts'
import { checkNone, checkSame, expectHolds } from '../support/properties.ts'
import { wires } from '../support/targets.ts'
import { violations } from '../support/valid-conversation.ts'

/** Those that are equal to a given one that is gone, and are another object. A change can make one equal to another that stays. */
function copies(given: readonly object[], after: readonly object[]): readonly object[] {
  const [known, kept] = [new Set(given), new Set(after)]
  const gone = new Set(given.filter((one) => !kept.has(one)).map((one) => JSON.stringify(one)))
  return after.filter((one) => !known.has(one) && gone.has(JSON.stringify(one)))
}

const perWire = { ...seeded, numRuns: Math.ceil(seeded.numRuns / Object.keys(wires).length) }
const models: Record<string, string> = { anthropic: 'claude', responses: 'gpt', gemini: 'gemini' }

describe.each(Object.entries(wires))('any conversation, prepared for %s', (wire, target) => {
  const model = models[wire] ?? 'some'
  const prepared = (messages: readonly Message[]) => prepare({ messages }, target, { model, strict: false })

  it('is one that the wire takes, and the stored one stays as it was', { meta: { promise: '0.15 0.51' } }, () => {
    expectHolds(
      fc.property(untidy, (messages) => {
        const { context } = prepared(frozen(messages))
        checkNone(violations(context.messages, target, model))
      }),
      perWire,
    )
  })

  it('stays as it is when it is prepared again, and has no more losses', () => {
    expectHolds(
      fc.property(untidy, (messages) => {
        const once = prepared(messages)
        const twice = prepared(once.context.messages)
        checkNone(twice.losses)
        checkSame(twice.context.messages, once.context.messages)
      }),
      perWire,
    )
  })

  it('is reported in full: without a loss there is no difference, and with one there is', () => {
    expectHolds(
      fc.property(fc.oneof(untidy, tidy), (messages) => {
        const { context, losses } = prepared(messages)
        return (JSON.stringify(context.messages) === JSON.stringify(messages)) === (losses.length === 0)
      }),
      perWire,
    )
  })

  it('keeps each message and each block that does not change as the same object', () => {
    expectHolds(
      fc.property(fc.oneof(untidy, tidy), (messages) => {
        const after = prepared(messages).context.messages
        checkNone(copies(messages, after))
        const blocks = (of: readonly Message[]) => of.flatMap(({ content }) => (Array.isArray(content) ? content : []))
        checkNone(copies(blocks(messages), blocks(after)))
      }),
      perWire,
    )
  })

  it('grows only at its end when the conversation does: what was sent stays the same bytes', () => {
    expectHolds(
      fc.property(tidy, (messages) => {
        // After instructions and nothing else, the assistant speaks.
        fc.pre(messages.length === 0 || messages.some(({ role }) => role !== 'system' && role !== 'developer'))
        const whole = prepared([...messages, { role: 'user', content: 'and then?' }]).context.messages
        const before = prepared(messages).context.messages
        checkSame(whole.slice(0, before.length), before)
      }),
      { ...perWire, numRuns: 200 },
    )
  })
})
