/** Requests and answers that the laws are tried with. */
import { stopReasons } from '../../../src/formats/gemini/tables.ts'
import { type Samples, unknownWord as word } from '../facts.ts'

export const samples: Samples = {
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
