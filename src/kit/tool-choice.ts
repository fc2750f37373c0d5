/** Replaces a tool choice that a format cannot express. @module */
import type { ProviderTool, ToolChoice, ToolDefinition } from '../core/model.ts'
import { type Losses, renumber, reportLoss } from './losses.ts'
import * as reasons from './reasons.ts'

/** Reports a tool choice of a request without tools. */
export function reportUnusedChoice(
  { toolChoice, parallelToolCalls }: { toolChoice?: ToolChoice | undefined; parallelToolCalls?: boolean },
  losses: Losses,
): void {
  if (toolChoice !== undefined && toolChoice !== 'auto' && toolChoice !== 'none')
    reportLoss(losses, 'dropped', 'options.toolChoice', reasons.noTools, 'info')
  if (parallelToolCalls === false) reportLoss(losses, 'dropped', 'options.parallelToolCalls', reasons.noTools, 'info')
}

/**
 * The tools that a tool choice allows, for a format that cannot express the choice. If it names tools, a provider's own are left out,
 * unless `keepsOthers` is set.
 */
export function chosenTools<T extends ToolDefinition | ProviderTool>(
  tools: readonly T[],
  choice: ToolChoice | undefined,
  losses: Losses,
  keepsOthers = false,
): readonly T[] {
  if (tools.length === 0 || (typeof choice !== 'object' && choice !== 'none')) return tools
  const names = choice === 'none' ? [] : 'name' in choice ? [choice.name] : choice.names
  for (const name of names) {
    if (!tools.some((tool) => 'name' in tool && tool.name === name))
      reportLoss(losses, 'dropped', 'options.toolChoice', `there is no tool named "${name}"`)
  }
  const left = [...tools.entries()].filter(([at, tool]) => {
    if ('name' in tool ? names.includes(tool.name) : keepsOthers) return true
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
