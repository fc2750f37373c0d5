import { describe, expect, it } from 'vitest'
import { createClientCodec, headers } from '../../../src/formats/anthropic/index.ts'

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
