import { describe, expect, it } from 'vitest'
import { ApiError, type ApiErrorKind } from '../../../src/core/errors.ts'
import { decodeError, encodeError } from '../../../src/formats/ollama/index.ts'

function decode(status: number, body: unknown) {
  return decodeError({ status, headers: new Headers(), body })
}

describe('decodeError', () => {
  it.each<[number, string, ApiErrorKind, boolean]>([
    [400, '"llama2" does not support tools', 'invalid_request', false],
    [401, 'unauthorized', 'authentication', false],
    [403, 'this model requires a subscription', 'permission', false],
    [404, 'model "m" not found, try pulling it first', 'not_found', false],
    [429, 'you have reached your hourly usage limit', 'rate_limit', true],
    [500, 'llama runner process has terminated', 'server', true],
    [500, 'the request exceeds the available context size', 'context_length', false],
    [500, 'input length exceeds maximum context length', 'context_length', false],
    [502, 'bad gateway', 'server', true],
    [503, 'server busy, please try again. maximum pending requests exceeded', 'overloaded', true],
    [0, 'an error was encountered while running the model', 'server', true],
    [0, 'input length exceeds the context', 'context_length', false],
  ])('reads %i with "%s" as %s', (status, text, kind, retryable) => {
    const error = decode(status, { error: text })
    expect(error).toMatchObject({ kind, retryable, message: text, provider: 'ollama', body: { error: text } })
    expect(error.status).toBe(status || undefined)
  })

  it('says what to do about an origin that the server does not know, where the server says nothing', () => {
    expect(decode(403, '').message).toBe('Ollama refused the origin: allow it with OLLAMA_ORIGINS on the server')
    expect(decode(403, undefined)).toMatchObject({ kind: 'permission', status: 403 })
  })

  it('keeps the sign-in address that the cloud sends', () => {
    const body = { error: 'unauthorized', signin_url: 'https://ollama.com/connect' }
    expect(decode(401, body).body).toEqual(body)
  })

  it.each([null, undefined, '', 'plain text', '<html><body>Bad gateway</body></html>', [], {}, { error: null }, 7])(
    'makes an error of a body that is %j',
    (body) => {
      expect(decode(500, body)).toMatchObject({ kind: 'server', status: 500, message: expect.stringMatching(/./) })
    },
  )
})

describe('encodeError', () => {
  it.each<[ApiErrorKind, number]>([
    ['invalid_request', 400],
    ['authentication', 401],
    ['permission', 403],
    ['not_found', 404],
    ['context_length', 400],
    ['rate_limit', 429],
    ['overloaded', 503],
    ['server', 500],
    ['timeout', 504],
  ])('answers %s with status %i and a sentence', (kind, status) => {
    const error = new ApiError('Something failed', { kind, retryable: false, status: 529 })
    const words = kind === 'context_length' ? 'input length exceeds the context length: ' : ''
    expect(encodeError(error)).toEqual({ status, body: { error: `${words}Something failed` } })
  })
})
