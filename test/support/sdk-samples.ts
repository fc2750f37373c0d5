/** Requests and answers of each format, made from the types of its official client. */
import type { Json, JsonObject } from '../../src/core/messages.ts'
import type { Wire } from './answers.ts'
import { type Sample, type SdkTypes, sdkTypes } from './sdk-values.ts'

export interface Samples {
  readonly requests: readonly Sample[]
  readonly answers: readonly Sample[]
}

const user = { role: 'user', content: 'hi' }
const turn = { role: 'user', parts: [{ text: 'hi' }] }

/** Values of fields that take only some texts. */
function texts(path: string, unique: string): Json | undefined {
  const name = /(\w+)(?:=\w+)?(?:\[\])?$/.exec(path)?.[1] ?? ''
  if (name === 'index') return 0
  if (unique === '') return undefined
  if (/ur[il]$/i.test(name)) return `https://x.example/${unique}`
  if (/^(?:data|images|thoughtSignature)$/.test(name)) return unique.padEnd(8, 'A')
  if (name === 'arguments') return `{"a":"${unique}"}`
  if (name === 'mimeType') return 'image/png'
  if (name === 'type') return 'function'
  if (/^\.(?:tool_choice|function_call)\b.*\.name$/.test(path)) return 'f'
  if (name === 'created_at') return '2026-11-01T00:00:00Z'
  return undefined
}

/** Each field by itself, beside those that every body has. */
function within(samples: readonly Sample[], wrap: (value: JsonObject) => JsonObject): Sample[] {
  return samples.map(({ path, value }) => ({ path, value: wrap(value as JsonObject) }))
}

function openaiChat(): Samples {
  const of = sdkTypes('openai/resources/chat/completions/completions.d.ts')
  const tools = [{ type: 'function', function: { name: 'f' } }]
  return {
    requests: within(of('ChatCompletionCreateParamsBase', texts), (given) => ({ stream: true, tools, ...given })),
    answers: of('ChatCompletion', texts),
  }
}

function openaiResponses(): Samples {
  const of = sdkTypes('openai/resources/responses/responses.d.ts')
  const tools = [{ type: 'function', name: 'f', parameters: {}, strict: true }]
  return {
    requests: within(of('ResponseCreateParamsBase', texts), (given) => ({ model: 'm', input: 'hi', tools, ...given })),
    answers: within(
      of('Response', texts).filter(({ path }) => !/^\.(?:error|status|instructions|tools|tool_choice)\b/.test(path)),
      (given) => ({ ...given, status: 'completed', error: null }),
    ),
  }
}

function anthropicOf(of: SdkTypes, answer: string): Samples {
  const tools = [{ name: 'f', input_schema: { type: 'object' } }]
  return {
    requests: within(of('MessageCreateParamsBase', texts), (given) => ({ tools, ...given })),
    answers: of(answer, texts).filter(({ path }) => path !== '.stop_reason=null'),
  }
}

function anthropic(isWhole: boolean): Samples {
  const released = anthropicOf(sdkTypes('@anthropic-ai/sdk/resources/messages/messages.d.ts'), 'Message')
  if (!isWhole) return released
  const beta = anthropicOf(sdkTypes('@anthropic-ai/sdk/resources/beta/messages/messages.d.ts'), 'BetaMessage')
  return { requests: [...released.requests, ...beta.requests], answers: [...released.answers, ...beta.answers] }
}

/** Fields that the server demands and the types do not. */
const neededByGemini = new RegExp(
  [
    'functionDeclarations\\[\\]\\.name',
    'functionCall(?:=\\w+)?\\.(?:name|args)',
    'functionResponse(?:=\\w+)?\\.(?:name|response)',
    '[iI]nlineData(?:=\\w+)?\\.(?:data|mimeType)',
    'fileData(?:=\\w+)?\\.(?:fileUri|mimeType)',
    'executableCode(?:=\\w+)?\\.(?:code|language)',
    'codeExecutionResult(?:=\\w+)?\\.outcome',
    'tool(?:Call|Response)(?:=\\w+)?\\.toolType',
    '^\\.candidates',
    'candidates\\[\\]\\.(?:content|finishReason)',
    'content\\.parts',
  ]
    .map((path) => `${path}$`)
    .join('|'),
)
/** Pieces of arguments come in streams only, what the client adds itself comes never, and an empty part says nothing. */
const notOfGemini =
  /partialArgs|willContinue|^\.(?:sdkHttpResponse|automaticFunctionCallingHistory)|\.role=string$|\bparts\[\]$/

function gemini(): Samples {
  const of = sdkTypes('@google/genai/dist/genai.d.ts')
  const some = (type: string) => of(type, texts, neededByGemini).filter(({ path }) => !notOfGemini.test(path))
  const parts = (given: JsonObject) => ({ ...given, parts: given.parts ?? turn.parts })
  const request = (type: string, wrap: (value: JsonObject) => JsonObject) =>
    within(some(type), (given) => ({ contents: [turn], ...wrap(given) }))
  return {
    requests: [
      ...request('Content', (given) => ({ contents: [{ role: 'user', ...parts(given) }] })),
      ...request('Content', (given) => ({ contents: [turn, { ...parts(given), role: 'model' }, turn] })),
      ...request('Content', (given) => ({ systemInstruction: parts(given) })),
      ...request('Tool', (given) => ({ tools: [given] })),
      ...request('ToolConfig', (given) => ({ toolConfig: given, tools: [{ functionDeclarations: [{ name: 'f' }] }] })),
      ...request('GenerationConfig', (given) => ({ generationConfig: given })),
      ...request('SafetySetting', (given) => ({ safetySettings: [given] })),
    ],
    answers: within(some('GenerateContentResponse'), (given) => {
      const [candidate] = given.candidates as [JsonObject]
      const finishReason =
        candidate.finishReason === 'FINISH_REASON_UNSPECIFIED' ? 'STOP' : (candidate.finishReason ?? null)
      return { ...given, candidates: [{ ...candidate, index: 0, finishReason }] }
    }),
  }
}

function ollama(): Samples {
  const of = sdkTypes('ollama/dist/browser.d.ts')
  return {
    requests: within(of('ChatRequest', texts), (given) => ({ messages: [user], ...given })),
    answers: within(of('ChatResponse', texts), (given) => ({
      ...given,
      created_at: '2026-11-01T00:00:00Z',
      message: { ...(given.message as JsonObject), role: 'assistant' },
      done: true,
    })),
  }
}

/** By the name of the format. `isWhole` adds the beta types of Anthropic: they are many and differ in little. */
export const sdkSamples = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  anthropic,
  gemini,
  ollama,
} satisfies Partial<Record<Wire, (isWhole: boolean) => Samples>>

/** The texts and numbers that `sdk-values.ts` made, in a value. */
export function uniquesIn(value: Json): readonly string[] {
  return [...new Set([...JSON.stringify(value).matchAll(/q\d+x|\b1\d{4}\b/g)].map(([found]) => found))]
}
