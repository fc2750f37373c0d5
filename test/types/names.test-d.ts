/** What an editor proposes: names of models, and the fields of each format. Any other name and field may be given. Checked by the compiler. */
import { anthropic } from '../../src/formats/anthropic/index.ts'
import { gemini } from '../../src/formats/gemini/index.ts'
import type { geminiInteractions } from '../../src/formats/gemini-interactions/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import type { openaiResponses } from '../../src/formats/openai-responses/index.ts'
import { generate, type Model, type RunRequest } from '../../src/index.ts'
import { model } from '../../src/models.ts'
import type { geminiChat } from '../../src/providers/gemini-chat.ts'
import type { vertexGemini } from '../../src/providers/vertex-gemini.ts'
import { xai } from '../../src/providers/xai.ts'
import type { xaiResponses } from '../../src/providers/xai-responses.ts'

// ---- names of models ----------------------------------------------------------------------------

/** The names that an editor proposes for the first argument: the literals, without the rest that any text is. */
type Proposed<Make extends (name: never, settings: never) => unknown> = LiteralsOf<Parameters<Make>[0]>
type LiteralsOf<Name> = Name extends string ? (string extends Name ? never : Name) : never
/** Compiles only if each of these names is proposed. */
function proposes<_Names extends Proposals, Proposals>(): void {}

proposes<'claude-sonnet-5' | 'claude-haiku-4-5', Proposed<typeof anthropic>>()
proposes<'gpt-5.6' | 'gpt-5-mini', Proposed<typeof openaiChat>>()
proposes<'gpt-5.6' | 'gpt-5-mini', Proposed<typeof openaiResponses>>()
proposes<'gemini-2.5-flash', Proposed<typeof gemini>>()
proposes<'gemini-2.5-flash', Proposed<typeof geminiInteractions>>()
proposes<'gemini-2.5-flash', Proposed<typeof geminiChat>>()
proposes<'gemini-2.5-flash', Proposed<typeof vertexGemini>>()
proposes<'grok-4.5', Proposed<typeof xai>>()
proposes<'grok-4.5', Proposed<typeof xaiResponses>>()
proposes<'anthropic:claude-sonnet-5' | 'openai:gpt-5.6' | 'openai-chat:gpt-5-mini', Proposed<typeof model>>()
// @ts-expect-error: the format of Anthropic has no model of OpenAI
proposes<'gpt-5.6', Proposed<typeof anthropic>>()
// @ts-expect-error: a program that takes any text proposes nothing
proposes<'gpt-5.6', Proposed<(name: string) => Model>>()

export function otherNames(name: string): readonly Model[] {
  return [anthropic('claude-of-next-year'), openaiChat(name), gemini(name), xai(name), model(`together:${name}`)]
}

// ---- fields of a format -------------------------------------------------------------------------

type Options = NonNullable<RunRequest['providerOptions']>

export const each: Options = {
  anthropic: {
    service_tier: 'standard_only',
    cache_control: { type: 'ephemeral', ttl: '1h' },
    anthropic_beta: ['a-1'],
  },
  'openai-chat': { logprobs: true, top_logprobs: 3, logit_bias: { 50256: -100 }, verbosity: 'low' },
  'openai-responses': { store: true, include: ['reasoning.encrypted_content'], reasoning: { summary: 'auto' } },
  gemini: { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }], cachedContent: 'c' },
  'gemini-interactions': { store: false, generation_config: { thinking_summaries: 'auto' } },
  ollama: { keep_alive: '5m', options: { num_ctx: 8192 } },
  cohere: { documents: ['a', { data: { text: 'b' } }], safety_mode: 'STRICT', citation_options: { mode: 'FAST' } },
  'bedrock-converse': { performanceConfig: { latency: 'optimized' }, serviceTier: { type: 'flex' } },
}
/** Fields that are not known, words that a vendor adds, and a format of your own. */
export const others: Options = {
  anthropic: { field_of_next_year: { any: [1] }, service_tier: 'tier_of_next_year' },
  'openai-chat': { chat_template_kwargs: { enable_thinking: false } },
  ollama: { options: { num_batch: 8 } },
  'my-format': { field: 1 },
}
/** A value whose type is any JSON, such as one that a request brought. */
export const given: Options = others satisfies { readonly [format: string]: { readonly [field: string]: unknown } }

export const wrong: readonly Options[] = [
  // @ts-expect-error: a tier is a word
  { anthropic: { service_tier: 1 } },
  // @ts-expect-error: a flag
  { 'openai-responses': { store: 'yes' } },
  // @ts-expect-error: a number of tokens
  { ollama: { options: { num_ctx: '8192' } } },
  // @ts-expect-error: a list
  { cohere: { documents: 'a' } },
  // @ts-expect-error: a function is not JSON
  { 'my-format': { field: () => 1 } },
]

export async function asked(model: Model): Promise<void> {
  await generate({ model, prompt: 'Hello', providerOptions: { 'openai-responses': { store: true } } })
  // @ts-expect-error: it is a flag in a call too
  await generate({ model, prompt: 'Hello', providerOptions: { 'openai-responses': { store: 'yes' } } })
}
