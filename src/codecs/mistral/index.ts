/**
 * Mistral: OpenAI Chat Completions, and how it differs.
 *
 * @module
 */
import type { Model, ModelSettings } from '../../codec.ts'
import { type ChatDialect, chatModel, compatible, refusing } from '../openai-chat/index.ts'

/** How Mistral differs. */
export const mistralDialect: ChatDialect = {
  ...compatible,
  provider: 'mistral',
  title: 'Mistral',
  baseUrl: 'https://api.mistral.ai/v1',
  refuses: /* @__PURE__ */ refusing(['top_k', 'user', 'logprobs', 'top_logprobs', 'logit_bias', 'stream_options']),
  renames: { seed: 'random_seed' },
  asksForUsage: false, // it comes unasked
  oneSystem: true,
  bridgesResults: true,
  marksPrefill: true,
  parts: 'mistral',
  mediaUrls: /* @__PURE__ */ new Set(['file']),
  toolChoices: /* @__PURE__ */ new Set(['required']), // named is unreliable, and with none the text may be garbled
  requiredWord: 'any',
  resultName: true,
  callId: { pattern: /^[A-Za-z0-9]{9}$/, maxLength: 9 },
  reasoningControl: 'none',
  reasoningReplay: 'thinking',
  stopReasons: { model_length: 'length' },
  endsWithoutReason: false,
  errors: { kinds: { 3230: 'invalid_request', 3280: 'invalid_request' } },
}

/**
 * A model that Mistral serves.
 *
 * @example
 * ```ts
 * const model = mistral('mistral-medium-latest', { apiKey })
 * ```
 */
export function mistral(model: string, settings: ModelSettings = {}): Model {
  return chatModel(mistralDialect, model, settings)
}
