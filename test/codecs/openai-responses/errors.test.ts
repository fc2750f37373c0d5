import { describe, expect, it } from 'vitest'
import { ApiError, type ApiErrorKind } from '../../../src/core/errors.ts'
import { decodeError, encodeError } from '../../../src/formats/openai-responses/index.ts'
import { xaiDialect } from '../../../src/providers/xai-responses.ts'

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

  it('are read in the form of xAI', () => {
    const error = decodeError(
      answer(400, { code: 'Client specified an invalid argument', error: 'This model takes at most 4' }),
      { dialect: xaiDialect },
    )
    expect(error).toMatchObject({ provider: 'xai', kind: 'invalid_request', message: 'This model takes at most 4' })
  })

  it.each([
    undefined,
    null,
    '',
    '<html>Bad</html>',
    5,
    [],
    {},
    { error: null },
    { error: 5 },
    { error: { message: 5 } },
  ])('have a message whatever the body, such as %j', (body) => {
    expect(decodeError(answer(500, body)).message).not.toBe('')
  })

  it.each<[ApiErrorKind, number]>([
    ['authentication', 401],
    ['permission', 403],
    ['invalid_request', 400],
    ['not_found', 404],
    ['context_length', 400],
    ['rate_limit', 429],
    ['overloaded', 503],
    ['server', 500],
    ['timeout', 504],
  ])('of the kind %s are written with the status %i, and read again as they were', (kind, status) => {
    const retryable = ['rate_limit', 'overloaded', 'server', 'timeout'].includes(kind)
    const written = encodeError(new ApiError('m', { kind, retryable }))
    expect(written.status).toBe(status)
    expect(decodeError(answer(written.status, written.body))).toMatchObject({ kind, retryable, message: 'm' })
  })

  it('say that a quota is used up, so that clients do not try again', () => {
    const { body, status } = encodeError(new ApiError('m', { kind: 'rate_limit', retryable: false, status: 429 }))
    expect(decodeError(answer(status, body))).toMatchObject({ retryable: false })
  })
})
