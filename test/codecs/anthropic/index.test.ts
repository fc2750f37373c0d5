import { describe, expect, it } from 'vitest'
import { anthropic, createClientCodec, createServerCodec, headers } from '../../../src/formats/anthropic/index.ts'

describe('anthropic()', () => {
  it('is a model of the public API', () => {
    const model = anthropic('claude-sonnet-5', { apiKey: 'k', headers: { a: 'b' } })
    expect(model).toMatchObject({
      model: 'claude-sonnet-5',
      baseUrl: 'https://api.anthropic.com/v1',
      apiKey: 'k',
      headers: { a: 'b' },
    })
    expect(model.codec).toMatchObject({ name: 'anthropic', provider: 'anthropic', framing: 'sse' })
    expect(model.codec.encodeRequest({ messages: [] }, { model: 'm', maxTokens: 1 }).path).toBe('/messages')
  })

  it('passes its own settings only to the codec', () => {
    const model = anthropic('m', {
      version: '2026-10-21',
      browser: true,
      beta: ['a'],
      maxTokens: 5,
      provider: 'kimi',
      unsignedThinking: true,
    })
    expect(Object.keys(model).sort()).toEqual(['answer', 'baseUrl', 'codec', 'model', 'provider', 'providerUrl'])
    expect(model.codec.encodeRequest({ messages: [] }, { model: 'm' }).body).toMatchObject({ max_tokens: 5 })
    expect(model.codec.rules).toMatchObject({ provider: 'kimi', foreignReasoning: 'keep' })
  })
})

describe('headers', () => {
  it.each([
    ['k', {}, { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' }],
    [undefined, {}, { 'anthropic-version': '2023-06-01' }],
    ['k', { version: '2026-10-21' }, { 'x-api-key': 'k', 'anthropic-version': '2026-10-21' }],
    [undefined, { beta: [] }, { 'anthropic-version': '2023-06-01' }],
    [undefined, { beta: ['a', 'b'] }, { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b' }],
    [
      undefined,
      { browser: true },
      { 'anthropic-version': '2023-06-01', 'anthropic-dangerous-direct-browser-access': 'true' },
    ],
  ] as const)('with the key %j and %j', (apiKey, dialect, expected) => {
    expect(headers(apiKey, dialect)).toEqual(expected)
    expect(createClientCodec(dialect).headers(apiKey)).toEqual(expected)
  })
})

it('also serves its own format', () => {
  expect(createServerCodec()).toMatchObject({ name: createClientCodec().name, framing: 'sse' })
})
