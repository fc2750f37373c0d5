import { describe, expect, it } from 'vitest'
import type { Context, RequestOptions } from '../../../src/core/messages.ts'
import { decodeRequest, encodeRequest } from '../../../src/formats/ollama/index.ts'

const hello: Context = { messages: [{ role: 'user', content: 'Hi' }] }

function encode(options: Partial<RequestOptions> = {}, context: Context = hello) {
  return encodeRequest(context, { model: 'qwen3:8b', ...options })
}

function decode(fields: Record<string, unknown>) {
  return decodeRequest({ model: 'qwen3:8b', messages: [], ...fields })
}

describe('encodeRequest', () => {
  it('asks /api/chat and always says whether to stream, since the server would', () => {
    expect(encode()).toEqual({
      path: '/api/chat',
      headers: {},
      body: { model: 'qwen3:8b', messages: [{ role: 'user', content: 'Hi' }], stream: false },
      losses: [],
    })
    expect(encode({ stream: true }).body.stream).toBe(true)
  })

  it('puts how the model is run under `options`, beside what only this wire has', () => {
    const { body, losses } = encode({
      maxTokens: 256,
      temperature: 0,
      topP: 0.9,
      topK: 40,
      seed: 7,
      stop: ['END'],
      frequencyPenalty: 0.1,
      presencePenalty: 0.2,
      providerOptions: { ollama: { keep_alive: '5m', options: { num_ctx: 8192, temperature: 1 } }, gemini: { x: 1 } },
    })
    expect(body).toEqual({
      model: 'qwen3:8b',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: false,
      keep_alive: '5m',
      options: {
        num_ctx: 8192,
        num_predict: 256,
        temperature: 0,
        top_p: 0.9,
        top_k: 40,
        seed: 7,
        stop: ['END'],
        frequency_penalty: 0.1,
        presence_penalty: 0.2,
      },
    })
    expect(losses).toMatchObject([{ path: 'options.providerOptions.gemini', severity: 'info' }])
  })

  it.each([
    [{ effort: 'none' }, false],
    [{ effort: 'minimal' }, 'low'],
    [{ effort: 'low' }, 'low'],
    [{ effort: 'medium' }, 'medium'],
    [{ effort: 'high' }, 'high'],
    [{ effort: 'xhigh' }, 'max'],
    [{ effort: 'max' }, 'max'],
    [{}, true],
    [{ budgetTokens: 0 }, false],
    [{ budgetTokens: 1024 }, 'low'],
    [{ budgetTokens: 8192 }, 'medium'],
    [{ budgetTokens: 16_384 }, 'high'],
    [{ budgetTokens: 32_768 }, 'max'],
  ] as const)('asks for reasoning %j as think %j', (reasoning, think) => {
    expect(encode({ reasoning }).body.think).toBe(think)
  })
})

describe('decodeRequest', () => {
  it('streams by default', () => {
    expect(decode({}).options.stream).toBe(true)
    expect(decode({ stream: false }).options.stream).toBe(false)
  })

  it.each([
    [true, {}],
    [false, { effort: 'none' }],
    ['low', { effort: 'low' }],
    ['medium', { effort: 'medium' }],
    ['high', { effort: 'high' }],
    ['max', { effort: 'max' }],
  ])('reads think %j as reasoning %j', (think, reasoning) => {
    expect(decode({ think }).options.reasoning).toEqual(reasoning)
  })

  it.each([-1, -2, 0])('reads num_predict %i, which is not a limit, as none', (num_predict) => {
    const { options } = decode({ options: { num_predict } })
    expect(options.maxTokens).toBeUndefined()
    expect(options.providerOptions).toEqual({ ollama: { options: { num_predict } } })
  })
})
