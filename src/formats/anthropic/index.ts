/**
 * Anthropic Messages, for clients and servers.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 *
 * @module
 */

import { httpModel } from '../../ask/http-model.ts'
import { checkOptions } from '../../core/checks.ts'
import type { ClientCodec, ModelSettings } from '../../core/codec.ts'
import { compact } from '../../core/json.ts'
import type { AnthropicModel, Known } from '../../core/model-names.ts'
import type { HttpModel } from '../../core/question.ts'
import { decodeSse } from '../../framing/text.ts'
import { decodeError, decodeResponse, decodeStream, idPrefix } from './decode-answer.ts'
import { encodeRequest } from './encode-request.ts'
import { type AnthropicDialect, format, targetOf } from './tables.ts'

/** The settings of {@link anthropic}. */
export type AnthropicSettings = ModelSettings & AnthropicDialect

/**
 * A model of Anthropic's Messages API, for `generate`, `stream` and chats.
 *
 * @param model The model's name, such as `claude-sonnet-5`.
 * @param settings `apiKey` is required. `baseUrl` is `https://api.anthropic.com/v1` by default. In a web page, set `browser: true`; every
 * visitor of the page can then read the key.
 *
 * @example
 * ```ts
 * const { message } = await generate({ model: anthropic('claude-sonnet-5', { apiKey }), prompt: 'Hello' })
 * ```
 */
export function anthropic(model: Known<AnthropicModel>, settings: AnthropicSettings = {}): HttpModel {
  checkOptions('model', settings)
  const { provider, version, browser, beta, maxTokens, unsignedThinking, lateInstructions, ...rest } = settings
  const providerUrl = 'https://api.anthropic.com/v1'
  return httpModel(createClientCodec(settings), model, { ...rest, baseUrl: rest.baseUrl ?? providerUrl, providerUrl })
}

/** The client codec, for this API or another host of its format. */
export function createClientCodec(dialect: AnthropicDialect = {}): ClientCodec {
  const { provider = format, browser } = dialect
  const isOwn = dialect.provider === undefined
  const title = isOwn ? 'Anthropic' : undefined
  const pageHint = isOwn && !browser ? '; in a page, Anthropic needs the setting `browser: true`' : undefined
  return {
    name: format,
    provider,
    ...compact({ title, pageHint }),
    framing: 'sse',
    decodeFrames: decodeSse,
    rules: targetOf(dialect),
    idPrefix,
    headers: (apiKey) => headers(apiKey, dialect),
    encodeRequest: (context, options) => encodeRequest(context, { ...options, dialect }),
    decodeResponse: (body, options) => decodeResponse(body, { ...options, dialect }),
    decodeStream: (options) => decodeStream({ ...options, dialect }),
    decodeError: (answer) => decodeError(answer, { dialect }),
  }
}

/** The headers of each request: the key, the version, and those of the dialect. */
export function headers(apiKey: string | undefined, dialect: AnthropicDialect = {}): Record<string, string> {
  const { version = '2023-06-01', beta = [], browser } = dialect
  return compact({
    'x-api-key': apiKey,
    'anthropic-version': version,
    'anthropic-beta': beta.length > 0 ? beta.join(',') : undefined,
    'anthropic-dangerous-direct-browser-access': browser ? 'true' : undefined,
  })
}

export { decodeError, decodeResponse, decodeStream, decodeToolCalls } from './decode-answer.ts'
export { encodeDefinitions, encodeRequest, encodeResult } from './encode-request.ts'
export {
  type CodeExecutionOptions,
  codeExecution,
  type DomainOptions,
  type HostedToolOptions,
  type ToolCaller,
  type UrlSource,
  type UrlSources,
  type WebFetchOptions,
  type WebSearchOptions,
  webFetch,
  webSearch,
} from './hosted-tools.ts'
export { decodeRequest } from './server/decode-request.ts'
export { encodeError, encodeResponse, encodeStream } from './server/encode-answer.ts'
export { anthropicFormat, createServerCodec } from './server/format.ts'
export type { AnthropicDialect, AnthropicVersion } from './tables.ts'
