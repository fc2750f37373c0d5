/** The dialect of an unknown compatible host, and parts of dialects. All dialects but OpenAI extend it. @module */

import { reportLoss } from '../shared/losses.ts'
import { chosenTools } from '../shared/tools.ts'
import type { ChatDialect, ToolChoosing } from './dialect.ts'
import { asWirePart, choiceOf } from './encode-request.ts'
import { everyReasoningField } from './openai.ts'
import { byEffort } from './quirks/ask-reasoning.ts'
import { readEveryPart } from './quirks/read-part.ts'
import type { WireToolChoice } from './wire.ts'

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

// ---- tool choice --------------------------------------------------------------------------------

/**
 * Encodes the tool choice for a host that has only some of OpenAI's values. If the host does not have a value, fewer tools are sent, which
 * has the same effect.
 *
 * @param words the values that the host has: for no tool, for any tool, and for one tool by name
 * @param required the host's value for "the model must call a tool"
 */
export function choosing(
  words: readonly ('none' | 'required' | 'named')[],
  required: 'required' | 'any' = 'required',
): ToolChoosing {
  return (choice, tools, to) => {
    const report = (reason: string) =>
      reportLoss(to.losses, 'changed', 'options.toolChoice', `${to.dialect.title} ${reason}`)
    const some = (): WireToolChoice => {
      if (words.includes('required')) return required === 'any' ? asWirePart(required) : required
      report('cannot be made to call a tool')
      return 'auto'
    }
    if (choice === 'required') return { tools, choice: some() }
    if (choice === 'none' && words.includes('none')) return { tools, choice }
    if (choice === 'none') return { tools: chosenTools(tools, choice, to.losses) }
    if ('name' in choice) {
      if (words.includes('named')) return { tools, choice: choiceOf(choice.name, tools) }
      report('cannot name a tool: the others are left out')
    }
    const left = chosenTools(tools, choice, to.losses)
    if ('names' in choice) report('has no choice of some: the others are left out')
    return { tools: left, choice: 'name' in choice || choice.mode === 'required' ? some() : 'auto' }
  }
}
