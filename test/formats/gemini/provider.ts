/** A provider of Gemini's format, by hand from wire/gemini.md §3, §4. */
import { gemini } from '../../../src/formats/gemini/index.ts'
import { proof } from '../../gateway/dialogue.ts'
import { type Answer, codeOf, given, halves, type Json, list, providerOf, resultOf, sse, textOf } from '../provider.ts'

const key = 'AIza-canary-2Gs9Nk7Wq3'

const chunk = (parts: readonly Json[], finishReason?: string): Json => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) }],
  usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
  modelVersion: 'gemini-3-flash-preview',
  responseId: 'u1',
})
const thoughtOf = (text: string) => ({ text, thought: true })
/** The first of the calls is signed. */
const callsOf = ({ calls, proof: thoughtSignature }: Answer) =>
  calls.map(({ id, name, input }, at) => ({
    functionCall: { id, name, args: input },
    ...(at === 0 && thoughtSignature && { thoughtSignature }),
  }))

export const provider = providerOf({
  name: 'gemini',
  path: /^\/v1beta\/models\/[\w.-]+:(?:generateContent|streamGenerateContent\?alt=sse)$/,
  key,
  make: (model, options) => gemini(model, options),
  model: 'gemini-3-flash-preview',
  base: '/v1beta',
  words: { stop: 'STOP', calls: 'STOP', length: 'MAX_TOKENS' },
  turnsOf: ({ contents }) =>
    list(contents).map(({ role, parts }) => {
      const results = list(parts).flatMap(({ functionResponse }) => functionResponse ?? [])
      return {
        ...(role === 'user' && results.length === 0 && { prompt: textOf(parts) }),
        results: results.map(({ id, name, response }) => resultOf(id ?? name, Object.values(response).join(''))),
        isProved: list(parts).some(({ thoughtSignature }) => thoughtSignature === proof),
      }
    }),
  schemaIn: ({ generationConfig }) => generationConfig?.responseJsonSchema ?? generationConfig?.responseSchema,
  whole: (answer) =>
    chunk(
      [...given(answer.thought, thoughtOf), ...given(answer.text, (text) => ({ text })), ...callsOf(answer)],
      answer.reason,
    ),
  pieces: (answer) =>
    [
      ...halves(answer.thought ?? '').flatMap((half) => (half === '' ? [] : thoughtOf(half))),
      ...answer.texts.map((text) => ({ text })),
      ...callsOf(answer),
    ].map((part) => sse(chunk([part]))),
  end: ({ reason }) => [sse(chunk([{ text: '' }], reason))],
  callsWithoutIds: true,
  isStream: ({ path }) => path.endsWith(':streamGenerateContent?alt=sse'),
  error: (status, message) => ({ error: { code: status, message, status: codeOf(status) } }),
  errorPiece: (message) => sse({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
  holdsKey: ({ headers }) => headers['x-goog-api-key'] === key,
})
