/**
 * Servers that use the format OpenAI Responses. Each dialect lists only how its server differs from OpenAI's. The dialect of xAI is in
 * `src/providers`, because xAI has its own entry point.
 *
 * @see https://learn.microsoft.com/azure/ai-foundry/openai/how-to/responses, https://openrouter.ai/docs/api-reference/responses-api,
 *   https://lmstudio.ai/docs/developer/openai-compat
 *
 * @module
 */
import { type ResponsesDialect, variant } from './dialect.ts'

/** Azure OpenAI. Each resource has its own base URL: `https://NAME.openai.azure.com/openai/v1`. */
export const azureDialect: ResponsesDialect = /* @__PURE__ */ variant({
  provider: 'azure',
  baseUrl: undefined,
  keyHeader: 'api-key',
  cacheHints: false,
})

/** OpenRouter. It stores no answers, and it has fields for sampling options that OpenAI's own server does not support. */
export const openRouterDialect: ResponsesDialect = /* @__PURE__ */ variant({
  provider: 'openrouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  stores: false,
  cacheHints: false,
  clientTools: false,
  extraOptions: { topK: 'top_k', frequencyPenalty: 'frequency_penalty', presencePenalty: 'presence_penalty' },
  userField: 'user',
})

/** LM Studio, a server that the user runs. The default base URL is on the same machine. */
export const lmStudioDialect: ResponsesDialect = /* @__PURE__ */ variant({
  provider: 'lmstudio',
  baseUrl: 'http://localhost:1234/v1',
  encryptsReasoning: () => false,
  cacheHints: false,
  clientTools: false,
  userField: 'user',
  minOutputTokens: 1,
})

/** GitHub Copilot. It stores no answers, and the id of an item changes from event to event. */
export const copilotDialect: ResponsesDialect = /* @__PURE__ */ variant({
  provider: 'copilot',
  baseUrl: 'https://api.githubcopilot.com',
  stores: false,
  cacheHints: false,
  clientTools: false,
})
