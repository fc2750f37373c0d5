/** The dialect of OpenAI. @module */

import { isReasoning } from '../shared/effort.ts'
import { openaiSchemas } from '../shared/strict-schema.ts'
import type { ChatDialect } from './dialect.ts'
import { byAnyEffort } from './quirks/ask-reasoning.ts'

/** The fields in which providers send reasoning. */
export const everyReasoningField: readonly string[] = ['reasoning_content', 'reasoning', 'reasoning_text']

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
  schemas: openaiSchemas,
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
