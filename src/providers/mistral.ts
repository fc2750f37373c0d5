/**
 * Mistral: OpenAI Chat Completions, and how it differs.
 *
 * @module
 */
import type { Model, ModelSettings } from '../core/codec.ts'
import { toDataUrl } from '../core/media.ts'
import type { AudioBlock, FileBlock } from '../core/model.ts'
import { beyondTypes, dropBlock, encodeAudio } from '../formats/openai-chat/content.ts'
import {
  type ChatDialect,
  chatModel,
  choosing,
  compatible,
  type Encoding,
  markingPrefill,
  notAsked,
  oneSystem,
  refusing,
  replayThinking,
} from '../formats/openai-chat/index.ts'
import type { WirePart } from '../formats/openai-chat/wire.ts'

function encodeDocument(block: FileBlock, path: string, to: Encoding): WirePart | undefined {
  const url = block.data === undefined ? block.url : toDataUrl(block.mimeType ?? 'application/pdf', block.data)
  if (url !== undefined) return beyondTypes({ type: 'document_url', document_url: url })
  dropBlock(block, path, to, 'a file is sent as data or by URL, and not by the id of a file')
  return undefined
}

/** Mistral takes only the data of the part that OpenAI takes. */
function encodeSpeech(block: AudioBlock, path: string, to: Encoding): WirePart | undefined {
  const part = encodeAudio(block, path, to)
  return part && beyondTypes({ type: 'input_audio', input_audio: block.data ?? '' })
}

/** How Mistral differs. */
export const mistralDialect: ChatDialect = {
  ...compatible,
  provider: 'mistral',
  title: 'Mistral',
  baseUrl: 'https://api.mistral.ai/v1',
  refuses: /* @__PURE__ */ refusing(['top_k', 'user', 'logprobs', 'top_logprobs', 'logit_bias', 'stream_options']),
  renames: { seed: 'random_seed' },
  asksForUsage: false, // it comes unasked
  order: /* @__PURE__ */ markingPrefill(oneSystem),
  bridgesResults: true,
  encodeFile: encodeDocument,
  encodeAudio: encodeSpeech,
  lacks: ['filenames'],
  mediaUrls: /* @__PURE__ */ new Set(['file']),
  chooseTools: /* @__PURE__ */ choosing(['required'], 'any'), // named is unreliable, and with none the text may be garbled
  resultName: true,
  callId: { pattern: /^[A-Za-z0-9]{9}$/, maxLength: 9 },
  askReasoning: notAsked,
  replay: replayThinking,
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
