/** Gemini, as the shared tests know it. */

import { stopReasons } from '../../../src/formats/gemini/tables.ts'
import { type FormatFacts, isWithoutForeignFile, type Samples, sumsOf, unknownWord as word } from '../facts.ts'
import { sseEventsOf } from '../gateway.ts'
import { callAt, eachEvent } from '../joiner.ts'
import { violationsOf } from '../validator.ts'
import { claims } from './claims.ts'
import { provider } from './provider.ts'
import { refusals, validatorOf } from './validator.ts'

const join = eachEvent(({ candidates: [candidate] = [] }, said) => {
  for (const { text = '', thought, functionCall } of candidate?.content?.parts ?? []) {
    if (thought) said.reasoning += text
    else said.text += text
    if (!functionCall) continue
    const call = callAt(said, said.calls.size)
    call.name = functionCall.name
    call.text = JSON.stringify(functionCall.args ?? {})
  }
})

const samples: Samples = {
  usage: ({ input, output, total, read, reasoning, tools }) => ({
    candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output,
      totalTokenCount: total,
      cachedContentTokenCount: read,
      thoughtsTokenCount: reasoning,
      toolUsePromptTokenCount: tools,
    },
  }),
  calls: {
    candidates: [
      {
        finishReason: 'STOP',
        content: {
          role: 'model',
          parts: [
            { text: 'Let me see' },
            { functionCall: { name: 'get_weather', args: { city: 'Paris' } } },
            { functionCall: { id: 'srv_b', name: 'get_weather', args: { city: 'Oslo' } } },
          ],
        },
      },
    ],
  },
  callIds: ['gemini_0', 'srv_b'],
  madeId: 'gemini_',
  idless: (called) => ({
    contents: called.map((one) => ({
      role: 'model',
      parts: [{ functionCall: { ...(one && { id: one }), name: 'f', args: {} } }],
    })),
  }),
  stop: { words: stopReasons, wordIn: (body) => body.candidates[0]?.finishReason },
  unknownWords: {
    base: { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
    fields: [
      { generationConfig: { thinkingConfig: { thinkingLevel: word } } },
      { generationConfig: { responseMimeType: word } },
      { generationConfig: { mediaResolution: word } },
      { generationConfig: { responseModalities: [word] } },
      { toolConfig: { functionCallingConfig: { mode: word } }, tools: [{ functionDeclarations: [{ name: 'f' }] }] },
      { safetySettings: [{ category: word, threshold: word }] },
      { serviceTier: word },
    ],
  },
}

export const gemini: FormatFacts = {
  title: 'Gemini',
  titleOnPage: 'Gemini',
  reference: 'https://ai.google.dev/api/generate-content',
  owner: 'gemini',
  models: ['gemini-3-flash', 'gemini-2.5-flash'],
  modelOfSamples: 'gemini-3-flash',
  words: ['generationConfig', 'functionDeclarations', 'usageMetadata', 'systemInstruction', 'groundingMetadata'],
  mockBase: '/v1beta',
  storesAnswers: false,
  noHistories: ['invalid call'],
  answers: {
    rules: [
      'empty text',
      'signatures behind streamed texts',
      'refusal mark',
      'neighbouring texts',
      'passages of citations',
      'text of arguments',
      'invalid calls, in the finish reason',
      'calls that were cut',
    ],
    stopWords: { refusal: 'content_filter', pause: 'other', aborted: 'other' },
    media: ['image'],
    hasProofs: true,
    counts(counts) {
      if (counts === undefined) return undefined
      const { inputTokens = 0, outputTokens = 0, cacheReadTokens, reasoningTokens, totalTokens } = counts
      const isTold = inputTokens !== 0 || outputTokens !== 0 || (totalTokens ?? 0) !== 0
      return {
        ...(isTold && { ...sumsOf(counts), ...(totalTokens !== undefined && { totalTokens }) }),
        ...(cacheReadTokens && { cacheReadTokens }),
        ...(reasoningTokens && { reasoningTokens }),
      }
    },
  },
  requests: {
    rules: [
      'conversations that a provider stores',
      'conversations that OpenAI stores',
      'text documents',
      'one text a result',
      'who asks',
      'parallel calls, where they are always allowed',
      'reasoning shown',
      'fields beside the schema',
      'whether the answer streams',
      'strict tools',
      'tools that are not strict',
      'tools without arguments',
      'text of earlier arguments',
      'names of files',
      'made ids',
      'addresses of images',
    ],
    takes: isWithoutForeignFile,
    developersAreUsers: true,
    drops: ['a cache hint', 'a level of detail'],
  },
  gateway: {
    minimal: (model, text, stream) => ({
      path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      minimal: { contents: [{ role: 'user', parts: [{ text }] }] },
    }),
    mark: (event) => (event.error ? 'error' : event.candidates?.[0]?.finishReason ? 'end' : undefined),
    eventsOf: sseEventsOf,
    isErrorBody: (body) => typeof body.error?.code === 'number' && typeof body.error.status === 'string',
    list: '/v1beta/models',
    headers: ['x-goog-api-key'],
    limit: (tokens) => ({ generationConfig: { maxOutputTokens: tokens } }),
    limitIn: (body) => body.generationConfig?.maxOutputTokens,
    unauthorized: 401,
    silentPieces: 0,
    channels: ['text', 'thought'],
    thinks: true,
    signs: true,
  },
  samples,
  provider,
  client: () => import('./client.ts'),
  claims,
  validatorOf,
  refusals,
  violations: violationsOf(validatorOf('gemini')),
  join,
}
