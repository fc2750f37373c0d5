/**
 * How servers that speak OpenAI Responses may differ, and what OpenAI's own does.
 *
 * @see https://platform.openai.com/docs/api-reference/responses
 *
 * @module
 */
import type { ContentBlock, RequestOptions } from '../../core/model.ts'

/** How a server of this format differs from the others. */
export interface ResponsesDialect {
  /** Proofs are tied to this name. */
  readonly provider: string
  /** The provider's name for people, in errors. Default: `provider`. */
  readonly title?: string
  /** `undefined`: there is no address that serves all. */
  readonly baseUrl: string | undefined
  /** Which header takes the key: `Authorization: Bearer …`, or `api-key`. */
  readonly keyHeader: 'authorization' | 'api-key'
  /** Where leading system text goes: its own field, or a `system` item at the head of the input. */
  readonly system: 'instructions' | 'item'
  /** Whether answers are stored, so that `previous_response_id` works. */
  readonly stores: boolean
  /** Whether a model of this name gives its reasoning in encrypted form: those that do not reason answer 400 when asked. */
  encryptsReasoning(model: string): boolean
  /** Types of block that a tool's result may hold beside text. */
  readonly resultMedia: ReadonlySet<ContentBlock['type']>
  /** Whether parts take `prompt_cache_breakpoint`. */
  readonly cacheHints: boolean
  /** Options that the official server has no field for, and the field that this one has. */
  readonly extraOptions: Readonly<Partial<Record<keyof RequestOptions, string>>>
  /** Which field names the end user. */
  readonly userField: 'safety_identifier' | 'user'
  /** In tokens: less is a 400, and is raised to it. */
  readonly minOutputTokens: number
  /** Tools that the server runs itself though it reports their calls as a client's. */
  readonly serverTools: ReadonlySet<string>
}

/** Families that do not reason: "Encrypted content is not supported with this model", says the server. */
const withoutReasoning = /(?:^|\/)(?:gpt-[34]|chatgpt|gpt-5-chat)/

/** OpenAI itself. */
export const openaiDialect: ResponsesDialect = {
  provider: 'openai',
  title: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  keyHeader: 'authorization',
  system: 'instructions',
  stores: true,
  encryptsReasoning: (model) => !withoutReasoning.test(model),
  resultMedia: new Set(['image', 'file']),
  cacheHints: true,
  extraOptions: {},
  userField: 'safety_identifier',
  minOutputTokens: 16,
  serverTools: new Set(),
}

/** A server that differs from OpenAI's in this. */
export function variant(differences: Partial<ResponsesDialect>): ResponsesDialect {
  return { ...openaiDialect, ...differences }
}
