/**
 * Ollama: OpenAI Chat Completions, and how it differs.
 *
 * @module
 */
import type { Model, ModelSettings } from '../core/codec.ts'
import { type ChatDialect, chatModel, choosing, compatible, replayAs } from '../formats/openai-chat/index.ts'

/** How Ollama differs. */
export const ollamaChatDialect: ChatDialect = {
  ...compatible,
  provider: 'ollama',
  title: 'Ollama',
  baseUrl: 'http://localhost:11434/v1',
  chooseTools: /* @__PURE__ */ choosing([]), // it has none: fewer tools say the same
  textParts: false,
  inlineImages: true, // only data URLs of images
  replay: /* @__PURE__ */ replayAs('reasoning'),
  stopReasons: { end: 'stop' },
}

/**
 * A model that Ollama serves, by its compatible endpoint. `isoglot/ollama` uses Ollama's own format, which has more features.
 *
 * @example
 * ```ts
 * const model = ollamaChat('qwen3', { apiKey })
 * ```
 */
export function ollamaChat(model: string, settings: ModelSettings = {}): Model {
  return chatModel(ollamaChatDialect, model, settings)
}
