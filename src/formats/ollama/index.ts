/**
 * Ollama's own chat API, `/api/chat`.
 *
 * @see https://docs.ollama.com/api/chat
 *
 * @module
 */
import type { ClientCodec, Model, ModelSettings, ServerCodec } from '../../core/codec.ts'
import { decodeError, encodeError } from './errors.ts'
import { decodeRequest, encodeRequest } from './request.ts'
import { decodeResponse, encodeResponse } from './response.ts'
import { decodeStream, encodeStream } from './stream.ts'
import { format, idPrefix, rules } from './tables.ts'
import { decodeToolCalls, encodeDefinitions, encodeResult } from './tools.ts'

/**
 * A model of an Ollama server.
 *
 * A browser may ask a server of its own machine; other origins have to be on the server's list (`OLLAMA_ORIGINS`). A model that is not
 * loaded yet can take minutes to say its first word. The window is small by default: set `num_ctx`, or what is too long is cut silently.
 *
 * @param model Such as `qwen3:8b`.
 * @param settings `baseUrl` defaults to `http://localhost:11434`; Ollama's cloud is `https://ollama.com`, and takes an `apiKey`.
 * @example
 * ```ts
 * const model = ollama('qwen3:8b', { body: { keep_alive: '30m' } })
 * const { message } = await generate({ model, prompt: 'Why is the sky blue?' })
 * ```
 */
export function ollama(model: string, settings: ModelSettings = {}): Model {
  return { ...settings, baseUrl: settings.baseUrl ?? 'http://localhost:11434', codec: createClientCodec(), model }
}

/** The codec of a client of an Ollama server. */
export function createClientCodec(): ClientCodec {
  return {
    name: format,
    provider: format,
    title: 'Ollama',
    framing: 'ndjson',
    rules,
    idPrefix,
    headers,
    encodeRequest,
    decodeResponse,
    decodeStream,
    decodeError,
    encodeDefinitions,
    decodeToolCalls,
    encodeResult,
  }
}

/** A server on the user's own machine needs no key; Ollama's cloud does. */
function headers(apiKey: string | undefined): Record<string, string> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
}

/** The codec of a gateway that answers as an Ollama server does. */
export function createServerCodec(): ServerCodec {
  return { name: format, framing: 'ndjson', decodeRequest, encodeResponse, encodeStream, encodeError }
}

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
