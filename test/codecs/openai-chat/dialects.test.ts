/** The differences of each host: dialects.md, section by section. */

import { describe, expect, it } from 'vitest'
import { UnsupportedError } from '../../../src/core/errors.ts'
import type { Context, JsonObject, Message, RequestOptions } from '../../../src/core/messages.ts'
import type { HttpModel } from '../../../src/core/question.ts'
import { decodeRequest, openaiChat, replayAs } from '../../../src/formats/openai-chat/index.ts'
import { efforts } from '../../../src/formats/shared/effort.ts'
import { block } from '../../../src/messages/block.ts'
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
import { perplexity } from '../../../src/providers/perplexity.ts'
import { together } from '../../../src/providers/together.ts'
import { vercelGateway } from '../../../src/providers/vercel-gateway.ts'
import { vllm } from '../../../src/providers/vllm.ts'
import { xai } from '../../../src/providers/xai.ts'

import { decodeText } from '../../support/decode.ts'

type Body = Record<string, unknown> & { messages: Record<string, unknown>[] }

function ask({ codec, model }: HttpModel, context: Partial<Context>, options: Partial<RequestOptions> = {}) {
  const { body, losses } = codec.encodeRequest({ messages: [], ...context }, { model, ...options })
  return { body: body as Body, losses, paths: losses.map((loss) => loss.path) }
}
const said = (model: HttpModel, ...messages: readonly Message[]) => ask(model, { messages }).body.messages
const answered = (model: HttpModel, message: object, usage?: object) =>
  model.codec.decodeResponse({ model: model.model, choices: [{ index: 0, message, finish_reason: 'stop' }], usage })

const hi: Message = { role: 'user', content: 'Hi' }
const thought: Message = {
  role: 'assistant',
  content: [
    { type: 'reasoning', text: 'Hm' },
    { type: 'text', text: 'So' },
  ],
}
const result: Message = { role: 'tool', toolCallId: 'call_a', name: 'f', content: '5' }
const thoughtAndCalled: Message = {
  role: 'assistant',
  content: [{ type: 'reasoning', text: 'Hm' }, block.toolCall('call_a', 'f')],
}
const tools = [{ name: 'f' }, { name: 'g', strict: true }]

it.each<[string, HttpModel, string]>([
  ['OpenAI', openaiChat('m'), 'https://api.openai.com/v1'],
  ['xAI', xai('m'), 'https://api.x.ai/v1'],
  ['DeepSeek', deepseek('m'), 'https://api.deepseek.com'],
  ['Groq', groq('m'), 'https://api.groq.com/openai/v1'],
  ['Mistral', mistral('m'), 'https://api.mistral.ai/v1'],
  ['OpenRouter', openrouter('m'), 'https://openrouter.ai/api/v1'],
  ['Vercel AI Gateway', vercelGateway('m'), 'https://ai-gateway.vercel.sh/v1'],
  ['Together', together('m'), 'https://api.together.xyz/v1'],
  ['Perplexity', perplexity('m'), 'https://api.perplexity.ai'],
  ['Moonshot', moonshot('m'), 'https://api.moonshot.ai/v1'],
  ['Alibaba', alibaba('m'), 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1'],
  ['Cerebras', cerebras('m'), 'https://api.cerebras.ai/v1'],
  ['Ollama', ollamaChat('m'), 'http://localhost:11434/v1'],
  ['llama.cpp', llamacpp('m'), 'http://localhost:8080/v1'],
  ['vLLM', vllm('m'), 'http://localhost:8000/v1'],
  ['LM Studio', lmstudio('m'), 'http://localhost:1234/v1'],
  ['Gemini', geminiChat('m'), 'https://generativelanguage.googleapis.com/v1beta/openai'],
])('%s has its address and a bearer token', (_, { baseUrl, codec }, address) => {
  expect([baseUrl, codec.headers('key')]).toEqual([address, { authorization: 'Bearer key' }])
})

/** dialects.md §3, §4, §5, §8, §10 and §11: the values that each model takes for `reasoning_effort`. */
describe.each([
  ['grok-4', xai('grok-4'), []],
  ['grok-4.3', xai('grok-4.3'), ['none', 'low', 'medium', 'high']],
  ['gpt-oss of Groq', groq('openai/gpt-oss-120b'), ['low', 'medium', 'high']],
  ['qwen3 of Groq', groq('qwen/qwen3-32b'), ['none', 'default']],
  ['gemini', geminiChat('gemini-3-flash'), ['none', 'low', 'medium', 'high']],
  ['kimi', moonshot('kimi-k2-thinking'), ['low', 'medium', 'high']],
  ['gpt-oss of vLLM', vllm('openai/gpt-oss-20b'), ['low', 'medium', 'high']],
] as const)('the efforts of %s', (_, model, taken: readonly unknown[]) => {
  const asked = [
    ...efforts.map((effort) => ({ effort })),
    ...[0, 500, 100_000].map((budgetTokens) => ({ budgetTokens })),
  ]
  it.each(asked)('are all that is sent for %j, and another one is a loss', (reasoning) => {
    const { body, paths } = ask(model, {}, { reasoning })
    expect([undefined, ...taken]).toContain(body.reasoning_effort)
    const isSame = body.reasoning_effort === ('effort' in reasoning ? reasoning.effort : 'none')
    expect(paths).toEqual(isSame ? [] : [`options.reasoning.${Object.keys(reasoning)[0]}`])
  })
})

it('Qwen of vLLM has a switch in the arguments of its template (§10)', () => {
  const { body } = ask(vllm('Qwen/Qwen3-8B'), {}, { reasoning: { effort: 'none' } })
  expect(body).toMatchObject({ chat_template_kwargs: { enable_thinking: false } })
})

it('xAI: a model that reasons takes no penalties and no stop sequences (§3)', () => {
  const options = { frequencyPenalty: 1, presencePenalty: 1, stop: ['END'] }
  for (const name of ['grok-4.5', 'grok-3-mini']) {
    const { body, paths } = ask(xai(name), {}, options)
    expect(body).not.toHaveProperty('stop')
    expect(paths.sort()).toEqual(['options.frequencyPenalty', 'options.presencePenalty', 'options.stop'])
  }
  expect(ask(xai('grok-4-fast-non-reasoning'), {}, options).paths).toEqual([])
})

it('xAI: a model that takes no effort loses the budget, under the name that was given (§3)', () => {
  const { body, losses } = ask(xai('grok-4-0709'), {}, { reasoning: { budgetTokens: 2048 } })
  expect(body).not.toHaveProperty('reasoning_effort')
  expect(losses).toMatchObject([{ path: 'options.reasoning.budgetTokens', action: 'dropped', severity: 'minor' }])
})

describe('DeepSeek (§4)', () => {
  const model = deepseek('deepseek-reasoner')

  it('gets its reasoning back from the first call on, empty for a turn without reasoning, and never before', () => {
    expect(said(model, hi, thought)).toEqual([hi, { role: 'assistant', content: 'So' }])
    const [, , turn, , last] = said(model, hi, thought, thoughtAndCalled, result, {
      role: 'assistant',
      content: 'Five',
    })
    expect(turn).toMatchObject({ reasoning_content: 'Hm', tool_calls: [{ id: 'call_a' }] })
    expect(last).toEqual({ role: 'assistant', content: 'Five', reasoning_content: '' })
  })

  it('gets a schema in the prompt', () => {
    const { body, paths } = ask(model, {}, { responseFormat: { type: 'json', schema: { type: 'object' } } })
    expect(body.response_format).toEqual({ type: 'json_object' })
    expect(body.messages[0]?.content).toContain('{"type":"object"}')
    expect(paths).toEqual(['options.responseFormat.schema', 'system'])
  })

  it('is not forced to call while it reasons', () => {
    const options = { toolChoice: 'required' as const }
    expect(ask(model, { tools }, options).body.tool_choice).toBe('auto')
    expect(ask(model, { tools }, { ...options, reasoning: { effort: 'none' } }).body).toMatchObject({
      tool_choice: 'required',
      thinking: { type: 'disabled' },
    })
  })
})

describe('Mistral (§6)', () => {
  const model = mistral('mistral-medium')

  it('gets its thinking back as a part', () => {
    const closed: Message = {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm', providerData: { 'openai-chat': { closed: true } } },
        { type: 'text', text: 'So' },
      ],
    }
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }], closed: true }
    const content = [thinking, { type: 'text', text: 'So' }]
    expect(said(model, closed, hi)[0]).toEqual({ role: 'assistant', content })
    expect(answered(model, { content }).message.content).toEqual(closed.content)
  })

  it('has other words: any, random_seed, document_url', () => {
    const file: Message = { role: 'user', content: [{ type: 'file', url: 'https://a.test/a.pdf' }] }
    const { body } = ask(model, { messages: [file], tools }, { toolChoice: 'required', seed: 1, stream: true })
    expect(body).toMatchObject({ tool_choice: 'any', random_seed: 1 })
    expect(body).not.toHaveProperty('stream_options')
    expect(body.messages[0]?.content).toEqual([{ type: 'document_url', document_url: 'https://a.test/a.pdf' }])
  })

  it('has fewer tools instead of a choice of one, and none instead of none', () => {
    expect(ask(model, { tools }, { toolChoice: { name: 'g' } }).body).toMatchObject({
      tool_choice: 'any',
      tools: [{ function: { name: 'g' } }],
    })
    expect(ask(model, { tools }, { toolChoice: 'none' }).body).not.toHaveProperty('tools')
  })
})

describe('OpenRouter (§7)', () => {
  const model = openrouter('anthropic/claude-x')

  it('takes cache marks on parts, and documents and videos by URL', () => {
    const content = [
      { type: 'text' as const, text: 'Long', metadata: { cacheHint: { ttl: '1h' as const } } },
      { type: 'file' as const, url: 'https://a.test/a.pdf', filename: 'a.pdf' },
      { type: 'video' as const, url: 'https://a.test/a.mp4' },
    ]
    const wire = said(model, { role: 'user', content })
    expect(wire[0]?.content).toEqual([
      { type: 'text', text: 'Long', cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'https://a.test/a.pdf' } },
      { type: 'video_url', video_url: { url: 'https://a.test/a.mp4' } },
    ])
    expect(decodeRequest({ model: 'm', messages: wire }).context.messages).toEqual([{ role: 'user', content }])
  })
})

// https://vercel.com/docs/ai-gateway/sdks-and-apis/openai-chat-completions/reasoning and `…/advanced` (read 2026-11)
describe('Vercel AI Gateway', () => {
  const model = vercelGateway('anthropic/claude-x')
  const signed = (text: string, signature: string) => ({
    type: 'reasoning.text',
    text,
    signature,
    format: 'anthropic-claude-v1',
    index: 0,
  })
  const sealed = (id: string, data: string) => ({
    type: 'reasoning.encrypted',
    data,
    id,
    format: 'openai-responses-v1',
    index: 0,
  })

  const pairs: readonly [string, readonly JsonObject[]][] = [
    ['thoughts', [signed('Hm', 's'), signed('So', 't')]],
    ['encrypted items', [sealed('rs_1', 'AA'), sealed('rs_2', 'BB')]],
  ]
  it.each(pairs)('%s with the same index stay apart, whole and in pieces', (_, details) => {
    const whole = answered(model, { content: 'So', reasoning_details: details }).message
    const pieces = details.flatMap((detail) =>
      typeof detail.text === 'string'
        ? [...[...detail.text].map((text) => ({ ...detail, text, signature: '' })), { ...detail, text: '' }]
        : [detail],
    )
    const chunks = pieces.map((piece) => ({
      model: model.model,
      choices: [{ index: 0, delta: { reasoning_details: [piece] } }],
    }))
    const end = { model: model.model, choices: [{ index: 0, delta: { content: 'So' }, finish_reason: 'stop' }] }
    const text = [...chunks, end].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
    const streamed = decodeText(model.codec, text).response?.message as Message
    for (const turn of [whole, streamed]) expect(said(model, turn)[0]).toMatchObject({ reasoning_details: details })
  })

  it('takes cache marks on parts, and its own options', () => {
    const content = [{ type: 'text' as const, text: 'Long', metadata: { cacheHint: 'ephemeral' as const } }]
    expect(said(model, { role: 'user', content })[0]?.content).toEqual([
      { type: 'text', text: 'Long', cache_control: { type: 'ephemeral' } },
    ])
    const gateway = { order: ['vertex', 'anthropic'], caching: 'auto' }
    const providerOptions = { 'openai-chat': { providerOptions: { gateway } } }
    expect(ask(model, {}, { providerOptions }).body.providerOptions).toEqual({ gateway })
  })
})

it.each([
  ['Alibaba', alibaba('m'), { enable_thinking: false }],
  ['vLLM', vllm('m'), { chat_template_kwargs: { enable_thinking: false } }],
  ['DeepSeek', deepseek('m'), { thinking: { type: 'disabled' } }],
  ['OpenRouter', openrouter('m'), { reasoning: { effort: 'none' } }],
  ['Vercel AI Gateway', vercelGateway('m'), { reasoning: { effort: 'none' } }],
  ['OpenAI', openaiChat('m'), { reasoning_effort: 'none' }],
] as const)('%s is asked not to reason by %j', (_name, model, fields) => {
  expect(ask(model, {}, { reasoning: { effort: 'none' } }).body).toMatchObject(fields)
})

it('Perplexity: user and assistant take turns, and there are no tools (§11)', () => {
  const model = perplexity('sonar')
  expect(said(model, hi, { role: 'user', content: 'There' })).toEqual([{ role: 'user', content: 'Hi\n\nThere' }])
  const first: Message = { role: 'assistant', name: 'ada', content: 'So' }
  expect(said(model, hi, first, { role: 'assistant', content: 'it is' })).toEqual([
    hi,
    { role: 'assistant', name: 'ada', content: 'So\n\nit is' },
  ])
  const [ada, bob] = ['ada', 'bob'].map((name): Message => ({ role: 'user', name, content: `I am ${name}` }))
  const both = ask(model, { messages: [ada as Message, bob as Message] })
  expect(both.body.messages).toEqual([{ role: 'user', content: 'I am ada\n\nI am bob' }])
  expect(both.losses).toContainEqual(
    expect.objectContaining({ path: 'messages', reason: expect.stringContaining('"ada"') }),
  )
  expect(() => ask(model, { tools })).toThrow(UnsupportedError)
})

it('Ollama: "end" is a normal end, and a tool cannot be demanded (§9)', () => {
  const body = { choices: [{ message: { content: 'So' }, finish_reason: 'end' }] }
  expect(ollamaChat('m').codec.decodeResponse(body).stopReason).toBe('stop')
  expect(ask(ollamaChat('m'), { tools }, { toolChoice: 'required' })).toMatchObject({ paths: ['options.toolChoice'] })
})

describe('Azure OpenAI', () => {
  it("has the user's own address, and its own header for the key", () => {
    const model = azureOpenai('my-gpt', { resource: 'mine' })
    expect(model.baseUrl).toBe('https://mine.openai.azure.com/openai/v1')
    expect(model.codec.headers('key')).toEqual({ 'api-key': 'key' })
  })

  it('is asked by deployment and version on the older path', () => {
    const model = azureOpenai('my gpt', { resource: 'mine', apiVersion: '2024-10-21' })
    expect(model.baseUrl).toBe('https://mine.openai.azure.com/openai/deployments/my%20gpt')
    expect(model.codec.encodeRequest({ messages: [] }, { model: 'x' }).path).toBe(
      '/chat/completions?api-version=2024-10-21',
    )
  })

  it('says what is missing', () => {
    expect(() => azureOpenai('m', {})).toThrow(TypeError)
  })
})

describe('openaiCompatible', () => {
  it('takes an address and what differs', () => {
    const local = openaiCompatible({
      baseUrl: 'http://localhost:9000/v1',
      provider: 'mine',
      apiKey: 'key',
      maxTokensField: 'max_completion_tokens',
      replay: replayAs('reasoning'),
    })
    const model = local('m', { headers: { 'x-a': '1' } })
    expect(model).toMatchObject({
      model: 'm',
      baseUrl: 'http://localhost:9000/v1',
      apiKey: 'key',
      headers: { 'x-a': '1' },
    })
    expect(model.codec.provider).toBe('mine')
    expect(ask(model, { messages: [thought] }, { maxTokens: 5 }).body).toEqual({
      model: 'm',
      messages: [{ role: 'assistant', content: 'So', reasoning: 'Hm' }],
      max_completion_tokens: 5,
    })
  })
})
