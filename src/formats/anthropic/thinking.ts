/**
 * Anthropic Messages: encodes the reasoning option. Older models take a budget of tokens, newer models an effort.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/extended-thinking (read 2026-11)
 *
 * @module
 */

import { compact, field, lookup, objectIn } from '../../core/lookup.ts'
import type { JsonObject, RequestOptions } from '../../core/model.ts'
import { effortBudgets, effortOf } from '../../kit/effort.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { efforts, isAdaptive, isNewer } from './tables.ts'
import type { WireOutputConfig, WireThinkingConfig } from './wire.ts'

/** The minimum of `budget_tokens`. */
const minBudgetTokens = 1024

/** Whether the request switches thinking off. This must be sent, since newer models think by default. */
function isOff({ effort, budgetTokens }: NonNullable<RequestOptions['reasoning']>): boolean {
  return effort === 'none' || budgetTokens === 0
}

/** Returns the thinking budget in tokens; `undefined` if the request has none or the model does not take one. */
export function budgetFor({ reasoning, model }: RequestOptions): number | undefined {
  if (reasoning === undefined || isOff(reasoning) || isNewer(model)) return undefined
  if (reasoning.budgetTokens !== undefined) return Math.max(minBudgetTokens, reasoning.budgetTokens)
  return isAdaptive(model) ? undefined : lookup(effortBudgets, reasoning.effort)
}

/** Encodes the `thinking` field, with its stored fields, such as `display`, if they belong to the same type of thinking. */
export function encodeThinking(
  options: RequestOptions,
  maxTokens: number,
  kept: JsonObject,
  losses: Losses,
): WireThinkingConfig | undefined {
  const thinking = chooseThinking(options, maxTokens, kept, losses)
  const { type, ...fields } = objectIn(kept, 'thinking')
  if (thinking === undefined) return typeof type === 'string' ? ({ type, ...fields } as WireThinkingConfig) : undefined
  const isSame = thinking.type !== 'disabled' && (type === undefined || type === thinking.type)
  return isSame ? { ...fields, ...thinking } : thinking
}

function chooseThinking(
  options: RequestOptions,
  maxTokens: number,
  kept: JsonObject,
  losses: Losses,
): WireThinkingConfig | undefined {
  const { reasoning, model } = options
  if (reasoning === undefined) return undefined
  if (isOff(reasoning)) return { type: 'disabled' }
  const { effort, budgetTokens } = reasoning
  const takesEffort = isAdaptive(model)
  const budget = budgetFor(options)
  if (budget === undefined) {
    if (!takesEffort) reportLoss(losses, 'dropped', 'options.reasoning', reasons.noAmount)
    // If a decoded request of this format had only an effort, only an effort is sent.
    const isOnlyEffort = kept.thinking === undefined && effort && field(kept.output_config, 'effort') === effort
    return takesEffort && !isOnlyEffort ? { type: 'adaptive' } : undefined
  }
  if (maxTokens <= minBudgetTokens) {
    const reason = `maxTokens leaves no room for the least budget, ${minBudgetTokens}`
    reportLoss(losses, 'dropped', 'options.reasoning', reason)
    return { type: 'disabled' }
  }
  const sent = Math.min(budget, maxTokens - 1)
  if (budgetTokens === undefined) {
    const reason = `the model takes budgets only: ${sent} tokens are sent`
    reportLoss(losses, 'changed', 'options.reasoning.effort', reason, 'info')
  } else if (sent !== budgetTokens) {
    const reason = `the budget must be from ${minBudgetTokens} to less than maxTokens: ${sent} is sent`
    reportLoss(losses, 'changed', 'options.reasoning.budgetTokens', reason)
  }
  if (effort !== undefined && budgetTokens !== undefined && !takesEffort)
    reportLoss(losses, 'dropped', 'options.reasoning.effort', reasons.budgetWins, 'info')
  return { type: 'enabled', budget_tokens: sent }
}

/** Returns the effort for models that take one. A budget becomes the nearest effort, if the model does not take budgets. */
export function chooseEffort({ reasoning, model }: RequestOptions, losses: Losses): WireOutputConfig['effort'] {
  if (reasoning === undefined || !isAdaptive(model)) return undefined
  const asked = isNewer(model) ? reasoning : compact({ effort: reasoning.effort })
  const effort = effortOf(asked, losses, ['none', ...efforts])
  return effort === 'none' ? undefined : effort
}
