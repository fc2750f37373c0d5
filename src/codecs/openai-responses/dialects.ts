/**
 * The servers that speak OpenAI Responses: each a value of what it does otherwise.
 *
 * @see https://platform.openai.com/docs/api-reference/responses, https://docs.x.ai/docs/api-reference,
 *   https://openrouter.ai/docs/api-reference/responses-api, https://lmstudio.ai/docs/developer/openai-compat
 * @module
 */
import type { ContentBlock, RequestOptions } from '../../model.ts'

/** How a server of this format differs from the others. */
export interface ResponsesDialect {
  /** Proofs are tied to this name. */
  readonly provider: string
  /** Absent: there is no address that serves all. */
  readonly baseUrl?: string
  /** Which header takes the key: `Authorization: Bearer …`, or `api-key`. */
  readonly keyHeader: 'authorization' | 'api-key'
  /** Where leading system text goes: its own field, or a `system` item at the head of the input. */
  readonly system: 'instructions' | 'item'
  /** Whether answers are stored, so that `previous_response_id` works. */
  readonly stores: boolean
  /** Whether a model of this name gives its reasoning in encrypted form: those that do not reason answer 400 when asked. */
  encryptsReasoning(model: string): boolean
  /** What a tool's result may hold beside text. */
  readonly resultMedia: ReadonlySet<ContentBlock['type']>
  /** Whether parts take `prompt_cache_breakpoint`. */
  readonly cacheHints: boolean
  /** Options that the official server has no field for, and the field that this one has. */
  readonly extraOptions: Readonly<Partial<Record<keyof RequestOptions, string>>>
  /** Which field names the end user. */
  readonly userField: 'safety_identifier' | 'user'
  /** In tokens: less is a 400, and is raised to it. */
  readonly minOutputTokens: number
  /** `cached_tokens` may be more than `input_tokens`, and then comes on top of them. */
  readonly cachedBesideInput: boolean
  /** Tools that the server runs itself though it reports their calls as a client's. */
  readonly serverTools: ReadonlySet<string>
}

const media: ReadonlySet<ContentBlock['type']> = new Set(['image', 'file'])
const none: ReadonlySet<string> = new Set()

/** Families that do not reason: "Encrypted content is not supported with this model" (microsoft/agent-framework#7483). */
const withoutReasoning = /(?:^|\/)(?:gpt-[34]|chatgpt|gpt-5-chat)/

export const openaiDialect: ResponsesDialect = {
  provider: 'openai',
  baseUrl: 'https://api.openai.com/v1',
  keyHeader: 'authorization',
  system: 'instructions',
  stores: true,
  encryptsReasoning: (model) => !withoutReasoning.test(model),
  resultMedia: media,
  cacheHints: true,
  extraOptions: {},
  userField: 'safety_identifier',
  minOutputTokens: 16,
  cachedBesideInput: false,
  serverTools: none,
}

/** Azure OpenAI: the base URL is the resource's own, `https://NAME.openai.azure.com/openai/v1`. */
export const azureDialect: ResponsesDialect = withoutBaseUrl({
  ...openaiDialect,
  provider: 'azure',
  keyHeader: 'api-key',
  cacheHints: false,
})

/** xAI: `instructions` and `previous_response_id` exclude each other there, so system text is an item. */
export const xaiDialect: ResponsesDialect = {
  ...openaiDialect,
  provider: 'xai',
  baseUrl: 'https://api.x.ai/v1',
  system: 'item',
  encryptsReasoning: () => true,
  resultMedia: none as ReadonlySet<ContentBlock['type']>,
  cacheHints: false,
  userField: 'user',
  minOutputTokens: 1,
  cachedBesideInput: true,
  serverTools: new Set(['x_user_search', 'x_keyword_search', 'x_semantic_search', 'x_thread_fetch']),
}

/** OpenRouter: stateless, and takes the sampling options that OpenAI's own server has no field for. */
export const openRouterDialect: ResponsesDialect = {
  ...openaiDialect,
  provider: 'openrouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  stores: false,
  cacheHints: false,
  extraOptions: { topK: 'top_k', frequencyPenalty: 'frequency_penalty', presencePenalty: 'presence_penalty' },
  userField: 'user',
}

/** LM Studio: a server of one's own, by default on this machine. */
export const lmStudioDialect: ResponsesDialect = {
  ...openaiDialect,
  provider: 'lmstudio',
  baseUrl: 'http://localhost:1234/v1',
  encryptsReasoning: () => false,
  cacheHints: false,
  userField: 'user',
  minOutputTokens: 1,
}

/** GitHub Copilot: stateless; its item ids change from event to event, so they prove nothing. */
export const copilotDialect: ResponsesDialect = {
  ...openaiDialect,
  provider: 'copilot',
  baseUrl: 'https://api.githubcopilot.com',
  stores: false,
  cacheHints: false,
}

function withoutBaseUrl({ baseUrl: _, ...rest }: ResponsesDialect): ResponsesDialect {
  return rest
}
