/** Replaces a tool choice that a format cannot express. @module */
import type { ProviderTool, RequestOptions, ToolDefinition } from '../core/model.ts'
import { type Losses, renumber, reportLoss } from './losses.ts'
import * as reasons from './reasons.ts'

/** Reports a tool choice of a request without tools. */
export function reportUnusedChoice(
  { toolChoice, parallelToolCalls }: Pick<RequestOptions, 'toolChoice' | 'parallelToolCalls'>,
  losses: Losses,
): void {
  const isSaid = toolChoice !== undefined && toolChoice !== 'auto' && toolChoice !== 'none'
  if (isSaid) reportLoss(losses, 'dropped', 'options.toolChoice', reasons.noTools, 'info')
  if (parallelToolCalls === false) reportLoss(losses, 'dropped', 'options.parallelToolCalls', reasons.noTools, 'info')
}

/** The tools that a tool choice allows, for a format that cannot express the choice. */
export function chosenTools<T extends ToolDefinition | ProviderTool>(
  tools: readonly T[],
  isChosen: (tool: T) => boolean,
  losses: Losses,
): readonly T[] {
  const left = [...tools.entries()].filter(([at, tool]) => {
    if (isChosen(tool)) return true
    reportLoss(losses, 'dropped', `tools[${at}]`, reasons.unchosen, 'info')
    return false
  })
  renumber(
    losses,
    'tools',
    left.map(([at]) => at),
  )
  return left.map(([, tool]) => tool)
}
