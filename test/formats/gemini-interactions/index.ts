/** Interactions, as the shared tests know it. */
import { type FormatFacts, isWithoutForeignFile, sumsOf } from '../facts.ts'
import { sseEventsOf } from '../gateway.ts'
import { claims } from './claims.ts'
import { join } from './joiner.ts'
import { provider } from './provider.ts'
import { refusals } from './refusals.ts'
import { samples } from './samples.ts'
import { validate } from './validator.ts'
import { violations } from './violations.ts'

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
  violations,
  join,
}
