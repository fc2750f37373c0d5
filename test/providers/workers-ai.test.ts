/** Workers AI by its binding and by REST: https://developers.cloudflare.com/workers-ai/. */
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../src/core/errors.ts'
import { generate, generateObject, message, stream, t, tool } from '../../src/index.ts'
import { workersAi, workersAiModels } from '../../src/providers/workers-ai.ts'
import { type AskedAi, answerAi, newer, older } from '../support/workers-ai.ts'

/** A binding that answers raw, as the real one does with `returnRawResponse`. */
function binding(answer: (asked: AskedAi) => Response = answerAi) {
  const asked: AskedAi[] = []
  const ai = {
    run(model: string, inputs: object, options: object & { extraHeaders?: Record<string, string> }): Promise<unknown> {
      // The real one reads its own fields: it cannot be called off its object.
      if (this !== ai) throw new TypeError('Cannot set properties of undefined')
      const { extraHeaders: headers = {}, ...others } = options
      const entry = { model, inputs: inputs as AskedAi['inputs'], options: others, headers }
      asked.push(entry)
      return Promise.resolve(answer(entry))
    },
  }
  return { ai, asked }
}

const weather = tool({
  name: 'get_weather',
  parameters: t.object({ city: t.string() }),
  execute: ({ city }) => `rain in ${city}`,
})
const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )
const usage = { inputTokens: 20, outputTokens: 5, totalTokens: 25 }

describe.each([newer, older])('by the binding, %s', (name) => {
  it('streams text, with figures', async () => {
    const { ai, asked } = binding()
    const run = stream({ model: workersAi(ai, name), prompt: 'Hello' })
    const pieces: string[] = []
    for await (const piece of run.text()) pieces.push(piece)
    expect(pieces).toEqual(['You s', 'aid Hello'])
    expect(await run.response).toMatchObject({ text: 'You said Hello', stopReason: 'stop', usage })
    expect(asked).toMatchObject([
      { model: name, inputs: { messages: [{ role: 'user', content: 'Hello' }], stream: true } },
    ])
    expect(asked[0]?.inputs).not.toHaveProperty('model')
    expect(asked[0]?.options).toEqual({ returnRawResponse: true, signal: expect.any(AbortSignal) })
  })

  it('answers whole', async () => {
    const { ai } = binding()
    const result = await generate({ model: workersAi(ai, name), prompt: 'Hello', wholeAnswer: true })
    expect(result).toMatchObject({ text: 'You said Hello', stopReason: 'stop', usage })
  })

  it('goes rounds with tools; a turn with only calls has an empty text, since null is refused', async () => {
    const { ai, asked } = binding()
    const result = await generate({ model: workersAi(ai, name), prompt: 'Weather?', tools: [weather] })
    expect(result).toMatchObject({ text: 'The tool says rain in Oslo', rounds: 2, stopReason: 'stop' })
    expect(asked[1]?.inputs.messages).toMatchObject([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }],
      },
      { role: 'tool', content: 'rain in Oslo' },
    ])
  })

  it('answers in JSON', async () => {
    const { ai } = binding()
    const schema = t.object({ city: t.string() })
    const { object } = await generateObject({ model: workersAi(ai, name), prompt: 'A city', schema })
    expect(object).toEqual({ city: 'Oslo' })
  })

  it.each([
    ['capacity', { kind: 'overloaded', status: 429, providerCode: '3040', retryable: true }],
    ['neurons', { kind: 'rate_limit', status: 429, providerCode: '3036', retryable: false }],
    ['unknown model', { kind: 'not_found', status: 400, providerCode: '5007', retryable: false }],
    ['licence', { kind: 'permission', status: 403, providerCode: '5016', retryable: false }],
  ])('reads the error "%s"', async (words, expected) => {
    const { ai } = binding()
    const error = await caught(generate({ model: workersAi(ai, name), prompt: words, retries: 0 }))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ ...expected, provider: 'workers-ai' })
  })

  it('rejects with the reason of a signal that fires', async () => {
    const stopping = new AbortController()
    const { ai } = binding(({ options }: AskedAi) => {
      stopping.abort(new Error('Enough'))
      throw (options.signal as AbortSignal).reason
    })
    const run = generate({ model: workersAi(ai, name), prompt: 'Hello', signal: stopping.signal })
    expect(await caught(run)).toMatchObject({ message: 'Enough' })
  })
})

describe('by the binding', () => {
  it('goes through an AI Gateway, with headers of its own', async () => {
    const { ai, asked } = binding()
    const model = workersAi(ai, newer, { gateway: 'my-gateway', headers: { 'x-session-affinity': 'a' } })
    await generate({ model, prompt: 'Hello', idempotencyKey: 'k1' })
    expect(asked[0]?.options).toMatchObject({ gateway: { id: 'my-gateway' } })
    expect(asked[0]?.headers).toEqual({ 'x-session-affinity': 'a', 'idempotency-key': 'k1' })
  })

  it('streams reasoning', async () => {
    const { ai } = binding()
    const { message: said } = await generate({ model: workersAi(ai, newer), prompt: 'Hello' })
    expect(said.content).toMatchObject([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'You said Hello' },
    ])
  })

  it('reads a whole answer where a stream was asked for', async () => {
    const { ai } = binding(({ model, inputs }) => answerAi({ model, inputs: { ...inputs, stream: false } }))
    expect(await generate({ model: workersAi(ai, newer), prompt: 'Hello' })).toMatchObject({ text: 'You said Hello' })
  })

  it('refuses JSON that is too deep, and does not overflow', async () => {
    const deep = `{"response":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const { ai } = binding(() => new Response(deep, { headers: { 'content-type': 'application/json' } }))
    const error = await caught(generate({ model: workersAi(ai, older), prompt: 'Hello', wholeAnswer: true }))
    expect(error).toMatchObject({ code: 'decode' })
  })

  it('reports a stream that stops without its end', async () => {
    const cut = new Response('data: {"response":"Hel"}\n\n', { headers: { 'content-type': 'text/event-stream' } })
    const { ai } = binding(() => cut)
    const error = await caught(generate({ model: workersAi(ai, older), prompt: 'Hello' }))
    expect(error).toMatchObject({ code: 'interrupted', partial: { content: [{ text: 'Hel' }] } })
  })

  it('keeps two answers apart that are under way at once', async () => {
    const { ai } = binding()
    const model = workersAi(ai, newer)
    const both = await Promise.all(['one', 'two'].map((prompt) => generate({ model, prompt })))
    expect(both.map(({ text }) => text)).toEqual(['You said one', 'You said two'])
  })

  it.each([undefined, null, {}, { accountId: 'a' }])(
    'refuses %j in place of a binding, and says what to do',
    (service) => {
      expect(() => workersAi(service as never, newer)).toThrow(TypeError)
      expect(() => workersAi(service as never, newer)).toThrow(/"ai" in the configuration/)
    },
  )
})

describe('by REST', () => {
  const account = { accountId: 'acme', apiToken: 'secret-token' }
  const asking = async (settings: object = {}, words = 'Hello', answer?: Response) => {
    const asked: { url: string; headers: Record<string, string>; body: AskedAi['inputs'] }[] = []
    const fetch = async (url: unknown, init?: RequestInit) => {
      const { model, ...inputs } = JSON.parse(init?.body as string)
      asked.push({ url: String(url), headers: init?.headers as Record<string, string>, body: { model, ...inputs } })
      return answer ?? answerAi({ model, inputs })
    }
    const result = await caught(
      generate({ model: workersAi(account, newer, { fetch, ...settings }), prompt: words, retries: 0 }).then((one) => {
        throw one
      }),
    )
    return { asked: asked[0], result }
  }

  it('asks the address of the account, with its token', async () => {
    const { asked, result } = await asking({ gateway: 'my-gateway' })
    expect(result).toMatchObject({ text: 'You said Hello', usage })
    expect(asked).toMatchObject({
      url: 'https://api.cloudflare.com/client/v4/accounts/acme/ai/v1/chat/completions',
      headers: { authorization: 'Bearer secret-token', 'cf-aig-gateway-id': 'my-gateway' },
      body: { model: newer, stream: true },
    })
  })

  it('reads the errors of the API, without the token', async () => {
    const errors = [{ code: 10000, message: 'Authentication error of secret-token' }]
    const answer = Response.json({ result: null, success: false, errors, messages: [] }, { status: 401 })
    const { result } = await asking({}, 'Hello', answer)
    expect(result).toMatchObject({ kind: 'authentication', status: 401, providerCode: '10000' })
    expect(String(result)).toBe('ApiError: Workers AI 401: Authentication error of [redacted]')
  })

  it('an error with a 200 is an error too', async () => {
    const answer = Response.json({ result: null, success: false, errors: [{ code: 3007, message: 'Timeout' }] })
    expect((await asking({}, 'Hello', answer)).result).toMatchObject({ kind: 'timeout', providerCode: '3007' })
  })
})

describe('the models of a Worker', () => {
  it('are those that its settings name, or one that is free', () => {
    const { ai: AI } = binding()
    expect(Object.keys(workersAiModels({ AI, AI_MODELS: `${newer}, ${older},` }))).toEqual([newer, older])
    expect(workersAiModels({ AI })).toMatchObject({ [newer]: { model: newer } })
  })

  it('do not exist without the binding', () => {
    expect(workersAiModels({})).toEqual({})
  })
})

describe('a request', () => {
  const encode = (model: string, options: object = {}, messages = [message.user('Hi')]) => {
    const { codec } = workersAi(binding().ai, model)
    const context = { messages, tools: [{ name: 'f' }, { name: 'g' }] }
    const { body, losses } = codec.encodeRequest(context, { model, ...options })
    return { body: body as AskedAi['inputs'], paths: losses.map(({ path }) => path) }
  }

  it('to an older model asks for more than the 256 tokens that it has by itself', () => {
    expect(encode(older)).toMatchObject({ body: { max_tokens: 2048 }, paths: ['options.maxTokens'] })
    expect(encode(older, { maxTokens: 9 })).toMatchObject({ body: { max_tokens: 9 }, paths: [] })
    expect(encode(newer).body).not.toHaveProperty('max_tokens')
  })

  it('to an older model has the bare schema and no stream', () => {
    const schema = { type: 'object' }
    const options = { responseFormat: { type: 'json', schema, name: 'n' }, stream: true, maxTokens: 9 }
    expect(encode(older, options).body).toMatchObject({
      stream: false,
      response_format: { type: 'json_schema', json_schema: schema },
    })
    expect(encode(newer, options).body).toMatchObject({
      stream: true,
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
    })
  })

  it.each([
    ['none', newer, 'none', ['f', 'g'], []],
    ['required', newer, 'required', ['f', 'g'], []],
    [{ name: 'g' }, newer, { type: 'function', function: { name: 'g' } }, ['f', 'g'], []],
    ['none', older, undefined, [], ['tools[0]', 'tools[1]']],
    [{ name: 'g' }, older, undefined, ['g'], ['options.toolChoice', 'tools[0]', 'options.toolChoice']],
  ])('with the choice %j to %s', (toolChoice, model, sent, tools, paths) => {
    const { body, paths: lost } = encode(model, { toolChoice, maxTokens: 9 })
    expect(body.tool_choice).toEqual(sent)
    expect(((body.tools ?? []) as { function: { name: string } }[]).map((one) => one.function.name)).toEqual(tools)
    expect(lost).toEqual(paths)
  })

  it.each([
    ['@cf/zai-org/glm-5.3-flash', 'medium', { reasoning_effort: 'high' }],
    ['@cf/zai-org/glm-5.2', 'none', { reasoning_effort: 'none' }],
    ['@cf/zai-org/glm-4.7-flash', 'none', { chat_template_kwargs: { enable_thinking: false } }],
    ['@cf/openai/gpt-oss-20b', 'high', { reasoning_effort: 'high' }],
    ['@cf/moonshotai/kimi-k2.6', 'low', { reasoning_effort: 'high' }],
    ['@cf/meta/llama-3.3-70b-instruct-fp8-fast', 'high', {}],
  ])('to %s asks for %s effort', (model, effort, fields) => {
    const { body, paths } = encode(model, { reasoning: { effort }, maxTokens: 9 })
    const { reasoning_effort, chat_template_kwargs } = body
    expect(JSON.parse(JSON.stringify({ reasoning_effort, chat_template_kwargs }))).toEqual(fields)
    const isExact =
      'chat_template_kwargs' in fields || ('reasoning_effort' in fields && fields.reasoning_effort === effort)
    expect(paths).toEqual(isExact ? [] : ['options.reasoning.effort'])
  })

  it('asks for no reasoning where a budget of no tokens is given', () => {
    expect(encode('@cf/zai-org/glm-5.2', { reasoning: { budgetTokens: 0 } }).body.reasoning_effort).toBe('none')
    expect(encode('@cf/zai-org/glm-5.2', { reasoning: { budgetTokens: 2048 } }).body.reasoning_effort).toBe('high')
  })

  it('has images as data', () => {
    const image = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' } as const
    const { body } = encode('@cf/zai-org/glm-5.3-flash', {}, [message.user([image])])
    expect(body.messages).toEqual([
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }] },
    ])
  })
})
