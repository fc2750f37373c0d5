/** What a tool is, and what of it a model is told. @module */
import { isObject } from '../lookup.ts'
import type { JsonObject, Message, ToolCall, ToolDefinition } from '../model.ts'
import type { ApprovalRule } from './approval.ts'
import type { ToolRun } from './run.ts'

/** What a running tool knows of its surroundings. */
export interface ToolContext {
  readonly call: ToolCall
  /** The conversation up to and with the message that made the call. */
  readonly messages: readonly Message[]
  /** Fires when the run is cancelled, or the tool has had its time. */
  readonly signal: AbortSignal
  /** Tells the caller how it goes on: a `tool_progress` event each. */
  progress(data: unknown): void
}

/** How a tool behaves in the loop. */
export interface ToolBehaviour {
  /** `false`: hand over the arguments as they came, unchecked and with their nulls. Default true. */
  readonly convert?: boolean
  /** Never at the same time as another call of the turn. Default false. */
  readonly sequential?: boolean
  /** Ends the run without being run: its arguments are the answer, once they fit. Default false. */
  readonly terminal?: boolean
  /** Calls need the consent of a person before they run: `approval()`. Default: none does. */
  readonly needsApproval?: ApprovalRule
  /** How long it may run, in milliseconds; wins over the run's `toolTimeoutMs`. */
  readonly timeoutMs?: number
}

/**
 * A tool that can run: what `tool` makes, or a copy of it. Tools of different arguments fit one array, since what is in it takes whatever
 * `parse` made.
 */
export interface Tool extends ToolDefinition, ToolBehaviour {
  /** The code that runs calls and asks the model again. A program whose requests have no tool does not carry it. */
  readonly run: typeof ToolRun
  /** Checks and converts arguments. What it throws is told to the model, and the tool is not run. */
  readonly parse?: (args: JsonObject) => unknown | Promise<unknown>
  readonly execute: (args: never, context: ToolContext) => unknown
  /** `mcpTools` made it: its name is the server's choice, and never replaces that of another tool. */
  readonly fromMcp?: true
}

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
