/**
 * Common mistakes in JavaScript: the error is one sentence that names the field, and no request is sent. `test/laws/options.test.ts` has the
 * options of every public function, with values of every type.
 */
import { describe, expect, it } from 'vitest'
import type { RequestOptions } from '../../src/core/messages.ts'
import type { HttpModel } from '../../src/core/question.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import {
  approval,
  budget,
  createChat,
  generate,
  generateObject,
  IsoglotError,
  invokeTool,
  liveArguments,
  message,
  type RunRequest,
  resumable,
  stream,
  streamObject,
  type Tool,
  t,
  tool,
  wrapModel,
} from '../../src/index.ts'
import { trimMessages } from '../../src/messages/index.ts'
import { openaiCompatible } from '../../src/providers/openai-compatible.ts'
import { mockModel } from '../../src/test/index.ts'
import { cache } from '../../src/wraps/index.ts'
import { callOf, failureOf } from '../support/makers.ts'
import { chatBody } from '../support/upstream.ts'

let sent = 0
const model = openaiChat('m', {
  apiKey: 'key',
  fetch: async () => {
    sent++
    return Response.json(chatBody('{"a":1}'))
  },
})
const failure = (ask: () => Promise<unknown>): Promise<Error> => {
  sent = 0
  return failureOf(ask())
}
/** Messages of the JavaScript engine, not of isoglot. */
const internal =
  /Cannot read prop|is not a function|is not iterable|undefined \(|\[object|not an object \(|Cannot use 'in'/

describe('a request', () => {
  it.each<[string, object, RegExp]>([
    ['without a model', { model: undefined }, /"model"/],
    ['whose model is the function that makes one', { model: openaiChat }, /"model"/],
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
    ['`ai`', { output: {} }, 'generateObject'],
    ['`ai`', { toolChoice: { type: 'tool', toolName: 'a' } }, 'toolChoice: { name }'],
    ['`ai`', { providerOptions: { openai: { store: true } } }, 'openai-chat'],
    ['`ai`', { model: 'openai/gpt-5.6' }, '"model" is the text "openai/gpt-5.6"'],
    ['`ai`', { model: 'openai/gpt-5.6' }, 'isoglot/models'],
    ['`ai`', { tools: { weather: tool({ name: 'weather' }) } }, 'tool({ name })'],
    ['`openai`', { reasoning_effort: 'low' }, 'reasoning: { effort }'],
    ['`openai`', { previous_response_id: 'resp_1' }, 'providerState'],
    ['`openai`', { model: { ...openaiChat('m', { apiKey: 'key' }), baseURL: 'http://localhost:1/v1' } }, 'baseUrl'],
    ['`openai`', { toolChoice: { type: 'function', function: { name: 'a' } } }, 'toolChoice: { name }'],
    ['`openai`', { responseFormat: { type: 'json_schema', json_schema: {} } }, 'responseFormat: { type, schema }'],
    ['LangChain', { systemPrompt: 'Be brief' }, 'system'],
    ['Anthropic', { thinking: { type: 'enabled' } }, 'reasoning: { effort }'],
  ])('with a field of %s, %o, gets an error that says to write %s', async (_library, wrong, words) => {
    const error = await failure(() => generate({ model, prompt: 'x', ...wrong } as never))
    expect(error).toBeInstanceOf(TypeError)
    expect(error.message).toContain(words)
    expect(error.message).not.toMatch(internal)
    expect(sent).toBe(0)
  })

  it('with such a field that is undefined is asked as without it', async () => {
    await expect(generate({ model, prompt: 'x', maxOutputTokens: undefined } as never)).resolves.toBeDefined()
  })

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
  it.each(notBase64.map(([what, data], at) => [media[at], what, data] as const))(
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
      ...{ maxTokens: 9, temperature: 0.5, topP: 0.9, topK: 3, seed: 7, stop: ['END'] },
      ...{ frequencyPenalty: 0.1, presencePenalty: 0.2, toolChoice: 'auto', parallelToolCalls: false },
      ...{ responseFormat: { type: 'json' }, reasoning: { effort: 'low' }, user: 'ada', strict: false },
      providerOptions: { 'openai-chat': { store: false } },
    }
    let asked: unknown
    const encodeRequest: HttpModel['codec']['encodeRequest'] = (_, given) => {
      asked ??= given
      throw new Error('seen')
    }
    const spy: HttpModel = { ...model, codec: { ...model.codec, encodeRequest } }
    await failure(() => generate({ model: spy, prompt: 'Hi', retries: 0, maxRounds: 2, ...options }))
    expect(asked).toEqual({ ...options, model: spy.model, stream: true })
  })

  const schema = t.object({ a: t.integer() })
  const f = tool({ name: 'f', parameters: schema, execute: () => 1 })
  const asked = (fields: object) => generate({ model, prompt: 'x', retries: 0, ...fields } as RunRequest)
  const ofModel = (fields: object) => asked({ model: { ...model, ...fields } })
  /** What is inside an option, or comes from a function. */
  it.each<[string, () => unknown]>([
    ['toolChoice', () => asked({ toolChoice: { name: 1 } })],
    ['toolChoice', () => asked({ toolChoice: { names: ['f'], mode: 'sometimes' } })],
    ['reasoning.effort', () => asked({ reasoning: { effort: 'much' } })],
    ['timeouts.idleMs', () => asked({ timeouts: { idleMs: '5' } })],
    ['approvals[0]', () => asked({ tools: [f], approvals: [{ toolCallId: 'c', approved: 'yes' }] })],
    ['temperature', () => asked({ temperature: Number.NaN })],
    ['apiKey', () => ofModel({ apiKey: () => 7 })],
    ['headers', () => ofModel({ headers: new Headers({ 'x-a': 'b' }) })],
    ['headers.x-a', () => ofModel({ headers: { 'x-a': 1 } })],
    ['"model"', () => asked({ model: openaiChat(undefined as never, { apiKey: 'k' }) })],
    ['"schema"', () => generateObject(undefined as never)],
    ['t.string', () => t.object({ city: 'string' } as never)],
    ['words', () => t.oneOf('a' as never, 'b')],
    ['Map', () => invokeTool(callOf(), [f] as never)],
    ['"json"', () => asked({ responseFormat: { type: 'json_object' } })],
    ['endOn', () => trimMessages(['x'], { maxTokens: 5, endOn: ['wizard' as never] })],
    ['countTokens', () => trimMessages(['x'], { maxTokens: 5, countTokens: () => 'many' as never })],
    ['store', () => asked({ model: wrapModel(model, cache({ get: () => 1 as never, set: () => {} })) })],
    ['"maxToken"', () => budget({ maxToken: 5 } as object)],
    ['answers', () => mockModel('Hello' as never)],
    ['prompt', () => asked({ prompt: 7 })],
  ])('with a wrong value inside an option gets an error that says %s', async (words, use) => {
    const error = await failure(async () => use())
    expect(error instanceof TypeError || error instanceof IsoglotError, `${error}`).toBe(true)
    expect(error.message).toContain(words)
    expect(error.message).not.toMatch(internal)
    expect(sent).toBe(0)
  })
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

it.each<[string, () => object, string]>([
  ['textStream', () => stream({ model, prompt: 'x' }), 'text()'],
  ['partialObjectStream', () => streamObject({ model, prompt: 'x', schema: t.string() }), 'for await'],
])('a run whose "%s" is read, by a name of another library, says how to read it here', (name, begin, way) => {
  const run = begin() as Record<string, unknown>
  expect(() => run[name]).toThrow(`Cannot read "${name}" of a run; write `)
  expect(() => run[name]).toThrow(way)
  expect(Object.keys(run)).not.toContain(name)
})

const made = tool({ name: 'f', execute: () => 1 })
const words = [true, false, 'yes', 1, null, {}, [], () => true]
type Row = [what: string, wrong: object, maker: string]
const wrongTools: readonly Row[] = [
  ...words.map((needsApproval): Row => {
    return [`needsApproval: ${JSON.stringify(needsApproval)} on a copy`, { ...made, needsApproval }, 'approval()']
  }),
  ['a tool that was not made by tool', { name: 'f', execute: () => 1 }, 'tool('],
  ['a terminal tool that was not made by tool', { name: 'f', terminal: true }, 'tool('],
  ['a tool with a word in place of the code that runs it', { name: 'f', execute: () => 1, run: 'yes' }, 'tool('],
]
const withField = (field: string, maker: string, values: readonly unknown[] = words) =>
  values.map((value): Row => [`${field}: ${JSON.stringify(value)}`, { [field]: value }, maker])

const decision = { toolCallId: 'a', approved: true }

/** Optional code is passed as a value: the error has the name of the function that makes the right one. */
describe('a wrong value of a field', () => {
  it.each<Row>([
    ...withField('resume', 'resumable()', [...words, 'stream-1']),
    ...withField('budget', 'budget()', [...words, { maxTokens: 5 }]),
    ...withField('liveArguments', 'liveArguments()', [...words, liveArguments]),
    ...wrongTools.flatMap(([what, one, maker]): Row[] => {
      const inContext = { prompt: { messages: ['x'], tools: [one] } }
      return [
        [what, { tools: [one] }, maker],
        [`${what}, in a context`, inContext, maker],
      ]
    }),
    ['decisions about calls, and nothing that could run them', { approvals: [decision] }, 'tool('],
  ])('is refused with the name of the function that makes the right one: %s', async (_, more, maker) => {
    sent = 0
    const request = { model, prompt: 'x', ...more } as RunRequest
    const ways = [
      () => generate(request),
      () => stream(request).response,
      // Of a chat, decisions are an argument.
      ...('approvals' in more
        ? []
        : [async () => createChat({ ...request, prompt: undefined } as never).send(request.prompt as never)]),
    ]
    for (const ask of ways) {
      const error = ask()
      await expect(error).rejects.toThrow(TypeError)
      await expect(error).rejects.toThrow(maker)
    }
    expect(sent).toBe(0)
  })

  it('is refused when a budget or a rule is made', () => {
    expect(() => budget({ maxTokens: '5' as never })).toThrow(/"maxTokens" is text; expected number/)
    expect(() => budget({ maxTimeMs: Number.NaN })).toThrow(/"maxTimeMs" is NaN/)
    expect(() => approval({ secret: 'short' })).toThrow(RangeError)
  })
})

it('accepts a copy of a tool, and a definition, whose calls the caller runs', async () => {
  const copied: Tool = { ...made, description: 'The same' }
  const all = { budget: budget({}), resume: resumable(), liveArguments: liveArguments() }
  const result = await generate({ model, prompt: 'x', tools: [copied, tool({ name: 'g' }), { name: 'h' }], ...all })
  expect(result.text).toBe('{"a":1}')
})
