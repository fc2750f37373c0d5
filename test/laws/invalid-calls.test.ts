/**
 * A call with broken arguments goes back to the model as a call that failed, with an empty object as its arguments.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ClientCodec } from '../../src/core/codec.ts'
import type { InvalidToolCall, Message } from '../../src/core/messages.ts'
import { formats } from '../support/formats.ts'
import { expectHolds } from '../support/properties.ts'

/** Text that is not a JSON object, and not blank, which would mean no arguments. */
const broken = fc
  .oneof(
    fc.string(),
    fc.json().map((text) => text.slice(0, -1)),
    fc.constant('[1]'),
  )
  .filter((text) => {
    if (/^\s*(?:null\s*)?$/.test(text)) return false
    try {
      const value: unknown = JSON.parse(text)
      return typeof value !== 'object' || value === null || Array.isArray(value)
    } catch {
      return true
    }
  })

function sent(codec: ClientCodec, argumentsText: string): string {
  const reason = 'malformed_json'
  const call: InvalidToolCall = {
    type: 'invalid_tool_call',
    id: 'call_abc12',
    name: 'f',
    index: 0,
    argumentsText,
    reason,
    error: 'it breaks off',
  }
  const messages: Message[] = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: null, invalidToolCalls: [call] },
    { role: 'user', content: 'b' },
  ]
  const context = { messages, tools: [{ name: 'f' }] }
  return JSON.stringify(codec.encodeRequest(context, { model: 'm', strict: false, maxTokens: 9 }).body)
}

/** The clients. One whose host has no tools writes calls as text. */
const targets = formats
  .filter(({ folder }) => folder !== 'openai-chat-perplexity')
  .map(({ folder, client }) => [folder, client] as const)

/** Servers that put old calls into a template parse them, and refuse every later request of a conversation with a broken one. */
describe.each(targets)('a call with broken arguments to %s', (_, codec) => {
  it('has an empty object', () => {
    const base = sent(codec, '{')
    expect(base).toMatch(/"(?:arguments|args|input)":(?:"\{\}"|\{\})/)
    expect(base, 'the result says why it failed').toContain('it breaks off')
    expectHolds(
      fc.property(broken, (text) => sent(codec, text) === base),
      {},
    )
  })
})
