/**
 * What each provider answers when it refuses, by status and by its own words: a row for each fact of the wire documents. `test/laws/errors.test.ts`
 * has what holds for all formats.
 */
import { describe, expect, it } from 'vitest'
import { ApiError, type ApiErrorKind } from '../../src/core/errors.ts'
import * as anthropic from '../../src/formats/anthropic/index.ts'
import * as bedrock from '../../src/formats/bedrock-converse/index.ts'
import * as cohere from '../../src/formats/cohere/index.ts'
import * as gemini from '../../src/formats/gemini/index.ts'
import * as interactions from '../../src/formats/gemini-interactions/index.ts'
import * as ollama from '../../src/formats/ollama/index.ts'
import * as chat from '../../src/formats/openai-chat/index.ts'
import * as responses from '../../src/formats/openai-responses/index.ts'
import { cerebrasDialect } from '../../src/providers/cerebras.ts'
import { groqDialect } from '../../src/providers/groq.ts'
import { llamacppDialect } from '../../src/providers/llamacpp.ts'
import { mistralDialect } from '../../src/providers/mistral.ts'
import { errorKinds } from '../support/error-kinds.ts'
import { failure } from './bedrock-converse/oracle.ts'

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
  status,
  body,
  headers: new Headers(headers),
})
/** `0` is an error in a stream, which has no status. A word is the code of an error, or its type. */
type Row = readonly [status: number, word: string, kind: ApiErrorKind, isRetryable: boolean, message?: string]
const rows = (...all: readonly Row[]) =>
  all.map(([status, word, kind, retryable, message = 'm']) => ({ status, word, kind, retryable, message }))

const ofAnthropic = (type: string, message = 'm', more: object = {}) => ({
  type: 'error',
  error: { type, message, ...more },
  request_id: 'req_1',
})
const ofGemini = (code: number, status: string, message = 'm', details?: object[]) => ({
  error: { code, message, status, ...(details && { details }) },
})
const ofOpenai = (code: string | null, message = 'm', type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
})

describe('Anthropic', () => {
  it.each(
    rows(
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
      [400, 'invalid_request_error', 'context_length', false, 'prompt is too long: 210000 tokens > 200000 maximum'],
      [400, 'invalid_request_error', 'context_length', false, 'input length and `max_tokens` exceed context limit'],
      [400, 'invalid_request_error', 'permission', false, 'Your credit balance is too low to access the Anthropic API'],
      [400, 'invalid_request_error', 'invalid_request', false, 'temperature: Extra inputs are not permitted'],
    ),
  )('$status $word is $kind', ({ status, word: type, kind, retryable, message }) => {
    const expected = { kind, status, retryable, requestId: 'req_1', providerCode: type, provider: 'anthropic', message }
    expect(anthropic.decodeError(answer(status, ofAnthropic(type, message)))).toMatchObject(expected)
  })

  it('about a spend limit is not retryable', () => {
    const details = { error_code: 'contract_spend_limit_reached' }
    const error = anthropic.decodeError(answer(429, ofAnthropic('rate_limit_error', 'm', { details })))
    expect(error).toMatchObject({ kind: 'rate_limit', retryable: false, providerCode: details.error_code })
  })

  it('has the time of the next try', () => {
    const read = (headers: Record<string, string>) =>
      anthropic.decodeError(answer(529, ofAnthropic('overloaded_error'), headers))
    expect(read({ 'retry-after': '7' }).retryAfterMs).toBe(7000)
    expect(read({ 'x-should-retry': 'false' }).retryable).toBe(false)
  })
})

describe('Gemini', () => {
  it.each(
    rows(
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
      [
        400,
        'INVALID_ARGUMENT',
        'context_length',
        false,
        'The input token count (12) exceeds the maximum number of tokens',
      ],
    ),
  )('$status $word is $kind, in an object and in a list', ({ status, word, kind, retryable, message }) => {
    const expected = { kind, status, retryable, providerCode: word, provider: 'gemini', message }
    expect(gemini.decodeError(answer(status, ofGemini(status, word, message)))).toMatchObject(expected)
    expect(gemini.decodeError(answer(status, [ofGemini(status, word, message)]))).toMatchObject(expected)
  })

  it('a wrong key is recognised by its details', () => {
    const body = ofGemini(400, 'INVALID_ARGUMENT', 'API key not valid.', [{ reason: 'API_KEY_INVALID' }])
    expect(gemini.decodeError(answer(400, body))).toMatchObject({ kind: 'authentication' })
    expect(interactions.decodeError(answer(400, body))).toMatchObject({ kind: 'authentication', retryable: false })
  })

  it.each([
    ['34.4s', 34_400],
    ['7s', 7000],
    ['soon', undefined],
    [7, undefined],
  ])('asks to wait %s', (retryDelay, retryAfterMs) => {
    const body = ofGemini(429, 'RESOURCE_EXHAUSTED', 'slow', [{ retryDelay }])
    expect(gemini.decodeError(answer(429, body)).retryAfterMs).toBe(retryAfterMs)
  })
})

it.each(
  rows(
    [400, 'parameter_unknown', 'invalid_request', false],
    [400, 'failed_precondition', 'permission', false],
    [401, 'authentication', 'authentication', false],
    [402, 'payment_required', 'permission', false],
    [404, 'model_not_found', 'not_found', false],
    [409, 'aborted', 'server', true],
    [429, 'too_many_requests', 'rate_limit', true],
    [429, 'quota_exceeded', 'rate_limit', false],
    [503, 'service_unavailable', 'overloaded', true],
    [504, 'deadline_exceeded', 'timeout', true],
    [500, 'from_next_year', 'server', true],
    [400, 'malformed_function_call', 'server', true],
    [400, 'unexpected_tool_call', 'server', true],
    [400, 'missing_thought_signature', 'invalid_request', false],
    [400, 'prohibited_content', 'invalid_request', false],
  ),
)('Gemini Interactions: $status $word is $kind', ({ status, word: code, kind, retryable }) => {
  const error = interactions.decodeError(answer(status, { error: { code, message: 'x' } }))
  expect(error).toMatchObject({ kind, retryable, providerCode: code })
})

it.each([
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
] as const)('Ollama: %i "%s" is %s', (status, text, kind, retryable) => {
  const error = ollama.decodeError(answer(status, { error: text }))
  expect(error).toMatchObject({ kind, retryable, message: text, provider: 'ollama', body: { error: text } })
  expect(error.status).toBe(status || undefined)
})

it('Ollama: says what to do about an origin that the server does not know, where the server says nothing', () => {
  const message = 'Ollama refused the origin: allow it with OLLAMA_ORIGINS on the server'
  expect(ollama.decodeError(answer(403, ''))).toMatchObject({ message, kind: 'permission', status: 403 })
  expect(ollama.decodeError(answer(403, undefined))).toMatchObject({ message, kind: 'permission' })
})

describe('Chat Completions', () => {
  const mistral = { object: 'error', message: { detail: [{ msg: 'bad field' }] } }

  it.each([
    ['Groq: tokens of a minute', groqDialect, 413, ofOpenai(null, 'Request too large'), 'rate_limit', true],
    ['Groq: the model wrote no call', groqDialect, 400, ofOpenai('tool_use_failed'), 'server', true],
    ['Groq: no capacity', groqDialect, 498, ofOpenai(null), 'overloaded', true],
    ['Cerebras: too long, with no body', cerebrasDialect, 400, '', 'context_length', false],
    ['Cerebras: any other', cerebrasDialect, 400, ofOpenai(null), 'invalid_request', false],
    [
      'llama.cpp: too long',
      llamacppDialect,
      400,
      ofOpenai(null, 'it', 'exceed_context_size_error'),
      'context_length',
      false,
    ],
    ['OpenRouter: a number', chat.compatible, 0, { error: { code: 402, message: 'Credits' } }, 'permission', false],
    [
      'Mistral: not nested',
      mistralDialect,
      400,
      { ...mistral, message: 'role', code: '3230' },
      'invalid_request',
      false,
    ],
    ['Mistral: details for a message', mistralDialect, 422, mistral, 'invalid_request', false],
    ['xAI: text for an error', chat.compatible, 400, { error: 'maximum prompt length is 9' }, 'context_length', false],
  ] as const)('%s', (_name, dialect, status, body, kind, retryable) => {
    expect(chat.decodeError(answer(status, body), { dialect })).toMatchObject({ kind, retryable })
  })

  it('says what Mistral says in details', () => {
    expect(chat.decodeError(answer(422, mistral)).message).toContain('bad field')
  })

  it('takes the wait, the id and whether to try again from the headers', () => {
    const wait = answer(429, ofOpenai(null), { 'retry-after-ms': '1500', 'x-request-id': 'req_1' })
    expect(chat.decodeError(wait)).toMatchObject({ retryAfterMs: 1500, requestId: 'req_1', provider: 'openai' })
    expect(chat.decodeError(answer(500, '', { 'x-should-retry': 'false' })).retryable).toBe(false)
    expect(chat.decodeError(answer(400, '', { 'x-should-retry': 'true' })).retryable).toBe(true)
  })

  it.each([
    ['an error with a choice', { choices: [{}], error: { message: 'No', code: 429 } }, 'rate_limit'],
    ['an error that is text', { error: 'Rate limit reached' }, 'server'],
    ['Mistral', { ...mistral, message: 'role', type: 'invalid_request_error', code: '3230' }, 'invalid_request'],
    ['Cloudflare', { errors: [{ code: 500, message: 'No' }] }, 'server'],
    ['MiniMax', { base_resp: { status_code: 1008, status_msg: 'No money' } }, 'server'],
    ['an array', [{ error: { code: 404, message: 'No', status: 'NOT_FOUND' } }], 'not_found'],
  ])('is thrown if it came with a 200: %s', (_name, value, kind) => {
    expect(() => chat.decodeResponse(value)).toThrow(expect.objectContaining({ name: 'ApiError', kind }))
  })
})

it.each([
  [400, ofOpenai(null), 'invalid_request', false],
  [400, ofOpenai('context_length_exceeded'), 'context_length', false],
  [400, ofOpenai(null, "This model's maximum context length is 8192 tokens"), 'context_length', false],
  [400, ofOpenai('invalid_encrypted_content'), 'invalid_request', false],
  [401, ofOpenai('invalid_api_key'), 'authentication', false],
  [401, ofOpenai(null), 'authentication', false], // the status says more than the type
  [403, ofOpenai(null), 'permission', false],
  [404, ofOpenai('model_not_found'), 'not_found', false],
  [404, ofOpenai(null), 'not_found', false],
  [408, ofOpenai(null), 'timeout', true],
  [409, ofOpenai(null), 'server', true],
  [413, ofOpenai(null, 'Too large'), 'invalid_request', false],
  [422, ofOpenai(null), 'invalid_request', false],
  [422, { detail: [{ loc: ['body'], msg: 'bad' }] }, 'invalid_request', false],
  [429, ofOpenai('rate_limit_exceeded', 'Slow', 'requests'), 'rate_limit', true],
  [429, ofOpenai('insufficient_quota', 'Pay', 'insufficient_quota'), 'rate_limit', false],
  [500, ofOpenai('server_error', 'Oops', 'server_error'), 'server', true],
  [502, '<html><body>Bad Gateway</body></html>', 'server', true],
  [503, ofOpenai(null, 'Slow down', 'server_error'), 'overloaded', true],
  [503, '', 'overloaded', true],
  [504, '', 'timeout', true],
] as const)('OpenAI, in both formats: %i %j is %s', (status, body, kind, retryable) => {
  const message = typeof body === 'object' && 'error' in body ? body.error.message : expect.any(String)
  for (const { decodeError } of [chat, responses])
    expect(decodeError(answer(status, body))).toMatchObject({ kind, retryable, status, message, provider: 'openai' })
})

describe('Responses', () => {
  it('a stored answer that is gone is not found, although the status is 400', () => {
    const error = responses.decodeError(answer(400, ofOpenai('previous_response_not_found')))
    expect(error).toMatchObject({ kind: 'not_found', retryable: false })
  })

  it('a wrong key has the status and the code by which clients know it', () => {
    const { status, body } = responses.encodeError(new ApiError('m', { kind: 'authentication', retryable: false }))
    expect([status, body]).toMatchObject([401, { error: { type: 'invalid_request_error', code: 'invalid_api_key' } }])
  })
})

describe('Cohere', () => {
  it.each([
    [400, 'bad', 'invalid_request', false],
    [400, 'too many tokens: size limit exceeded', 'context_length', false],
    [400, 'model "x" not found, make sure the correct model ID was used', 'not_found', false],
    [401, 'no api key supplied', 'authentication', false],
    [402, 'billing limit', 'permission', false],
    [404, "model 'x' not found", 'not_found', false],
    [422, 'bad', 'invalid_request', false],
    [429, 'slow down', 'rate_limit', true],
    [429, 'You are using a Trial key, which is limited to 1000 API calls / month', 'rate_limit', false],
    [498, 'blocked', 'invalid_request', false],
    [499, 'closed', 'server', true],
    [501, 'no such feature', 'invalid_request', false],
    [503, 'busy', 'overloaded', true],
    [504, 'late', 'timeout', true],
  ] as const)('%i "%s" is %s', (status, message, kind, retryable) => {
    const error = cohere.decodeError(answer(status, { id: 'i', message }, { 'x-debug-trace-id': 't1' }))
    expect(error).toMatchObject({ kind, retryable, status, message, requestId: 't1', provider: 'cohere' })
  })

  it('is about the length of the conversation where only its type says so, and says it in the words of this API', () => {
    const body = { message: 'the prompt does not fit', error_type: 'TOO_MANY_TOKENS' }
    const error = cohere.decodeError(answer(400, body))
    expect(error).toMatchObject({ kind: 'context_length', retryable: false, providerCode: 'TOO_MANY_TOKENS' })
    expect(cohere.encodeError(new ApiError('the window is full', { kind: 'context_length' }))).toEqual({
      status: 400,
      body: { message: 'too many tokens: the window is full', error_type: 'TOO_MANY_TOKENS' },
    })
  })
})

describe('Bedrock', () => {
  const wrongKey = { Message: 'Authentication failed: Please make sure your API Key is valid.' }

  it.each([
    [403, wrongKey, 'AccessDeniedException', 'authentication'],
    [403, { message: 'You have no access' }, 'AccessDeniedException', 'permission'],
    [400, { message: 'The provided model identifier is invalid.' }, 'ValidationException', 'not_found'],
    [400, { message: 'Input is too long for requested model.' }, 'ValidationException', 'context_length'],
    [429, { message: 'Too many requests' }, 'ThrottlingException', 'rate_limit'],
    [429, { message: 'not yet' }, 'ModelNotReadyException', 'overloaded'],
    [408, { message: 'slow' }, 'ModelTimeoutException', 'timeout'],
    [424, { message: 'broken' }, 'ModelErrorException', 'server'],
  ])('%i %j of %s is %s', (status, body, name, kind) => {
    const headers = { 'x-amzn-errortype': `${name}:http://internal.amazon.com/`, 'x-amzn-requestid': 'r1' }
    const expected = { kind, status, providerCode: name, requestId: 'r1' }
    expect(bedrock.decodeError(answer(status, body, headers))).toMatchObject(expected)
    expect(bedrock.decodeError(answer(status, { ...body, __type: `com.amazon#${name}` })).kind).toBe(kind)
  })

  it.each(errorKinds)('the kind %s has a name that the official client knows', async (kind) => {
    const { status, headers, body } = bedrock.encodeError(new ApiError('so it is', { kind }))
    const error = await failure(status, headers, body)
    expect(error).toMatchObject({ name: headers['x-amzn-errortype'], $metadata: { httpStatusCode: status } })
    expect(bedrock.decodeError(answer(status, body, headers)).kind).toBe(kind)
  })
})
