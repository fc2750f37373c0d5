/**
 * OpenAI Responses, and the servers that use this format.
 *
 * @module
 */

import { httpModel } from '../../ask/http-model.ts'
import { checkOptions } from '../../core/checks.ts'
import type { ClientCodec, ModelSettings } from '../../core/codec.ts'
import { compact } from '../../core/json.ts'
import type { Known, OpenaiModel } from '../../core/model-names.ts'
import type { HttpModel } from '../../core/question.ts'
import { decodeSse } from '../../framing/text.ts'
import type { GatewayFormat } from '../shared/gateway-format.ts'
import { decodeError, decodeResponse, decodeStream } from './decode-answer.ts'
import { openaiDialect, type ResponsesDialect } from './dialect.ts'
import { encodeRequest } from './encode-request.ts'
import { createFormat } from './server/format.ts'
import { format, idPrefix, targetOf } from './tables.ts'

/**
 * A model that isoglot calls with OpenAI's Responses API.
 *
 * By default the server stores no answer, and each request sends earlier reasoning back in encrypted form. To chain stored answers
 * instead, set `providerOptions: { 'openai-responses': { store: true } }` and pass each response's `providerState` to the next
 * request.
 *
 * @example
 * ```ts
 * import { generate } from 'isoglot'
 * import { openaiResponses } from 'isoglot/openai-responses'
 *
 * const { message } = await generate({ model: openaiResponses('gpt-5', { apiKey }), prompt: 'Hello' })
 * ```
 */
export function openaiResponses(model: Known<OpenaiModel>, settings: ModelSettings = {}): HttpModel {
  return responsesModel(model, settings, openaiDialect)
}

/** A model on any server of this format. @throws {TypeError} if neither the settings nor the dialect have a base URL. */
export function responsesModel(model: string, settings: ModelSettings, dialect: ResponsesDialect): HttpModel {
  checkOptions('model', settings)
  const baseUrl = settings.baseUrl ?? dialect.baseUrl
  if (baseUrl === undefined)
    throw new TypeError(`Cannot ask ${dialect.title ?? dialect.provider}: it needs a "baseUrl"`)
  const { baseUrl: providerUrl } = dialect
  return httpModel(createClientCodec(dialect), model, { ...settings, ...compact({ baseUrl, providerUrl }) })
}

/** Creates the codec that a client uses to call a server of this format. Default: OpenAI's server. */
export function createClientCodec(dialect: ResponsesDialect = openaiDialect): ClientCodec {
  const { provider, title, keyHeader } = dialect
  return {
    name: format,
    provider,
    ...compact({ title }),
    framing: 'sse',
    decodeFrames: decodeSse,
    rules: targetOf(dialect),
    idPrefix,
    headers(apiKey) {
      if (apiKey === undefined) return {}
      return keyHeader === 'api-key' ? { 'api-key': apiKey } : { authorization: `Bearer ${apiKey}` }
    },
    encodeRequest: (context, options) => encodeRequest(context, { ...options, dialect }),
    decodeResponse: (body, options) => decodeResponse(body, { ...options, dialect }),
    decodeStream: (options) => decodeStream({ ...options, dialect }),
    decodeError: (answer) => decodeError(answer, { dialect }),
  }
}

/** OpenAI Responses as a format of a gateway: its clients can ask the gateway's models. For `formats` of `createGateway`. */
export const openaiResponsesFormat: GatewayFormat = /* @__PURE__ */ createFormat(openaiResponses)

export {
  type ClientParameters,
  type LocalShellArguments,
  localShellParameters,
  type PatchArguments,
  patchParameters,
  providerTool,
  type ShellArguments,
  type ShellOutput,
  shellParameters,
  type WireClientTool,
} from './client-tools.ts'
export { decodeError, decodeResponse, decodeStream, decodeToolCalls } from './decode-answer.ts'
export { openaiDialect, type ResponsesDialect, variant } from './dialect.ts'
export { azureDialect, copilotDialect, lmStudioDialect, openRouterDialect } from './dialects.ts'
export { encodeDefinitions, encodeRequest, encodeResult } from './encode-request.ts'
export {
  type CodeInterpreterOptions,
  type ContainerOptions,
  codeInterpreter,
  type FileFilter,
  type FileSearchOptions,
  fileSearch,
  type ImageGenerationOptions,
  imageGeneration,
  type McpOptions,
  type McpPlace,
  type McpToolFilter,
  mcp,
  type NetworkPolicy,
  type RankingOptions,
  type WebSearchOptions,
  webSearch,
} from './hosted-tools.ts'
export { withNamespaces } from './namespaces.ts'
export { decodeRequest } from './server/decode-request.ts'
export { encodeError, encodeResponse, encodeStream } from './server/encode-answer.ts'
export { createServerCodec } from './server/format.ts'
