/**
 * The names of OpenTelemetry's conventions for generative AI. All of them are in development. Some were renamed in 2026, when the
 * conventions moved to their own repository. Back ends know the names of v1.41.0, the last version before the move.
 *
 * @see https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/gen-ai-spans.md (read 2026-11)
 * @see https://github.com/open-telemetry/semantic-conventions-genai (read 2026-11)
 * @module
 */
import type { Usage } from '../core/messages.ts'

/** Which name is written if a name has changed. */
export type NameChoice = 'v1.41' | 'latest' | 'both'

/** Providers whose name in the conventions differs from ours. For other providers we write our own name, which the conventions allow. */
export const providers: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  'azure-openai': 'azure.ai.openai',
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  xai: 'x_ai',
}

/** The attributes for token counts. The first names are those of v1.41. */
export const usageNames: readonly (readonly [keyof Usage, v1_41: string, latest: string])[] = [
  ['inputTokens', 'gen_ai.usage.input_tokens', 'gen_ai.usage.input_tokens'],
  ['outputTokens', 'gen_ai.usage.output_tokens', 'gen_ai.usage.output_tokens'],
  ['cacheReadTokens', 'gen_ai.usage.cache_read.input_tokens', 'gen_ai.usage.cache_read.input_tokens'],
  ['cacheWriteTokens', 'gen_ai.usage.cache_creation.input_tokens', 'gen_ai.usage.cache_write.input_tokens'],
  ['reasoningTokens', 'gen_ai.usage.reasoning.output_tokens', 'gen_ai.usage.reasoning.output_tokens'],
]

/** The attributes for options of a request. */
export const optionNames: Readonly<Record<string, string>> = {
  maxTokens: 'gen_ai.request.max_tokens',
  temperature: 'gen_ai.request.temperature',
  topP: 'gen_ai.request.top_p',
  topK: 'gen_ai.request.top_k',
  seed: 'gen_ai.request.seed',
  stop: 'gen_ai.request.stop_sequences',
  frequencyPenalty: 'gen_ai.request.frequency_penalty',
  presencePenalty: 'gen_ai.request.presence_penalty',
}

/** The chosen names, each only once. */
export function chosen(names: NameChoice, old: string, latest: string): readonly string[] {
  if (names === 'both') return old === latest ? [old] : [old, latest]
  return [names === 'latest' ? latest : old]
}
