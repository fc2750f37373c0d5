/** Ollama, as the shared tests know it. */

import { type FormatFacts, type Samples, sumsOf, unknownWord as word } from '../facts.ts'
import { callAt, eachEvent } from '../joiner.ts'
import { violationsOf } from '../validator.ts'
import { claims } from './claims.ts'
import { provider } from './provider.ts'
import { refusals, validate } from './validator.ts'

const join = eachEvent(({ message: { content = '', thinking = '', tool_calls = [] } }, said) => {
  said.text += content
  said.reasoning += thinking
  for (const { function: part } of tool_calls) {
    const call = callAt(said, said.calls.size)
    call.name = part.name
    call.text = JSON.stringify(part.arguments ?? {})
  }
})

const user = { role: 'user', content: 'x' }

const samples: Samples = {
  usage: ({ input, output }) => ({
    message: { role: 'assistant', content: 'a' },
    done: true,
    prompt_eval_count: input,
    eval_count: output,
  }),
  calls: {
    model: 'm',
    done: true,
    done_reason: 'stop',
    message: {
      role: 'assistant',
      content: 'Let me see',
      tool_calls: [
        { function: { name: 'get_weather', arguments: { city: 'Paris' } } },
        { id: 'call_b', function: { name: 'get_weather', arguments: { city: 'Oslo' } } },
      ],
    },
  },
  callIds: ['ollama_0', 'call_b'],
  madeId: 'ollama_',
  idless: (called) => ({
    model: 'm',
    messages: called.map((one) => ({
      role: 'assistant',
      tool_calls: [{ ...(one && { id: one }), function: { name: 'f', arguments: {} } }],
    })),
  }),
  stop: undefined,
  unknownWords: {
    base: { model: 'm', messages: [user] },
    fields: [{ think: word }, { format: word }, { keep_alive: word }],
  },
}

export const ollama: FormatFacts = {
  title: 'Ollama',
  titleOnPage: 'Ollama',
  reference: 'https://docs.ollama.com/api/chat',
  owner: 'ollama',
  models: ['qwen3:8b'],
  modelOfSamples: 'qwen3:8b',
  words: ['prompt_eval_count', 'done_reason', 'num_predict'],
  mockBase: '',
  storesAnswers: false,
  noHistories: ['reasoning with proof', 'server tools', 'citations', 'media', 'invalid call'],
  answers: {
    rules: [
      'made media',
      'empty text',
      'refusal mark',
      'order in the turn',
      'types of images',
      'no citations',
      'text of arguments',
      'made ids of calls of the wire itself',
      'calls that were cut',
    ],
    stopWords: {
      content_filter: 'stop',
      refusal: 'stop',
      pause: 'stop',
      other: 'stop',
      error: 'stop',
      aborted: 'stop',
    },
    media: ['image'],
    hasProofs: false,
    order: 'merged',
    refusesInvalidCalls: true,
    streamErrors: ['context_length', 'server'],
    counts: (counts) => sumsOf(counts),
  },
  requests: {
    rules: [
      'conversations that a provider stores',
      'conversations that OpenAI stores',
      'text documents',
      'one text a message',
      'who asks',
      'tools that may not be called',
      'schemas of tools without arguments',
      'parallel calls, where they are always allowed',
      'choice left to the model',
      'fields beside the schema',
      'whether the answer streams',
      'strict tools',
      'tools that are not strict',
      'text of earlier arguments',
      'made ids',
      'types of images asked about',
    ],
    takes: ({ type, data }) => (type === 'image' ? data !== undefined : !/^(?:file|audio|video)$/.test(type)),
    hasOneText: true,
    systemSeparator: '\n',
    drops: ['a cache hint', 'a level of detail'],
  },
  gateway: {
    minimal: (model, content, stream) => ({
      path: '/api/chat',
      minimal: { model, messages: [{ role: 'user', content }], stream },
    }),
    mark: (event) => (event.error ? 'error' : event.done ? 'end' : undefined),
    eventsOf: (text) => text.split('\n').flatMap((line) => (line.trim() === '' ? [] : JSON.parse(line))),
    isErrorBody: (body) => typeof body.error === 'string',
    list: '/api/tags',
    headers: ['authorization'],
    limit: (tokens) => ({ options: { num_predict: tokens } }),
    limitIn: (body) => body.options?.num_predict,
    unauthorized: 401,
    silentPieces: 0,
    channels: ['text', 'thought'],
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
