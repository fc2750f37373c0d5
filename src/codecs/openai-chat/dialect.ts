/**
 * The differences between the servers of this format, as a value. One decoder reads them all, since what may differ in an answer
 * is read wherever it turns up; so most of a dialect says what may be sent.
 *
 * @module
 */
import type { ApiErrorKind } from '../../errors.ts'
import type { IdRule } from '../../ids.ts'
import type { ReasoningEffort, StopReason } from '../../model.ts'

/** How one server differs from the others that speak this format. */
export interface ChatDialect {
  /** The provider's name, in proofs, errors and `message.response`. */
  readonly provider: string
  /** The provider's name for people, in messages of errors. */
  readonly title: string
  readonly baseUrl: string
  /** Default `/chat/completions`. */
  readonly path?: string
  /** The header that the key goes into. Default `authorization`, as a bearer token. */
  readonly keyHeader?: 'authorization' | 'api-key'
  /** For calls that come without an id. Default `call_`. */
  readonly idPrefix?: string

  // ---- which fields a request may have
  readonly maxTokensField: 'max_completion_tokens' | 'max_tokens'
  /** Fields, by their name on the wire, that are refused or ignored: not sent, with a minor loss. */
  readonly refuses: ReadonlySet<string>
  /** Fields that have another name here. */
  readonly renames?: Readonly<Record<string, string>>
  /** Asks for usage in streams by `stream_options`. */
  readonly asksForUsage: boolean
  /** Whether a JSON Schema is taken as response format; else `json_object`, with the schema in the prompt. */
  readonly jsonSchema: boolean
  /** Most stop sequences. Default 4. */
  readonly maxStops?: number

  // ---- messages
  /** What a developer message is sent as. */
  readonly developerRole: 'developer' | 'system'
  /** Takes arrays of text parts in every role; else text alone is sent as one string. */
  readonly textParts?: boolean
  /** Takes one system message, first: several are joined by blank lines. */
  readonly oneSystem?: boolean
  /** Demands that user and assistant take turns: neighbours are joined by blank lines. */
  readonly alternates?: boolean
  /** Refuses a user message right after tool results: `prepare` puts a word of the assistant's between. */
  readonly bridgesResults?: boolean
  /** Wants `prefix: true` on a last message of the assistant's. */
  readonly marksPrefill?: boolean
  /** Takes names of participants. Default true. */
  readonly names?: boolean
  /** How the end of a prefix worth caching is marked. Default: not at all. */
  readonly cacheField?: 'prompt_cache_breakpoint' | 'cache_control'
  /** Kinds of media that a user message may hold by URL beside images. */
  readonly mediaUrls?: ReadonlySet<'file' | 'video'>
  /** Takes no media at all. */
  readonly textOnly?: boolean
  /** Takes images as data, and no other media. */
  readonly inlineImages?: boolean
  /** Whose form documents and audio have. Default `openai`. */
  readonly parts?: 'openai' | 'mistral'

  // ---- tools
  /** Takes no tools: earlier calls and results are sent as text. */
  readonly withoutTools?: boolean
  readonly toolChoices: ReadonlySet<'none' | 'required' | 'named' | 'subset'>
  /** Has custom tools, which take free text. Default: their definitions are left out, and their calls are sent as calls of functions. */
  readonly customTools?: boolean
  /** The word for "some tool must be called". Default `required`. */
  readonly requiredWord?: 'required' | 'any'
  /** `strict` of a tool: as given, never, always a boolean, or the same for all: strict only if all are. Default `keep`. */
  readonly strict?: 'keep' | 'omit' | 'boolean' | 'uniform'
  /** Wants the tool's name on results. */
  readonly resultName?: boolean
  /** Default: whatever has at most 40 characters. */
  readonly callId?: IdRule
  /** Takes arguments that are no JSON; else they are sent as `{}`. */
  readonly rawArguments?: boolean

  // ---- reasoning
  /** How reasoning is asked for. */
  readonly reasoningControl: 'effort' | 'reasoning' | 'thinking' | 'enable_thinking' | 'chat_template_kwargs' | 'none'
  /** Efforts that are taken, least first: others become the nearest. Default: all; with `thinking`, none: only on or off. */
  readonly efforts?: readonly ReasoningEffort[] | ((model: string) => readonly ReasoningEffort[])
  /** Whether a model will reason, where that changes what it takes. */
  readonly reasons?: (model: string, effort: ReasoningEffort | undefined) => boolean
  /** What is refused, or ignored, while it does. */
  readonly whileReasoning?: { readonly refuses: ReadonlySet<string>; readonly refusesForcedCalls?: boolean }
  /** Fields of an answer that hold reasoning, in order: the first that is not empty counts. */
  readonly reasoningFields: readonly string[]
  /** How earlier reasoning is sent back. */
  readonly reasoningReplay: 'none' | 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'thinking'
  /** Earlier reasoning is sent only from the first turn with calls on, and there it must be, be it empty. */
  readonly replaysWithCalls?: boolean

  // ---- answers
  /** Reasons to stop that only this provider has; they win over the common ones. */
  readonly stopReasons?: Readonly<Record<string, StopReason>>
  /** Some of its streams reach `[DONE]` with no reason to stop. */
  readonly endsWithoutReason?: boolean
  /** `completion_tokens` do not count reasoning. */
  readonly countsReasoningApart?: boolean
  readonly errors?: DialectErrors
}

/** What errors mean at one host, where that is not what they mean at most. */
export interface DialectErrors {
  /** By the body's own word. */
  readonly kinds?: Readonly<Record<string, ApiErrorKind>>
  /** By status, where the body has no word for it. */
  readonly statuses?: Readonly<Record<string, ApiErrorKind>>
  /** By status, where there is no body. */
  readonly emptyStatuses?: Readonly<Record<string, ApiErrorKind>>
}

/** Where providers that speak of reasoning put it. */
const everyReasoningField: readonly string[] = ['reasoning_content', 'reasoning', 'reasoning_text']

/** What only OpenAI has, and what others have refused it for. */
const openaiAlone: readonly string[] = [
  'store',
  'metadata',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'verbosity',
  'prediction',
  'modalities',
  'audio',
  'web_search_options',
  'moderation',
]

/** The fields only OpenAI has, less those that a host takes, and with those that it refuses. */
export function refusing(fields: readonly string[] = [], taking: readonly string[] = []): ReadonlySet<string> {
  return new Set([...openaiAlone, ...fields].filter((name) => !taking.includes(name)))
}

/** OpenAI itself. */
export const openai: ChatDialect = {
  provider: 'openai',
  title: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  maxTokensField: 'max_completion_tokens',
  refuses: /* @__PURE__ */ new Set(['top_k']),
  renames: { user: 'safety_identifier' },
  asksForUsage: true,
  jsonSchema: true,
  developerRole: 'developer',
  textParts: true,
  cacheField: 'prompt_cache_breakpoint',
  toolChoices: /* @__PURE__ */ new Set(['none', 'required', 'named', 'subset']),
  customTools: true,
  rawArguments: true,
  reasoningControl: 'effort',
  reasons: isReasoning,
  whileReasoning: {
    refuses: /* @__PURE__ */ new Set([
      'temperature',
      'top_p',
      'frequency_penalty',
      'presence_penalty',
      'logprobs',
      'top_logprobs',
      'logit_bias',
    ]),
  },
  reasoningFields: everyReasoningField,
  reasoningReplay: 'none',
}

/** A host of which nothing is known: what nearly all take, and nothing else. The other dialects begin here. */
export const compatible: ChatDialect = {
  provider: 'openai-compatible',
  title: 'OpenAI-compatible',
  baseUrl: 'http://localhost:8000/v1',
  maxTokensField: 'max_tokens',
  refuses: /* @__PURE__ */ refusing(),
  asksForUsage: true,
  jsonSchema: true,
  developerRole: 'system',
  toolChoices: /* @__PURE__ */ new Set(['none', 'required', 'named']),
  reasoningControl: 'effort',
  reasoningFields: everyReasoningField,
  reasoningReplay: 'none',
  endsWithoutReason: true,
}

/** o-series and gpt-5 always reason; gpt-5.1 to 5.4 only when told to; chat variants never do. */
function isReasoning(model: string, effort: ReasoningEffort | undefined): boolean {
  if (!/^(?:o\d|gpt-5(?!.*chat))/.test(model)) return false
  if (/^gpt-5\.[1-4](?!.*pro)/.test(model)) return effort !== undefined && effort !== 'none'
  return effort !== 'none' || !/^gpt-5\.\d/.test(model)
}
