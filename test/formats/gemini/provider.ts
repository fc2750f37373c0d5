/** Its provider behind a gateway, by hand from wire/gemini.md §3, §4. */
import { proof, type Said } from '../../gateway/dialogue.ts'
import { codeOf, data, halves, type Json, type Loose, list, type Speaker, textOf } from '../provider.ts'
import { key } from './server.ts'

function geminiChunk(parts: readonly Json[], finishReason?: string): Json {
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) }],
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
    modelVersion: 'gemini-3-flash-preview',
    responseId: 'u1',
  }
}
function geminiParts({ thought, text, calls = [] }: Said): Json[] {
  return [
    ...(thought === undefined ? [] : [{ text: thought, thought: true }]),
    ...(text === undefined ? [] : [{ text }]),
    // Without ids, as most of its models call; the first of them is signed.
    ...calls.map(({ name, args }, at) => ({
      functionCall: { name, args },
      ...(at === 0 && { thoughtSignature: proof }),
    })),
  ]
}
export const provider: Speaker = {
  path: /^\/v1beta\/models\/[\w.-]+:(?:generateContent|streamGenerateContent\?alt=sse)$/,
  hear({ contents, generationConfig }) {
    const turns = list(contents)
    const partsOf = (turn: Json): Loose[] => list(turn?.parts)
    const last = turns.findLastIndex(
      (turn) => turn.role === 'user' && !partsOf(turn).some((part) => part.functionResponse),
    )
    const results = turns.slice(last).flatMap((turn) => partsOf(turn).flatMap((part) => part.functionResponse ?? []))
    return {
      prompt: textOf(partsOf(turns[last])),
      results: results.map(({ response }) => String(response.content ?? Object.values(response)[0])),
      hasProof: turns.some((turn) => partsOf(turn).some(({ thoughtSignature }) => thoughtSignature === proof)),
      hasSchema:
        (generationConfig?.responseJsonSchema ?? generationConfig?.responseSchema)?.properties?.city !== undefined,
    }
  },
  whole: (said) => geminiChunk(geminiParts(said), 'STOP'),
  pieces: (said) => [
    ...geminiParts(said).flatMap((part) =>
      part.text === undefined || part.thoughtSignature
        ? [data(geminiChunk([part]))]
        : halves(part.text).map((text) => data(geminiChunk([{ ...part, text }]))),
    ),
    data(geminiChunk([{ text: '' }], 'STOP')),
  ],
  isStream: ({ path }) => path.endsWith(':streamGenerateContent?alt=sse'),
  error: (status, message) => ({ error: { code: status, message, status: codeOf(status) } }),
  errorPiece: (message) => data({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
  holdsKey: ({ headers }) => headers['x-goog-api-key'] === key,
}
