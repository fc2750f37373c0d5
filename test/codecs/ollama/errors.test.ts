import { describe, expect, it } from 'vitest'
import type { ApiErrorKind } from '../../../src/core/errors.ts'
import { decodeError } from '../../../src/formats/ollama/index.ts'

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
})
