/** Which calls were run already. @module */
import type { ToolMessage } from '../core/model.ts'

/**
 * Remembers which calls were run, so that none is twice: over retries, over resumed runs, in other processes if it is stored. A call has
 * a key: its id; or, of an id that came in earlier turns of the conversation too, the id with `#` and how often. These keys count within
 * one conversation. A call of a tool with `needsApproval` has a random key that no other conversation has.
 */
export interface CallLog {
  /**
   * `true`, once for each key: the call may run now. Later: the kept result, which the model receives again; or
   * `false`. The model receives the message of an exception, and the call does not run.
   */
  claim(key: string): boolean | ToolMessage | Promise<boolean | ToolMessage>
  /**
   * Keeps the result of a call that was claimed. If it throws, the run rejects with that error, after the result is in the conversation.
   */
  keep?(key: string, result: ToolMessage): void | Promise<void>
}

/** A call log in memory, which lasts as long as you hold it. */
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
