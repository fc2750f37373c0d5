/** Answers of Chat Completions, whole and streamed, in both directions: `wire/openai-chat.md` §3 to §6. */
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../../../src/core/content.ts'
import { ApiError, InterruptedError } from '../../../src/core/errors.ts'
import type { MessageEvent } from '../../../src/core/messages.ts'
import {
  compatible,
  createClientCodec,
  createServerCodec,
  decodeResponse,
  decodeToolCalls,
  encodeResponse,
  openai,
} from '../../../src/formats/openai-chat/index.ts'
import { deepseekDialect } from '../../../src/providers/deepseek.ts'
import { ollamaChatDialect } from '../../../src/providers/ollama-chat.ts'
import { openrouterDialect } from '../../../src/providers/openrouter.ts'
import { perplexityDialect } from '../../../src/providers/perplexity.ts'
import { xaiDialect } from '../../../src/providers/xai.ts'
import { decodeText } from '../../support/decode.ts'
import { endOf, failStream, readStream, sse, textEvents, writeStream } from '../rows.ts'
import { oracle } from './oracle.ts'

const host = createClientCodec(compatible)
const body = (message: unknown, finish_reason = 'stop') => ({ choices: [{ index: 0, message, finish_reason }] })
/** A chunk with one delta. */
const delta = (fields: object, finish_reason: string | null = null, more: object = {}) => ({
  id: 'chatcmpl-1',
  model: 'anthropic/claude-x',
  choices: [{ index: 0, delta: fields, finish_reason, ...more }],
})
const first = delta({ role: 'assistant', content: '' })
const stop = delta({}, 'stop')
const readEvents = (...chunks: object[]) => decodeText(host, sse(...chunks, '[DONE]'))
const contentOf = (...chunks: object[]) => blocksOf(readStream(host, ...chunks, '[DONE]').message.content)

describe('a whole answer', () => {
  it.each(['hm', undefined])('has citations of no text as blocks of their own, after reasoning %j', (reasoning) => {
    const annotations = [{ type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A' } }]
    const message = { role: 'assistant', content: null, reasoning_content: reasoning, annotations }
    const before = reasoning === undefined ? [] : [{ type: 'reasoning', text: 'hm' }]
    const citation = { type: 'citation', url: 'https://a.example', title: 'A' }
    expect(decodeResponse(body(message)).message.content).toEqual([...before, citation])
  })

  it.each([
    { refusal: 'But not that' },
    { images: [{ type: 'image_url', image_url: { url: 'https://x.example/a.png' } }] },
    { audio: { id: 'a', data: 'UklGRg==', transcript: 'Hi', expires_at: 1 } },
  ])('has citations beside %j at the text, and they go out with it', (beside) => {
    const annotations = [
      { type: 'url_citation', url_citation: { url: 'https://a.example', start_index: 0, end_index: 2 } },
    ]
    const response = decodeResponse(body({ role: 'assistant', content: 'Hi', ...beside, annotations }))
    expect(blocksOf(response.message.content)[0]).toMatchObject({
      text: 'Hi',
      citations: [{ url: 'https://a.example' }],
    })
    expect(JSON.stringify(response.message.content).split('https://a.example')).toHaveLength(2)
    expect(encodeResponse(response).body.choices[0]?.message.annotations).toMatchObject(annotations)
  })

  const blank = { name: '', arguments: '' }
  const sh = { name: 'sh', input: 'ls' }
  const weather = { name: 'get_weather', arguments: '{"city":"Oslo"}' }
  it.each([
    ['custom beside an empty function', { type: 'custom', custom: sh, function: blank }, 'sh'],
    ['custom without a type', { custom: sh, function: blank }, 'sh'],
    ['custom without a function', { type: 'custom', custom: sh }, 'sh'],
    ['a function without a type', { custom: { name: '', input: '' }, function: weather }, 'get_weather'],
    ['a function with an empty type', { type: '', custom: { name: '', input: '' }, function: weather }, 'get_weather'],
    ['a function beside a full custom', { type: 'function', custom: sh, function: weather }, 'get_weather'],
  ])('of a server that fills in every field has a call by its type: %s', (_name, wire, name) => {
    const empty = { audio: { id: '', data: '', transcript: '', expires_at: 0 }, function_call: blank, annotations: [] }
    const message = { role: 'assistant', content: '', refusal: '', ...empty, tool_calls: [{ id: 't1', ...wire }] }
    expect(decodeResponse(body(message), { dialect: compatible }).message.content).toMatchObject([{ name }])
  })

  const pong = { role: 'assistant', content: 'pong' }
  it.each([
    { message: pong, delta: { role: 'assistant', content: '' } },
    { message: pong, delta: null },
    { delta: pong },
    { message: null, delta: pong },
  ])('of Perplexity is read in %j', (choice) => {
    const whole = { choices: [{ index: 0, finish_reason: 'stop', ...choice }] }
    const { message } = decodeResponse(whole, { dialect: perplexityDialect })
    expect(message.content).toEqual([{ type: 'text', text: 'pong' }])
  })

  it.each([{}, { finish_reason: null }, { finish_reason: 'tool_calls' }])(
    'has calls though its body is minimal: %j',
    { meta: { promise: '1.16 1.18 5.05' } },
    (end) => {
      const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }
      expect(decodeToolCalls({ choices: [{ message: { tool_calls: [call] }, ...end }] })).toMatchObject({
        toolCalls: [{ id: 'c1', name: 'f', arguments: { a: 1 } }],
        invalidToolCalls: [],
      })
    },
  )

  it.each([
    ['end', 'stop', ollamaChatDialect],
    ['insufficient_system_resource', 'error', deepseekDialect],
  ] as const)('that ended with %s has the reason %s', (word, stopReason, dialect) => {
    expect(decodeResponse(body({ content: 'So' }, word), { dialect }).stopReason).toBe(stopReason)
  })
})

it.each([
  // xAI counts output and reasoning apart, and the total shows it when it does not (dialects.md §3).
  [xaiDialect, [12, 1, 303], { reasoning: 290 }, { outputTokens: 291, reasoningTokens: 290 }],
  [xaiDialect, [12, 291, 303], { reasoning: 290 }, { outputTokens: 291 }],
  [xaiDialect, [12, 300, undefined], { reasoning: 290 }, { outputTokens: 590, reasoningTokens: 290 }],
  [xaiDialect, [10, 1, 41], { cached: 30 }, { inputTokens: 40, cacheReadTokens: 30 }],
  // For all others reasoning is part of the output; more of it than that, which the total disproves, is left out (§2 rule 7).
  [compatible, [1, 5, 6], { reasoning: 9 }, { outputTokens: 5, totalTokens: 6, reasoningTokens: undefined }],
] as const)('figures of $provider: %j with %j are %j', (dialect, [input, output, total], parts, figures) => {
  const { reasoning, cached } = parts as { reasoning?: number; cached?: number }
  const usage = {
    ...{ prompt_tokens: input, completion_tokens: output, total_tokens: total },
    ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
    ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
  }
  const read = decodeResponse({ ...body({ content: 'So' }), usage }, { dialect }).usage
  expect({ reasoningTokens: undefined, ...read }).toMatchObject(figures)
})

describe('a stream', () => {
  it('may have arguments after the reason to stop', () => {
    const piece = (fields: object) => delta({ tool_calls: [{ index: 0, ...fields }] })
    const begin = piece({ id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"city"' } })
    const content = contentOf(begin, delta({}, 'tool_calls'), piece({ function: { arguments: ':"Oslo"}' } }))
    expect(content).toMatchObject([{ type: 'tool_call', id: 'call_a', arguments: { city: 'Oslo' } }])
  })

  it('of OpenAI that has [DONE] without a reason is interrupted; hosts known for it are believed', () => {
    const text = sse(first, delta({ content: 'Hi' }), '[DONE]')
    expect(decodeText(createClientCodec(openai), text).error).toBeInstanceOf(InterruptedError)
    expect(decodeText(host, text).response?.stopReason).toBe('stop')
    const whole = { choices: [{ message: { content: 'Hi' } }] }
    expect(() => decodeResponse(whole)).toThrow(InterruptedError)
    expect(decodeResponse(whole, { dialect: compatible }).stopReason).toBe('stop')
  })

  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  it.each([
    ['with no choices at all', [stop, { id: 'chatcmpl-1', usage }]],
    [
      'with every chunk: the last counts',
      [
        { ...first, usage: { prompt_tokens: 10 } },
        { ...stop, usage },
      ],
    ],
    ['in the choice', [delta({}, 'stop', { usage })]],
  ])('has figures %s', (_, chunks) => {
    const response = readStream(host, first, delta({ content: 'Hi' }), ...chunks)
    expect(response.usage).toMatchObject({ inputTokens: 10, outputTokens: 5, totalTokens: 15 })
  })

  it('has custom calls, which come back as such', async () => {
    const input = 'SELECT "a"\nFROM t😀'
    const piece = (custom: object, more = {}) => delta({ tool_calls: [{ index: 0, ...more, custom }] })
    const call = { id: 'call_a', type: 'custom', custom: { name: 'sql', input } }
    const begin = piece({ name: 'sql', input: input.slice(0, 8) }, { id: 'call_a', type: 'custom' })
    const { events, response } = readEvents(
      begin,
      piece({ input: input.slice(8, 19) }),
      piece({ input: input.slice(19) }),
      delta({}, 'tool_calls'),
    )
    if (response === undefined) throw new Error('no response')
    expect(encodeResponse(response).body.choices[0]?.message.tool_calls).toEqual([call])
    const { data } = writeStream(createServerCodec(), events)
    expect(await oracle.stream(sse(...data))).toMatchObject({ choices: [{ message: { tool_calls: [call] } }] })
  })

  it('has audio in pieces, whose last one is the end', () => {
    const pieces = [
      { id: 'a1', transcript: 'Hel' },
      { data: 'AAAA' },
      { transcript: 'lo', data: 'BBBB' },
      { expires_at: 9 },
    ]
    const { message, stopReason } = readStream(createClientCodec(openai), ...pieces.map((audio) => delta({ audio })))
    const providerData = { 'openai-chat': { expires_at: 9 } }
    expect(message.content).toEqual([{ type: 'audio', id: 'a1', data: 'AAAABBBB', transcript: 'Hello', providerData }])
    expect(stopReason).toBe('stop')
  })

  it('has log probabilities of all its pieces', () => {
    const piece = (content: string) =>
      delta({ content }, null, { logprobs: { content: [{ token: content }], refusal: null } })
    const { providerData } = readStream(host, piece('a'), piece('b'), stop)
    const logprobs = { content: [{ token: 'a' }, { token: 'b' }], refusal: null }
    expect(providerData?.['openai-chat']?.choices).toEqual([{ logprobs }])
  })

  it('has the first of several choices, and says once that there were others', () => {
    const other = { ...first, choices: [{ index: 1, delta: { content: 'No' }, finish_reason: null }] }
    const { response, events } = readEvents(delta({ content: 'Yes' }), other, other, stop)
    expect(response?.message.content).toEqual([{ type: 'text', text: 'Yes' }])
    const warnings = events.filter((event) => event.type === 'warning')
    expect(warnings).toMatchObject([{ warning: { path: 'choices[1]', action: 'dropped' } }])
  })

  it('has images that OpenRouter adds, and its details in pieces, which end when something else begins', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    expect(contentOf(delta({ content: '', images: [image] }), stop)).toEqual([
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ])
    const detail = (fields: object) => ({ type: 'reasoning.text', index: 0, ...fields })
    const pieces = [
      { reasoning: 'Hm', reasoning_details: [detail({ text: 'Hm', signature: null })] },
      { reasoning: 'm', reasoning_details: [detail({ text: 'm' })] },
      { reasoning_details: [detail({ signature: 'sig' })] },
      { content: 'Hi' },
    ]
    const codec = createClientCodec(openrouterDialect)
    const { response, events } = decodeText(codec, sse(...pieces.map((piece) => delta(piece)), stop))
    const data = { reasoning_details: [detail({ text: 'Hmm', signature: 'sig' })] }
    const opaque = { provider: 'openrouter', model: 'anthropic/claude-x', format: 'openai-chat', data }
    expect(response?.message.content).toEqual([
      { type: 'reasoning', text: 'Hmm', opaque },
      { type: 'text', text: 'Hi' },
    ])
    const types = events.map((event) => event.type)
    expect(types.indexOf('content_block')).toBeLessThan(types.indexOf('text_delta'))
  })
})

describe('a stream that we write', () => {
  const start: MessageEvent = { type: 'message_start', id: 'msg_1', model: 'm' }

  it('has citations after its texts, by offsets into all of them', () => {
    const citations = [{ type: 'citation', url: 'u', startIndex: 1, endIndex: 2 }] as const
    const cited = (index: number): MessageEvent[] => [
      { type: 'text_delta', index, text: 'abc' },
      { type: 'content_block', index, block: { type: 'text', text: 'abc', citations } },
    ]
    const { values } = writeStream(createServerCodec(), [start, ...cited(0), ...cited(1), endOf()])
    const found = values.flatMap(({ choices }) => choices[0]?.delta.annotations ?? [])
    expect(found.map(({ url_citation }) => [url_citation.start_index, url_citation.end_index])).toEqual([
      [1, 2],
      [4, 5],
    ])
  })

  it('has usage after the stop reason, and then the mark', () => {
    const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15, reasoningTokens: 2 }
    const { data, values } = writeStream(createServerCodec(), [start, ...textEvents(0, 'Hi'), endOf({}, { usage })])
    expect(data.at(-1)).toBe('[DONE]')
    expect(values.at(-2).choices[0].finish_reason).toBe('stop')
    const figures = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
    const completion_tokens_details = { reasoning_tokens: 2 }
    expect(values.at(-1)).toMatchObject({ choices: [], usage: { ...figures, completion_tokens_details } })
  })

  it('is one error, without a mark, if the answer failed', async () => {
    const values = failStream(createServerCodec(), new ApiError('Overloaded', { kind: 'overloaded', retryable: true }))
    const error = { message: 'Overloaded', type: 'server_error', param: null, code: 'overloaded' }
    expect(values.filter((one) => 'error' in one)).toEqual([{ error }])
    expect(values.at(-1)).toEqual({ error })
    await expect(oracle.stream(sse(...values))).rejects.toThrow('Overloaded')
  })
})
