import { describe, expect, it } from 'vitest'
import { DecodeError, InterruptedError, IsoglotError } from '../../../src/core/errors.ts'
import type { AssistantMessage, ChatResponse, ContentBlock, StopReason } from '../../../src/core/messages.ts'
import {
  compatible,
  createClientCodec,
  decodeResponse,
  decodeToolCalls,
  encodeResponse,
} from '../../../src/formats/openai-chat/index.ts'
import { block } from '../../../src/messages/block.ts'
import { openrouter } from '../../../src/providers/openrouter.ts'
import { perplexityDialect } from '../../../src/providers/perplexity.ts'
import { decodeText } from '../../support/decode.ts'

const body = (message: unknown, finish: unknown = 'stop') => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message, finish_reason: finish }],
})
const call = (id: string, args: string) => ({ id, type: 'function', function: { name: 'f', arguments: args } })

function respond(content: readonly ContentBlock[], more: Partial<AssistantMessage> = {}): ChatResponse {
  const message: AssistantMessage = { role: 'assistant', content, stopReason: 'stop', ...more }
  return { message, stopReason: message.stopReason ?? 'stop' }
}
const toolCall = block.toolCall('call_a', 'f', { a: 1 }, { argumentsText: '{"a": 1}' })
const answer = (response: ChatResponse) => encodeResponse(response).body.choices[0]

it.each(['hm', undefined])('citations of no text are blocks of their own, after reasoning %j', (reasoning) => {
  const annotations = [{ type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A' } }]
  const message = { role: 'assistant', content: null, reasoning_content: reasoning, annotations }
  const { content } = decodeResponse({ choices: [{ index: 0, message, finish_reason: 'stop' }] }).message
  const before = reasoning === undefined ? [] : [{ type: 'reasoning', text: 'hm' }]
  expect(content).toEqual([...before, { type: 'citation', url: 'https://a.example', title: 'A' }])
})

it.each([
  { refusal: 'But not that' },
  { images: [{ type: 'image_url', image_url: { url: 'https://x.example/a.png' } }] },
  { audio: { id: 'a', data: 'UklGRg==', transcript: 'Hi', expires_at: 1 } },
])('citations beside %j belong to the text, and go out with it', (beside) => {
  const url_citation = { url: 'https://a.example', title: 'A', start_index: 0, end_index: 2 }
  const message = { role: 'assistant', content: 'Hi', ...beside, annotations: [{ type: 'url_citation', url_citation }] }
  const response = decodeResponse(body(message))
  const { content } = response.message
  expect(content?.[0]).toMatchObject({ text: 'Hi', citations: [{ url: 'https://a.example' }] })
  expect(JSON.stringify(content).split('https://a.example')).toHaveLength(2)
  expect(answer(response)?.message.annotations).toEqual(message.annotations)
})

describe('decodeResponse', () => {
  it.each([
    ['null', null],
    ['text', 'x'],
    ['no choices', {}],
    ['choices null', { choices: null }],
    ['no choice in choices', { choices: [] }],
  ])('names the missing part: %s', (_name, value) => {
    expect(() => decodeResponse(value)).toThrow(DecodeError)
  })

  it('does not accept an answer without a stop reason as complete, unless the host never sends one', () => {
    const cut = body({ role: 'assistant', content: 'Hi' }, null)
    expect(() => decodeResponse(cut)).toThrow(InterruptedError)
    expect(openrouter('m').codec.decodeResponse(cut).stopReason).toBe('stop')
  })

  it.each([
    [
      'an error with a choice',
      { ...body({ role: 'assistant', content: '' }), error: { message: 'No', code: 429 } },
      'rate_limit',
    ],
    ['an error that is text', { error: 'Rate limit reached' }, 'server'],
    [
      'Mistral',
      { object: 'error', message: 'Unexpected role', type: 'invalid_request_error', code: '3230' },
      'invalid_request',
    ],
    ['Cloudflare', { errors: [{ code: 500, message: 'No' }] }, 'server'],
    ['MiniMax', { base_resp: { status_code: 1008, status_msg: 'No money' } }, 'server'],
    ['an array', [{ error: { code: 404, message: 'No', status: 'NOT_FOUND' } }], 'not_found'],
  ])('throws an error that came with a 200: %s', (_name, value, kind) => {
    expect(() => decodeResponse(value)).toThrow(expect.objectContaining({ name: 'ApiError', kind }))
  })

  it('reads calls of one index, or one id, as calls of their own', () => {
    const message = {
      role: 'assistant',
      tool_calls: [
        { ...call('a', '{"n":1}'), index: 0 },
        { ...call('a', '{"n":2}'), index: 0 },
      ],
    }
    const { toolCalls } = decodeToolCalls(body(message))
    expect(toolCalls.map(({ id, arguments: args }) => [id, args])).toEqual([
      ['a', { n: 1 }],
      ['a_1', { n: 2 }],
    ])
  })

  it('counts on from the calls before it where it has to make ids', () => {
    const message = { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '{}' } }] }
    const { message: read } = openrouter('m').codec.decodeResponse(body(message), { callsBefore: 3 })
    expect(read.content).toMatchObject([{ id: 'call_3', generatedId: true }])
  })

  it.each([
    ['broken', '{"a":', 'malformed_json'],
    ['a list', '[1]', 'not_an_object'],
    ['too deep', `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`, 'too_deep'],
  ])('keeps a call whose arguments are %s, and does not make it one', (_name, args, reason) => {
    const { toolCalls, invalidToolCalls } = decodeToolCalls(body({ role: 'assistant', tool_calls: [call('a', args)] }))
    expect(toolCalls).toEqual([])
    expect(invalidToolCalls).toMatchObject([{ id: 'a', name: 'f', argumentsText: args, reason }])
  })

  it('throws only its own errors, for any value in any place', () => {
    const wrong: readonly unknown[] = [null, 7, 'x', true, [], {}, [null], [{}], { a: [] }]
    const valid = body({ role: 'assistant', content: 'Hi', tool_calls: [call('a', '{}')] })
    const places = ['id', 'created', 'model', 'choices', 'usage', 'error', 'errors', 'object', 'base_resp']
    for (const place of places) {
      for (const value of wrong) {
        try {
          decodeResponse({ ...valid, [place]: value })
        } catch (error) {
          expect(error).toBeInstanceOf(IsoglotError)
        }
      }
    }
  })
})

describe('encodeResponse', () => {
  it.each<[StopReason, string | undefined, string]>([
    ['stop', 'end_turn', 'stop'],
    ['length', 'max_tokens', 'length'],
    ['content_filter', 'SAFETY', 'content_filter'],
    ['refusal', 'refusal', 'content_filter'],
    ['pause', 'pause_turn', 'stop'],
    ['other', undefined, 'stop'],
    ['tool_calls', 'tool_use', 'stop'], // there are none
    ['interrupted', undefined, 'error'],
    ['error', undefined, 'error'],
    ['aborted', undefined, 'error'],
    ['stop', 'constructor', 'stop'],
  ])('says %s (%s) as %s', (stopReason, rawStopReason, finish) => {
    const more = { stopReason, ...(rawStopReason !== undefined && { rawStopReason }) }
    expect(answer(respond([{ type: 'text', text: 'Hi' }], more))?.finish_reason).toBe(finish)
  })

  it.each<[StopReason, string]>([
    ['stop', 'tool_calls'],
    ['tool_calls', 'tool_calls'],
    ['length', 'length'], // they may be cut
    ['content_filter', 'content_filter'],
  ])('says of calls that ended by %s: %s', (stopReason, finish) => {
    expect(answer(respond([toolCall], { stopReason }))?.finish_reason).toBe(finish)
  })

  it('always has the fields that clients need', () => {
    expect(encodeResponse(respond([toolCall])).body).toEqual({
      id: 'chatcmpl-0',
      object: 'chat.completion',
      created: 0,
      model: '',
      choices: [
        {
          index: 0,
          logprobs: null,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: null,
            refusal: null,
            tool_calls: [{ id: 'call_a', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } }],
          },
        },
      ],
    })
  })

  it('writes a call that was edited as it is now, and one without arguments as {}', () => {
    const edited = answer(respond([{ ...toolCall, arguments: { a: 2 } }]))
    expect(edited?.message.tool_calls).toMatchObject([{ function: { arguments: '{"a":2}' } }])
    const empty = answer(respond([{ ...toolCall, arguments: {}, argumentsText: '' }]))
    expect(empty?.message.tool_calls).toMatchObject([{ function: { arguments: '{}' } }])
  })

  it('runs the offsets of citations through all text', () => {
    const cited = (text: string): ContentBlock => ({
      type: 'text',
      text,
      citations: [{ type: 'citation', url: 'https://a.test', title: 'A', startIndex: 1, endIndex: 2 }],
    })
    const url = { title: 'A', url: 'https://a.test' }
    expect(answer(respond([cited('abc'), cited('def')]))?.message).toMatchObject({
      content: 'abcdef',
      annotations: [
        { type: 'url_citation', url_citation: { ...url, start_index: 1, end_index: 2 } },
        { type: 'url_citation', url_citation: { ...url, start_index: 4, end_index: 5 } },
      ],
    })
  })

  it('reports content that an answer cannot express', () => {
    const opaque = { provider: 'anthropic', model: 'c', format: 'anthropic', data: { signature: 's' } }
    const { body: wire, losses } = encodeResponse(
      respond([
        { type: 'reasoning', text: 'Hm', opaque },
        { type: 'server_tool_call', id: 's', name: 'search', arguments: {} },
        { type: 'unknown', format: 'anthropic', providerType: 'x', value: {} },
        { type: 'text', text: 'Hi' },
      ]),
    )
    expect(wire.choices[0]?.message).toEqual({
      role: 'assistant',
      content: 'Hi',
      refusal: null,
      reasoning_content: 'Hm',
    })
    expect(losses.map(({ path, severity }) => [path, severity])).toEqual([
      ['message.content[0].opaque', 'info'],
      ['message.content[1]', 'minor'],
      ['message.content[2]', 'minor'],
    ])
  })

  it('writes what the wire sent and we have no word for, with what was edited beside it', () => {
    const raw = {
      ...body({ role: 'assistant', content: 'Hi', refusal: null, from_next_year: { a: 1 } }),
      service_tier: 'default',
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, cost: 4 },
    }
    const read = decodeResponse(raw)
    const edited = { ...read, message: { ...read.message, content: [{ type: 'text' as const, text: 'Bye' }] } }
    const choice = { ...raw.choices[0], logprobs: null }
    expect(encodeResponse(edited).body).toEqual({
      ...raw,
      choices: [{ ...choice, message: { ...(choice.message as object), content: 'Bye' } }],
    })
  })
})

describe('a server that fills in every field', () => {
  const read = (message: unknown, finish: unknown = 'stop') =>
    decodeResponse(body(message, finish), { dialect: compatible })
  const filled = {
    role: 'assistant',
    content: '',
    refusal: '',
    audio: { id: '', data: '', transcript: '', expires_at: 0 },
    function_call: { name: '', arguments: '' },
    tool_calls: [],
    annotations: [],
  }
  const weather = { name: 'get_weather', arguments: '{"city":"Oslo"}' }
  const blank = { name: '', arguments: '' }

  it.each([
    [
      'an empty "delta" beside the "message"',
      { message: { role: 'assistant', content: 'pong' }, delta: { role: 'assistant', content: '' } },
    ],
    ['a "delta" that is null', { message: { role: 'assistant', content: 'pong' }, delta: null }],
    ['only a "delta"', { delta: { role: 'assistant', content: 'pong' } }],
    ['a "message" that is null', { message: null, delta: { role: 'assistant', content: 'pong' } }],
  ])('reads a whole answer of Perplexity with %s', (_name, choice) => {
    const whole = { choices: [{ index: 0, finish_reason: 'stop', ...choice }] }
    expect(decodeResponse(whole, { dialect: perplexityDialect }).message.content).toEqual([
      { type: 'text', text: 'pong' },
    ])
  })

  it('reads the one call of a whole answer of Snowflake, and nothing else', () => {
    const tool_calls = [{ id: 't1', type: 'function', custom: { name: '', input: '' }, function: weather }]
    const { message, stopReason } = read({ ...filled, tool_calls }, '')
    expect(message.content).toMatchObject([
      { type: 'tool_call', id: 't1', name: 'get_weather', arguments: { city: 'Oslo' } },
    ])
    expect(message.content).toHaveLength(1)
    expect(message.invalidToolCalls).toBeUndefined()
    expect(stopReason).toBe('tool_calls')
  })

  it.each([
    { tool_calls: [{}] },
    { tool_calls: [{ id: '', type: 'function', function: { name: '', arguments: '' } }] },
    { tool_calls: [{ index: 0, id: null, type: '', function: null }] },
    { annotations: [{ type: 'url_citation', url_citation: { url: '', title: '', start_index: 0, end_index: 0 } }] },
    { reasoning_details: [{ type: '', text: '' }] },
  ])('reads nothing in %j, whole and streamed', (empty) => {
    const text = [{ type: 'text', text: 'Hi' }]
    const { message, stopReason } = read({ ...filled, content: 'Hi', ...empty })
    expect([message.content, message.invalidToolCalls, stopReason]).toEqual([text, undefined, 'stop'])
    const chunk = { choices: [{ index: 0, delta: { content: 'Hi', ...empty }, finish_reason: 'stop' }] }
    const streamed = decodeText(createClientCodec(compatible), `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
    expect(streamed.response?.message.content).toEqual(text)
    expect(streamed.response?.stopReason).toBe('stop')
  })

  it('reads the text of an answer without calls as an answer without calls', () => {
    const { message, stopReason } = read({ ...filled, content: 'Hi' })
    expect(message.content).toEqual([{ type: 'text', text: 'Hi' }])
    expect([message.invalidToolCalls, stopReason]).toEqual([undefined, 'stop'])
  })

  it.each([
    ['custom beside an empty function', { type: 'custom', custom: { name: 'sh', input: 'ls' }, function: blank }, 'sh'],
    ['custom without a type', { custom: { name: 'sh', input: 'ls' }, function: blank }, 'sh'],
    ['custom without a function', { type: 'custom', custom: { name: 'sh', input: 'ls' } }, 'sh'],
    ['a function without a type', { custom: { name: '', input: '' }, function: weather }, 'get_weather'],
    ['a function with an empty type', { type: '', custom: { name: '', input: '' }, function: weather }, 'get_weather'],
    [
      'a function beside a full custom',
      { type: 'function', custom: { name: 'sh', input: '' }, function: weather },
      'get_weather',
    ],
  ])('reads a call by its type: %s', (_name, wire, name) => {
    expect(read({ ...filled, tool_calls: [{ id: 't1', ...wire }] }).message.content).toMatchObject([{ name }])
  })

  it('reads the deprecated call where there is one', () => {
    const { message } = read({ ...filled, function_call: weather }, 'function_call')
    expect(message.content).toMatchObject([{ type: 'tool_call', name: 'get_weather' }])
  })

  it('reads a stream in the same way, and takes no empty audio for its end', () => {
    const piece = (fields: object, finish: string | null = '') => ({
      choices: [{ index: 0, delta: { ...filled, ...fields }, finish_reason: finish }],
    })
    const call = (text: string, more: object = {}) => ({
      tool_calls: [
        {
          index: 0,
          id: '',
          type: '',
          ...more,
          custom: { name: '', input: '' },
          function: { name: '', arguments: text },
        },
      ],
    })
    const start = {
      tool_calls: [
        {
          index: 0,
          id: 't1',
          type: 'function',
          custom: { name: '', input: '' },
          function: { name: 'f', arguments: '' },
        },
      ],
    }
    const events = [piece({}), piece(start), piece(call('{"a"')), piece(call(':1}')), piece({}, 'tool_calls')]
    const text = (chunks: readonly object[]) => chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
    const { response } = decodeText(createClientCodec(), text(events))
    expect(response?.message.content).toMatchObject([{ type: 'tool_call', id: 't1', name: 'f', arguments: { a: 1 } }])
    expect(response?.message.content).toHaveLength(1)
    expect(response?.message.invalidToolCalls).toBeUndefined()
    expect(decodeText(createClientCodec(), text(events.slice(0, 2))).error).toBeInstanceOf(InterruptedError)
  })
})

describe('decodeToolCalls', () => {
  const calls = [call('c1', '{"a":1}')]
  it.each([
    ['without a finish reason', { choices: [{ message: { tool_calls: calls } }] }],
    ['with one that is null', { choices: [{ message: { tool_calls: calls }, finish_reason: null }] }],
    ['with one', { choices: [{ message: { tool_calls: calls }, finish_reason: 'tool_calls' }] }],
  ])('reads a minimal body %s', { meta: { promise: '1.16 1.18 5.05' } }, (_name, wire) => {
    expect(decodeToolCalls(wire)).toMatchObject({
      toolCalls: [{ id: 'c1', name: 'f', arguments: { a: 1 } }],
      invalidToolCalls: [],
    })
  })

  it('does not accept a call that was cut as complete', () => {
    const wire = { choices: [{ message: { tool_calls: [call('c1', '{"a":')] }, finish_reason: 'length' }] }
    expect(decodeToolCalls(wire)).toMatchObject({ toolCalls: [], invalidToolCalls: [{ reason: 'truncated' }] })
  })
})
