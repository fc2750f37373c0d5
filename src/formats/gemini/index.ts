/**
 * Google Gemini by `generateContent` and `streamGenerateContent`, for clients and servers.
 *
 * @see https://ai.google.dev/api/generate-content (read 2026-11)
 *
 * @module
 */

import { httpModel } from '../../ask/http-model.ts'
import { checkOptions } from '../../core/checks.ts'
import type { ClientCodec, LateInstructions, ModelSettings } from '../../core/codec.ts'
import { compact } from '../../core/json.ts'
import type { GeminiModel, Known } from '../../core/model-names.ts'
import type { HttpModel } from '../../core/question.ts'
import { decodeSse } from '../../framing/text.ts'
import { decodeError, decodeResponse, decodeStream } from './decode-answer.ts'
import { encodeRequest } from './encode-request.ts'
import { format, type GeminiDialect, geminiDialect, targetOf } from './tables.ts'

export { decodeError, decodeResponse, decodeStream, decodeToolCalls } from './decode-answer.ts'
export { encodeDefinitions, encodeRequest, encodeResult } from './encode-request.ts'
export {
  type BlockingConfidence,
  codeExecution,
  type GoogleSearchOptions,
  googleSearch,
  urlContext,
} from './hosted-tools.ts'
export { decodeRequest } from './server/decode-request.ts'
export { encodeError, encodeResponse, encodeStream } from './server/encode-answer.ts'
export { createServerCodec, geminiFormat } from './server/format.ts'
export { type GeminiDialect, geminiDialect } from './tables.ts'
export type { WireRequest, WireResponse } from './wire.ts'

/** Options of {@link gemini}, except the model's name. */
export interface GeminiSettings extends ModelSettings {
  /** Where developer messages go, because Gemini has no such role. Default: `user`. `system` puts them after the system text. */
  readonly developer?: 'user' | 'system'
  /**
   * Where later system and developer messages go. Default: they keep their place, as tagged text of the user. With `hoist`, the default of
   * `developer` is `system`. Gemini does not support `inline`.
   */
  readonly lateInstructions?: LateInstructions
}

/**
 * A model of Google's Gemini API.
 *
 * The API key is sent in the header `x-goog-api-key`, never in the URL. Browsers can call this API directly.
 *
 * @param model Such as `gemini-3-pro-preview`, or `tunedModels/…` for a model that you tuned.
 * @param settings Default base URL: `https://generativelanguage.googleapis.com/v1beta`.
 * @throws {TypeError} if `lateInstructions` is `inline`.
 * @example
 * ```ts
 * import { generate } from 'isoglot'
 * import { gemini } from 'isoglot/gemini'
 *
 * const model = gemini('gemini-3-flash-preview', { apiKey })
 * const { message } = await generate({ model, prompt: 'Why is the sky blue?' })
 * ```
 */
export function gemini(model: Known<GeminiModel>, settings: GeminiSettings = {}): HttpModel {
  checkOptions('model', settings)
  const { lateInstructions, developer = lateInstructions === 'hoist' ? 'system' : 'user', baseUrl, ...rest } = settings
  if (lateInstructions === 'inline') {
    throw new TypeError(
      'Cannot ask Gemini with lateInstructions "inline": it has no system role among its messages. Use "hoist", or leave it out',
    )
  }
  const codec = createClientCodec({ ...geminiDialect, developer, ...compact({ lateInstructions }) })
  const providerUrl = 'https://generativelanguage.googleapis.com/v1beta'
  return httpModel(codec, model, { ...rest, baseUrl: baseUrl ?? providerUrl, providerUrl })
}

/** Creates the client codec of this format, or of a host with a dialect of it. */
export function createClientCodec(dialect: GeminiDialect = geminiDialect): ClientCodec {
  const { provider } = dialect
  return {
    name: format,
    provider,
    ...compact({ title: provider === 'gemini' ? 'Gemini' : undefined }),
    framing: 'sse',
    decodeFrames: decodeSse,
    rules: targetOf(dialect, ''),
    idPrefix: 'gemini_',
    headers: (apiKey) => (apiKey === undefined ? {} : { 'x-goog-api-key': apiKey }),
    encodeRequest: (context, options) => encodeRequest(context, { ...options, dialect }),
    decodeResponse: (body, options) => decodeResponse(body, { ...options, dialect }),
    decodeStream: (options) => decodeStream({ ...options, dialect }),
    decodeError: (answer) => decodeError(answer, { dialect }),
  }
}
