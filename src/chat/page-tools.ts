/** Tools that run in the page: the path `isoglot/chat-tools`. @module */
import type { Message, ToolCall } from '../core/model.ts'
import type { Approval } from '../tools/approval.ts'
import { memoryCallLog } from '../tools/call-log.ts'
import { checkGivenTools, isRunnable } from '../tools/definition.ts'
import type { Tool, ToolEvent } from '../tools/model.ts'
import { CallTurn } from '../tools/turn.ts'

/** The context for calls that run in the page. */
export interface PageToolContext {
  /** The conversation, up to and including the message with the calls. */
  readonly messages: readonly Message[]
  /** Decisions about calls of tools with `needsApproval`. */
  readonly approvals: readonly Approval[]
  readonly signal: AbortSignal
}

/** Tools of the page, for the option `tools` of a chat store. */
export interface PageTools {
  /** Whether there is a tool with this name. */
  has(name: string): boolean
  /** Runs calls and reports each step. Returns the calls that wait for a user. */
  run(calls: readonly ToolCall[], context: PageToolContext): AsyncGenerator<readonly ToolEvent[], readonly ToolCall[]>
}

/**
 * Tools that run in the page when a server sends their calls: the server has their definitions without `execute`. Arguments are checked as
 * in a run of `stream`, and `needsApproval`, `sequential` and `timeoutMs` mean the same.
 *
 * @example
 * ```ts
 * const chat = createChatStore({ transport: fetchTransport(), tools: pageTools([weather]) })
 * ```
 * @throws {TypeError} for a value that is not a tool with `execute`, and for two tools with the same name.
 */
export function pageTools(tools: readonly Tool[]): PageTools {
  checkGivenTools(tools)
  const byName = new Map<string, Tool>()
  for (const tool of tools) {
    if (!isRunnable(tool)) throw new TypeError(`Cannot run "${(tool as Tool).name}" in the page: it has no "execute"`)
    if (byName.has(tool.name)) throw new TypeError(`Cannot use two tools named "${tool.name}": rename one of them`)
    byName.set(tool.name, tool)
  }
  return {
    has: (name) => byName.has(name),
    async *run(calls, { messages, approvals, signal }) {
      const host = {
        ...{ request: {}, signal, tools: byName, history: messages, responses: [], isLast: false },
        ...{ addMessages: () => {}, report: () => () => {} },
      }
      const turn = new CallTurn(host, memoryCallLog(), messages, approvals, ({ id, index }) => `${index}.${id}`)
      const { pending } = yield* turn.run(calls)
      return pending
    },
  }
}
