/** Records which calls have run. @module */
import type { ToolMessage } from '../core/model.ts'

/**
 * Records which calls have run, so that none runs twice: after a retry, in a resumed run, or, if you store the log, in another process. The
 * key of a call is its id. If earlier turns have a call with that id, `#` and their number follow it. Keys are unique in one conversation. The
 * key of a call of a tool with `needsApproval` is random, so it is unique in all conversations.
 */
export interface CallLog {
  /**
   * Returns `true` once for each key: the call may run now. Later it returns the stored result, which the model gets again, or `false`. If
   * it throws, the call does not run, and the model gets a failed result.
   */
  claim(key: string): boolean | ToolMessage | Promise<boolean | ToolMessage>
  /**
   * Stores the result of a claimed call. If it throws, the result is still in the conversation, and then the run rejects with that error.
   */
  keep?(key: string, result: ToolMessage): void | Promise<void>
}

/**
 * A call log in memory. Pass the same one to several runs.
 *
 * @example
 * ```ts
 * const callLog = memoryCallLog()
 * await generate({ model, prompt: 'Weather in Tokyo?', tools: [weather], callLog })
 * ```
 */
export function memoryCallLog(): CallLog {
  const claimed = new Map<string, ToolMessage | undefined>()
  return {
    claim(key) {
      if (claimed.has(key)) return claimed.get(key) ?? false
      claimed.set(key, undefined)
      return true
    },
    keep: (key, result) => void claimed.set(key, result),
  }
}
