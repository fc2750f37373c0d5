/** Error answers of this wire, both ways. */
import { describe, expect, it } from 'vitest'
import type { ApiErrorKind } from '../../../src/core/errors.ts'
import { decodeError } from '../../../src/formats/gemini/index.ts'

const headers = new Headers()
const envelope = (code: number, status: string, message = 'no', details?: object[]) => ({
  error: { code, message, status, ...(details && { details }) },
})

describe('an error', () => {
  it.each<[number, string, ApiErrorKind, boolean]>([
    [400, 'INVALID_ARGUMENT', 'invalid_request', false],
    [400, 'FAILED_PRECONDITION', 'permission', false],
    [401, 'UNAUTHENTICATED', 'authentication', false],
    [403, 'PERMISSION_DENIED', 'permission', false],
    [404, 'NOT_FOUND', 'not_found', false],
    [429, 'RESOURCE_EXHAUSTED', 'rate_limit', true],
    [499, 'CANCELLED', 'server', true],
    [500, 'INTERNAL', 'server', true],
    [500, 'UNKNOWN', 'server', true],
    [503, 'UNAVAILABLE', 'overloaded', true],
    [504, 'DEADLINE_EXCEEDED', 'timeout', true],
    [418, 'A_WORD_FROM_NEXT_YEAR', 'invalid_request', false],
  ])('of status %i and %s is %s, retryable %s', (status, word, kind, retryable) => {
    const expected = { kind, status, retryable, providerCode: word, provider: 'gemini', message: 'no' }
    expect(decodeError({ status, headers, body: envelope(status, word) })).toMatchObject(expected)
    expect(decodeError({ status, headers, body: [envelope(status, word)] })).toMatchObject(expected)
  })
  it('of a wrong key is recognised by its details', () => {
    const body = envelope(400, 'INVALID_ARGUMENT', 'API key not valid.', [{ reason: 'API_KEY_INVALID' }])
    expect(decodeError({ status: 400, headers, body })).toMatchObject({ kind: 'authentication' })
  })
  it('of too long a prompt is recognised by its text', () => {
    const message = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'
    expect(decodeError({ status: 400, headers, body: envelope(400, 'INVALID_ARGUMENT', message) })).toMatchObject({
      kind: 'context_length',
    })
  })
  it.each([
    ['34.4s', 34_400],
    ['7s', 7000],
    ['soon', undefined],
    [7, undefined],
  ])('asks to wait %s', (retryDelay, retryAfterMs) => {
    const body = envelope(429, 'RESOURCE_EXHAUSTED', 'slow', [{ retryDelay }])
    expect(decodeError({ status: 429, headers, body }).retryAfterMs).toBe(retryAfterMs)
  })
})
