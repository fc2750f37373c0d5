import { describe, expect, it } from 'vitest'
import { ApiError, type ApiErrorKind } from '../../../src/core/errors.ts'
import { decodeError, encodeError } from '../../../src/formats/openai-responses/index.ts'

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
  status,
  body,
  headers: { get: (name: string) => headers[name] ?? null },
})

describe('errors', () => {
  it.each<[number, string | null, ApiErrorKind, boolean]>([
    [400, null, 'invalid_request', false],
    [400, 'context_length_exceeded', 'context_length', false],
    [400, 'invalid_encrypted_content', 'invalid_request', false],
    [401, 'invalid_api_key', 'authentication', false],
    [401, null, 'authentication', false],
    [404, null, 'not_found', false],
    [403, null, 'permission', false],
    [404, 'model_not_found', 'not_found', false],
    [400, 'previous_response_not_found', 'not_found', false],
    [408, null, 'timeout', true],
    [409, null, 'server', true],
    [422, null, 'invalid_request', false],
    [429, 'rate_limit_exceeded', 'rate_limit', true],
    [429, 'insufficient_quota', 'rate_limit', false],
    [500, 'server_error', 'server', true],
    [502, null, 'server', true],
    [503, null, 'overloaded', true],
    [504, null, 'timeout', true],
  ])('%i %s is %s', (status, code, kind, retryable) => {
    const body = { error: { message: 'm', type: 'invalid_request_error', param: null, code } }
    expect(decodeError(answer(status, body))).toMatchObject({
      kind,
      retryable,
      status,
      message: 'm',
      provider: 'openai',
    })
  })

  it('of a wrong key has the status and the code by which clients know it', () => {
    const { status, body } = encodeError(new ApiError('m', { kind: 'authentication', retryable: false }))
    expect([status, body]).toMatchObject([401, { error: { type: 'invalid_request_error', code: 'invalid_api_key' } }])
  })
})
