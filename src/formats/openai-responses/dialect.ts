/**
 * How servers that use the format OpenAI Responses can differ, and the dialect of OpenAI's own server.
 *
 * @see https://platform.openai.com/docs/api-reference/responses
 *
 * @module
 */
import type { ContentBlock, RequestOptions } from '../../core/messages.ts'
import type { SchemaRules } from '../shared/fit-schema.ts'
import { openaiSchemas } from '../shared/strict-schema.ts'

/** How a server of this format differs from the others. */
export interface ResponsesDialect {
  /** The name of the provider. A proof is valid only for the provider that it names. */
  readonly provider: string
  /** The name of the provider in error messages. Default: `provider`. */
  readonly title?: string
  /** `undefined` if users do not share one base URL. */
  readonly baseUrl: string | undefined
  /** The header that has the API key: `Authorization: Bearer …`, or `api-key`. */
  readonly keyHeader: 'authorization' | 'api-key'
  /** Where the leading system text is sent: in the field `instructions`, or as a `system` item at the start of the input. */
  readonly system: 'instructions' | 'item'
  /** Whether the server can store answers. Only then `previous_response_id` works. */
  readonly stores: boolean
  /** Whether to ask this model for encrypted reasoning. A model that does not reason answers with 400 if it is asked. */
  encryptsReasoning(model: string): boolean
  /** The types of blocks that a tool result can have, in addition to text. */
  readonly resultMedia: ReadonlySet<ContentBlock['type']>
  /** Whether parts of the input can have `prompt_cache_breakpoint`. */
  readonly cacheHints: boolean
  /** Options that OpenAI's server does not support, and the name of the field for each on this server. */
  readonly extraOptions: Readonly<Partial<Record<keyof RequestOptions, string>>>
  /** The field for the id of the end user. */
  readonly userField: 'safety_identifier' | 'user'
  /** The minimum of `max_output_tokens`, in tokens. A lower value is raised to it, because the server would answer with 400. */
  readonly minOutputTokens: number
  /** Whether the server reports calls that it ran itself as calls of custom tools. Then only names that were offered are the client's. */
  readonly runsCustomCalls?: boolean
  /** Whether the server has the tools `shell`, `local_shell` and `apply_patch`. On others, they are functions. */
  readonly clientTools: boolean
  /** The schemas of tools that the server takes. Default: those that most take. */
  readonly schemas?: SchemaRules
}

/** Matches models that do not reason. For encrypted reasoning, the server answers "Encrypted content is not supported with this model". */
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
  clientTools: true,
  schemas: openaiSchemas,
}

/** Makes the dialect of a server from its differences to OpenAI's server. */
export function variant(differences: Partial<ResponsesDialect>): ResponsesDialect {
  return { ...openaiDialect, ...differences }
}
