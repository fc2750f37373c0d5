/**
 * OpenAI Chat Completions, and the base of all dialects of this format.
 *
 * @module
 */

import { httpModel } from '../../ask/http-model.ts'
import { checkOptions } from '../../core/checks.ts'
import type { ClientCodec, ModelSettings } from '../../core/codec.ts'
import type { Known, OpenaiModel } from '../../core/model-names.ts'
import type { HttpModel } from '../../core/question.ts'
import { decodeSse } from '../../framing/text.ts'
import { decodeError, decodeResponse, decodeStream, decodeToolCalls } from './decode-answer.ts'
import type { ChatDialect } from './dialect.ts'
import { encodeDefinitions, encodeRequest, encodeResult } from './encode-request.ts'
import { openai } from './openai.ts'
import { decodeRequest } from './server/decode-request.ts'
import { encodeError, encodeResponse, encodeStream } from './server/encode-answer.ts'
import { format, targetOf } from './tables.ts'

export type {
  ChatDialect,
  DialectErrors,
  Encoding,
  MessageOrder,
  ReasoningReplay,
  ReasoningTurn,
  ToolChoosing,
} from './dialect.ts'
export { choosing, compatible, refusing } from './dialects.ts'
export { openai } from './openai.ts'
export {
  byDefault,
  byEffort,
  byEnableThinking,
  byReasoning,
  byTemplate,
  byThinking,
  notAsked,
} from './quirks/ask-reasoning.ts'
export { alternating, markingPrefill, oneSystem } from './quirks/order.ts'
export { replayAs, replayDetails, replayThinking } from './quirks/replay.ts'
export { spellCalls } from './quirks/spelled-calls.ts'
export { booleanStrict, sameStrict, withoutStrict } from './quirks/strict.ts'
export { createServerCodec, openaiChatFormat } from './server/format.ts'
export type { WireMessage, WireRequest, WireResponse, WireUsage } from './wire.ts'
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

/**
 * A model of OpenAI's Chat Completions API.
 *
 * @example
 * ```ts
 * const model = openaiChat('gpt-5.6', { apiKey })
 * const { message } = await generate({ model, prompt: 'Hello' })
 * ```
 */
export function openaiChat(model: Known<OpenaiModel>, settings: ModelSettings = {}): HttpModel {
  return chatModel(openai, model, settings)
}

/** A model of any server of this format, described by its dialect. */
export function chatModel(dialect: ChatDialect, model: string, settings: ModelSettings = {}): HttpModel {
  checkOptions('model', settings)
  const { baseUrl: providerUrl } = dialect
  return httpModel(createClientCodec(dialect), model, {
    ...settings,
    baseUrl: settings.baseUrl ?? providerUrl,
    providerUrl,
  })
}

/** The client codec for one server. */
export function createClientCodec(dialect: ChatDialect = openai): ClientCodec {
  const codec: ClientCodec = {
    name: format,
    provider: dialect.provider,
    title: dialect.title,
    framing: 'sse',
    decodeFrames: decodeSse,
    rules: targetOf(dialect),
    idPrefix: dialect.idPrefix ?? 'call_',
    headers: (apiKey) => keyHeaders(dialect, apiKey),
    encodeRequest: (context, options) => encodeRequest(context, { ...options, dialect }),
    decodeResponse: (body, options) => decodeResponse(body, { ...options, dialect }),
    decodeStream: (options) => decodeStream({ ...options, dialect }),
    decodeError: (answer) => decodeError(answer, { dialect }),
  }
  return dialect.adapt?.(codec) ?? codec
}

function keyHeaders({ keyHeader = 'authorization' }: ChatDialect, apiKey: string | undefined): Record<string, string> {
  if (apiKey === undefined) return {}
  return { [keyHeader]: keyHeader === 'authorization' ? `Bearer ${apiKey}` : apiKey }
}
