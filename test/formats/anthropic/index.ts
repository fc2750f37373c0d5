/** Anthropic, as the shared tests know it. */

import { stopReasons } from '../../../src/formats/anthropic/tables.ts'
import { type FormatFacts, type Samples, sumsOf, unknownWord as word } from '../facts.ts'
import { sseEventsOf } from '../gateway.ts'
import { callAt, eachEvent } from '../joiner.ts'
import { violationsOf } from '../validator.ts'
import { claims } from './claims.ts'
import { provider } from './provider.ts'
import { refusals, validatorOf } from './validator.ts'

const join = eachEvent(({ type, index, delta, content_block: block }, said) => {
  if (type === 'content_block_start') {
    said.text += block.type === 'text' ? block.text : ''
    said.reasoning += block.type === 'thinking' ? block.thinking : ''
    if (block.type === 'tool_use') callAt(said, index).name = block.name
  }
  if (type !== 'content_block_delta') return
  said.text += delta.text ?? ''
  said.reasoning += delta.thinking ?? ''
  if (delta.type === 'input_json_delta' && said.calls.has(index)) callAt(said, index).text += delta.partial_json
})

const user = { role: 'user', content: 'x' }

const samples: Samples = {
  usage: ({ input, output, read, write, reasoning }) => ({
    type: 'message',
    content: [{ type: 'text', text: 'a' }],
    stop_reason: 'end_turn',
    usage: {
      input_tokens: input,
      output_tokens: output,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: write,
      output_tokens_details: { thinking_tokens: reasoning },
    },
  }),
  calls: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    stop_reason: 'tool_use',
    content: [
      { type: 'text', text: 'Let me see' },
      { type: 'tool_use', id: 'toolu_a', name: 'get_weather', input: { city: 'Paris' } },
      { type: 'tool_use', id: 'toolu_b', name: 'get_weather', input: { city: 'Oslo' } },
    ],
  },
  callIds: ['toolu_a', 'toolu_b'],
  madeId: undefined,
  idless: undefined,
  stop: { words: stopReasons, wordIn: (body) => body.stop_reason },
  unknownWords: {
    base: { model: 'm', max_tokens: 9, messages: [user] },
    fields: [
      { tool_choice: { type: word }, tools: [{ name: 'f', input_schema: { type: 'object' } }] },
      { thinking: { type: word } },
      { output_config: { effort: word } },
      { output_config: { format: { type: word } } },
      { service_tier: word },
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: word } }] }] },
      {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: word } }] },
        ],
      },
    ],
  },
}

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
  violations: violationsOf(validatorOf('anthropic')),
  join,
}
