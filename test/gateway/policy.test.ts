/** Helpers for policy in front of a gateway: the route of a request, and an end for a stream that was stored. */
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../src/core/errors.ts'
import { allFormats, errorEvents, findRoute, type WireName } from '../../src/gateway/index.ts'
import { formatsByName } from '../support/formats-by-name.ts'

const get = (path: string, headers: Record<string, string> = {}) =>
  new Request(`http://gateway.test${path}`, { headers })

describe('the route of a request', () => {
  it.each([
    ['/v1/chat/completions', 'answer', 'openai-chat', 'POST'],
    ['/v1/messages', 'answer', 'anthropic', 'POST'],
    ['/v1/messages/count_tokens', 'count', 'anthropic', 'POST'],
    ['/v1beta/models/qwen3:8b:generateContent', 'answer', 'gemini', 'POST'],
    ['/v1beta/models/m:countTokens', 'count', 'gemini', 'POST'],
    ['/v1/models/a%2Fb', 'models', 'openai-chat', 'GET'],
    ['/api/version', 'version', 'ollama', 'GET'],
  ])('%s: %s in %s, by %s', (path, kind, wire, method) => {
    const expected = { kind, format: { name: wire }, method }
    expect(findRoute(get(path), allFormats)).toMatchObject(expected)
    expect(findRoute(get(`/ai${path}`), allFormats, '/ai')).toMatchObject(expected)
    expect(findRoute(get(`/ai${path}`), allFormats)).toBeUndefined()
  })

  it('returns which stream of Gemini is an array, and the format of a list of models', () => {
    const stream = '/v1beta/models/m:streamGenerateContent'
    expect(findRoute(get(stream), allFormats)).toHaveProperty('framing', 'array')
    expect(findRoute(get(`${stream}?alt=sse`), allFormats)).not.toHaveProperty('framing')
    const list = get('/v1/models', { 'anthropic-version': '2023-06-01' })
    expect(findRoute(list, allFormats)).toHaveProperty('format.name', 'anthropic')
  })
})

describe('a stream that was stored without its end', () => {
  const error = new ApiError('It broke off', { kind: 'server', status: 502, retryable: false })
  const created =
    'event: response.created\ndata: {"type":"response.created","response":{"id":"resp_1","model":"m"}}\n\n'
  const delta = 'data: {"type":"response.output_text.delta","delta":"Hi"}\n\n'

  /** The events as their names and values. */
  function read(events: readonly string[]): readonly (readonly [name: string | undefined, value: unknown])[] {
    return events.map((event) => [
      /^event: (.*)\n/.exec(event)?.[1],
      JSON.parse(/^(?:event: .*\n)?(?:data: )?(\{.*\})\n+$/.exec(event)?.[1] ?? 'null'),
    ])
  }

  it.each<[WireName, string | undefined, object]>([
    ['openai-chat', undefined, { error: { message: 'It broke off' } }],
    ['anthropic', 'error', { type: 'error', error: { type: 'api_error', message: 'It broke off' } }],
    ['gemini', undefined, { error: { code: 500, message: 'It broke off', status: 'INTERNAL' } }],
    ['ollama', undefined, { error: 'It broke off' }],
  ])('%s: ends in an error of the wire', (wire, name, value) => {
    const events = read(errorEvents(formatsByName[wire], error, { first: '', last: '', count: 3 }))
    expect(events).toHaveLength(1)
    expect(events[0]?.[0]).toBe(name)
    expect(events[0]?.[1]).toMatchObject(value)
  })

  it('openai-responses: continues with its numbers, and names the answer that failed', () => {
    const events = read(
      errorEvents(formatsByName['openai-responses'], error, { first: created, last: delta, count: 7 }),
    )
    expect(events.map(([name]) => name)).toEqual(['error', 'response.failed'])
    expect(events.map(([, value]) => value)).toMatchObject([
      { type: 'error', sequence_number: 7 },
      { type: 'response.failed', sequence_number: 8, response: { id: 'resp_1', model: 'm', status: 'failed' } },
    ])
  })

  it.each([
    [0, ['message-start', 'message-end', undefined]],
    [3, ['message-end', undefined]],
  ])('cohere: begins after %i events only if nothing has begun', (count, expected) => {
    const events = errorEvents(formatsByName.cohere, error, { first: '', last: '', count })
    expect(events.map((event) => /^event: (.*)$/m.exec(event)?.[1])).toEqual(expected)
    expect(events.at(-1)).toBe('data: [DONE]\n\n')
  })

  it.each<[WireName, string]>([
    ['openai-chat', 'data: [DONE]\n\n'],
    ['openai-chat', 'data: {"error":{"message":"no"}}\n\n'],
    ['openai-responses', 'event: response.incomplete\ndata: {"type":"response.incomplete"}\n\n'],
    ['anthropic', 'event: message_stop\ndata: {"type":"message_stop"}\n\n'],
    ['gemini', 'data: {"candidates":[{"finishReason":"STOP"}]}\n\n'],
    ['gemini', 'data: {"promptFeedback":{"blockReason":"SAFETY"}}\n\n'],
    ['ollama', '{"done":true}\n'],
  ])('%s: has an end already in %j', (wire, last) => {
    expect(errorEvents(formatsByName[wire], error, { first: '', last, count: 9 })).toEqual([])
  })

  it('does not repeat a provider’s message about its customer', () => {
    const told = new ApiError('org-12345 has no money', { kind: 'permission', provider: 'openai', retryable: false })
    expect(errorEvents(formatsByName.ollama, told, { first: '', last: '', count: 0 }).join('')).not.toContain(
      'org-12345',
    )
  })
})
