/** Error answers of this wire, both ways. */
import { ApiError as GoogleError } from '@google/genai/web'
import { describe, expect, it } from 'vitest'
import { ApiError, type ApiErrorKind } from '../../../src/core/errors.ts'
import { decodeError, encodeError } from '../../../src/formats/gemini/index.ts'
import { client } from './oracle.ts'

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
  it.each([[undefined], [''], ['<html>Bad gateway</html>'], [{ error: 5 }], [[]], [{ error: { details: 'x' } }]])(
    'with a body like %j is one all the same',
    (body) => {
      expect(decodeError({ status: 502, headers, body })).toMatchObject({ kind: 'server', status: 502 })
    },
  )
})

describe('an error of any provider', () => {
  const error = (kind: ApiErrorKind, more = {}) => new ApiError('no', { kind, retryable: false, ...more })

  it.each<[ApiErrorKind, number, string]>([
    ['invalid_request', 400, 'INVALID_ARGUMENT'],
    ['context_length', 400, 'INVALID_ARGUMENT'],
    ['authentication', 401, 'UNAUTHENTICATED'],
    ['permission', 403, 'PERMISSION_DENIED'],
    ['not_found', 404, 'NOT_FOUND'],
    ['rate_limit', 429, 'RESOURCE_EXHAUSTED'],
    ['server', 500, 'INTERNAL'],
    ['overloaded', 503, 'UNAVAILABLE'],
    ['timeout', 504, 'DEADLINE_EXCEEDED'],
  ])('of kind %s is written as %i %s, and the official client reads its status', async (kind, status, word) => {
    const written = encodeError(error(kind))
    const message = kind === 'context_length' ? 'input token count exceeds the maximum number of tokens: no' : 'no'
    expect(written).toEqual({ status, body: { error: { code: status, message, status: word } } })
    const { models } = client(JSON.stringify(written.body), 'application/json', written.status)
    const failure = await models.generateContent({ model: 'any', contents: 'Hi' }).catch((cause: unknown) => cause)
    expect(failure).toBeInstanceOf(GoogleError)
    expect(failure).toMatchObject({ status })
  })
  it('is written with its wait, and read with it again', () => {
    const { status, body } = encodeError(error('rate_limit', { retryAfterMs: 1500 }))
    expect(body.error.details).toEqual([{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.5s' }])
    expect(decodeError({ status, headers, body }).retryAfterMs).toBe(1500)
  })
})
