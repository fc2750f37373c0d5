/**
 * A conversation asks for an answer, or the request is not sent: no provider answers a blank message, and newer models do not continue an answer.
 */
import { describe, expect, it } from 'vitest'
import { UnsupportedError } from '../../src/core/errors.ts'
import type { Message, StopReason } from '../../src/core/messages.ts'
import type { HttpModel } from '../../src/core/question.ts'
import { generate, message } from '../../src/index.ts'
import { model as modelByName, providerNames } from '../../src/models.ts'

const asked: Message = { role: 'user', content: 'Hello' }
const answer = (stopReason?: StopReason) => message.assistant('So far ', { ...(stopReason && { stopReason }) })

/** A model whose server only counts: what was sent is in `bodies`. */
function counting(name: string): { readonly model: HttpModel; readonly bodies: unknown[] } {
  const bodies: unknown[] = []
  const found = modelByName(name, { baseUrl: 'http://localhost', resource: 'any', apiKey: 'key' })
  const fetch = async (...[input, init]: Parameters<typeof globalThis.fetch>) => {
    bodies.push(JSON.parse(String(init?.body ?? (await (input as Request).text()))))
    return new Response('{}', { status: 418 })
  }
  return { model: { ...found, fetch }, bodies }
}

async function ask(name: string, messages: readonly Message[], strict?: boolean) {
  const { model, bodies } = counting(name)
  const request = { model, messages, retries: 0, ...(strict !== undefined && { strict }) }
  const error = await generate(request).catch((caught: unknown) => caught)
  return { error, sent: JSON.stringify(bodies), count: bodies.length }
}

/** Providers that take blank messages, as far as their documents say. */
const lenient = /^(?:ollama|.*responses)$/
const strict = providerNames.filter((name) => {
  const { codec } = modelByName(`${name}:any`, { baseUrl: 'http://localhost', resource: 'any' })
  return !lenient.test(name) && codec.rules.refusesEmpty
})

describe.each(strict)('%s', (provider) => {
  it.each([
    ['blank', ' \n'],
    ['empty', ''],
    ['without a block', []],
  ])('is not asked when the last message is %s', async (_, content) => {
    for (const before of [[], [asked, answer('stop')]]) {
      const { error, count } = await ask(`${provider}:any`, [...before, { role: 'user', content }])
      expect(error).toBeInstanceOf(UnsupportedError)
      expect((error as UnsupportedError).message).toContain(`"messages[${before.length}]" would be dropped`)
      expect(count).toBe(0)
    }
  })

  it('is asked when something before the blank message asks', async () => {
    expect((await ask(`${provider}:any`, [asked, { role: 'user', content: ' ' }])).count).toBe(1)
  })

  it('gets a message in its place when every loss is allowed', async () => {
    const { sent } = await ask(`${provider}:any`, [asked, answer('stop'), { role: 'user', content: ' ' }], false)
    expect(sent).toContain('(Nothing that can be shown here.)')
  })
})

/** platform.claude.com, migration guide; ai.google.dev, "What's new in Gemini 3.6"; cohere.md §2.1; BerriAI/litellm#3918. */
const refusing = [
  ...['anthropic:claude-opus-4-6', 'anthropic:claude-sonnet-5', 'anthropic:claude-mythos-preview'],
  ...['bedrock-converse:global.anthropic.claude-opus-4-8', 'openrouter:anthropic/claude-opus-4.6'],
  ...['vertex-anthropic:claude-sonnet-4-6@20260101', 'gemini:gemini-3.8-flash', 'gemini:gemini-3.5-flash-lite'],
  ...['gemini-interactions:gemini-3.6-flash', 'gemini:gemini-flash-latest'],
  ...['cohere:command-a-03-2025', 'perplexity:sonar'],
]
const continuing = [
  ...['anthropic:claude-sonnet-4-5-20250929', 'anthropic:claude-opus-4-20250514'],
  ...[
    'anthropic:claude-3-5-sonnet-20241022',
    'gemini:gemini-2.5-flash',
    'gemini:gemini-3.5-flash',
    'openai-chat:gpt-5',
    'mistral:mistral-large-latest',
  ],
]
const cuts: readonly StopReason[] = ['aborted', 'interrupted', 'error', 'length']

describe.each(refusing)('%s', (name) => {
  it.each(cuts)('goes on with an answer that ended as "%s"', async (stopReason) => {
    const { sent } = await ask(name, [asked, answer(stopReason)], true)
    expect(sent).toBe('[]') // the loss is `minor`
    expect((await ask(name, [asked, answer(stopReason)])).sent).toContain('(Go on.)')
  })

  it.each([undefined, 'stop' as const])('is not asked to continue an answer that ended as %s', async (stopReason) => {
    const { error, count } = await ask(name, [asked, answer(stopReason)])
    expect(error).toBeInstanceOf(UnsupportedError)
    expect((error as UnsupportedError).message).toContain('"messages[1]" would be changed: the model does not continue')
    expect(count).toBe(0)
  })
})

describe.each(continuing)('%s', (name) => {
  it('continues an answer', async () => {
    const { sent, count } = await ask(name, [asked, answer('aborted')])
    expect(count).toBe(1)
    expect(sent).not.toContain('(Go on.)')
  })
})
