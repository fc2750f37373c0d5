/**
 * The models of Mistral, in the format OpenAI Chat Completions.
 *
 * @module
 */
import type { ModelSettings } from '../core/codec.ts'
import type { AudioBlock, FileBlock } from '../core/messages.ts'
import type { HttpModel } from '../core/question.ts'
import { asWirePart, dropBlock, encodeAudio, urlOf } from '../formats/openai-chat/encode-request.ts'
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
  const url = urlOf(block, block.mimeType ?? 'application/pdf')
  if (url !== undefined) return asWirePart({ type: 'document_url', document_url: url })
  dropBlock(block, path, to, 'a file is sent as data or by URL, and not by the id of a file')
  return undefined
}

/** Encodes audio. In place of OpenAI's object, Mistral takes only the base64 data. */
function encodeSpeech(block: AudioBlock, path: string, to: Encoding): WirePart | undefined {
  const part = encodeAudio(block, path, to)
  return part && asWirePart({ type: 'input_audio', input_audio: block.data ?? '' })
}

/** The dialect of Mistral. */
export const mistralDialect: ChatDialect = {
  ...compatible,
  provider: 'mistral',
  title: 'Mistral',
  baseUrl: 'https://api.mistral.ai/v1',
  refuses: /* @__PURE__ */ refusing(['top_k', 'user', 'logprobs', 'top_logprobs', 'logit_bias', 'stream_options']),
  renames: { seed: 'random_seed' },
  asksForUsage: false, // Mistral always sends usage
  order: /* @__PURE__ */ markingPrefill(oneSystem),
  bridgesResults: true,
  encodeFile: encodeDocument,
  encodeAudio: encodeSpeech,
  unsupported: ['filenames'],
  mediaUrls: /* @__PURE__ */ new Set(['file']),
  chooseTools: /* @__PURE__ */ choosing(['required'], 'any'), // a choice by name is unreliable, and `none` can garble the text
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
export function mistral(model: string, settings: ModelSettings = {}): HttpModel {
  return chatModel(mistralDialect, model, settings)
}
