/**
 * Servers that speak OpenAI Responses, each a value of what it does otherwise. xAI's is in `src/providers`, since it has a path of its own.
 *
 * @see https://learn.microsoft.com/azure/ai-foundry/openai/how-to/responses, https://openrouter.ai/docs/api-reference/responses-api,
 *   https://lmstudio.ai/docs/developer/openai-compat
 *
 * @module
 */
import { type ResponsesDialect, variant } from './dialect.ts'

/** Azure OpenAI: the base URL is the resource's own, `https://NAME.openai.azure.com/openai/v1`. */
export const azureDialect: ResponsesDialect = /* @__PURE__ */ variant({
  provider: 'azure',
  baseUrl: undefined,
  keyHeader: 'api-key',
  cacheHints: false,
})

/** OpenRouter: stateless, and takes the sampling options that OpenAI's own server has no field for. */
export const openRouterDialect: ResponsesDialect = /* @__PURE__ */ variant({
  provider: 'openrouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  stores: false,
  cacheHints: false,
  extraOptions: { topK: 'top_k', frequencyPenalty: 'frequency_penalty', presencePenalty: 'presence_penalty' },
  userField: 'user',
})

/** LM Studio: the user's own server, by default on this machine. */
export const lmStudioDialect: ResponsesDialect = /* @__PURE__ */ variant({
  provider: 'lmstudio',
  baseUrl: 'http://localhost:1234/v1',
  encryptsReasoning: () => false,
  cacheHints: false,
  userField: 'user',
  minOutputTokens: 1,
})

/** GitHub Copilot: stateless, and its item ids change from event to event. */
export const copilotDialect: ResponsesDialect = /* @__PURE__ */ variant({
  provider: 'copilot',
  baseUrl: 'https://api.githubcopilot.com',
  stores: false,
  cacheHints: false,
})
