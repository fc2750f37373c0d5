/**
 * Options together: a server takes each of them, but not each pair. Every option, and every pair, gives a body that the server accepts, for
 * models of each family and generation: what the format or the model refuses is left out or changed. Judged by the validators, and by rules about
 * single models; both were written only from the wire documents.
 */
import { describe, expect, it } from 'vitest'
import type { Context, RequestOptions } from '../../src/core/messages.ts'
import { facts } from '../formats/index.ts'
import { list, object, type Wire } from '../formats/validator.ts'
import type { Wire as WireName } from '../support/answers.ts'
import { inTurn } from '../support/cuts.ts'
import { clients } from '../support/formats.ts'
import { callOf } from '../support/makers.ts'

const open = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const parameters = { ...open, additionalProperties: false }

const options: readonly Partial<RequestOptions>[] = [
  { stream: true },
  ...[1, 10, 500, 1024, 5000].map((maxTokens) => ({ maxTokens })),
  ...[0, 0.4, 1, 1.5, 1.7].map((temperature) => ({ temperature })),
  ...[0, 0.5, 1].map((topP) => ({ topP })),
  ...[0, 5, 900, 1000].map((topK) => ({ topK })),
  { seed: 3 },
  ...[['a'], ['1', '2', '3', '4', '5', '6'], []].map((stop) => ({ stop })),
  ...[0.5, 2, -1].map((frequencyPenalty) => ({ frequencyPenalty })),
  ...[2, -1].map((presencePenalty) => ({ presencePenalty })),
  ...(['auto', 'none', 'required', { name: 'find' }] as const).map((toolChoice) => ({ toolChoice })),
  ...(['auto', 'required'] as const).map((mode) => ({ toolChoice: { names: ['find'], mode } })),
  ...[['auto', 'find', 'look'] as const, ['required', 'look'] as const].map(([mode, ...names]) => ({
    toolChoice: { names, mode },
  })),
  ...[true, false].map((parallelToolCalls) => ({ parallelToolCalls })),
  { user: 'u' },
  ...['antigravity-preview', 'deep-research-pro-preview'].map((agent) => ({
    providerOptions: { 'gemini-interactions': { agent, background: true } },
  })),
  { responseFormat: { type: 'json' } },
  { responseFormat: { type: 'json', schema: parameters } },
  { responseFormat: { type: 'json', schema: parameters, name: 'n', description: 'd', strict: true } },
  ...[
    { type: 'array', items: open },
    { type: 'object', properties: {} },
    { ...open, properties: { city: { $ref: '#' } } },
  ].map((schema) => ({ responseFormat: { type: 'json', schema } as const })),
  ...(['none', 'minimal', 'low', 'high', 'max'] as const).map((effort) => ({ reasoning: { effort } })),
  ...[0, 100, 3000, 4000, 90_000].map((budgetTokens) => ({ reasoning: { budgetTokens } })),
  { reasoning: {} },
]

/** The problems of a body: each has a sentence of a wire document. */
type Rule = (body: Wire, model: string) => Readonly<Record<string, boolean>>

const isWithin = (value: unknown, least: number, most: number) =>
  value === undefined || (Number(value) >= least && Number(value) <= most)
const hasAny = (value: Wire, names: string) => names.split(' ').some((name) => name in value)
const isOn = (thinking: Wire) => thinking.type === 'enabled' || thinking.type === 'adaptive'
const isBudgetWrong = ({ type, budget_tokens }: Wire, maxTokens: unknown = Number.POSITIVE_INFINITY) =>
  type === 'enabled' && (Number(budget_tokens) < 1024 || Number(budget_tokens) >= Number(maxTokens))

const rules: Readonly<Record<Exclude<WireName, 'ollama'>, readonly [models: readonly string[], rule: Rule]>> = {
  // openai-chat.md §2.2, §2.3
  'openai-chat': [
    ['gpt-5', 'gpt-5.4', 'gpt-5.6', 'o3', 'gpt-4.1'],
    (body, model) => {
      const { reasoning_effort: effort, tools, stop } = body
      const reasons = /^o3$|^gpt-5$/.test(model) || (effort === undefined ? model === 'gpt-5.6' : effort !== 'none')
      return {
        'sampling while it reasons':
          reasons && model !== 'gpt-4.1' && hasAny(body, 'temperature top_p frequency_penalty presence_penalty'),
        'the deprecated limit': 'max_tokens' in body,
        'more than 4 stops': Array.isArray(stop) && stop.length > 4,
        'a choice without tools': tools === undefined && hasAny(body, 'tool_choice parallel_tool_calls'),
        'a field that it does not have': 'top_k' in body,
      }
    },
  ],
  // openai-responses.md §2.3
  'openai-responses': [
    ['gpt-5', 'gpt-5.4', 'gpt-5.6', 'gpt-4.1'],
    (body, model) => {
      const { effort } = object(body.reasoning)
      const reasons = model === 'gpt-5' || (effort === undefined ? model === 'gpt-5.6' : effort !== 'none')
      return {
        'sampling while it reasons': reasons && model !== 'gpt-4.1' && hasAny(body, 'temperature top_p'),
        'too low a limit': Number(body.max_output_tokens ?? 16) < 16,
        'a field that it does not have': hasAny(body, 'stop seed n frequency_penalty presence_penalty top_k'),
        'a choice without tools': body.tools === undefined && hasAny(body, 'tool_choice parallel_tool_calls'),
      }
    },
  ],
  // anthropic.md §2.3
  anthropic: [
    [
      ...['claude-sonnet-5', 'claude-opus-4-8', 'claude-opus-4-7', 'claude-opus-4-6', 'claude-sonnet-4-6'],
      ...['claude-sonnet-4-5', 'claude-3-haiku-20240307'],
    ],
    ({ thinking: given, tool_choice, ...body }) => {
      const thinking = object(given)
      const choice = object(tool_choice).type
      return {
        'a wrong budget': isBudgetWrong(thinking, body.max_tokens),
        'sampling with thinking': isOn(thinking) && ('top_k' in body || !isWithin(body.temperature, 1, 1)),
        'a forced call with thinking': thinking.type === 'enabled' && (choice === 'any' || choice === 'tool'),
        'a wrong temperature': !isWithin(body.temperature, 0, 1),
      }
    },
  ],
  // bedrock-converse.md §2.2, §2.4
  'bedrock-converse': [
    [
      ...['us.anthropic.claude-sonnet-5-v1:0', 'us.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-sonnet-4-6'],
      ...['claude-opus-4-7', 'claude-haiku-4-5-20251001-v1:0', 'claude-sonnet-5'],
      ...['anthropic.claude-3-haiku-20240307-v1:0', 'amazon.nova-lite-v1:0', 'openai.gpt-oss-120b-1:0'],
    ],
    ({ inferenceConfig, additionalModelRequestFields, toolConfig }, model) => {
      const [config, fields] = [object(inferenceConfig), object(additionalModelRequestFields)]
      const choice = object(object(toolConfig).toolChoice)
      const thinking = object(fields.thinking)
      const isSampled = 'topP' in config || 'top_k' in fields || !isWithin(config.temperature, 1, 1)
      return {
        'a wrong budget': isBudgetWrong(thinking, config.maxTokens),
        'sampling with thinking': isOn(thinking) && isSampled,
        // Sonnet 5 thinks adaptively, which a forced call may stand beside.
        'a forced call with thinking': thinking.type === 'enabled' && hasAny(choice, 'any tool'),
        'both ways of sampling': /claude-(?:sonnet|haiku)/.test(model) && 'temperature' in config && 'topP' in config,
        'a wrong temperature': !isWithin(config.temperature, 0, 1),
      }
    },
  ],
  // gemini.md §2.2, §2.3
  gemini: [
    ['gemini-3-flash', 'gemini-2.5-flash'],
    ({ tools, toolConfig, generationConfig }, model) => {
      const config = object(generationConfig)
      const thinking = object(config.thinkingConfig)
      const { mode, allowedFunctionNames } = object(object(toolConfig).functionCallingConfig)
      const hasFunctions = list(tools).some(({ functionDeclarations }) => functionDeclarations !== undefined)
      return {
        'JSON with functions': hasFunctions && 'responseMimeType' in config && !model.includes('gemini-3'),
        'a budget and a level': 'thinkingBudget' in thinking && 'thinkingLevel' in thinking,
        'names without a call': allowedFunctionNames !== undefined && mode !== 'ANY' && mode !== 'VALIDATED',
        'a choice without functions': mode !== undefined && !hasFunctions,
        'a schema without its type':
          hasAny(config, 'responseSchema responseJsonSchema') && !('responseMimeType' in config),
      }
    },
  ],
  // Its validator knows its models.
  cohere: [
    [
      ...['command', 'command-r-plus', 'command-r7b-12-2024', 'command-a-03-2025', 'command-a-vision-07-2025'],
      ...['command-a-reasoning-08-2025', 'command-a-plus-05-2026'],
    ],
    () => ({}),
  ],
  // gemini-interactions.md §2.2
  'gemini-interactions': [
    ['gemini-3.8-flash', 'gemini-2.5-flash'],
    ({ tools, generation_config }) => {
      const config = object(generation_config)
      return {
        'a choice without functions': 'tool_choice' in config && !list(tools).some(({ type }) => type === 'function'),
        'a field that it does not have': hasAny(config, 'top_k frequency_penalty presence_penalty'),
      }
    },
  ],
}

const tools = [{ name: 'find' }, { name: 'look', parameters, strict: true }]
const image = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' } as const
const document = { type: 'plain_text', text: 'Penguins swim.', title: 'birds' } as const
const textFile = { type: 'file', data: btoa('They do not fly.'), mimeType: 'text/plain', filename: 'more.txt' } as const
const question = { type: 'text', text: 'What is it?' } as const
const contexts: readonly Context[] = [
  { system: 'Be brief.', messages: [{ role: 'user', content: 'Hi' }] },
  { messages: [{ role: 'user', content: 'Hi' }], tools },
  { messages: [{ role: 'user', content: [document, textFile, question] }] },
  { messages: [{ role: 'user', content: [image, question] }], tools },
]

const models = Object.entries(rules).flatMap(([wire, [names, rule]]) =>
  names.map((model, turn) => [model, wire as WireName, rule, turn] as const),
)

describe.each(models)('%s, of %s', (model, wire, rule, turn) => {
  const validate = facts[wire].validatorOf(clients[wire].provider, model)
  // Most formats have models that differ in few options: each is tried with a third of the pairs, and the next one with others.
  const share = /^(?:cohere|gemini-interactions)$/.test(wire) ? 1 : 3

  it('takes every pair of options', () => {
    const found = new Map<string, string>()
    for (const [at, one] of options.entries()) {
      for (const [index, context] of contexts.entries()) {
        for (const other of inTurn(options.slice(at), share, at + turn + index)) {
          const asked = { ...one, ...other, model, strict: false }
          const body = JSON.parse(JSON.stringify(clients[wire].encodeRequest(context, asked).body))
          const broken = Object.entries(rule(body, model)).flatMap(([problem, isThere]) => (isThere ? [problem] : []))
          for (const problem of [...validate(body), ...broken])
            if (!found.has(problem)) found.set(problem, JSON.stringify([one, other, Object.keys(context)]))
        }
      }
    }
    expect(Object.fromEntries(found)).toEqual({})
  })
})

/** The results of calls that the model made before it thought: Claude refuses to think in the midst of a round. */
it.each(['anthropic', 'bedrock-converse'] as const)(
  '%s: a round that began without thinking goes on without',
  (wire) => {
    const model = wire === 'anthropic' ? 'claude-sonnet-4-5' : 'us.anthropic.claude-haiku-4-5-20251001-v1:0'
    const context: Context = {
      tools: [{ name: 'find', parameters }],
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [callOf({}, { id: 'call_1', name: 'find' })] },
        { role: 'tool', toolCallId: 'call_1', content: 'found' },
      ],
    }
    const asked = { model, maxTokens: 9000, temperature: 0.5, toolChoice: 'required' } as const
    const encoded = clients[wire].encodeRequest(context, { ...asked, reasoning: { effort: 'low' } })
    const body = object(encoded.body)
    expect(object(body.additionalModelRequestFields ?? body).thinking).toEqual({ type: 'disabled' })
    // Options that only thinking forbids are sent.
    expect(encoded.losses.filter(({ severity }) => severity !== 'info')).toMatchObject([
      { action: 'changed', path: 'options.reasoning' },
    ])
    const plain = object(clients[wire].encodeRequest(context, asked).body)
    for (const field of ['temperature', 'tool_choice', 'inferenceConfig', 'toolConfig'])
      expect(body[field]).toEqual(plain[field])
  },
)
