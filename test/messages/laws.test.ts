/** Properties of every utility, for conversations that are in order and for those that are not. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message, Role } from '../../src/core/messages.ts'
import { countTokensApproximately } from '../../src/messages/count-tokens-approximately.ts'
import { filterMessages } from '../../src/messages/filter-messages.ts'
import { mergeRuns } from '../../src/messages/merge-runs.ts'
import { normalizeMessages, safeNormalizeMessages } from '../../src/messages/normalize.ts'
import { prettyPrint } from '../../src/messages/pretty-print.ts'
import { deserializeMessages, serializeMessages } from '../../src/messages/serialize.ts'
import { trimMessages } from '../../src/messages/trim-messages.ts'
import { seeded, tidy, untidy } from '../support/conversations.ts'
import { frozen } from '../support/frozen.ts'
import { checkNone, checkSame, expectHolds } from '../support/properties.ts'
import { brokenLinks } from '../support/valid-conversation.ts'

/** Each utility sees as many conversations in all. */
const share = (part: number) => ({ ...seeded, numRuns: seeded.numRuns * part })
const roles = fc.constantFrom<Role>('system', 'user', 'assistant', 'tool')
const ends = fc.option(roles, { nil: undefined })
const strategy = fc.constantFrom('first' as const, 'last' as const)

const utilities: Readonly<Record<string, (messages: Message[], size: number) => readonly Message[]>> = {
  normalizeMessages: (messages) => normalizeMessages(messages),
  trimMessages: (messages, size) => trimMessages(messages, { maxTokens: size }),
  'trimMessages by the first': (messages, size) => trimMessages(messages, { maxTokens: size, strategy: 'first' }),
  'filterMessages without calls': (messages) => filterMessages(messages, { excludeToolCalls: true }),
  'filterMessages by role': (messages) => filterMessages(messages, { excludeRoles: ['tool'] }),
  mergeRuns: (messages) => mergeRuns(messages),
  'storing and reading': (messages) => deserializeMessages(JSON.parse(JSON.stringify(serializeMessages(messages)))),
}

describe.each(Object.entries(utilities))('%s', (_name, use) => {
  it('leaves what it is given as it was', () => {
    expectHolds(
      fc.property(untidy, fc.nat(200), (messages, size) => {
        const before = JSON.stringify(messages)
        use(frozen(messages), size)
        return JSON.stringify(messages) === before
      }),
      share(0.2),
    )
  })

  it('does no more when it is done again', () => {
    expectHolds(
      fc.property(fc.oneof(untidy, tidy), fc.nat(200), (messages, size) => {
        const once = use(messages, size)
        checkSame(use([...once], size), once)
      }),
      share(0.4),
    )
  })

  it('keeps a conversation valid that was', () => {
    expectHolds(
      fc.property(tidy, fc.nat(200), (messages, size) => {
        checkNone(brokenLinks(messages))
        checkNone(brokenLinks(use(messages, size)))
      }),
      share(0.4),
    )
  })
})

describe('trimMessages', () => {
  it('has at most the given length, except for the instructions at the beginning', {
    meta: { promise: '4.91' },
  }, () => {
    expectHolds(
      fc.property(tidy, fc.nat(200), strategy, (messages, maxTokens, end) => {
        const trimmed = trimMessages(messages, { maxTokens, strategy: end })
        const isHead = trimmed.every((message) => message.role === 'system')
        return isHead || countTokensApproximately(trimmed) <= maxTokens
      }),
      share(0.2),
    )
  })

  it('stays valid wherever it begins and ends, and with a part of a message', { meta: { promise: '4.91' } }, () => {
    expectHolds(
      fc.property(tidy, fc.nat(200), strategy, ends, ends, (messages, maxTokens, end, startOn, endOn) => {
        const options = { maxTokens, strategy: end, allowPartial: true }
        const trimmed = trimMessages(messages, { ...options, ...(startOn && { startOn }), ...(endOn && { endOn }) })
        checkNone(brokenLinks(trimmed))
      }),
      share(0.2),
    )
  })

  it('does no more when it is done again, and stays valid, with any options', { meta: { promise: '4.91' } }, () => {
    const options = fc.record(
      {
        maxTokens: fc.nat(150),
        strategy,
        keepInstructions: fc.boolean(),
        keepFirstUser: fc.boolean(),
        startOn: fc.constantFrom<Role>('user', 'assistant', 'tool'),
        endOn: roles,
        allowPartial: fc.boolean(),
      },
      { requiredKeys: ['maxTokens'] },
    )
    expectHolds(
      fc.property(tidy, options, (messages, some) => {
        const once = trimMessages(messages, some)
        checkNone(brokenLinks(once))
        checkSame(trimMessages(once, some), once)
        const task = messages.find(({ role }) => role === 'user')
        return !some.keepFirstUser || some.strategy === 'first' || task === undefined || once.includes(task)
      }),
      share(0.4),
    )
  })

  it('keeps more of the conversation the longer it may be', { meta: { promise: '4.91' } }, () => {
    expectHolds(
      fc.property(tidy, fc.nat(100), fc.nat(100), (messages, maxTokens, more) => {
        const small = trimMessages(messages, { maxTokens })
        const large = trimMessages(messages, { maxTokens: maxTokens + more })
        return large.length >= small.length
      }),
      share(0.2),
    )
  })
})

describe('filterMessages', () => {
  it('stays valid whatever is left out', { meta: { promise: '4.93' } }, () => {
    expectHolds(
      fc.property(
        tidy,
        fc.subarray(['system', 'user', 'assistant', 'tool'] as const),
        fc.boolean(),
        (messages, some, include) => {
          const filtered = filterMessages(messages, include ? { includeRoles: some } : { excludeRoles: some })
          checkNone(brokenLinks(filtered))
        },
      ),
      share(0.2),
    )
  })
})

describe('storing', () => {
  it('brings back what was stored', { meta: { promise: '4.89' } }, () => {
    expectHolds(
      fc.property(fc.oneof(untidy, tidy), (messages) => {
        checkSame(deserializeMessages(JSON.parse(JSON.stringify(serializeMessages(messages)))), messages)
      }),
      share(0.5),
    )
  })
})

describe('whatever comes', () => {
  it('is read as messages or refused with a typed error, and what is read can be printed', {
    meta: { promise: '4.15' },
  }, () => {
    const junk = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<unknown>(null, '', 'text', 5, true, 'user', 'assistant', 'tool', 'data:image/png;base64,!'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom(
            ...'role content type text tool_calls tool_call_id id name function arguments args input kwargs data'.split(
              ' ',
            ),
            ...'image_url source url summary parts inlineData functionCall cache_control annotations __proto__'.split(
              ' ',
            ),
          ),
          fc.oneof(
            tie('value'),
            fc.constantFrom('text', 'image', 'tool_use', 'tool_result', 'thinking', 'user', 'constructor', 'unknown'),
          ),
          { maxKeys: 5 },
        ),
      ),
    })).value
    let read = 0
    expectHolds(
      fc.property(junk, (value) => {
        const result = safeNormalizeMessages(value)
        if (!result.ok) return
        read++
        expect(typeof prettyPrint(result.value)).toBe('string')
        expect(normalizeMessages(result.value)).toEqual(result.value)
      }),
      share(0.5),
    )
    expect(read).toBeGreaterThan(100)
  })
})
