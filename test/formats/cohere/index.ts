/** Cohere, as the shared tests know it. */
import { type FormatFacts, isTextFile, sumsOf } from '../facts.ts'
import { sseEventsOf } from '../gateway.ts'
import { claims } from './claims.ts'
import { join } from './joiner.ts'
import { provider } from './provider.ts'
import { refusals } from './refusals.ts'
import { samples } from './samples.ts'
import { validate } from './validator.ts'
import { violations } from './violations.ts'

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
  violations,
  join,
}
