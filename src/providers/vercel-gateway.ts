/**
 * The models of Vercel's AI Gateway, in the format OpenAI Chat Completions.
 *
 * @see https://vercel.com/docs/ai-gateway/sdks-and-apis/openai-chat-completions/reasoning (`reasoning`, `reasoning_details`; read 2026-11)
 * @see https://vercel.com/docs/ai-gateway/sdks-and-apis/openai-chat-completions/advanced (`cache_control`, `providerOptions`)
 * @module
 */
import type { ModelSettings } from '../core/codec.ts'
import type { HttpModel } from '../core/question.ts'
import { byReasoning, type ChatDialect, chatModel, compatible, replayDetails } from '../formats/openai-chat/index.ts'

/** The dialect of Vercel's AI Gateway. */
export const vercelGatewayDialect: ChatDialect = {
  ...compatible,
  provider: 'vercel-gateway',
  title: 'Vercel AI Gateway',
  baseUrl: 'https://ai-gateway.vercel.sh/v1',
  cacheField: 'cache_control',
  askReasoning: byReasoning,
  replay: replayDetails,
}

/**
 * A model that Vercel's AI Gateway serves.
 *
 * @example
 * ```ts
 * const model = vercelGateway('anthropic/claude-sonnet-5', { apiKey })
 * ```
 */
export function vercelGateway(model: string, settings: ModelSettings = {}): HttpModel {
  return chatModel(vercelGatewayDialect, model, settings)
}
