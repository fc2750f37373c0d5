/** What of a tool a model is told, and what of it is no tool. @module */
import { isObject } from '../core/lookup.ts'
import type { ToolDefinition } from '../core/model.ts'
import type { Tool } from './model.ts'

/** What of a tool a model is told: none of its functions and behaviour. */
export function definitionOf(tool: Tool | ToolDefinition): ToolDefinition {
  const { run, execute, parse, convert, sequential, terminal, needsApproval, timeoutMs, fromMcp, ...definition } =
    tool as Tool
  return definition
}

/** Whether it can run here; a definition without `execute` is for the caller to run. */
export function isRunnable(definition: object): definition is Tool {
  return 'execute' in definition && typeof definition.execute === 'function'
}

/**
 * Two tools of one name: the later one counts, but not where a person has to approve one of them, or where the name was chosen by an MCP
 * server. Otherwise whoever adds a tool could take the place of one that asks first.
 *
 * @throws {TypeError} that says how to rename one of them.
 */
export function checkReplacing(earlier: object, later: object, name: string): void {
  if (earlier === later) return
  const [one, other] = [earlier, later] as [Partial<Tool>, Partial<Tool>]
  const isMcp = one.fromMcp || other.fromMcp
  if (!isMcp && !one.needsApproval && !other.needsApproval) return
  const why = isMcp ? 'one of them is of an MCP server' : 'one of them needs approval'
  const how = isMcp ? 'give its tools another name by mcpTools(client, { prefix })' : 'rename one of them'
  throw new TypeError(`Cannot use two tools named "${name}": ${why}; ${how}`)
}

/** @throws {TypeError} for a word in place of the rule: code without TypeScript would wait for nobody. */
export function checkApproval(tool: object, place: string): void {
  const needsApproval: unknown = 'needsApproval' in tool ? tool.needsApproval : undefined
  if (needsApproval === undefined || (isObject(needsApproval) && typeof needsApproval.isNeeded === 'function')) return
  throw new TypeError(`Cannot use ${place}: "needsApproval" is ${typeof needsApproval} and not what approval() makes`)
}
