/** Interactions, as the shared tests know it. */
import { isEmpty } from '../claims.ts'
import { type FormatFacts, isWithoutForeignFile, type Samples, sumsOf, unknownWord as word } from '../facts.ts'
import { sseEventsOf } from '../gateway.ts'
import { callAt, eachEvent } from '../joiner.ts'
import { violationsOf } from '../validator.ts'
import { claims } from './claims.ts'
import { provider } from './provider.ts'
import { refusals, validate } from './validator.ts'

const join = eachEvent(({ event_type: type, index, step, delta }, said) => {
  if (type === 'step.start' && step.type === 'function_call') {
    const call = callAt(said, index)
    call.name = step.name
    call.text = isEmpty(step.arguments ?? {}) ? '' : JSON.stringify(step.arguments)
  }
  if (type !== 'step.delta') return
  if (delta.type === 'text') said.text += delta.text
  if (delta.type === 'thought_summary') said.reasoning += delta.content.text ?? ''
  if (delta.type === 'arguments_delta') callAt(said, index).text += delta.arguments
})

const samples: Samples = {
  usage: ({ input, output, total, read, reasoning, tools }) => ({
    status: 'completed',
    steps: [{ type: 'model_output', content: [{ type: 'text', text: 'a' }] }],
    usage: {
      total_input_tokens: input,
      total_output_tokens: output,
      total_tokens: total,
      total_cached_tokens: read,
      total_thought_tokens: reasoning,
      total_tool_use_tokens: tools,
    },
  }),
  calls: {
    id: 'v1_1',
    object: 'interaction',
    status: 'requires_action',
    steps: [
      { type: 'thought', signature: 'c2ln' },
      { type: 'model_output', content: [{ type: 'text', text: 'Let me see' }] },
      { type: 'function_call', id: 'fc_a', name: 'get_weather', arguments: { city: 'Paris' } },
      { type: 'function_call', id: 'fc_b', name: 'get_weather', arguments: { city: 'Oslo' } },
    ],
  },
  callIds: ['fc_a', 'fc_b'],
  madeId: undefined,
  idless: undefined,
  stop: undefined,
  unknownWords: {
    base: { model: 'm', input: [{ type: 'user_input', content: [{ type: 'text', text: 'x' }] }] },
    fields: [
      { generation_config: { thinking_level: word } },
      { generation_config: { thinking_summaries: word } },
      { generation_config: { tool_choice: word }, tools: [{ type: 'function', name: 'f' }] },
      { response_format: { type: word } },
      { service_tier: word },
      { tools: [{ type: word }] },
      {
        input: [
          { type: 'user_input', content: [{ type: 'image', data: 'aGk=', mime_type: 'image/png', resolution: word }] },
        ],
      },
    ],
  },
}

export const geminiInteractions: FormatFacts = {
  title: 'Interactions',
  titleOnPage: 'Gemini Interactions',
  reference: 'https://ai.google.dev/api/interactions-api',
  owner: 'gemini',
  models: ['gemini-3.8-flash', 'gemini-2.5-flash'],
  modelOfSamples: 'gemini-3.8-flash',
  words: ['previous_interaction_id', 'arguments_delta', 'total_thought_tokens'],
  mockBase: '/v1beta',
  storesAnswers: true,
  noHistories: [],
  answers: {
    rules: [
      'empty text',
      'refusal mark',
      'citations of other things than web pages',
      'quotes of citations',
      'text of arguments in whole answers',
      'made ids of calls of the wire itself',
      'invalid calls',
    ],
    stopWords: { refusal: 'stop', other: 'stop' },
    media: ['image'],
    hasProofs: true,
    counts(counts) {
      if (counts === undefined) return undefined
      const { cacheWriteTokens: _, ...others } = counts
      return { cacheReadTokens: 0, reasoningTokens: 0, ...sumsOf(counts), ...others }
    },
  },
  requests: {
    rules: [
      'conversations that OpenAI stores',
      'text documents',
      'one text a message',
      'who asks',
      'schemas of tools without arguments',
      'parallel calls, where they are always allowed',
      'fields beside the schema',
      'strict tools',
      'tools that are not strict',
      'text of earlier arguments',
      'names of files',
      'text of files',
      'rounds of calls without a signature',
    ],
    takes: isWithoutForeignFile,
    systemSeparator: '\n\n',
    drops: ['a cache hint'],
  },
  gateway: {
    minimal: (model, input, stream) => ({
      path: '/v1beta/interactions',
      minimal: { model, input, stream },
    }),
    mark: (event) => (event === '[DONE]' ? 'end' : event.event_type === 'error' ? 'error' : undefined),
    eventsOf: sseEventsOf,
    isErrorBody: (body) => typeof body.error?.code === 'string' && typeof body.error.message === 'string',
    list: '/v1beta/models',
    headers: ['x-goog-api-key'],
    limit: (tokens) => ({ generation_config: { max_output_tokens: tokens } }),
    limitIn: (body) => body.generation_config?.max_output_tokens,
    unauthorized: 401,
    silentPieces: 3,
    channels: ['text', 'thought', 'arguments'],
    thinks: true,
    signs: true,
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
