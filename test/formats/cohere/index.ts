/** Cohere, as the shared tests know it. */

import { stopReasons } from '../../../src/formats/cohere/tables.ts'
import { type FormatFacts, isTextFile, type Samples, sumsOf, unknownWord as word } from '../facts.ts'
import { sseEventsOf } from '../gateway.ts'
import { callAt, eachEvent } from '../joiner.ts'
import { violationsOf } from '../validator.ts'
import { claims } from './claims.ts'
import { provider } from './provider.ts'
import { refusals, validate } from './validator.ts'

const join = eachEvent(({ type, index, delta }, said) => {
  const { content = {}, tool_plan = '', tool_calls: call } = delta?.message ?? {}
  if (type === 'content-start' || type === 'content-delta') {
    said.text += content.text ?? ''
    said.reasoning += content.thinking ?? ''
  }
  if (type === 'tool-plan-delta') said.reasoning += tool_plan
  if (type === 'tool-call-start') callAt(said, index).name = call.function.name
  if (type === 'tool-call-start' || type === 'tool-call-delta') callAt(said, index).text += call.function.arguments
})

const user = { role: 'user', content: 'x' }
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }

const samples: Samples = {
  usage: ({ input, output, read, reasoning }) => ({
    message: { role: 'assistant', content: [{ type: 'text', text: 'a' }] },
    finish_reason: 'COMPLETE',
    usage: {
      tokens: { input_tokens: input, output_tokens: output, reasoning_tokens: reasoning },
      cached_tokens: read,
    },
  }),
  calls: {
    id: 'f0e1',
    finish_reason: 'TOOL_CALL',
    message: {
      role: 'assistant',
      tool_plan: 'Let me see',
      tool_calls: [
        { id: 'call_a', type: 'function', function: { name: 'get_weather', arguments: '{"city": "Paris"}' } },
        { id: 'call_b', type: 'function', function: { name: 'get_weather', arguments: '{"city": "Oslo"}' } },
      ],
    },
  },
  callIds: ['call_a', 'call_b'],
  madeId: 'cohere_',
  idless: (called) => ({
    model: 'm',
    messages: called.map((one) => ({
      role: 'assistant',
      tool_calls: [{ ...(one && { id: one }), type: 'function', function: { name: 'f', arguments: '{}' } }],
    })),
  }),
  stop: { words: stopReasons, wordIn: (body) => body.finish_reason },
  unknownWords: {
    base: { model: 'm', messages: [user] },
    fields: [
      { tool_choice: word, tools: [tool] },
      { response_format: { type: word } },
      { thinking: { type: word } },
      { safety_mode: word },
      { citation_options: { mode: word } },
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example', detail: word } }] },
        ],
      },
    ],
  },
}

export const cohere: FormatFacts = {
  title: 'Cohere',
  titleOnPage: 'Cohere',
  reference: 'https://docs.cohere.com/reference/chat',
  owner: 'cohere',
  models: ['command-a-plus-05-2026', 'command-a-reasoning-08-2025', 'command-a-03-2025'],
  modelOfSamples: 'command-a-03-2025',
  words: ['tool_plan', 'billed_units', 'strict_tools'],
  mockBase: '/v2',
  storesAnswers: false,
  noHistories: ['reasoning with proof', 'server tools', 'invalid call'],
  answers: {
    rules: [
      'made media',
      'empty text',
      'refusal mark',
      'offsets of citations for a whole text',
      'calls at the end of the turn',
      'model of the answer',
      'no arguments',
    ],
    stopWords: { content_filter: 'stop', refusal: 'stop', pause: 'stop', other: 'stop', aborted: 'error' },
    media: [],
    hasProofs: false,
    order: 'calls last',
    streamErrors: ['server'],
    counts(counts = {}) {
      const { cacheWriteTokens: _, ...others } = counts
      return { ...others, ...sumsOf(counts) }
    },
  },
  requests: {
    rules: [
      'conversations that a provider stores',
      'conversations that OpenAI stores',
      'documents beside the conversation',
      'strictness of all tools or none',
      'JSON beside tools',
      'who asks',
      'tools that may not be called',
      'schemas of tools without arguments',
      'choice of one tool by leaving out the others',
      'parallel calls, where they are always allowed',
      'choice left to the model',
      'fields beside the schema',
      'whether the answer streams',
      'tools that are not strict',
      'no earlier arguments',
      'types of text documents',
    ],
    takes(part, role) {
      if (part.type === 'image') return part.fileId === undefined && role === 'user'
      return isTextFile(part) || !/^(?:file|audio|video)$/.test(part.type)
    },
    drops: ['a cache hint'],
  },
  gateway: {
    minimal: (model, content, stream) => ({
      path: '/v2/chat',
      minimal: { model, messages: [{ role: 'user', content }], stream },
    }),
    mark: ({ type, delta }) => (type !== 'message-end' ? undefined : delta.error ? 'error' : 'end'),
    eventsOf: (text) => sseEventsOf(text.replace(/data: \[DONE\]\n\n$/, '')) /* the stream has ended when that comes */,
    isErrorBody: (body) => typeof body.message === 'string',
    list: '/v1/models',
    headers: ['authorization'],
    limit: (tokens) => ({ max_tokens: tokens }),
    limitIn: (body) => body.max_tokens,
    unauthorized: 401,
    silentPieces: 2,
    channels: ['text', 'thought', 'arguments'],
    thinks: true,
    signs: false,
  },
  samples,
  provider,
  client: () => import('./client.ts'),
  claims,
  validatorOf: () => validate,
  refusals,
  violations: violationsOf(validate),
  join,
}
