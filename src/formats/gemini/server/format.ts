/**
 * Gemini on the side of a server: its codec, and the facts of it that only a gateway needs.
 *
 * @see https://ai.google.dev/api/models (read 2026-11)
 * @see https://ai.google.dev/api/tokens (read 2026-11)
 * @module
 */

import type { ServerCodec } from '../../../core/codec.ts'
import { arrayOf, compact, field, isObject } from '../../../core/json.ts'
import type { JsonObject } from '../../../core/messages.ts'
import { withForeignProofs } from '../../shared/foreign-proofs.ts'
import { firstSet, type GatewayFormat, isGoogle, type PathPurpose } from '../../shared/gateway-format.ts'
import { format } from '../tables.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeError, encodeResponse, encodeStream, proofField } from './encode-answer.ts'

/** Creates the server codec of this format. The path of a request contains the model and the method. */
export function createServerCodec(): ServerCodec {
  return withForeignProofs(
    { name: format, framing: 'sse', decodeRequest, encodeResponse, encodeStream, encodeError },
    proofField,
  )
}

/** Gemini as a format of a gateway: its clients can ask the gateway's models. For `formats` of `createGateway`. */
export const geminiFormat: GatewayFormat = {
  name: format,
  codec: /* @__PURE__ */ createServerCodec(),
  provider: 'gemini',
  paths: {},
  route,
  modelFields: (body, model) => (field(body, 'model') === undefined ? {} : { model: resourceOf(model) }),
  list: '/v1beta/models',
  listing: {
    entry: ({ name, maxOutputTokens }) => ({
      name: `models/${name}`,
      displayName: name,
      supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
      ...compact({ outputTokenLimit: maxOutputTokens }),
    }),
    list: (models) => ({ models: [...models] }),
  },
  counting: {
    path: (answerPath) => answerPath.replace(/:\w+$/, ':countTokens'),
    fields: countFields,
    request: (body) => wholeRequest(body) ?? body,
    ofAnswer: (body) => ({ generateContentRequest: body }),
    answer: (tokens) => ({ totalTokens: tokens }),
  },
  idPrefix: '',
  limits: [
    { within: 'generationConfig', name: 'maxOutputTokens' },
    { within: 'generationConfig', name: 'max_output_tokens' },
    { within: 'generation_config', name: 'maxOutputTokens' },
    { within: 'generation_config', name: 'max_output_tokens' },
  ],
  budgets: ['generationConfig', 'generation_config'].flatMap((config) => [
    [config, 'thinkingConfig', 'thinkingBudget'],
    [config, 'thinkingConfig', 'thinking_budget'],
    [config, 'thinking_config', 'thinkingBudget'],
    [config, 'thinking_config', 'thinking_budget'],
  ]),
  keptField: (body) => firstSet(body, ['cachedContent', 'cached_content']),
  isClient: (headers, path) => isGoogle(headers) && !path.includes('/interactions/'),
  isEnd: (event) =>
    field(event, 'error') !== undefined ||
    field(field(event, 'promptFeedback'), 'blockReason') !== undefined ||
    arrayOf(field(event, 'candidates')).some((candidate) => field(candidate, 'finishReason') !== undefined),
}

/** A name may have colons of its own, such as `qwen3:8b`: the last one stands before the method. */
function route(path: string, { searchParams }: URL): PathPurpose | undefined {
  const method = /^\/v1(?:beta|alpha)?\/(?:models|tunedModels)\/.+(?::|%3A)(\w+)$/i.exec(path)?.[1]
  switch (method) {
    case 'generateContent':
      return { kind: 'answer' }
    case 'streamGenerateContent':
      return searchParams.get('alt') === 'sse' ? { kind: 'answer' } : { kind: 'answer', framing: 'array' }
    case 'countTokens':
      return { kind: 'count' }
    default:
      return undefined
  }
}

function countFields(body: JsonObject, model: string): Record<string, string> {
  const name = resourceOf(model)
  const inner = wholeRequest(body)
  return compact({
    model: field(body, 'model') === undefined ? undefined : JSON.stringify(name),
    generateContentRequest: inner && JSON.stringify({ ...inner, model: name }),
  })
}

/** A name without a collection, such as `tunedModels/`, is of `models/`. */
function resourceOf(model: string): string {
  return model.includes('/') ? model : `models/${model}`
}

/** Gemini's count also takes a whole request, in a field. */
function wholeRequest(body: JsonObject): JsonObject | undefined {
  const inner = field(body, 'generateContentRequest')
  return isObject(inner) ? inner : undefined
}
