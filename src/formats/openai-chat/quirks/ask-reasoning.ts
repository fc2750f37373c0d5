/** Encodes the reasoning option for hosts of this format: by effort or by budget. `none` switches reasoning off. @module */

import { compact } from '../../../core/json.ts'
import type { JsonObject, ReasoningEffort, RequestOptions } from '../../../core/messages.ts'
import { anyEffort, effortOf } from '../../shared/effort.ts'
import { reportLoss } from '../../shared/losses.ts'
import * as reasons from '../../shared/reasons.ts'
import type { Encoding } from '../dialect.ts'

type Reasoning = NonNullable<RequestOptions['reasoning']>

/** OpenAI: `reasoning_effort`, with any value. */
export function byAnyEffort(reasoning: Reasoning, to: Encoding): JsonObject {
  return isAmount(reasoning, to) ? compact({ reasoning_effort: anyEffort(reasoning, to.losses) }) : {}
}

/** Most hosts: `reasoning_effort`, with a value that the dialect has. */
export function byEffort(reasoning: Reasoning, to: Encoding): JsonObject {
  return isAmount(reasoning, to) ? compact({ reasoning_effort: takenEffort(reasoning, to) }) : {}
}

/** OpenRouter, Vercel's gateway: `reasoning`, an object. */
export function byReasoning(reasoning: Reasoning, to: Encoding): JsonObject {
  const { effort, budgetTokens } = reasoning
  const isWanted = isOn(reasoning)
  if (budgetTokens !== undefined && isWanted) {
    noteEffort(effort, to)
    return { reasoning: { max_tokens: budgetTokens } }
  }
  return { reasoning: effort === undefined && isWanted ? { enabled: true } : { effort: effort ?? 'none' } }
}

/** DeepSeek: `thinking`, on or off, and an effort if the dialect has efforts. */
export function byThinking(reasoning: Reasoning, to: Encoding): JsonObject {
  if (!isOn(reasoning)) return { thinking: { type: 'disabled' } }
  const { efforts: taken } = to.dialect
  if (taken === undefined) noteAmount(reasoning, to)
  return compact({ thinking: { type: 'enabled' }, reasoning_effort: taken && takenEffort(reasoning, to) })
}

/** Alibaba: `enable_thinking`, with a budget. */
export function byEnableThinking(reasoning: Reasoning, to: Encoding): JsonObject {
  const { effort, budgetTokens } = reasoning
  if (!isOn(reasoning)) return { enable_thinking: false }
  if (budgetTokens === undefined) {
    noteAmount(reasoning, to)
    return { enable_thinking: true }
  }
  noteEffort(effort, to)
  return { enable_thinking: true, thinking_budget: budgetTokens }
}

/** vLLM, llama.cpp: `enable_thinking`, an argument of the chat template. */
export function byTemplate(reasoning: Reasoning, to: Encoding): JsonObject {
  const enable = isOn(reasoning)
  if (enable) noteAmount(reasoning, to)
  return { chat_template_kwargs: { enable_thinking: enable } }
}

/** Groq's Qwen: `reasoning_effort`, on (`default`) or off. */
export function byDefault(reasoning: Reasoning, to: Encoding): JsonObject {
  if (!isOn(reasoning)) return { reasoning_effort: 'none' }
  noteAmount(reasoning, to)
  return { reasoning_effort: 'default' }
}

/** The host does not have a reasoning setting. */
export function notAsked(reasoning: Reasoning, to: Encoding): JsonObject {
  if (isAmount(reasoning, to)) reportLoss(to.losses, 'dropped', 'options.reasoning', reasons.noReasoning)
  return {}
}

function isOn({ effort, budgetTokens }: Reasoning): boolean {
  return effort === undefined ? budgetTokens !== 0 : effort !== 'none'
}

function isAmount({ effort, budgetTokens }: Reasoning, to: Encoding): boolean {
  if (effort !== undefined || budgetTokens !== undefined) return true
  reportLoss(to.losses, 'dropped', 'options.reasoning', reasons.noAmount)
  return false
}

/** Reports that the effort is not sent, because the more exact budget is sent. */
function noteEffort(effort: ReasoningEffort | undefined, to: Encoding): void {
  if (effort !== undefined) reportLoss(to.losses, 'dropped', 'options.reasoning.effort', reasons.budgetWins, 'info')
}

/** Reports that the amount is not sent, because the host can only switch reasoning on or off. */
function noteAmount(reasoning: Reasoning, to: Encoding): void {
  for (const [name, value] of Object.entries(reasoning)) {
    if (value !== undefined) reportLoss(to.losses, 'changed', `options.reasoning.${name}`, reasons.onlyOn)
  }
}

/** Returns the nearest effort that the host has; `undefined` if it has none. */
function takenEffort(reasoning: Reasoning, to: Encoding): ReasoningEffort | undefined {
  const { efforts: given } = to.dialect
  const taken = typeof given === 'function' ? given(to.model) : given
  if (taken === undefined) return anyEffort(reasoning, to.losses)
  if (taken.length > 0) return effortOf(reasoning, to.losses, taken)
  for (const [name, value] of Object.entries(reasoning)) {
    if (value !== undefined)
      reportLoss(to.losses, 'dropped', `options.reasoning.${name}`, `${to.model} takes no effort`)
  }
  return undefined
}
