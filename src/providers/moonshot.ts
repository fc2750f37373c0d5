/**
 * The models of Moonshot, in the format OpenAI Chat Completions.
 *
 * @module
 */
import type { ModelSettings } from '../core/codec.ts'
import type { HttpModel } from '../core/question.ts'
import { type ChatDialect, chatModel, choosing, compatible, refusing, replayAs } from '../formats/openai-chat/index.ts'

/** The dialect of Moonshot. */
export const moonshotDialect: ChatDialect = {
  ...compatible,
  provider: 'moonshot',
  title: 'Moonshot',
  baseUrl: 'https://api.moonshot.ai/v1',
  refuses: /* @__PURE__ */ refusing(['top_k']),
  chooseTools: /* @__PURE__ */ choosing(['none', 'named']),
  efforts: ['low', 'medium', 'high'],
  // With thinking, Moonshot refuses a turn with calls that lacks the field, for instance another provider's.
  replay: /* @__PURE__ */ replayAs('reasoning_content', 'with calls'),
}

/**
 * A Kimi model, served by Moonshot.
 *
 * @example
 * ```ts
 * const model = moonshot('kimi-k3', { apiKey })
 * ```
 */
export function moonshot(model: string, settings: ModelSettings = {}): HttpModel {
  return chatModel(moonshotDialect, model, settings)
}
