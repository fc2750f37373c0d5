/**
 * Anthropic Messages: encodes and decodes the reasoning option. Older models take a budget of tokens, newer models an effort.
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
import { efforts, isAdaptive, isNewer, minBudgetTokens } from './tables.ts'
import type { WireOutputConfig, WireThinkingConfig } from './wire.ts'

type Reasoning = NonNullable<RequestOptions['reasoning']>

// ---- encoding ---------------------------------------------------------------------------------

/** Whether the request switches thinking off. This must be sent, since newer models think by default. */
function isOff({ effort, budgetTokens }: Reasoning): boolean {
  return effort === 'none' || budgetTokens === 0
}

/** Returns the thinking budget in tokens; `undefined` if the request has none or the model does not take one. */
export function budgetFor({ reasoning, model }: RequestOptions): number | undefined {
  if (reasoning === undefined || isOff(reasoning) || isNewer(model)) return undefined
  if (reasoning.budgetTokens !== undefined) return Math.max(minBudgetTokens, reasoning.budgetTokens)
  return isAdaptive(model) ? undefined : lookup(effortBudgets, reasoning.effort)
}

/** Encodes the `thinking` field. Returns `undefined` if the request does not need it. */
export function encodeThinking(
  options: RequestOptions,
  maxTokens: number,
  kept: JsonObject,
  losses: Losses,
): WireThinkingConfig | undefined {
  const { reasoning } = options
  if (reasoning === undefined) return undefined
  if (isOff(reasoning)) return { type: 'disabled' }
  const budget = budgetFor(options)
  if (budget === undefined && isBare(reasoning) && !isAdaptive(options.model)) {
    reportLoss(losses, 'dropped', 'options.reasoning', reasons.noAmount)
    return undefined
  }
  if (budget === undefined) return isAsked(reasoning, kept) ? { type: 'adaptive' } : undefined
  if (maxTokens <= minBudgetTokens) {
    reportLoss(
      losses,
      'dropped',
      'options.reasoning',
      `maxTokens leaves no room for the least budget, ${minBudgetTokens}`,
    )
    return { type: 'disabled' }
  }
  const sent = Math.min(budget, maxTokens - 1)
  noteBudget(options, sent, losses)
  return { type: 'enabled', budget_tokens: sent }
}

function noteBudget({ reasoning, model }: RequestOptions, sent: number, losses: Losses): void {
  const { effort, budgetTokens } = reasoning ?? {}
  if (budgetTokens === undefined) {
    const reason = `the model takes budgets only: ${sent} tokens are sent`
    reportLoss(losses, 'changed', 'options.reasoning.effort', reason, 'info')
  } else if (sent !== budgetTokens) {
    const reason = `the budget must be from ${minBudgetTokens} to less than maxTokens: ${sent} is sent`
    reportLoss(losses, 'changed', 'options.reasoning.budgetTokens', reason)
  }
  if (effort !== undefined && budgetTokens !== undefined && !isAdaptive(model))
    reportLoss(losses, 'dropped', 'options.reasoning.effort', reasons.budgetWins, 'info')
}

/** Whether a request asks for reasoning without an effort or a budget. */
function isBare({ effort, budgetTokens }: Reasoning): boolean {
  return effort === undefined && budgetTokens === undefined
}

/** Whether `thinking` must be sent. If a decoded request of this format had only an effort, only an effort is sent. */
function isAsked({ effort, budgetTokens }: Reasoning, kept: JsonObject): boolean {
  if (effort === undefined) return budgetTokens !== undefined || keptThinking(kept) === undefined
  return field(objectIn(kept, 'output_config'), 'effort') !== effort || field(kept, 'thinking') !== undefined
}

/** Returns the stored `thinking` field of a decoded request. */
export function keptThinking(kept: JsonObject): WireThinkingConfig | undefined {
  const thinking = field(kept, 'thinking')
  return typeof field(thinking, 'type') === 'string' ? (thinking as unknown as WireThinkingConfig) : undefined
}

/** Adds stored fields, such as `display`, if they belong to the same type of thinking. */
export function mergeThinking(kept: JsonObject, thinking: WireThinkingConfig): WireThinkingConfig {
  const { type, ...rest } = objectIn(kept, 'thinking')
  const isSame = thinking.type !== 'disabled' && (type === undefined || type === thinking.type)
  return isSame ? { ...rest, ...thinking } : thinking
}

/** Returns the effort for models that take one. A budget becomes the nearest effort. */
export function chooseEffort({ reasoning, model }: RequestOptions, losses: Losses): WireOutputConfig['effort'] {
  if (reasoning === undefined || !isAdaptive(model)) return undefined
  if (reasoning.effort === undefined && !isNewer(model)) return undefined
  const asked = isNewer(model) ? reasoning : compact({ effort: reasoning.effort })
  const effort = effortOf(asked, losses, ['none', ...efforts])
  return effort === 'none' ? undefined : effort
}

// ---- decoding ---------------------------------------------------------------------------------

/** The reasoning option of a decoded request, and stored fields. */
export interface Thinking {
  readonly reasoning?: Reasoning
  /** Fields of `thinking` that isoglot has no option for. */
  readonly kept?: JsonObject
  /** An effort of a request without `thinking`. For models that do not think by default, it does not ask for reasoning. */
  readonly keptEffort?: string
}

/** Decodes `thinking` and `output_config.effort` to the reasoning option. */
export function readThinking(body: JsonObject, model: string): Thinking {
  const thinking = objectIn(body, 'thinking')
  const word = field(field(body, 'output_config'), 'effort')
  const effort = efforts.find((one) => one === word)
  const { type, budget_tokens: budgetTokens, ...rest } = thinking
  const others = Object.keys(rest).length > 0 ? { kept: rest } : {}
  const keptEffort = typeof word === 'string' ? { keptEffort: word } : {}
  if (type === 'disabled') return { reasoning: { effort: 'none' }, ...others, ...keptEffort }
  if (type === 'enabled' && typeof budgetTokens === 'number')
    return { reasoning: { budgetTokens }, ...others, ...keptEffort }
  const kept = type === undefined ? {} : { kept: thinking }
  if (effort !== undefined && type === 'adaptive') return { reasoning: { effort }, ...kept }
  if (effort !== undefined && isNewer(model)) return { reasoning: { effort }, ...kept, ...keptEffort }
  return { ...kept, ...keptEffort }
}
