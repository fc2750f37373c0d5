/** Responses, as the shared tests know it. */
import { type FormatFacts, sumsOf } from '../facts.ts'
import { sseEventsOf } from '../gateway.ts'
import { claims } from './claims.ts'
import { join } from './joiner.ts'
import { provider } from './provider.ts'
import { refusals } from './refusals.ts'
import { samples } from './samples.ts'
import { validatorOf } from './validator.ts'
import { violations } from './violations.ts'

export const openaiResponses: FormatFacts = {
  title: 'Responses',
  titleOnPage: 'OpenAI Responses',
  reference: 'https://platform.openai.com/docs/api-reference/responses',
  owner: 'openai',
  models: ['gpt-5'],
  modelOfSamples: 'gpt-5',
  words: ['response.output_text.delta', 'function_call_output', 'response.output_item.added'],
  mockBase: '/v1',
  storesAnswers: false,
  noHistories: [],
  answers: {
    rules: ['made media', 'form of citations', 'no arguments'],
    stopWords: { refusal: 'content_filter', pause: 'stop', other: 'stop' },
    media: ['image'],
    hasProofs: true,
    streamErrors: ['authentication', 'not_found', 'context_length', 'rate_limit', 'overloaded', 'server'],
    counts: (counts, from) =>
      counts && {
        cacheReadTokens: 0,
        ...((from !== 'openai-responses' || counts.cacheReadTokens === undefined) && { cacheWriteTokens: 0 }),
        reasoningTokens: 0,
        ...sumsOf(counts),
        ...counts,
      },
  },
  requests: {
    rules: [
      'text documents',
      'schemas of tools without arguments',
      'made names of files',
      'least length',
      'reasoning without an effort',
      'name of the response format',
      'strictness said',
      'no earlier arguments',
      'names of results without their calls',
    ],
    takes: ({ type }, role) => (type === 'image' ? role !== 'assistant' : type !== 'audio' && type !== 'video'),
    drops: ['a seed'],
  },
  gateway: {
    minimal: (model, input, stream) => ({ path: '/v1/responses', minimal: { model, input, stream } }),
    mark: ({ type }) => (type === 'response.completed' ? 'end' : type === 'response.failed' ? 'error' : undefined),
    eventsOf: sseEventsOf,
    isErrorBody: (body) => typeof body.error?.message === 'string' && 'type' in body.error && 'code' in body.error,
    list: '/v1/models',
    headers: ['authorization'],
    limit: (tokens) => ({ max_output_tokens: tokens }),
    limitIn: (body) => body.max_output_tokens,
    unauthorized: 401,
    silentPieces: 4,
    channels: ['text', 'thought', 'arguments'],
    thinks: true,
    signs: true,
  },
  samples,
  provider,
  client: () => import('./client.ts'),
  claims,
  validatorOf,
  refusals,
  violations,
  join,
}
