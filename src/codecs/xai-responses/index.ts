/**
 * xAI's models, asked by Responses: OpenAI's format with what `xaiDialect` says of it.
 *
 * @see https://docs.x.ai/docs/api-reference#create-new-response
 *
 * @module
 */
import type { Model, ModelSettings } from '../../codec.ts'
import { responsesModel } from '../openai-responses/index.ts'
import { xaiDialect } from './dialect.ts'

/**
 * A model of xAI that is asked by Responses. Stateless by default, as `openaiResponses` is.
 *
 * @example
 * ```ts
 * import { generate } from 'isoglot'
 * import { xaiResponses } from 'isoglot/xai-responses'
 *
 * const { message } = await generate({ model: xaiResponses('grok-4.3', { apiKey }), prompt: 'Hello' })
 * ```
 */
export function xaiResponses(model: string, settings: ModelSettings = {}): Model {
  return responsesModel(model, settings, xaiDialect)
}

export { xaiDialect }
