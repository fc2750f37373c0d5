/**
 * Every option, and every two options together, give a body that the server accepts, for models of each family: what the format or the
 * model refuses is left out or changed, and reported. Judged by the validators, which were written only from the wire documents.
 */
import { describe, expect, it } from 'vitest'
import type { ClientCodec } from '../../src/core/codec.ts'
import type { Context, RequestOptions } from '../../src/core/messages.ts'
import { facts } from '../formats/index.ts'
import type { Wire } from '../support/answers.ts'
import { inTurn } from '../support/cuts.ts'
import { wires } from './matrix.ts'

type Options = Omit<RequestOptions, 'model'>

const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
const optionSets: readonly Options[] = [
  { maxTokens: 500 },
  { stream: true },
  { temperature: 0 },
  { temperature: 1.5 },
  { topP: 1 },
  { topP: 0 },
  { topK: 900 },
  { seed: 1 },
  { stop: ['1', '2', '3', '4', '5', '6'] },
  { stop: [] },
  { frequencyPenalty: 0.5 },
  { frequencyPenalty: -1 },
  { presencePenalty: 2 },
  { toolChoice: 'none' },
  { toolChoice: 'required' },
  { toolChoice: { name: 'f' } },
  { toolChoice: { names: ['f', 'g'], mode: 'auto' } },
  { toolChoice: { names: ['g'], mode: 'required' } },
  { parallelToolCalls: false },
  { user: 'u' },
  { providerOptions: { 'gemini-interactions': { agent: 'antigravity-preview', background: true } } },
  { providerOptions: { 'gemini-interactions': { agent: 'deep-research-pro-preview', background: true } } },
  { responseFormat: { type: 'json' } },
  { responseFormat: { type: 'json', schema, name: 'n', description: 'd', strict: true } },
  { responseFormat: { type: 'json', schema: { type: 'array', items: schema } } },
  { responseFormat: { type: 'json', schema: { type: 'object', properties: {} } } },
  { responseFormat: { type: 'json', schema: { ...schema, properties: { a: { $ref: '#' } } } } },
  { reasoning: {} },
  { reasoning: { effort: 'none' } },
  { reasoning: { effort: 'low' } },
  { reasoning: { effort: 'max' } },
  { reasoning: { budgetTokens: 4000 } },
]

const tools = [{ name: 'f' }, { name: 'g', parameters: schema, strict: true }]
const image = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' } as const
const document = { type: 'plain_text', text: 'Penguins swim.', title: 'birds' } as const
const textFile = { type: 'file', data: btoa('They do not fly.'), mimeType: 'text/plain', filename: 'more.txt' } as const
const question = { type: 'text', text: 'What is it?' } as const
const contexts: Readonly<Record<string, Context>> = {
  text: { system: 'Be brief.', messages: [{ role: 'user', content: 'Hi' }] },
  tools: { messages: [{ role: 'user', content: 'Hi' }], tools },
  documents: { messages: [{ role: 'user', content: [document, textFile, question] }] },
  image: { messages: [{ role: 'user', content: [image, question] }], tools },
}

/** Models of each family, where a wire document has rules for families. */
const families: Readonly<Record<string, readonly string[]>> = {
  cohere: [
    ...['command', 'command-r-plus', 'command-r7b-12-2024', 'command-a-03-2025', 'command-a-vision-07-2025'],
    ...['command-a-reasoning-08-2025', 'command-a-plus-05-2026'],
  ],
  'gemini-interactions': ['gemini-2.5-flash', 'gemini-3.8-flash'],
  anthropic: ['claude-sonnet-4-5', 'claude-sonnet-4-6', 'claude-opus-4-7', 'claude-opus-4-8', 'claude-sonnet-5'],
  'bedrock-converse': ['claude-haiku-4-5-20251001-v1:0', 'claude-sonnet-4-6', 'claude-opus-4-7', 'claude-sonnet-5'],
}

const pairs = optionSets.flatMap((one, at) => [one, ...optionSets.slice(at + 1).map((other) => ({ ...one, ...other }))])

function findingsOf(client: ClientCodec, model: string): string[] {
  const validate = facts[client.name as Wire].validatorOf(client.provider, model)
  const turn = families[client.name]?.indexOf(model) ?? 0
  return Object.entries(contexts).flatMap(([name, given], at) => {
    // Models of Claude differ in few options, so each is tried with a third of the pairs for each context, its neighbours with the others.
    return inTurn(pairs, /claude/.test(model) ? 3 : 1, turn + at).flatMap((options) => {
      const { body } = client.encodeRequest(given, { model, ...options, strict: false })
      return validate(body).map((finding) => `${model}, ${name}, ${JSON.stringify(options)}: ${finding}`)
    })
  })
}

const judged = wires.filter(({ client }) => families[client.name] !== undefined)

describe.each(judged)('$name', ({ client }) => {
  it.each(families[client.name] as readonly string[])('%s is never asked for what it refuses', (model) => {
    expect(findingsOf(client, model)).toEqual([])
  })
})
