import { describe, expect, it } from 'vitest'
import { compatible, decodeError } from '../../../src/formats/openai-chat/index.ts'
import { cerebrasDialect } from '../../../src/providers/cerebras.ts'
import { groqDialect } from '../../../src/providers/groq.ts'
import { llamacppDialect } from '../../../src/providers/llamacpp.ts'
import { mistralDialect } from '../../../src/providers/mistral.ts'

const headers = (values: Record<string, string> = {}) => new Headers(values)
const error = (code: string | null, message = 'No', type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
})

describe('decodeError', () => {
  it.each([
    [400, error(null), 'invalid_request', false],
    [400, error('context_length_exceeded'), 'context_length', false],
    [400, error(null, "This model's maximum context length is 8192 tokens"), 'context_length', false],
    [401, error('invalid_api_key'), 'authentication', false],
    [401, error(null), 'authentication', false], // the status says more than the type
    [403, error(null), 'permission', false],
    [404, error('model_not_found'), 'not_found', false],
    [408, error(null), 'timeout', true],
    [409, error(null), 'server', true],
    [413, error(null, 'Too large'), 'invalid_request', false],
    [422, { detail: [{ loc: ['body'], msg: 'bad' }] }, 'invalid_request', false],
    [429, error('rate_limit_exceeded', 'Slow', 'requests'), 'rate_limit', true],
    [429, error('insufficient_quota', 'Pay', 'insufficient_quota'), 'rate_limit', false],
    [500, error(null, 'Oops', 'server_error'), 'server', true],
    [502, '<html><body>Bad Gateway</body></html>', 'server', true],
    [503, error(null, 'Slow down', 'server_error'), 'overloaded', true],
    [503, '', 'overloaded', true],
    [504, '', 'timeout', true],
  ] as const)('reads %i %j as %s', (status, body, kind, retryable) => {
    expect(decodeError({ status, headers: headers(), body })).toMatchObject({ kind, retryable, status })
  })

  it.each([
    ['Groq: tokens of a minute', groqDialect, 413, error(null, 'Request too large'), 'rate_limit', true],
    ['Groq: the model wrote no call', groqDialect, 400, error('tool_use_failed'), 'server', true],
    ['Groq: no capacity', groqDialect, 498, error(null), 'overloaded', true],
    ['Cerebras: too long, with no body', cerebrasDialect, 400, '', 'context_length', false],
    ['Cerebras: any other', cerebrasDialect, 400, error(null), 'invalid_request', false],
    [
      'llama.cpp: too long',
      llamacppDialect,
      400,
      error(null, 'the request exceeds', 'exceed_context_size_error'),
      'context_length',
      false,
    ],
    [
      'OpenRouter: a number for a code',
      compatible,
      0,
      { error: { code: 402, message: 'Credits' } },
      'permission',
      false,
    ],
    [
      'Mistral: not nested',
      mistralDialect,
      400,
      { object: 'error', message: 'Unexpected role', code: '3230' },
      'invalid_request',
      false,
    ],
    [
      'Mistral: details for a message',
      mistralDialect,
      422,
      { object: 'error', message: { detail: [{ msg: 'bad' }] } },
      'invalid_request',
      false,
    ],
    [
      'xAI: text for an error',
      compatible,
      400,
      { code: 'x', error: 'maximum prompt length is 9' },
      'context_length',
      false,
    ],
  ] as const)('reads %s', (_name, dialect, status, body, kind, retryable) => {
    expect(decodeError({ status, headers: headers(), body }, { dialect })).toMatchObject({ kind, retryable })
  })

  it('says what Mistral says in details', () => {
    const body = { object: 'error', message: { detail: [{ msg: 'bad field' }] } }
    expect(decodeError({ status: 422, headers: headers(), body }).message).toContain('bad field')
  })

  it('takes the wait and the id from the headers', () => {
    const answer = {
      status: 429,
      headers: headers({ 'retry-after-ms': '1500', 'x-request-id': 'req_1' }),
      body: error(null),
    }
    expect(decodeError(answer)).toMatchObject({ retryAfterMs: 1500, requestId: 'req_1', provider: 'openai' })
  })

  it('lets x-should-retry overrule the status', () => {
    const retryable = (value: string, status: number) =>
      decodeError({ status, headers: headers({ 'x-should-retry': value }), body: '' }).retryable
    expect(retryable('false', 500)).toBe(false)
    expect(retryable('true', 400)).toBe(true)
  })
})
