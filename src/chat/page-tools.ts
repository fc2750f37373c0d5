/** Runs tools in the page when a server hands their calls over: the server has their definitions without `execute`. @module */
import type { StreamEvent } from '../client/result.ts'
import type { ToolCall } from '../core/messages.ts'
import { memoryCallLog } from '../tools/run.ts'
import type { Tool } from '../tools/types.ts'
import type { ChatTurn } from './types.ts'

/** @throws {TypeError} for a value that is not a tool with `execute`, and for two tools of one name. */
export function checkPageTools(tools: readonly Tool[]): void {
  const names = new Set<string>()
  for (const [at, { name, execute, run }] of tools.entries()) {
    if (!execute || !run) {
      throw new TypeError(`Cannot run "tools[${at}]" in the page: it has no "execute", or was not made by tool()`)
    }
    if (names.has(name)) throw new TypeError(`Cannot use two tools named "${name}": rename one of them`)
    names.add(name)
  }
}

/** Runs calls of these tools and reports each step. A call that waits for a person is an `approval_request`. */
export async function* runInPage(
  tools: readonly Tool[],
  calls: readonly ToolCall[],
  { messages, approvals, signal }: Pick<ChatTurn, 'messages' | 'approvals' | 'signal'>,
): AsyncGenerator<readonly StreamEvent[]> {
  const [first] = tools
  if (first === undefined) return
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const host = {
    ...{ request: {}, signal, tools: byName, history: messages, responses: [], isLast: false },
    ...{ addMessages: () => {}, report: () => () => {} },
  }
  // The code that runs tools comes with the tools, so that a page without them does not load it.
  const turn = new first.run.Turn(host, memoryCallLog(), messages, approvals, ({ id, index }) => `${index}.${id}`)
  yield* turn.run(calls)
}
