/** The dialects of OpenAI and of an unknown compatible host. All other dialects extend them. @module */
import { isReasoning } from '../../kit/openai-models.ts'
import { choosing } from './choice.ts'
import type { ChatDialect } from './dialect.ts'
import { byAnyEffort, byEffort } from './quirks/ask-reasoning.ts'
import { readEveryPart } from './quirks/read-part.ts'

/** The fields in which providers send reasoning. */
const everyReasoningField: readonly string[] = ['reasoning_content', 'reasoning', 'reasoning_text']

/** Fields that only OpenAI has. Other hosts refuse a request with them. */
const openaiOnly: readonly string[] = [
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

/** Returns the fields that a host refuses: the fields that only OpenAI has, except `taking`, plus `fields`. */
export function refusing(fields: readonly string[] = [], taking: readonly string[] = []): ReadonlySet<string> {
  return new Set([...openaiOnly, ...fields].filter((name) => !taking.includes(name)))
}

/** The dialect of OpenAI. */
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
  customTools: true,
  rawArguments: true,
  askReasoning: byAnyEffort,
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
}

/** The dialect of an unknown compatible host: only the fields that nearly all hosts take. Other dialects extend it. */
export const compatible: ChatDialect = {
  provider: 'openai-compatible',
  title: 'OpenAI-compatible',
  baseUrl: 'http://localhost:8000/v1',
  maxTokensField: 'max_tokens',
  refuses: /* @__PURE__ */ refusing(),
  asksForUsage: true,
  jsonSchema: true,
  developerRole: 'system',
  chooseTools: /* @__PURE__ */ choosing(['none', 'required', 'named']),
  askReasoning: byEffort,
  reasoningFields: everyReasoningField,
  readPart: readEveryPart,
  endsWithoutReason: true,
}
