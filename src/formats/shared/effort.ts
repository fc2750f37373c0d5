import type { ReasoningEffort, RequestOptions } from '../../core/messages.ts'
import { type Losses, reportLoss } from './losses.ts'

/** Tokens for each effort, least first. */
export const effortBudgets: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_768,
}

/** Least first. */
export const efforts: readonly ReasoningEffort[] = /* @__PURE__ */ Object.keys(effortBudgets) as ReasoningEffort[]

/** The requested effort, or the one that the budget is nearest to. */
export function askedEffort({ effort, budgetTokens }: RequestOptions['reasoning'] = {}): ReasoningEffort | undefined {
  return effort ?? (budgetTokens === undefined ? undefined : nearestEffort(budgetTokens))
}

type Reasoning = NonNullable<RequestOptions['reasoning']>

/** The effort to send to a target that has all efforts. If both fields are set, the effort wins. A budget that is not sent is a loss. */
export function anyEffort(reasoning: Reasoning, losses: Losses): ReasoningEffort | undefined {
  const asked = askedEffort(reasoning)
  if (asked !== undefined) reportBudget(reasoning, asked, losses)
  return asked
}

/**
 * The effort to send to a target that has only some: the nearest one of `taken`, or the higher of two. Only `none` becomes `none`. Each
 * change is one loss, at the field that the caller set.
 */
export function effortOf<Taken extends ReasoningEffort>(
  reasoning: Reasoning,
  losses: Losses,
  taken: readonly Taken[],
): Taken | undefined {
  const { effort } = reasoning
  const asked = askedEffort(reasoning)
  if (asked === undefined) return undefined
  const distance = (one: ReasoningEffort) => Math.abs(efforts.indexOf(one) - efforts.indexOf(asked))
  const near = taken.filter((one) => one !== 'none' || asked === 'none')
  const sent = near.reduce((best, one) => (distance(one) <= distance(best) ? one : best))
  reportBudget(reasoning, sent, losses)
  if (effort !== undefined && sent !== effort) reportEffort(losses, effort, sent)
  return sent
}

function reportBudget({ effort, budgetTokens }: Reasoning, sent: ReasoningEffort, losses: Losses): void {
  const path = 'options.reasoning.budgetTokens'
  if (effort === undefined && sent !== 'none') {
    reportLoss(losses, 'changed', path, `the target takes efforts only: "${sent}" is the nearest`)
  } else if (effort !== undefined && budgetTokens !== undefined) {
    reportLoss(losses, 'dropped', path, 'the effort is sent', 'info')
  }
}

/** Reports that the request has another effort than the caller set. */
export function reportEffort(losses: Losses, asked: ReasoningEffort, sent: string): void {
  reportLoss(losses, 'changed', 'options.reasoning.effort', `the target has no "${asked}": "${sent}" is sent`)
}

/** The effort that a budget is nearest to; `none` only for 0 tokens. */
export function nearestEffort(budgetTokens: number): ReasoningEffort {
  const distance = (effort: ReasoningEffort) => Math.abs(effortBudgets[effort] - budgetTokens)
  const some = efforts.filter((effort) => effort !== 'none')
  return budgetTokens <= 0 ? 'none' : some.reduce((best, effort) => (distance(effort) < distance(best) ? effort : best))
}

// ---- OpenAI's models ----------------------------------------------------------------------------

/**
 * Whether a model reasons with this effort, and then refuses the temperature and other options for sampling. o-series and gpt-5 always
 * reason. gpt-5.1 to 5.4 reason only if the request sets an effort. Chat variants never reason.
 */
export function isReasoning(model: string, effort: ReasoningEffort | undefined): boolean {
  const found = /^(?:o\d|gpt-5(\.\d)?(?!.*chat))/.exec(model)
  if (!found?.[1]) return found !== null
  return effort === undefined ? found[1] > '.4' || model.includes('pro') : effort !== 'none'
}
