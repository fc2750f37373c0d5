import { describe, expect, it } from 'vitest'
import type { AssistantMessage, ChatResponse, ContentBlock, StopReason } from '../../../src/core/messages.ts'
import { compatible, decodeResponse, decodeToolCalls, encodeResponse } from '../../../src/formats/openai-chat/index.ts'
import { perplexityDialect } from '../../../src/providers/perplexity.ts'

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
})
