import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UnsupportedError } from '../../../src/core/errors.ts'
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

  it('leaves `think` out when nothing is asked, so that the server decides', () => {
    expect(encode().body).not.toHaveProperty('think')
  })

  it.each([
    [{ type: 'json' }, 'json'],
    [{ type: 'json', schema: { type: 'object' } }, { type: 'object' }],
  ] as const)('asks for %j as format %j', (responseFormat, format) => {
    expect(encode({ responseFormat })).toMatchObject({ body: { format }, losses: [] })
  })

  it('reports details that it leaves out', () => {
    const { losses } = encode({
      user: 'u1',
      responseFormat: { type: 'json', name: 'answer', strict: true },
      reasoning: { budgetTokens: 5000 },
    })
    expect(losses.map(({ path, severity }) => [path, severity])).toEqual([
      ['options.user', 'info'],
      ['options.responseFormat.name', 'info'],
      ['options.responseFormat.strict', 'info'],
      ['options.reasoning.budgetTokens', 'minor'],
    ])
  })

  it('warns that calls cannot be kept to one a turn', () => {
    expect(encode({ parallelToolCalls: false }).losses).toMatchObject([
      { path: 'options.parallelToolCalls', action: 'dropped', severity: 'minor' },
    ])
    expect(encode({ parallelToolCalls: true }).losses).toEqual([])
  })

  it('refuses to continue from an answer that only its provider has', () => {
    const context = { ...hello, providerState: { previousResponseId: 'resp_1' } }
    expect(() => encode({}, context)).toThrow(UnsupportedError)
    expect(encode({ strict: false }, context).losses).toMatchObject([{ path: 'providerState.previousResponseId' }])
  })

  it('keeps a field named __proto__ a field', () => {
    const { context, options } = decodeRequest(JSON.parse('{"model":"m","messages":[],"__proto__":{"evil":true}}'))
    const { body } = encodeRequest(context, options)
    expect(JSON.stringify(body)).toContain('"__proto__":{"evil":true}')
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype)
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

  it.each(['ultra', null, 3, {}])('keeps a think of %j as it came', (think) => {
    const { options } = decode({ think })
    expect(options).toMatchObject({ providerOptions: { ollama: { think } } })
    expect(options.reasoning).toBeUndefined()
  })

  it('reads the options that have a word of isoglot, and keeps the others', () => {
    const options = {
      num_predict: 9,
      temperature: 0.5,
      top_p: 1,
      top_k: 2,
      seed: 3,
      stop: 'x',
      num_ctx: 10,
      min_p: 0.1,
    }
    expect(decode({ options, truncate: false, logprobs: true }).options).toEqual({
      model: 'qwen3:8b',
      stream: true,
      maxTokens: 9,
      temperature: 0.5,
      topP: 1,
      topK: 2,
      seed: 3,
      stop: ['x'],
      providerOptions: { ollama: { truncate: false, logprobs: true, options: { num_ctx: 10, min_p: 0.1 } } },
    })
  })

  it.each([-1, -2, 0])('reads num_predict %i, which is not a limit, as none', (num_predict) => {
    const { options } = decode({ options: { num_predict } })
    expect(options.maxTokens).toBeUndefined()
    expect(options.providerOptions).toEqual({ ollama: { options: { num_predict } } })
  })

  it.each([
    [undefined, ''],
    [null, ''],
    ['text', ''],
    [[], ''],
    [{}, 'model'],
    [{ model: '' }, 'model'],
    [{ model: 7 }, 'model'],
    [{ model: 'm', messages: {} }, 'messages'],
    [{ model: 'm', messages: [null] }, 'messages[0]'],
    [{ model: 'm', messages: ['hi'] }, 'messages[0]'],
    [{ model: 'm', messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'messages[0].content'],
    [{ model: 'm', messages: [{ role: 'user', content: 'x', images: 'x' }] }, 'messages[0].images'],
    [{ model: 'm', messages: [{ role: 'user', content: 'x', images: [1] }] }, 'messages[0].images[0]'],
    [{ model: 'm', messages: [{ role: 'assistant', thinking: {} }] }, 'messages[0].thinking'],
    [{ model: 'm', messages: [{ role: 'assistant', tool_calls: 1 }] }, 'messages[0].tool_calls'],
    [{ model: 'm', messages: [{ role: 'assistant', tool_calls: [1] }] }, 'messages[0].tool_calls[0]'],
    [{ model: 'm', messages: [{ role: 'assistant', tool_calls: [{}] }] }, 'messages[0].tool_calls[0].function'],
    [{ model: 'm', tools: 'all' }, 'tools'],
    [{ model: 'm', tools: [null] }, 'tools[0]'],
  ])('refuses %j and names %s', (body, path) => {
    expect(() => decodeRequest(body)).toThrow(expect.objectContaining({ code: 'decode', path }))
    expect(() => decodeRequest(body)).toThrow(`Cannot decode Ollama request: ${path ? `"${path}"` : 'it'} is `)
  })

  it('fails only with an isoglot error, and writes what it read again', () => {
    const messages = fc.array(
      fc.record(
        {
          role: fc.oneof(fc.constantFrom('user', 'assistant', 'tool', 'system', 'Developer', 'critic'), fc.jsonValue()),
          content: fc.oneof(fc.string(), fc.jsonValue()),
          thinking: fc.oneof(fc.string(), fc.jsonValue()),
          images: fc.oneof(fc.array(fc.string()), fc.jsonValue()),
          tool_name: fc.oneof(fc.string(), fc.jsonValue()),
          tool_call_id: fc.oneof(fc.string(), fc.jsonValue()),
          tool_calls: fc.oneof(
            fc.array(
              fc.record({ id: fc.jsonValue(), function: fc.record({ name: fc.string(), arguments: fc.jsonValue() }) }),
            ),
            fc.jsonValue(),
          ),
        },
        { requiredKeys: [] },
      ),
    )
    const request = fc.record(
      { messages, options: fc.jsonValue(), think: fc.jsonValue(), format: fc.jsonValue(), tools: fc.jsonValue() },
      { requiredKeys: ['messages'] },
    )
    fc.assert(
      fc.property(request, (fields) => {
        let read: ReturnType<typeof decodeRequest>
        try {
          read = decode(fields)
        } catch (error) {
          expect(error).toMatchObject({ code: 'decode', path: expect.stringMatching(/./) })
          return
        }
        const { body } = encodeRequest(read.context, { ...read.options, strict: false })
        const again = decodeRequest(JSON.parse(JSON.stringify(body)))
        expect(encodeRequest(again.context, { ...again.options, strict: false }).body).toEqual(body)
      }),
      { seed: 20_261_120, numRuns: 500 },
    )
  })
})
