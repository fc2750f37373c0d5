/** The part of a tool that a model sees, and the checks of tools. @module */
import { checkTools } from '../core/content.ts'
import { isObject, lookup } from '../core/json.ts'
import type { ProviderTool, ToolDefinition } from '../core/model.ts'
import type { Tool } from './model.ts'

/** The part of a tool that a model sees: without its functions and behaviour. */
export function definitionOf(tool: Tool | ToolDefinition): ToolDefinition {
  const { run, execute, parse, convert, sequential, terminal, needsApproval, timeoutMs, fromMcp, ...definition } =
    tool as Tool
  return definition
}

/** Whether the tool can run here. The caller runs a definition without `execute`. */
export function isRunnable(definition: object): definition is Tool {
  return 'execute' in definition && typeof definition.execute === 'function'
}

/** The tool, if it can run here. */
export function asRunnable(tool: object | undefined): Tool | undefined {
  return tool !== undefined && isRunnable(tool) ? tool : undefined
}

/**
 * Checks two tools with the same name. The later one replaces the earlier one, except if one of them needs approval or comes from an MCP
 * server. Otherwise an added tool could replace a tool that needs approval.
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

/** Checks the tools of a request, or of the context in it. @throws {TypeError} that says which one is wrong, and how to make it. */
export function checkGivenTools(tools: readonly (ToolDefinition | ProviderTool)[]): void {
  checkTools(tools)
  for (const [at, tool] of tools.entries()) if (hasRunner(tool)) tool.run.checkApproval(tool, `"tools[${at}]"`)
}

/** Whether a tool has the code that runs it. */
export function hasRunner(tool: object): tool is Tool {
  return 'run' in tool && typeof tool.run === 'function'
}

/** Types of options of a tool. */
const types: Readonly<Record<string, string>> = {
  execute: 'function',
  description: 'string',
  timeoutMs: 'number',
  strict: 'boolean',
  convert: 'boolean',
  sequential: 'boolean',
  terminal: 'boolean',
}

/** @throws {TypeError} for an option of a tool that has the wrong type. */
export function checkBehaviour(options: object, place: string): void {
  for (const [name, value] of Object.entries(options)) {
    const type = lookup(types, name)
    if (type === undefined || value === undefined || (typeof value === type && !Number.isNaN(value))) continue
    throw new TypeError(
      `Cannot make ${place}: "${name}" is ${Number.isNaN(value) ? 'NaN' : typeof value} and not a ${type}`,
    )
  }
  checkApproval(options, place)
}

/** @throws {TypeError} for a value that is not a rule: a run would not ask for approval, and JavaScript does not check types. */
export function checkApproval(tool: object, place: string): void {
  const needsApproval: unknown = 'needsApproval' in tool ? tool.needsApproval : undefined
  if (needsApproval === undefined || (isObject(needsApproval) && typeof needsApproval.consent === 'function')) return
  throw new TypeError(`Cannot use ${place}: "needsApproval" is ${typeof needsApproval} and not what approval() makes`)
}
