/** Anthropic, as the shared tests know it. */
import { type FormatFacts, sumsOf } from '../facts.ts'
import { sseEventsOf } from '../gateway.ts'
import { claims } from './claims.ts'
import { join } from './joiner.ts'
import { provider } from './provider.ts'
import { refusals } from './refusals.ts'
import { samples } from './samples.ts'
import { validatorOf } from './validator.ts'
import { violations } from './violations.ts'

export const anthropic: FormatFacts = {
  title: 'Anthropic',
  titleOnPage: 'Anthropic',
  reference: 'https://platform.claude.com/docs/en/api/messages',
  owner: 'anthropic',
  models: ['claude-sonnet-5', 'claude-sonnet-4-5'],
  modelOfSamples: 'claude-sonnet-4-5',
  words: ['content_block_delta', 'input_json_delta', 'signature_delta', 'anthropic-version', 'redacted_thinking'],
  mockBase: '/v1',
  storesAnswers: false,
  noHistories: [],
  answers: {
    rules: [
      'made media',
      'empty text',
      'refusal mark',
      'citations of other things than web pages',
      'offsets of citations',
      'text of arguments in whole answers',
      'invalid calls',
    ],
    stopWords: { content_filter: 'refusal', other: 'stop' },
    media: [],
    hasProofs: true,
    counts: (counts) => ({ ...counts, ...sumsOf(counts) }),
  },
  requests: {
    rules: [
      'conversations that a provider stores',
      'conversations that OpenAI stores',
      'files of plain text',
      'JSON without a schema',
      'schemas of tools without arguments',
      'longest answer',
      'stop sequences of white space',
      'reasoning without an effort',
      'fields beside the schema',
      'keywords of schemas',
      'text of earlier arguments',
      'types of text documents',
    ],
    takes: ({ type }) => type !== 'audio' && type !== 'video',
    drops: ['a seed', 'a level of detail'],
  },
  gateway: {
    minimal: (model, content, stream) => ({
      path: '/v1/messages',
      minimal: { model, max_tokens: 1000, messages: [{ role: 'user', content }], stream },
    }),
    mark: ({ type }) => (type === 'message_stop' ? 'end' : type === 'error' ? 'error' : undefined),
    eventsOf: sseEventsOf,
    isErrorBody: (body) =>
      body.type === 'error' && typeof body.error?.type === 'string' && typeof body.error.message === 'string',
    list: '/v1/models',
    headers: ['anthropic-version', 'x-api-key'],
    limit: (tokens) => ({ max_tokens: tokens }),
    limitIn: (body) => body.max_tokens,
    unauthorized: 401,
    silentPieces: 3,
    reasonPiece: '"stop_reason":"end_turn"',
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
