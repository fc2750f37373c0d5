/** Common mistakes in JavaScript: the error is one sentence that names the field, and no request is sent. */
import { describe, expect, it } from 'vitest'
import { reads, taken } from '../../src/checks/forms.ts'
import type { RequestOptions } from '../../src/core/messages.ts'
import type { HttpModel } from '../../src/core/question.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import {
  createChat,
  generate,
  generateObject,
  message,
  type RunRequest,
  stream,
  streamObject,
  t,
  tool,
} from '../../src/index.ts'
import { openaiCompatible } from '../../src/providers/openai-compatible.ts'
import { chatBody } from '../support/upstream.ts'

const habits = taken.stream?.habits ?? {}

let sent = 0
const model = openaiChat('m', {
  apiKey: 'key',
  fetch: async () => {
    sent++
    return Response.json(chatBody('{"a":1}'))
  },
})
const failure = async (ask: () => Promise<unknown>): Promise<Error> => {
  sent = 0
  const error = await ask().then(
    () => expect.fail('It did not fail'),
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(Error)
  return error as Error
}
/** Messages of the JavaScript engine, not of isoglot. */
const internal =
  /Cannot read prop|is not a function|is not iterable|undefined \(|\[object|not an object \(|Cannot use 'in'/

describe('a request', () => {
  it.each<[string, object, RegExp]>([
    ['whose model is text', { model: 'openai/gpt-5.6' }, /"model" is the text "openai\/gpt-5\.6".*openaiChat/],
    ['without a model', { model: undefined }, /"model"/],
    ['whose model is the function that makes one', { model: openaiChat }, /"model"/],
    ['whose tools are an object', { tools: { a: {} } }, /"tools".*list/],
    ['whose prompt is a list of messages', { prompt: [message.user('x')] }, /"prompt".*"messages"/],
    ['whose messages are a text', { messages: 'Hi' }, /"messages".*list/],
    ['with a message that is none', { messages: [{ content: 'x' }] }, /messages\[0\].*role/],
    ['with a tool that is none', { tools: [tool] }, /tools\[0\]/],
  ])('%s gets an error that says so', async (_what, wrong, words) => {
    for (const ask of [generate, (request: RunRequest) => stream(request).response]) {
      const error = await failure(() => ask({ model, prompt: 'x', ...wrong } as never))
      expect(error).toBeInstanceOf(TypeError)
      expect(error.message).toMatch(words)
      expect(error.message).not.toMatch(internal)
      expect(sent).toBe(0)
    }
  })

  // The field of these libraries, in their own spelling, and the field of isoglot for it.
  it.each<[string, object, string]>([
    ['`ai`', { maxOutputTokens: 100 }, 'maxTokens'],
    ['`ai`', { stopSequences: ['x'] }, 'stop'],
    ['`ai`', { maxSteps: 5 }, 'maxRounds'],
    ['`ai`', { maxRetries: 0 }, 'retries'],
    ['`ai`', { abortSignal: new AbortController().signal }, 'signal'],
    ['`ai`', { output: {} }, 'generateObject'],
    ['`ai`', { schema: t.object({}) }, 'generateObject'],
    ['`ai`', { toolChoice: { type: 'tool', toolName: 'a' } }, 'toolChoice: { name }'],
    ['`ai`', { providerOptions: { openai: { store: true } } }, 'openai-chat'],
    ['`ai`', { model: 'openai/gpt-5.6' }, 'isoglot/models'],
    ['`ai`', { tools: { weather: tool({ name: 'weather' }) } }, 'tool({ name })'],
    ['`openai`', { max_tokens: 100 }, 'maxTokens'],
    ['`openai`', { max_completion_tokens: 100 }, 'maxTokens'],
    ['`openai`', { max_output_tokens: 100 }, 'maxTokens'],
    ['`openai`', { top_p: 1 }, 'topP'],
    ['`openai`', { tool_choice: 'auto' }, 'toolChoice'],
    ['`openai`', { parallel_tool_calls: false }, 'parallelToolCalls'],
    ['`openai`', { reasoning_effort: 'low' }, 'reasoning: { effort }'],
    ['`openai`', { previous_response_id: 'resp_1' }, 'providerState'],
    ['`openai`', { instructions: 'Be brief' }, 'system'],
    ['`openai`', { timeout: 1000 }, 'timeouts'],
    ['`openai`', { model: { ...openaiChat('m', { apiKey: 'key' }), baseURL: 'http://localhost:1/v1' } }, 'baseUrl'],
    ['LangChain', { systemPrompt: 'Be brief' }, 'system'],
    ['`openai`', { toolChoice: { type: 'function', function: { name: 'a' } } }, 'toolChoice: { name }'],
    ['`openai`', { responseFormat: { type: 'json_schema', json_schema: {} } }, 'responseFormat: { type, schema }'],
    ['Anthropic', { stop_sequences: ['x'] }, 'stop'],
    ['Anthropic', { top_k: 1 }, 'topK'],
    ['Anthropic', { thinking: { type: 'enabled' } }, 'reasoning: { effort }'],
  ])('with a field of %s, %o, gets an error that says to write %s', async (_library, wrong, words) => {
    const error = await failure(() => generate({ model, prompt: 'x', ...wrong } as never))
    expect(error).toBeInstanceOf(TypeError)
    expect(error.message).toContain(words)
    expect(error.message).not.toMatch(internal)
    expect(sent).toBe(0)
  })

  it.each(Object.keys(habits))(
    'with %s, which another library has, gets an error that says what to write; undefined counts as absent',
    async (name) => {
      const [field = '', key] = name.split('.')
      const wrong = { [field]: key === undefined ? 1 : { ...(field === 'model' && model), [key]: 1 } }
      const error = await failure(() => generate({ model, prompt: 'x', ...wrong } as never))
      expect(error.message).toContain(`there is no "${name}"; write ${habits[name]}`)
      const absent = { [field]: field === 'model' ? model : undefined }
      await expect(generate({ model, prompt: 'x', ...absent } as never)).resolves.toBeDefined()
      // The field that the error names is a field of a request.
      const ours = /^[a-z]+/i.exec(habits[name] ?? '')?.[0] ?? ''
      expect([...Object.keys(fields), 'prompt', 'generateObject']).toContain(ours)
    },
  )

  it.each(['experimental_telemetry', 'logit_bias'])(
    'with %s, for which isoglot has no field of another spelling, does not get a name to write',
    async (name) => {
      const error = await failure(() => generate({ model, prompt: 'x', [name]: 1 } as never))
      expect(error.message).toBe(`Cannot ask: there is no "${name}"`)
    },
  )

  const notBase64: [string, unknown][] = [
    ['a "data:" URL', 'data:image/png;base64,iVBORw0KGgo='],
    ['bytes', Uint8Array.of(137, 80)],
    ['a buffer', Uint8Array.of(137, 80).buffer],
    ['a Blob', new Blob(['x'])],
  ]
  const media = ['image', 'audio', 'video', 'file'] as const
  it.each(media.flatMap((type) => notBase64.map(([what, data]) => [type, what, data] as const)))(
    'with %s data that is %s gets an error that says so, before anything is sent',
    async (type, _what, data) => {
      const prompt = message.user([{ type, data, mimeType: 'image/png' } as never])
      const error = await failure(() => generate({ model, prompt }))
      expect(error).toBeInstanceOf(TypeError)
      expect(error.message).toContain(`"data" of a block of type "${type}" is not base64`)
      expect(sent).toBe(0)
    },
  )

  it('`openaiCompatible` with a name in front gets an error with the right form', () => {
    expect(() => openaiCompatible('m' as never)).toThrow(/openaiCompatible\(\{ baseUrl \}\)/)
    expect(() => openaiCompatible(undefined as never)).toThrow(TypeError)
    expect(() => openaiCompatible({} as never)).toThrow(/baseUrl/)
  })

  it('no request at all, and a chat without settings, get an error that says so', async () => {
    expect((await failure(() => generate(undefined as never))).message).toMatch(/"model"/)
    expect((await failure(async () => createChat(undefined as never))).message).toMatch(/"model"/)
    expect((await failure(async () => createChat({ model: 'gpt' } as never))).message).toMatch(/"model"/)
  })

  it('every option for the model reaches its codec, and no field of the run does', async () => {
    const options: Required<Omit<RequestOptions, 'model' | 'stream'>> = {
      maxTokens: 9,
      temperature: 0.5,
      topP: 0.9,
      topK: 3,
      seed: 7,
      stop: ['END'],
      frequencyPenalty: 0.1,
      presencePenalty: 0.2,
      toolChoice: 'auto',
      parallelToolCalls: false,
      responseFormat: { type: 'json' },
      reasoning: { effort: 'low' },
      user: 'ada',
      providerOptions: { 'openai-chat': { store: false } },
      strict: false,
    }
    let asked: unknown
    const spy: HttpModel = {
      ...model,
      codec: {
        ...model.codec,
        encodeRequest(_, given) {
          asked ??= given
          throw new Error('seen')
        },
      },
    }
    await failure(() => generate({ model: spy, prompt: 'Hi', retries: 0, maxRounds: 2, ...options }))
    expect(asked).toEqual({ ...options, model: spy.model, stream: true })
  })

  /** Each field of a request, and the types that it has. */
  const fields: Readonly<Record<Exclude<keyof RunRequest, 'prompt'>, string>> = {
    model: '',
    system: 'text list',
    messages: '',
    tools: '',
    providerState: 'object',
    data: '',
    autoTools: 'boolean',
    maxRounds: 'number',
    maxRepeatedCalls: '',
    budget: '',
    stopWhen: 'function',
    approvals: 'list',
    callLog: '',
    toolMode: 'text',
    toolTimeoutMs: 'number',
    maxResultLength: 'number',
    maxResultMedia: 'number',
    onToolRequest: 'function',
    onToolResult: 'function',
    onWarning: 'function',
    beforeRound: 'function',
    observers: '',
    lastCalls: '',
    liveArguments: '',
    wholeAnswer: 'boolean',
    resume: '',
    signal: '',
    timeouts: '',
    maxEventBytes: 'number',
    maxBodyBytes: 'number',
    retries: 'number',
    idempotencyKey: 'text',
    maxTokens: 'number',
    temperature: 'number',
    topP: 'number',
    topK: 'number',
    seed: 'number',
    stop: 'list',
    frequencyPenalty: 'number',
    presencePenalty: 'number',
    toolChoice: 'text object',
    parallelToolCalls: 'boolean',
    responseFormat: 'object',
    reasoning: 'object',
    user: 'text',
    providerOptions: 'object',
    strict: 'boolean function',
  }
  /** Each of a type, and with nothing in it that any field takes. */
  const values: [string, unknown][] = [
    ['text', 'oops'],
    ['number', -7],
    ['NaN', Number.NaN],
    ['boolean', true],
    ['null', null],
    ['object', { nope: 'x' }],
    ['list', [1]],
    ['function', () => 1],
    ['symbol', Symbol('oops')],
    ['bigint', 1n],
  ]
  const wrong = Object.entries(fields).flatMap(([name, types]) =>
    values.filter(([type]) => !types.split(' ').includes(type)).map(([type, value]) => [name, type, value] as const),
  )
  it.each(wrong)('`%s` as %s is an error with its name before anything is sent', async (name, _type, value) => {
    for (const ask of [generate, (request: RunRequest) => stream(request).response]) {
      const error = await failure(() => ask({ model, prompt: 'x', retries: 0, [name]: value } as never))
      expect(error instanceof TypeError || error instanceof RangeError).toBe(true)
      expect(error.message).toContain(name)
      expect(error.message).not.toMatch(internal)
      expect(sent).toBe(0)
    }
  })

  it.each(values.filter(([type]) => type !== 'text'))(
    '`prompt` as %s is an error with its name',
    async (_type, value) => {
      const error = await failure(() => generate({ model, prompt: value as never }))
      expect(error).toBeInstanceOf(TypeError)
      expect(error.message).toContain('prompt')
      expect(error.message).not.toMatch(internal)
    },
  )
})

describe('a request without any message', () => {
  it.each<[string, object]>([
    ['an empty list', { messages: [] }],
    ['nothing', {}],
    ['system text alone', { system: 'Be brief' }],
    ['a context without messages', { prompt: { messages: [] } }],
  ])('%s is refused before it is sent', async (_what, asked) => {
    for (const ask of [generate, (request: RunRequest) => stream(request).response]) {
      const error = await failure(() => ask({ model, ...asked } as RunRequest))
      expect(error).toBeInstanceOf(TypeError)
      expect(error.message).toMatch(/"messages".*"prompt"/)
      expect(sent).toBe(0)
    }
    const schema = t.object({ a: t.integer() })
    expect(await failure(() => generateObject({ model, schema, ...asked }))).toBeInstanceOf(TypeError)
  })
})

describe('an echo', () => {
  it.each(['outptu', true, 1, null])(
    '%j is refused with the words that it takes',
    { meta: { promise: '5.02' } },
    async (echo) => {
      const write = () => {}
      const words = /"none", "output".*"all"/
      expect(() => createChat({ model, echo: echo as never, write })).toThrow(words)
      const chat = createChat({ model, write })
      expect((await failure(() => chat.send('x', { echo: echo as never }))).message).toMatch(words)
      expect(chat.isBusy).toBe(false)
      expect((await chat.send('x')).text).toBe('{"a":1}')
    },
  )
})

describe('a run', () => {
  it.each<[string, () => object]>([
    ['run', () => stream({ model, prompt: 'x' })],
    ['object run', () => streamObject({ model, prompt: 'x', schema: t.string() })],
  ])('%s that is read by a name of another library says how to read it here', (kind, begin) => {
    const run = begin()
    for (const [name, way] of Object.entries(reads[kind] ?? {})) {
      expect(() => (run as Record<string, unknown>)[name], name).toThrow(`Cannot read "${name}" of a run; write ${way}`)
    }
    expect(Object.keys(reads[kind] ?? {}).length).toBeGreaterThan(3)
    expect(Object.keys(run)).not.toContain('textStream')
  })
})
