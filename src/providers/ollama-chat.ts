/**
 * The models of Ollama, in the format OpenAI Chat Completions.
 *
 * @module
 */
import type { ModelSettings } from '../core/codec.ts'
import type { HttpModel } from '../core/question.ts'
import { type ChatDialect, chatModel, choosing, compatible, replayAs } from '../formats/openai-chat/index.ts'

/** The dialect of Ollama. */
export const ollamaChatDialect: ChatDialect = {
  ...compatible,
  provider: 'ollama',
  title: 'Ollama',
  baseUrl: 'http://localhost:11434/v1',
  chooseTools: /* @__PURE__ */ choosing([]), // Ollama has no tool choice, so fewer tools are sent
  textParts: false,
  inlineImages: true, // Ollama takes images only as data URLs
  replay: /* @__PURE__ */ replayAs('reasoning'),
  stopReasons: { end: 'stop' },
}

/**
 * A model that Ollama serves, at its compatible endpoint. `isoglot/ollama` uses Ollama's own format, which has more features.
 *
 * @example
 * ```ts
 * const model = ollamaChat('qwen3', { apiKey })
 * ```
 */
export function ollamaChat(model: string, settings: ModelSettings = {}): HttpModel {
  return chatModel(ollamaChatDialect, model, settings)
}
