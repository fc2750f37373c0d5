/** Chat Completions, as the shared tests know it. */

import { stopReasons } from '../../../src/formats/openai-chat/tables.ts'
import { type FormatFacts, type Samples, unknownWord as word } from '../facts.ts'
import { sseEventsOf } from '../gateway.ts'
import { callAt, eachEvent } from '../joiner.ts'
import { violationsOf } from '../validator.ts'
import { claims } from './claims.ts'
import { provider } from './provider.ts'
import { refusals, validatorOf } from './validator.ts'

const join = eachEvent(({ choices: [choice] }, said) => {
  const { content, refusal, reasoning_content, tool_calls = [] } = choice?.delta ?? {}
  said.text += content ?? ''
  said.refusal += refusal ?? ''
  said.reasoning += reasoning_content ?? ''
  for (const { index, function: part = {}, custom } of tool_calls) {
    const call = callAt(said, index)
    call.name += part.name ?? custom?.name ?? ''
    call.text += part.arguments ?? (custom ? JSON.stringify({ input: custom.input }) : '')
  }
})

const user = { role: 'user', content: 'x' }
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }

const samples: Samples = {
  usage: ({ input, output, total, read, write, reasoning }) => ({
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'a' } }],
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: total,
      prompt_tokens_details: { cached_tokens: read, cache_write_tokens: write },
      completion_tokens_details: { reasoning_tokens: reasoning },
    },
  }),
  calls: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: 'Let me see',
          tool_calls: [
            { id: 'call_a', type: 'function', function: { name: 'get_weather', arguments: '{"city": "Paris"}' } },
            { id: 'call_b', type: 'function', function: { name: 'get_weather', arguments: '{"city": "Oslo"}' } },
          ],
        },
      },
    ],
  },
  callIds: ['call_a', 'call_b'],
  madeId: 'call_',
  idless: (called) => ({
    model: 'm',
    messages: called.map((one) => ({
      role: 'assistant',
      tool_calls: [{ ...(one && { id: one }), type: 'function', function: { name: 'f', arguments: '{}' } }],
    })),
  }),
  stop: { words: stopReasons, wordIn: (body) => body.choices[0]?.finish_reason },
  unknownWords: {
    base: { model: 'm', messages: [user] },
    fields: [
      { reasoning_effort: word },
      { tool_choice: word, tools: [tool] },
      { tool_choice: { type: word }, tools: [tool] },
      { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: word, tools: [] } }, tools: [tool] },
      { response_format: { type: word } },
      { service_tier: word },
      { verbosity: word },
      { modalities: [word] },
      { prompt_cache_retention: word },
    ],
  },
}

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
  violations: violationsOf(validatorOf('openai')),
  join,
}
