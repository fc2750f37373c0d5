/**
 * A conversation handed to another wire has the types of that wire's official client: the compiler reads the bodies as literals of the
 * client's own parameter types. The types are those of the day, and where a wire is ahead of them, the exception says so.
 */
import { expect, it } from 'vitest'
import { compile } from '../support/compile.ts'
import { allows, goOn, oneOfEachKind, recordedHistories, writtenHistories } from './histories.ts'
import { handOver, modelFor, type Target, wires } from './matrix.ts'

/** The type of a body, by the name of the wire. Cohere's client has all names in camel case: `test/codecs/cohere/types.ts` holds its types. */
const types: Readonly<Record<string, string>> = {
  'openai-chat': 'ChatCompletionCreateParams',
  'openai-responses': 'ResponseCreateParams',
  anthropic: 'MessageCreateParams',
  gemini: 'GeminiBody',
  'gemini-interactions': 'InteractionsBody',
  ollama: 'ChatRequest',
}

/**
 * Gemini's client has enums where the wire has their words, and a flat `config` where it has an object: gemini.md §2. The calls of its
 * Interactions have a signature that the types do not know: gemini-interactions.md §8.
 */
const header = `
import type { MessageCreateParams } from '@anthropic-ai/sdk/resources/messages'
import type { Content, GenerateContentConfig, Interactions, Part, Tool, ToolConfig } from '@google/genai'
import type { ChatRequest } from 'ollama'
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions'
import type { ResponseCreateParams } from 'openai/resources/responses/responses'
type Spelled<T> = T extends string ? \`\${T}\` : T extends (infer I)[] ? Spelled<I>[] : T extends object ? { [K in keyof T]: Spelled<T[K]> } : T
type GeminiBody = { contents: Spelled<Content>[]; systemInstruction?: Spelled<Content>; tools?: Spelled<Tool>[]; toolConfig?: Spelled<ToolConfig>; generationConfig?: Pick<GenerateContentConfig, 'maxOutputTokens'> }
type SignedStep = Interactions.Step | (Interactions.FunctionCallStep & { signature?: string })
type InteractionsBody = Omit<Interactions.CreateModelInteractionParamsStreaming, 'input'> & { input: SignedStep[] }
declare function take<T>(body: T): void
`

const recorded = recordedHistories()
const customCalls = recorded.filter(({ name }) => name.includes('custom-tool'))
const histories = [...new Set([...writtenHistories(), ...oneOfEachKind(recorded), ...customCalls])]

function literalsFor(target: Target): readonly string[] {
  const bodies = new Map<string, string>()
  for (const history of histories) {
    for (const moment of ['tool result', 'next turn'] as const) {
      if (!allows(history, moment)) continue
      const { body } = handOver(goOn(history, moment), target, modelFor(history, target))
      bodies.set(JSON.stringify(body), `${history.format}/${history.provider}: ${history.name}, ${moment}`)
    }
  }
  const type = types[target.client.name]
  return [...bodies].map(([body, label]) => `take<${type}>(/* ${target.name} < ${label} */ ${body});`)
}

function complaints(source: string): readonly string[] {
  const lines = source.split('\n')
  return compile({ 'bodies.ts': source }).map(({ line, code, text }) => {
    const label = lines[line - 1]?.match(/\/\* (.*?) \*\//)?.[1] ?? 'header'
    return `${label} (${code}): ${text.slice(0, 1500)}`
  })
}

/** Where the wire is ahead of the client's types, or a provider gets its own back: what the compiler says, and why it may. */
const exceptions: readonly (readonly [says: RegExp, because: string])[] = [
  [/^ollama .*'"(?:id|tool_call_id)"' does not exist/s, 'the types have no ids: ollama.md, baseline'],
  [
    /^ollama .*'"\w+"' does not exist in type '\{ type\?: string/s,
    'the types have only what survives of a schema: ollama.md §2',
  ],
  [
    /^openai-responses .*type: "message"; role: "assistant"/s,
    'what another provider said goes without the id that the types want: openai-responses.md §2.4',
  ],
  [
    /^openai-responses .*Type '\{ type: "function"; name: string; description: string; parameters: /s,
    'a recorded tool without "strict" stays one: "omitted is not false", openai-responses.md §2.2',
  ],
  [
    /^anthropic < anthropic\/.*Type '"(?:compaction|advisor|advisor_tool_result)"'/s,
    'a beta’s own blocks go back as they came: anthropic.md §3',
  ],
  [
    /^openai-chat < openai-chat\/openai.*'"cache_control"' does not exist/s,
    'a field that the types do not have goes back where it came from: wire/README.md §10',
  ],
  [
    /^openai-responses < openai-responses\/openai.*'"status"' does not exist in type 'ResponseCustomToolCall'/s,
    'an item goes back as it came: openai-responses.md §2.4, "safe replay"',
  ],
]

it('a compiler that knows the official clients takes every body', { timeout: 600_000 }, () => {
  const literals = wires.filter(({ name }) => Object.hasOwn(types, name)).flatMap(literalsFor)
  expect(literals.length).toBeGreaterThan(400)
  const found = complaints([header, ...literals, 'take<ChatRequest>(/* no body */ { model: 1 });'].join('\n'))
  expect(found.filter((one) => !exceptions.some(([says]) => says.test(one)))).toEqual([
    expect.stringContaining('no body (2322)'), // the compiler is awake
  ])
  for (const [says, because] of exceptions) {
    expect(
      found.some((one) => says.test(one)),
      because,
    ).toBe(true)
  }
})
