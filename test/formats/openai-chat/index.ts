/** Chat Completions, as the shared tests know it. */
import type { FormatFacts } from '../facts.ts'
import { sseEventsOf } from '../gateway.ts'
import { claims } from './claims.ts'
import { join } from './joiner.ts'
import { provider } from './provider.ts'
import { refusals } from './refusals.ts'
import { samples } from './samples.ts'
import { validatorOf } from './validator.ts'
import { violations } from './violations.ts'

export const openaiChat: FormatFacts = {
  title: 'Chat Completions',
  titleOnPage: 'OpenAI Chat',
  reference: 'https://platform.openai.com/docs/api-reference/chat',
  owner: 'openai',
  models: ['gpt-5'],
  modelOfSamples: 'gpt-5',
  words: ['max_completion_tokens', 'stream_options', 'reasoning_content'],
  mockBase: '/v1',
  storesAnswers: false,
  noHistories: ['server tools'],
  answers: {
    rules: [
      'made media',
      'empty text',
      'form of citations',
      'order in the turn',
      'no arguments',
      'made ids of calls of Workers AI',
    ],
    stopWords: { refusal: 'content_filter', pause: 'stop', other: 'stop', aborted: 'error' },
    media: ['image', 'audio'],
    hasProofs: true,
    order: 'merged',
    counts: (counts) => counts,
  },
  requests: {
    rules: [
      'conversations that a provider stores',
      'conversations that OpenAI stores',
      'text documents',
      'made names of files',
      'reasoning without an effort',
      'name of the response format',
      'no earlier arguments',
      'names of results',
    ],
    takes({ type, fileId, url }, role) {
      if (type === 'image') return fileId === undefined && role !== 'assistant'
      return type === 'file' ? url === undefined : type !== 'video'
    },
    drops: [],
  },
  gateway: {
    minimal: (model, content, stream) => ({
      path: '/v1/chat/completions',
      minimal: { model, messages: [{ role: 'user', content }], stream },
    }),
    mark: (event) => (event === '[DONE]' ? 'end' : event.error ? 'error' : undefined),
    eventsOf: sseEventsOf,
    isErrorBody: (body) => typeof body.error?.message === 'string' && 'type' in body.error && 'code' in body.error,
    list: '/v1/models',
    headers: ['authorization'],
    limit: (tokens) => ({ max_completion_tokens: tokens }),
    limitIn: (body) => body.max_completion_tokens,
    unauthorized: 401,
    silentPieces: 1,
    reasonPiece: '"finish_reason":"stop"',
    channels: ['text', 'arguments'],
    thinks: false,
    signs: false,
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
