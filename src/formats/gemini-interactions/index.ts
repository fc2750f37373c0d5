/**
 * Gemini Interactions, for clients and servers.
 *
 * @see https://ai.google.dev/api/interactions-api (read 2026-11)
 *
 * @module
 */

import { httpModel } from '../../ask/http-model.ts'
import { checkOptions } from '../../core/checks.ts'
import type { ClientCodec, ModelSettings } from '../../core/codec.ts'
import type { GeminiModel, Known } from '../../core/model-names.ts'
import type { HttpModel } from '../../core/question.ts'
import { decodeSse } from '../../framing/text.ts'
import { decodeError, decodeResponse, decodeStream, decodeToolCalls } from './decode-answer.ts'
import { encodeDefinitions, encodeRequest, encodeResult } from './encode-request.ts'
import { decodeRequest } from './server/decode-request.ts'
import { encodeError, encodeResponse, encodeStream } from './server/encode-answer.ts'
import { stored } from './stored.ts'
import { format, idPrefix, provider, targetOf } from './tables.ts'

const providerUrl = 'https://generativelanguage.googleapis.com/v1beta'

/**
 * A model of Google's Interactions API, the successor of `generateContent`.
 *
 * Requests are stateless by default: Google stores no answer, and the history includes thoughts. To continue stored answers instead, set
 * `providerOptions: { 'gemini-interactions': { store: true } }` and pass each response's `providerState` to the next request.
 *
 * @param model Such as `gemini-3.8-flash`.
 * @param options Default base URL: `https://generativelanguage.googleapis.com/v1beta`.
 * @example
 * ```ts
 * import { generate } from 'isoglot'
 * import { geminiInteractions } from 'isoglot/gemini-interactions'
 *
 * const model = geminiInteractions('gemini-3.8-flash', { apiKey })
 * const { message } = await generate({ model, prompt: 'Why is the sky blue?' })
 * ```
 */
export function geminiInteractions(model: Known<GeminiModel>, options: ModelSettings = {}): HttpModel {
  checkOptions('model', options)
  const { baseUrl, ...settings } = options
  return httpModel(createClientCodec(), model, { ...settings, baseUrl: baseUrl ?? providerUrl, providerUrl })
}

/** Creates the codec of a client of this format. */
export function createClientCodec(): ClientCodec {
  return {
    name: format,
    provider,
    title: 'Gemini',
    framing: 'sse',
    decodeFrames: decodeSse,
    rules: targetOf(''),
    idPrefix,
    stored,
    headers: (apiKey) => (apiKey === undefined ? {} : { 'x-goog-api-key': apiKey }),
    encodeRequest,
    decodeResponse,
    decodeStream,
    decodeError,
  }
}

export { createServerCodec, geminiInteractionsFormat } from './server/format.ts'
export type { WireRequest, WireResponse } from './wire.ts'
export {
  decodeError,
  decodeRequest,
  decodeResponse,
  decodeStream,
  decodeToolCalls,
  encodeDefinitions,
  encodeError,
  encodeRequest,
  encodeResponse,
  encodeResult,
  encodeStream,
}
