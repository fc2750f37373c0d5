/** The twins of readers that return their error: all of them return the same two shapes. */
import { describe, expect, it } from 'vitest'
import { DecodeError } from '../../src/core/errors.ts'
import * as imports from '../../src/import/index.ts'
import { block } from '../../src/index.ts'
import * as histories from '../../src/messages/index.ts'

const faces: Readonly<Record<string, unknown>> = { ...imports, ...histories }
const call = block.toolCall('c', 'f')
const result = { call, toolCallId: 'c', name: 'f', status: 'success', content: 'x', value: 1 } as const
/** Input that each twin can read, and its result. */
const readable: { readonly [twin: string]: readonly [value: unknown, read: unknown] } = {
  safeNormalizeMessages: ['hi', [{ role: 'user', content: 'hi' }]],
  safeDeserializeMessages: [
    [{ version: 1, type: 'message', role: 'user', content: 'hi' }],
    [{ role: 'user', content: 'hi' }],
  ],
  safeDeserializeContext: [histories.serializeContext({ messages: [] }), { messages: [] }],
  safeDeserializeToolResult: [histories.serializeToolResult(result), result],
}

it('every twin is in this list', { meta: { promise: '5.03' } }, () => {
  const twins = Object.keys(faces).filter((name) => name.startsWith('safe'))
  expect(new Set(twins)).toEqual(new Set(Object.keys(readable)))
})

describe.each(Object.entries(readable))('%s', (name, [value, read]) => {
  const twin = faces[name] as (value: unknown) => histories.Safe<unknown>

  it('returns what it read as `value`', { meta: { promise: '5.03' } }, () => {
    const result = twin(value)
    expect(Object.keys(result)).toEqual(['ok', 'value'])
    expect(result).toMatchObject({ ok: true, value: read })
  })

  it.each([5, null, [5], { version: 99 }])(
    'returns the error for %j as `error`',
    { meta: { promise: '5.03' } },
    (broken) => {
      const result = twin(broken)
      expect(Object.keys(result)).toEqual(['ok', 'error'])
      expect(result).toMatchObject({ ok: false, error: expect.any(DecodeError) })
    },
  )
})
