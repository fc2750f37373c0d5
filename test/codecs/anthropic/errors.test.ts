import { describe, expect, it } from 'vitest'
import type { ApiErrorKind } from '../../../src/core/errors.ts'
import { decodeError } from '../../../src/formats/anthropic/index.ts'

function answer(status: number, body: unknown, headers: Record<string, string> = {}) {
  return { status, body, headers: new Headers(headers) }
}
function body(type: string, message = 'm', more: object = {}) {
  return { type: 'error', error: { type, message, ...more }, request_id: 'req_1' }
}

describe('an error answer', () => {
  it.each<[number, string, ApiErrorKind, boolean]>([
    [400, 'invalid_request_error', 'invalid_request', false],
    [401, 'authentication_error', 'authentication', false],
    [402, 'billing_error', 'permission', false],
    [403, 'permission_error', 'permission', false],
    [404, 'not_found_error', 'not_found', false],
    [413, 'request_too_large', 'context_length', false],
    [429, 'rate_limit_error', 'rate_limit', true],
    [500, 'api_error', 'server', true],
    [504, 'timeout_error', 'timeout', true],
    [529, 'overloaded_error', 'overloaded', true],
  ])('%i %s is %s', (status, type, kind, retryable) => {
    expect(decodeError(answer(status, body(type)))).toMatchObject({
      kind,
      status,
      retryable,
      requestId: 'req_1',
      providerCode: type,
      provider: 'anthropic',
      message: 'm',
    })
  })

  it.each<[string, ApiErrorKind]>([
    ['prompt is too long: 210000 tokens > 200000 maximum', 'context_length'],
    ['input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000', 'context_length'],
    ['Your credit balance is too low to access the Anthropic API', 'permission'],
    ['temperature: Extra inputs are not permitted', 'invalid_request'],
  ])('that says "%s" is %s', (message, kind) => {
    expect(decodeError(answer(400, body('invalid_request_error', message)))).toMatchObject({
      kind,
      retryable: false,
      message,
    })
  })

  it('about a spend limit is not retryable', () => {
    const details = { error_code: 'contract_spend_limit_reached' }
    expect(decodeError(answer(429, body('rate_limit_error', 'm', { details })))).toMatchObject({
      kind: 'rate_limit',
      retryable: false,
      providerCode: 'contract_spend_limit_reached',
    })
  })

  it('has the time of the next try', () => {
    expect(decodeError(answer(429, body('rate_limit_error'), { 'retry-after': '7' })).retryAfterMs).toBe(7000)
    expect(decodeError(answer(529, body('overloaded_error'), { 'x-should-retry': 'false' })).retryable).toBe(false)
  })
})
