/** A conversation begun anywhere, in any state, continues anywhere: `prepare` and each codec together, judged by the wire's own rules. */
import fc from 'fast-check'
import { describe, it } from 'vitest'
import type { Context } from '../../src/core/messages.ts'
import { prepare } from '../../src/prepare/prepare.ts'
import { facts } from '../formats/index.ts'
import type { Wire } from '../support/answers.ts'
import { seeded, tidy, untidy } from '../support/conversations.ts'
import { formats } from '../support/formats.ts'
import { checkNone, expectHolds } from '../support/properties.ts'
import { violations } from '../support/valid-conversation.ts'

const model = 'some'
const perWire = { ...seeded, numRuns: Math.ceil(seeded.numRuns / formats.length) }
const clients = new Map(formats.map(({ client }) => [`${client.provider} (${client.name})`, client]))

describe.each([...clients])('%s', (_, client) => {
  it('takes any conversation that was prepared for it', { meta: { promise: '0.15 0.72' } }, () => {
    expectHolds(
      fc.property(fc.oneof(untidy, tidy), (messages) => {
        const context = { messages: [...messages, { role: 'user', content: 'go on' }] } as const
        const { rules: target } = client
        const prepared = (given: Context) => prepare(given, target, { model, strict: false }).context.messages
        checkNone(violations(prepared(context), target, model))
        // Where nothing of it can be sent, something still asks for an answer.
        if (messages.length > 0 && prepared({ messages }).length === 0) return false
        const { body } = client.encodeRequest(context, { model, maxTokens: 1000, strict: false })
        checkNone(facts[client.name as Wire].violations(body))
        return !/(^|[^\\])(\\\\)*\\ud[89a-f]/i.test(JSON.stringify(body))
      }),
      perWire,
    )
  })
})
