/** Bedrock, as the shared tests know it. */

import { stopReasons } from '../../../src/formats/bedrock-converse/tables.ts'
import type { SeenPart } from '../../support/requests.ts'
import { type FormatFacts, type Samples, sumsOf } from '../facts.ts'
import { callAt, eachEvent } from '../joiner.ts'
import { violationsOf } from '../validator.ts'
import { provider } from './provider.ts'
import { refusals, validate, validatorFor } from './validator.ts'

const join = eachEvent(({ contentBlockStart, contentBlockDelta }, said) => {
  const { contentBlockIndex: at, start, delta = {} } = contentBlockStart ?? contentBlockDelta ?? {}
  // The client does not see calls that Bedrock ran itself.
  if (start?.toolUse && start.toolUse.type === undefined) callAt(said, at).name = start.toolUse.name
  said.text += delta.text ?? ''
  said.reasoning += delta.reasoningContent?.text ?? ''
  if (delta.toolUse && said.calls.has(at)) callAt(said, at).text += delta.toolUse.input
})

const samples: Samples = {
  usage: ({ input, output, total, read, write }) => ({
    output: { message: { role: 'assistant', content: [{ text: 'a' }] } },
    stopReason: 'end_turn',
    usage: {
      inputTokens: input,
      outputTokens: output,
      totalTokens: total,
      cacheReadInputTokens: read,
      cacheWriteInputTokens: write,
    },
  }),
  calls: {
    output: {
      message: {
        role: 'assistant',
        content: [
          { text: 'Let me see' },
          { toolUse: { toolUseId: 'tooluse_a', name: 'get_weather', input: { city: 'Paris' } } },
          { toolUse: { toolUseId: 'tooluse_b', name: 'get_weather', input: { city: 'Oslo' } } },
        ],
      },
    },
    stopReason: 'tool_use',
  },
  callIds: ['tooluse_a', 'tooluse_b'],
  madeId: undefined,
  idless: undefined,
  stop: { words: stopReasons, wordIn: (body) => body.stopReason },
  unknownWords: undefined,
}

export const bedrockConverse: FormatFacts = {
  title: 'Bedrock',
  titleOnPage: 'Bedrock Converse',
  reference: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html',
  owner: 'bedrock',
  models: [
    'us.anthropic.claude-haiku-4-5-20251001-v1:0',
    'amazon.nova-lite-v1:0',
    'anthropic.claude-3-5-sonnet-20241022-v2:0',
    'global.anthropic.claude-sonnet-4-6',
    'global.anthropic.claude-sonnet-5',
    'us.amazon.nova-2-lite-v1:0',
    'us.meta.llama4-scout-17b-instruct-v1:0',
    'mistral.mistral-large-3-675b-instruct',
    'us.writer.palmyra-x5-v1:0',
    'openai.gpt-oss-120b-1:0',
    'qwen.qwen3-32b-v1:0',
    'moonshot.kimi-k2-thinking',
  ],
  modelOfSamples: 'us.anthropic.claude-haiku-4-5-20251001-v1:0',
  words: ['inferenceConfig', 'toolSpec', 'contentBlockIndex'],
  mockBase: '',
  storesAnswers: false,
  noHistories: [],
  answers: {
    rules: [
      'made media',
      'empty text',
      'refusal mark',
      'citations of whole texts',
      'model of the answer',
      'text of arguments in whole answers',
      'invalid calls',
    ],
    stopWords: { refusal: 'content_filter', pause: 'stop', other: 'stop', aborted: 'error' },
    media: [],
    hasProofs: true,
    counts(counts = {}) {
      const { reasoningTokens: _, ...others } = counts
      return { ...others, ...sumsOf(counts) }
    },
  },
  requests: {
    rules: [
      'conversations that a provider stores',
      'conversations that OpenAI stores',
      'JSON without a schema',
      'who asks',
      'tools that may not be called',
      'schemas of tools without arguments',
      'parallel calls, where they are always allowed',
      'reasoning by models that others make',
      'fields beside the schema',
      'keywords of schemas',
      'whether the answer streams',
      'strict tools',
      'tools that are not strict',
      'text of earlier arguments',
      'tools of earlier calls',
      'blank descriptions of tools',
      'names of documents',
      'types of text documents',
    ],
    takes: (part, role) => !/^(?:image|file|audio|video)$/.test(part.type) || (role === 'user' && isOnBedrock(part)),
    drops: ['a seed', 'a level of detail'],
  },
  gateway: {
    minimal: (model, text, stream) => ({
      path: `/model/${model}/converse${stream ? '-stream' : ''}`,
      minimal: { messages: [{ role: 'user', content: [{ text }] }] },
    }),
    mark: ({ type, isError }) => (isError ? 'error' : type === 'messageStop' ? 'end' : undefined),
    eventsOf: (text) =>
      [...text.matchAll(/^:(\w+)-type (\w+) (.*)$/gm)].map(([, kind, type, payload = '']) => ({
        ...JSON.parse(payload),
        type,
        isError: kind === 'exception',
      })),
    isErrorBody: (body) => typeof body.message === 'string',
    list: '/v1/models',
    headers: ['authorization'],
    limit: (tokens) => ({ inferenceConfig: { maxTokens: tokens } }),
    limitIn: (body) => body.inferenceConfig?.maxTokens,
    unauthorized: 403, // AWS has no 401
    silentPieces: 1,
    reasonPiece: ':event-type messageStop ',
    channels: ['text', 'thought', 'arguments'],
    thinks: true,
    signs: true,
  },
  samples,
  provider,
  client: () => import('./client.ts'),
  claims: undefined,
  validatorOf: (_provider, model) => (model === undefined ? validate : validatorFor(model)),
  refusals,
  violations: violationsOf(validate),
  join,
}

/** Data of a type that Bedrock has a word for; an image without one is taken for a PNG. */
function isOnBedrock({ type, data, url, mimeType = type === 'image' ? 'image/png' : '' }: SeenPart): boolean {
  const known: Readonly<Record<string, RegExp>> = {
    image: /^image\/(?:png|jpeg|gif|webp)$/,
    file: /^(?:application\/pdf|text\/(?:csv|html|plain|markdown)|application\/.*(?:word|excel|sheet).*)$/,
    audio: /^audio\/(?:mpeg|mp3|wav|opus|aac|flac|mp4|ogg|webm)$/,
    video: /^video\/(?:mp4|quicktime|webm|x-matroska|mpeg|x-flv|x-ms-wmv|3gpp)$/,
  }
  return (data !== undefined || String(url).startsWith('s3://')) && known[type]?.test(String(mimeType)) === true
}
