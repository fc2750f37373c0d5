/**
 * What xAI's Responses do otherwise than OpenAI's.
 *
 * @see https://docs.x.ai/docs/api-reference#create-new-response
 *
 * @module
 */
import { type ResponsesDialect, variant } from '../openai-responses/dialect.ts'

/** `instructions` and `previous_response_id` exclude each other there, so system text is an item. */
export const xaiDialect: ResponsesDialect = /* @__PURE__ */ variant({
  provider: 'xai',
  title: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  system: 'item',
  encryptsReasoning: () => true,
  resultMedia: new Set(),
  cacheHints: false,
  userField: 'user',
  minOutputTokens: 1,
  serverTools: new Set(['x_user_search', 'x_keyword_search', 'x_semantic_search', 'x_thread_fetch']),
})
