/**
 * The models of xAI, with the format OpenAI Responses.
 *
 * @see https://docs.x.ai/docs/api-reference#create-new-response
 *
 * @module
 */
import type { ModelSettings } from '../core/codec.ts'
import type { Known, XaiModel } from '../core/model-names.ts'
import type { HttpModel } from '../core/question.ts'
import { type ResponsesDialect, variant } from '../formats/openai-responses/dialect.ts'
import { responsesModel } from '../formats/openai-responses/index.ts'
import { xaiSchemas } from '../formats/shared/refused-keywords.ts'

/** xAI refuses `instructions` together with `previous_response_id`, so system text is sent as an item. */
export const xaiDialect: ResponsesDialect = /* @__PURE__ */ variant({
  provider: 'xai',
  title: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  system: 'item',
  encryptsReasoning: () => true,
  resultMedia: new Set(),
  cacheHints: false,
  clientTools: false,
  userField: 'user',
  minOutputTokens: 1,
  runsCustomCalls: true,
  schemas: xaiSchemas,
})

/**
 * A model of xAI, in the format OpenAI Responses. Stateless by default, like `openaiResponses`.
 *
 * @example
 * ```ts
 * import { generate } from 'isoglot'
 * import { xaiResponses } from 'isoglot/xai-responses'
 *
 * const { message } = await generate({ model: xaiResponses('grok-4.3', { apiKey }), prompt: 'Hello' })
 * ```
 */
export function xaiResponses(model: Known<XaiModel>, settings: ModelSettings = {}): HttpModel {
  return responsesModel(model, settings, xaiDialect)
}
