/** The reports and the model lists of a gateway: each with a provider that is a function. */
import { describe, expect, it } from 'vitest'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import type { EndReport } from '../../src/gateway/index.ts'
import { newSeen, seeEvent, seeFragment } from '../../src/gateway/observe.ts'
import { bodyOf, sse } from '../support/makers.ts'
import { gatewayOf, origin } from './gateway-of.ts'

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`

async function reportOf(path: string, body: object, pieces: readonly string[]): Promise<EndReport | undefined> {
  const fetch = async () => sse(bodyOf(pieces, new TypeError('terminated')))
  const model = openaiChat('m', { apiKey: 'k', fetch })
  const gateway = gatewayOf({ models: { m: model } })
  await (await gateway.post(path, { model: 'm', stream: true, ...body })).text()
  return gateway.reports[0]
}

const messages = [{ role: 'user', content: 'Hi' }]

it('counts the bytes of UTF-8, also of a pair of surrogates that comes in two pieces', () => {
  const seen = newSeen()
  const texts = ['a', '\u007f', '\u0080', '\u07ff', '\u0800', '\ud7ff', '\ue000', '\uffff', '\ud83e', '\udd9c']
  for (const text of texts) seeEvent(seen, { type: 'text_delta', index: 0, text })
  expect(seen.bytes).toBe(new TextEncoder().encode(texts.join('')).length)
})

describe.each([
  ['passed on', '/v1/chat/completions', { messages }],
  ['translated', '/v1/messages', { messages, max_tokens: 9 }],
])('an answer that is %s', (_name, path, body) => {
  it('is reported with the reason for its end, if it is cut off after that', async () => {
    const report = await reportOf(path, body, [chunk({ content: 'Hi' }), chunk({}, 'stop')])
    expect(report).toMatchObject({ stopReason: 'stop' })
  })

  it('is reported without one, if it is cut off before', async () => {
    const report = await reportOf(path, body, [chunk({ content: 'Hi' })])
    expect(report?.outcome).toBe('failed')
    expect(report?.stopReason).toBeUndefined()
  })
})

it('lists models as Ollama does, with every field that its clients parse', async () => {
  const gateway = gatewayOf({ models: { 'qwen3:8b': openaiChat('m', { apiKey: 'k' }) } })
  const response = await gateway.fetch(`${origin}/api/tags`)
  expect(await response.json()).toEqual({
    models: [
      { name: 'qwen3:8b', model: 'qwen3:8b', modified_at: '1970-01-01T00:00:00Z', size: 0, digest: '', details: {} },
    ],
  })
})

describe('a block without text', () => {
  const opaque = { provider: 'anthropic', model: 'm', format: 'anthropic', data: { data: 'ZW5j' } }
  it.each([
    ['a text', { type: 'text', text: '' }, false],
    ['a reasoning', { type: 'reasoning', text: '' }, false],
    ['a reasoning with a proof', { type: 'reasoning', text: '', opaque }, true],
  ] as const)('is content, after which no other provider is asked, if it is %s: %j', (_, block, isContent) => {
    const [ofEvents, ofFragments] = [newSeen(), newSeen()]
    seeEvent(ofEvents, { type: 'content_block', index: 0, block })
    seeFragment(ofFragments, { type: 'block', key: '0', block })
    expect([ofEvents.hasBegun, ofFragments.hasBegun]).toEqual([isContent, isContent])
  })
})
