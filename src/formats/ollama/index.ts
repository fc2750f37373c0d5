/**
 * Ollama's own chat API, `/api/chat`.
 *
 * @see https://docs.ollama.com/api/chat
 *
 * @module
 */

import { httpModel } from '../../ask/http-model.ts'
import { checkOptions } from '../../core/checks.ts'
import type { ClientCodec, ModelSettings } from '../../core/codec.ts'
import type { HttpModel } from '../../core/question.ts'
import { decodeNdjson } from '../../framing/text.ts'
import { bearer } from '../shared/bearer.ts'
import { decodeError, decodeResponse, decodeStream, decodeToolCalls } from './decode-answer.ts'
import { encodeDefinitions, encodeRequest, encodeResult } from './encode-request.ts'
import { decodeRequest } from './server/decode-request.ts'
import { encodeError, encodeResponse, encodeStream } from './server/encode-answer.ts'
import { format, idPrefix, target } from './tables.ts'

/**
 * A model of an Ollama server.
 *
 * A page on `localhost` may call a server on the same machine. Other origins must be in the server's list (`OLLAMA_ORIGINS`). If the
 * model is not loaded yet, its first token can take minutes. The context window is small by default, and the server cuts longer
 * conversations silently: set `num_ctx`.
 *
 * @param model The model's name, such as `qwen3:8b`.
 * @param settings `baseUrl` is `http://localhost:11434` by default. For Ollama's cloud it is `https://ollama.com`, with an `apiKey`.
 * @example
 * ```ts
 * const model = ollama('qwen3:8b', { body: { keep_alive: '30m' } })
 * const { message } = await generate({ model, prompt: 'Why is the sky blue?' })
 * ```
 */
export function ollama(model: string, settings: ModelSettings = {}): HttpModel {
  checkOptions('model', settings)
  return httpModel(createClientCodec(), model, { ...settings, baseUrl: settings.baseUrl ?? 'http://localhost:11434' })
}

/** Creates the codec for a client of an Ollama server. */
export function createClientCodec(): ClientCodec {
  return {
    name: format,
    provider: format,
    title: 'Ollama',
    framing: 'ndjson',
    decodeFrames: decodeNdjson,
    rules: target,
    idPrefix,
    // Only Ollama's cloud needs a key. A server on the user's own machine does not.
    headers: bearer,
    encodeRequest,
    decodeResponse,
    decodeStream,
    decodeError,
  }
}

export { createServerCodec, ollamaFormat } from './server/format.ts'
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
