/**
 * The models of Alibaba, in the format OpenAI Chat Completions.
 *
 * @module
 */
import type { ModelSettings } from '../core/codec.ts'
import type { HttpModel } from '../core/question.ts'
import { byEnableThinking, type ChatDialect, chatModel, compatible } from '../formats/openai-chat/index.ts'

/** The dialect of Alibaba. */
export const alibabaDialect: ChatDialect = {
  ...compatible,
  provider: 'alibaba',
  title: 'Alibaba',
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  askReasoning: byEnableThinking,
}

/**
 * A Qwen model, served by Alibaba Cloud (DashScope).
 *
 * @example
 * ```ts
 * const model = alibaba('qwen3-max', { apiKey })
 * ```
 */
export function alibaba(model: string, settings: ModelSettings = {}): HttpModel {
  return chatModel(alibabaDialect, model, settings)
}
