/**
 * Cohere Chat v2, for clients and servers.
 *
 * @see https://docs.cohere.com/reference/chat (read 2026-11)
 *
 * @module
 */

import { httpModel } from '../../ask/http-model.ts'
import { checkOptions } from '../../core/checks.ts'
import type { ClientCodec, ModelSettings } from '../../core/codec.ts'
import type { HttpModel } from '../../core/question.ts'
import { decodeSse } from '../../framing/text.ts'
import { bearer } from '../shared/bearer.ts'
import { decodeError, decodeResponse, decodeStream, decodeToolCalls } from './decode-answer.ts'
import { encodeDefinitions, encodeRequest, encodeResult } from './encode-request.ts'
import { decodeRequest } from './server/decode-request.ts'
import { encodeError, encodeResponse, encodeStream } from './server/encode-answer.ts'
import { format, idPrefix, target } from './tables.ts'

/**
 * A model of Cohere's Chat API, version 2.
 *
 * Documents of a user message (`plain_text` blocks and text files) are sent in the `documents` field, so that the model can cite them. The
 * citations are in the text blocks of the answer. `providerOptions.cohere` takes `citation_options`, `safety_mode` and the other fields of
 * the API.
 *
 * @param model The model's name, such as `command-a-03-2025`.
 * @param settings `baseUrl` is `https://api.cohere.com/v2` by default.
 *
 * @example
 * ```ts
 * const { message } = await generate({ model: cohere('command-a-03-2025', { apiKey }), prompt: 'Hello' })
 * ```
 */
export function cohere(model: string, settings: ModelSettings = {}): HttpModel {
  checkOptions('model', settings)
  const providerUrl = 'https://api.cohere.com/v2'
  return httpModel(createClientCodec(), model, { ...settings, baseUrl: settings.baseUrl ?? providerUrl, providerUrl })
}

/** Creates the codec for a client of Cohere. */
export function createClientCodec(): ClientCodec {
  return {
    name: format,
    provider: format,
    title: 'Cohere',
    framing: 'sse',
    decodeFrames: decodeSse,
    rules: target,
    idPrefix,
    headers: bearer,
    encodeRequest,
    decodeResponse,
    decodeStream,
    decodeError,
  }
}

export { cohereFormat, createServerCodec } from './server/format.ts'
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
