/** Requests of Chat Completions, in both directions: `wire/openai-chat.md` §2, and `dialects.md` for what hosts differ in. */
import { describe, expect, it } from 'vitest'
import { UnsupportedError } from '../../../src/core/errors.ts'
import type { Context, JsonObject, Message, RequestOptions } from '../../../src/core/messages.ts'
import type { HttpModel } from '../../../src/core/question.ts'
import {
  type ChatDialect,
  compatible,
  decodeRequest,
  encodeRequest,
  openai,
  openaiChat,
  replayAs,
} from '../../../src/formats/openai-chat/index.ts'
import { efforts } from '../../../src/formats/shared/effort.ts'
import { toolCall } from '../../../src/messages/block.ts'
import { alibaba } from '../../../src/providers/alibaba.ts'
import { azureOpenai } from '../../../src/providers/azure-openai.ts'
import { cerebras } from '../../../src/providers/cerebras.ts'
import { deepseek } from '../../../src/providers/deepseek.ts'
import { geminiChat } from '../../../src/providers/gemini-chat.ts'
import { groq } from '../../../src/providers/groq.ts'
import { llamacpp } from '../../../src/providers/llamacpp.ts'
import { lmstudio } from '../../../src/providers/lmstudio.ts'
import { mistral } from '../../../src/providers/mistral.ts'
import { moonshot } from '../../../src/providers/moonshot.ts'
import { ollamaChat } from '../../../src/providers/ollama-chat.ts'
import { openaiCompatible } from '../../../src/providers/openai-compatible.ts'
import { openrouter } from '../../../src/providers/openrouter.ts'
import { perplexity, perplexityDialect } from '../../../src/providers/perplexity.ts'
import { together } from '../../../src/providers/together.ts'
import { vercelGateway } from '../../../src/providers/vercel-gateway.ts'
import { vllm } from '../../../src/providers/vllm.ts'
import { xai } from '../../../src/providers/xai.ts'
import { askedOf, encodesRequests, hi, type Loose, readStream, withoutNames } from '../rows.ts'

const encode = (context: Context, options: Partial<RequestOptions> = {}, dialect: ChatDialect = openai) =>
  encodeRequest(context, { model: 'gpt-4.1', ...options, dialect })
const encodeFor = (context: Context, options: Partial<RequestOptions>, { codec, model } = openaiChat('gpt-4.1')) =>
  codec.encodeRequest(context, { model, ...options })
/** The body that this model is sent. */
const bodyOf = (model: HttpModel, asked: Parameters<typeof askedOf>[0]): Loose => {
  const { context, options } = askedOf(asked)
  return encodeFor(context, options, model).body
}
const decoded = (messages: unknown) => decodeRequest({ model: 'm', messages }).context.messages
const tools = [{ name: 'f' }, { name: 'g', strict: true }]
const reasoning = { type: 'reasoning', text: 'Hm' } as const
const so = { type: 'text', text: 'So' } as const
const says = (content: Message['content']) => ({ role: 'assistant', content }) as Message
const result: Message = { role: 'tool', toolCallId: 'call_a', name: 'f', content: '5' }

describe('options', () => {
  const effort = (effort: 'low' | 'none') => ({ reasoning: { effort } })
  const json = { type: 'json' } as const
  const schema = { type: 'object' }
  const withoutUsage = { 'openai-chat': { stream_options: { include_usage: false } } }

  encodesRequests<ChatDialect>(encode, [
    ...(
      [
        ['o3', {}, ['options.temperature']],
        ['gpt-5', {}, ['options.temperature']],
        ['gpt-5.2', {}, []], // does not reason by default
        ['gpt-5.2', effort('low'), ['options.temperature']],
        ['gpt-5.6-terra', {}, ['options.temperature']],
        ['gpt-5.6-terra', effort('none'), []],
        ['gpt-5-chat-latest', {}, []],
        ['gpt-4.1', {}, []],
      ] as const
    ).map(
      ([model, options, losses]) =>
        [`have no temperature where ${model} reasons`, { model, temperature: 1, ...options }, {}, losses] as const,
    ),
    ['ask for the usage of a stream', { stream: true }, { stream_options: { include_usage: true } }],
    [
      'do not where the host gives it anyway',
      { stream: true },
      { stream_options: undefined },
      [],
      { ...compatible, asksForUsage: false },
    ],
    [
      'do not where the caller does not want it',
      { stream: true, providerOptions: withoutUsage },
      { stream_options: { include_usage: false } },
    ],
    ['never do without a stream', { providerOptions: withoutUsage }, { stream_options: undefined }],
    ['have four stop sequences', { stop: ['a', 'b', 'c', 'd', 'e'] }, { stop: ['a', 'b', 'c', 'd'] }, ['options.stop']],
    [
      'have a name for a schema',
      { responseFormat: { ...json, schema, strict: true } },
      { response_format: { type: 'json_schema', json_schema: { name: 'response', schema, strict: true } } },
      ['options.responseFormat.name invented'],
    ],
    [
      'mention JSON where any JSON is wanted and no message does: it is refused otherwise',
      { system: 'Be brief', responseFormat: json },
      {
        response_format: { type: 'json_object' },
        messages: [{ role: 'system', content: 'Be brief\n\nGive the final answer as JSON only.' }, hi],
      },
      ['system invented info'],
    ],
    [
      'do not where a message does',
      { messages: [{ ...hi, content: 'Give me JSON' }], responseFormat: json },
      { messages: [{ ...hi, content: 'Give me JSON' }] },
    ],
    [
      'have fewer tools if the host does not support a choice among some',
      { tools, toolChoice: { names: ['f'], mode: 'required' } },
      {
        tool_choice: 'required',
        tools: [expect.objectContaining({ function: expect.objectContaining({ name: 'f' }) })],
      },
      ['tools[1]', 'options.toolChoice'],
      compatible,
    ],
  ])

  it('are written under the names of the wire, and read again', () => {
    const given = { maxTokens: 9, temperature: 0.5, topP: 0.9, seed: 1, stop: ['a'], user: 'u' }
    const options = { ...given, frequencyPenalty: 0.1, presencePenalty: 0.2 }
    const { body } = encode({ messages: [hi] }, options)
    expect(body).toEqual({
      ...{ model: 'gpt-4.1', messages: [hi], max_completion_tokens: 9, temperature: 0.5, top_p: 0.9, seed: 1 },
      ...{ stop: ['a'], frequency_penalty: 0.1, presence_penalty: 0.2, safety_identifier: 'u' },
    })
    expect(decodeRequest(body).options).toEqual({ model: 'gpt-4.1', ...options })
    const responseFormat = { ...json, schema, name: 'answer', description: 'd' }
    expect(decodeRequest(encode({ messages: [] }, { responseFormat }).body).options.responseFormat).toEqual(
      responseFormat,
    )
  })

  it.each([
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    [{ name: 'f' }, { type: 'function', function: { name: 'f' } }],
    [
      { names: ['f'], mode: 'required' },
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
    ],
  ] as const)('have the choice %j as %j, and read it', (toolChoice, wire) => {
    const { body } = encode({ messages: [hi], tools }, { toolChoice })
    expect(body.tool_choice).toEqual(wire)
    expect(decodeRequest(body).options.toolChoice).toEqual(toolChoice)
  })
})

describe('messages', () => {
  const texts = [
    { type: 'text', text: 'A' },
    { type: 'text', text: 'B' },
  ] as const
  const audio = { type: 'audio', data: 'AAAA', transcript: 'Hi' } as const
  const hinted = { type: 'text', text: 'Long', metadata: { cacheHint: 'ephemeral' } } as const

  encodesRequests<ChatDialect>(encode, [
    ['have texts as parts', { messages: [{ ...hi, content: texts }] }, { messages: [{ ...hi, content: texts }] }],
    [
      'have texts line by line, where a host takes no parts',
      { messages: [{ ...hi, content: texts }] },
      { messages: [{ ...hi, content: 'A\nB' }] },
      [],
      compatible,
    ],
    [
      'have the words of generated audio that has no id',
      { messages: [says([audio])] },
      { messages: [says('Hi')] },
      ['messages[0].content[0] changed'],
    ],
    [
      'have generated audio by its id',
      { messages: [says([{ ...audio, id: 'audio_1' }])] },
      { messages: [{ role: 'assistant', content: null, audio: { id: 'audio_1' } }] },
    ],
    [
      'have a cache hint for no other provider than OpenAI',
      { messages: [{ ...hi, content: [hinted] }] },
      { messages: [{ ...hi, content: 'Long' }] },
      ['messages[0].content[0].metadata.cacheHint'],
      compatible,
    ],
  ])

  it.each([
    [
      { type: 'audio', data: 'AA', mimeType: 'audio/wav' },
      { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } },
    ],
    [
      { type: 'audio', data: 'AA', mimeType: 'audio/mpeg' },
      { type: 'input_audio', input_audio: { data: 'AA', format: 'mp3' } },
    ],
    [
      { type: 'file', data: 'AA', mimeType: 'application/pdf', filename: 'a.pdf' },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA' } },
    ],
    [hinted, { type: 'text', text: 'Long', prompt_cache_breakpoint: { mode: 'explicit' } }],
  ] as const)('have %j as %j, and read it', (block, part) => {
    const messages = [{ role: 'user', content: [block] }] as const
    const sent = encode({ messages }).body.messages
    expect(sent).toEqual([{ role: 'user', content: [part] }])
    expect(decoded(sent)).toEqual(messages)
  })

  it('of the deprecated form of a call and its result are read as a pair', () => {
    const called = { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }
    const [turn, result] = decoded([called, { role: 'function', name: 'f', content: '5' }])
    expect(turn?.content).toMatchObject([{ type: 'tool_call', id: 'call_0', name: 'f' }])
    expect(result).toEqual({ role: 'tool', toolCallId: 'call_0', name: 'f', content: '5' })
  })

  it('of a host without tools have calls that could not run, and errors, as text', () => {
    const invalid = {
      ...({ type: 'invalid_tool_call', id: 'call_1', name: 'get_weather', index: 0, argumentsText: '{"city' } as const),
      ...({ reason: 'malformed_json', error: 'The arguments are not JSON' } as const),
    }
    const given: Message[] = [
      hi,
      { role: 'assistant', content: null, invalidToolCalls: [invalid] },
      { role: 'tool', toolCallId: 'call_1', content: 'no JSON', status: 'error' },
    ]
    const { body, losses } = encode({ messages: given }, { strict: false }, perplexityDialect)
    expect(body.messages).toEqual([
      hi,
      { role: 'assistant', content: '<tool_call name="get_weather">{"city</tool_call>' },
      { role: 'user', content: '<tool_error name="get_weather">\nno JSON\n</tool_error>' },
    ])
    expect(withoutNames(losses).map(({ path, severity }) => `${path} ${severity}`)).toEqual([
      ...['messages[1].invalidToolCalls[0] minor', 'messages[2].status info', 'messages[1] minor', 'messages[2] minor'],
    ])
  })
})

it.each([
  [openaiChat('m'), 'https://api.openai.com/v1'],
  [xai('m'), 'https://api.x.ai/v1'],
  [deepseek('m'), 'https://api.deepseek.com'],
  [groq('m'), 'https://api.groq.com/openai/v1'],
  [mistral('m'), 'https://api.mistral.ai/v1'],
  [openrouter('m'), 'https://openrouter.ai/api/v1'],
  [vercelGateway('m'), 'https://ai-gateway.vercel.sh/v1'],
  [together('m'), 'https://api.together.xyz/v1'],
  [perplexity('m'), 'https://api.perplexity.ai'],
  [moonshot('m'), 'https://api.moonshot.ai/v1'],
  [alibaba('m'), 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1'],
  [cerebras('m'), 'https://api.cerebras.ai/v1'],
  [ollamaChat('m'), 'http://localhost:11434/v1'],
  [llamacpp('m'), 'http://localhost:8080/v1'],
  [vllm('m'), 'http://localhost:8000/v1'],
  [lmstudio('m'), 'http://localhost:1234/v1'],
  [geminiChat('m'), 'https://generativelanguage.googleapis.com/v1beta/openai'],
])('$provider has its address and a bearer token', ({ baseUrl, codec }, address) => {
  expect([baseUrl, codec.headers('key')]).toEqual([address, { authorization: 'Bearer key' }])
})

/** dialects.md §3, §4, §5, §8, §10 and §11: the values that each model takes for `reasoning_effort`. */
it.each([
  [xai('grok-4'), []],
  [xai('grok-4.3'), ['none', 'low', 'medium', 'high']],
  [groq('openai/gpt-oss-120b'), ['low', 'medium', 'high']],
  [groq('qwen/qwen3-32b'), ['none', 'default']],
  [geminiChat('gemini-3-flash'), ['none', 'low', 'medium', 'high']],
  [moonshot('kimi-k2-thinking'), ['low', 'medium', 'high']],
  [vllm('openai/gpt-oss-20b'), ['low', 'medium', 'high']],
] as const)('$model is sent no other effort than it takes, and another one is a loss', (model, taken) => {
  const budgets = [0, 500, 100_000].map((budgetTokens) => ({ budgetTokens }))
  for (const reasoning of [...efforts.map((effort) => ({ effort })), ...budgets]) {
    const { body, losses } = encodeFor({ messages: [hi] }, { reasoning }, model)
    const sent = (body as Loose).reasoning_effort
    expect([undefined, ...taken]).toContain(sent)
    const isSame = sent === ('effort' in reasoning ? reasoning.effort : 'none')
    expect(losses.map(({ path }) => path)).toEqual(isSame ? [] : [`options.reasoning.${Object.keys(reasoning)[0]}`])
  }
})

it.each([
  [alibaba('m'), { enable_thinking: false }],
  [vllm('m'), { chat_template_kwargs: { enable_thinking: false } }],
  [deepseek('m'), { thinking: { type: 'disabled' } }],
  [openrouter('m'), { reasoning: { effort: 'none' } }],
  [vercelGateway('m'), { reasoning: { effort: 'none' } }],
  [openaiChat('m'), { reasoning_effort: 'none' }],
])('$provider is asked not to reason by %j', (model, fields) => {
  expect(bodyOf(model, { reasoning: { effort: 'none' } })).toMatchObject(fields)
})

describe('hosts that differ', () => {
  const forbidden = { frequencyPenalty: 1, presencePenalty: 1, stop: ['END'] }
  const json = { type: 'object' }
  const called = says([reasoning, toolCall('call_a', 'f')])
  const closed = { ...reasoning, providerData: { 'openai-chat': { closed: true } } }
  const file = { type: 'file', url: 'https://a.test/a.pdf', filename: 'a.pdf' } as const
  const long = { type: 'text', text: 'Long', metadata: { cacheHint: { ttl: '1h' } } } as const

  encodesRequests<HttpModel>(encodeFor, [
    ...['grok-4.5', 'grok-3-mini'].map(
      (name) =>
        [
          `xAI: ${name}, which reasons, takes no penalties and no stop sequences (§3)`,
          forbidden,
          { stop: undefined, frequency_penalty: undefined, presence_penalty: undefined },
          ['options.stop', 'options.frequencyPenalty', 'options.presencePenalty'],
          xai(name),
        ] as const,
    ),
    [
      'xAI: a model that does not reason takes them',
      forbidden,
      { stop: ['END'] },
      [],
      xai('grok-4-fast-non-reasoning'),
    ],
    [
      'xAI: a model that takes no effort loses the budget, under the name that was given (§3)',
      { reasoning: { budgetTokens: 2048 } },
      { reasoning_effort: undefined },
      ['options.reasoning.budgetTokens dropped minor'],
      xai('grok-4-0709'),
    ],
    ...(
      [
        ['grok-4-0709', 'high', undefined],
        ['grok-4.20-reasoning', 'high', undefined],
        ['grok-4.3', 'none', 'none'],
        ['grok-4.5', 'none', 'low'],
        ['grok-4.5', 'max', 'high'],
      ] as const
    ).map(
      ([name, effort, sent]) =>
        [
          `xAI: ${name} takes effort ${effort} as ${sent} (§3)`,
          { reasoning: { effort } },
          { reasoning_effort: sent },
          effort === sent ? [] : ['options.reasoning.effort'],
          xai(name),
        ] as const,
    ),
    [
      'OpenRouter is asked for reasoning by effort (§7)',
      { reasoning: { effort: 'low' } },
      { reasoning: { effort: 'low' } },
      [],
      openrouter('anthropic/claude-x'),
    ],
    [
      'OpenRouter is asked for reasoning by tokens',
      { reasoning: { budgetTokens: 2000 } },
      { reasoning: { max_tokens: 2000 } },
      [],
      openrouter('anthropic/claude-x'),
    ],
    [
      'Vercel is asked for reasoning',
      { reasoning: {} },
      { reasoning: { enabled: true } },
      [],
      vercelGateway('anthropic/claude-x'),
    ],
    [
      'DeepSeek gets no reasoning back before the first call (§4)',
      { messages: [hi, says([reasoning, so])] },
      { messages: [hi, says('So')] },
      ['messages[1].content[0]'],
      deepseek('deepseek-reasoner'),
    ],
    [
      'DeepSeek gets its reasoning back from the first call on, empty for a turn without reasoning',
      { messages: [hi, called, result, says('Five')] },
      {
        messages: [
          ...[hi, expect.objectContaining({ reasoning_content: 'Hm' }), expect.anything()],
          { ...says('Five'), reasoning_content: '' },
        ],
      },
      [],
      deepseek('deepseek-reasoner'),
    ],
    [
      'DeepSeek gets a schema in the prompt',
      { responseFormat: { type: 'json', schema: json } },
      {
        response_format: { type: 'json_object' },
        messages: [{ role: 'system', content: expect.stringContaining('{"type":"object"}') }, hi],
      },
      ['options.responseFormat.schema', 'system'],
      deepseek('deepseek-reasoner'),
    ],
    [
      'DeepSeek is not forced to call while it reasons',
      { tools, toolChoice: 'required' },
      { tool_choice: 'auto' },
      ['tools[1].strict', 'options.toolChoice'],
      deepseek('deepseek-reasoner'),
    ],
    [
      'DeepSeek is forced to call while it does not',
      { tools, toolChoice: 'required', reasoning: { effort: 'none' } },
      { tool_choice: 'required', thinking: { type: 'disabled' } },
      ['tools[1].strict'],
      deepseek('deepseek-reasoner'),
    ],
    [
      'Mistral has other words (§6)',
      {
        messages: [{ ...hi, content: [{ type: 'file', url: file.url }] }],
        tools,
        toolChoice: 'required',
        seed: 1,
        stream: true,
      },
      {
        ...{ tool_choice: 'any', random_seed: 1, stream_options: undefined },
        messages: [{ ...hi, content: [{ type: 'document_url', document_url: file.url }] }],
      },
      [],
      mistral('mistral-medium'),
    ],
    [
      'Mistral gets its thinking back as a part',
      { messages: [says([closed, so]), hi] },
      {
        messages: [
          says([{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }], closed: true }, so] as never),
          hi,
        ],
      },
      [],
      mistral('mistral-medium'),
    ],
    [
      'Mistral has fewer tools instead of a choice of one',
      { tools, toolChoice: { name: 'g' } },
      { tool_choice: 'any', tools: [expect.objectContaining({ function: expect.objectContaining({ name: 'g' }) })] },
      ['options.toolChoice', 'tools[0]'],
      mistral('mistral-medium'),
    ],
    [
      'Mistral has no tools where none may be called',
      { tools, toolChoice: 'none' },
      { tools: undefined },
      ['tools[0]', 'tools[1]'],
      mistral('mistral-medium'),
    ],
    [
      'Vercel is asked for reasoning by effort or tokens, never both',
      { reasoning: { effort: 'low', budgetTokens: 2000 } },
      { reasoning: { max_tokens: 2000 } },
      ['options.reasoning.effort'],
      vercelGateway('anthropic/claude-x'),
    ],
    [
      'Vercel has options of its own',
      { providerOptions: { 'openai-chat': { providerOptions: { gateway: { caching: 'auto' } } } } },
      { providerOptions: { gateway: { caching: 'auto' } } },
      [],
      vercelGateway('anthropic/claude-x'),
    ],
    [
      'Perplexity has user and assistant in turns (§11)',
      { messages: [hi, { ...hi, content: 'There' }, { ...says('So'), name: 'ada' } as Message, says('it is'), hi] },
      {
        messages: [{ ...hi, content: 'Hi\n\nThere' }, { ...says('So\n\nit is'), name: 'ada' }, hi],
      },
      ['messages', 'messages'],
      perplexity('sonar'),
    ],
    [
      'Ollama cannot be made to call a tool (§9)',
      { tools: [{ name: 'f' }], toolChoice: 'required' },
      {},
      ['options.toolChoice'],
      ollamaChat('m'),
    ],
  ])

  it('OpenRouter and Vercel take cache marks on parts, and OpenRouter documents and videos by URL', () => {
    const content = [long, file, { type: 'video', url: 'https://a.test/a.mp4' }] as const
    const { messages } = bodyOf(openrouter('anthropic/claude-x'), { messages: [{ role: 'user', content }] })
    const marked = { type: 'text', text: 'Long', cache_control: { type: 'ephemeral', ttl: '1h' } }
    expect(messages[0].content).toEqual([
      marked,
      { type: 'file', file: { filename: 'a.pdf', file_data: file.url } },
      { type: 'video_url', video_url: { url: 'https://a.test/a.mp4' } },
    ])
    expect(decoded(messages)).toEqual([{ role: 'user', content }])
    const asked = { messages: [{ role: 'user', content: [long] }] } as const
    expect(bodyOf(vercelGateway('anthropic/claude-x'), asked).messages[0].content).toEqual([marked])
  })

  // https://vercel.com/docs/ai-gateway/sdks-and-apis/openai-chat-completions/reasoning (read 2026-11)
  it.each([
    [
      'thoughts',
      [
        { text: 'Hm', signature: 's' },
        { text: 'So', signature: 't' },
      ],
      'reasoning.text',
    ],
    [
      'encrypted items',
      [
        { id: 'rs_1', data: 'AA' },
        { id: 'rs_2', data: 'BB' },
      ],
      'reasoning.encrypted',
    ],
  ])('Vercel has %s with the same index, which stay apart, whole and in pieces', (_, items, type) => {
    const model = vercelGateway('anthropic/claude-x')
    const details: JsonObject[] = items.map((item) => ({ type, ...item, index: 0 }))
    const choice = { index: 0, finish_reason: 'stop' }
    const message = { content: 'So', reasoning_details: details }
    const whole = model.codec.decodeResponse({ model: model.model, choices: [{ ...choice, message }] }).message
    const pieces = details.flatMap((detail) =>
      typeof detail.text === 'string'
        ? [...[...detail.text].map((text) => ({ ...detail, text, signature: '' })), { ...detail, text: '' }]
        : [detail],
    )
    const chunk = (delta: object, more = {}) => ({ model: model.model, choices: [{ index: 0, delta, ...more }] })
    const chunks = pieces.map((piece) => chunk({ reasoning_details: [piece] }))
    const streamed = readStream(model.codec, ...chunks, chunk({ content: 'So' }, choice)).message
    for (const turn of [whole, streamed])
      expect(bodyOf(model, { messages: [hi, turn as Message, hi] }).messages[1]).toMatchObject({
        reasoning_details: details,
      })
  })

  it('Perplexity has no tools, and says who of two users spoke (§11)', () => {
    const messages = ['ada', 'bob'].map((name) => ({ role: 'user', name, content: `I am ${name}` }) as const)
    const { body, losses } = encodeFor({ messages }, {}, perplexity('sonar'))
    expect((body as Loose).messages).toEqual([{ role: 'user', content: 'I am ada\n\nI am bob' }])
    expect(losses.map(({ reason }) => reason).join()).toContain('"ada"')
    expect(() => bodyOf(perplexity('sonar'), { tools })).toThrow(UnsupportedError)
  })

  it("Azure has the user's own address, a header of its own for the key, and a version on the older path", () => {
    const model = azureOpenai('my-gpt', { resource: 'mine' })
    expect(model.baseUrl).toBe('https://mine.openai.azure.com/openai/v1')
    expect(model.codec.headers('key')).toEqual({ 'api-key': 'key' })
    const older = azureOpenai('my gpt', { resource: 'mine', apiVersion: '2024-10-21' })
    expect(older.baseUrl).toBe('https://mine.openai.azure.com/openai/deployments/my%20gpt')
    const { path } = older.codec.encodeRequest({ messages: [] }, { model: 'x' })
    expect(path).toBe('/chat/completions?api-version=2024-10-21')
    expect(() => azureOpenai('m', {})).toThrow(TypeError)
  })

  it('a host of your own has an address and what differs', () => {
    const baseUrl = 'http://localhost:9000/v1'
    const differences = { maxTokensField: 'max_completion_tokens', replay: replayAs('reasoning') } as const
    const local = openaiCompatible({ baseUrl, provider: 'mine', apiKey: 'key', ...differences })
    const model = local('m', { headers: { 'x-a': '1' } })
    expect(model).toMatchObject({ model: 'm', baseUrl, apiKey: 'key', headers: { 'x-a': '1' } })
    expect(model.codec.provider).toBe('mine')
    expect(bodyOf(model, { messages: [says([reasoning, so])], maxTokens: 5 })).toEqual({
      ...{ model: 'm', messages: [{ ...says('So'), reasoning: 'Hm' }], max_completion_tokens: 5 },
    })
  })
})
