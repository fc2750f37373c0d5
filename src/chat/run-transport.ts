/** A transport out of anything that makes a run. @module */
import type { StreamEvent } from '../client/result.ts'
import type { AnyTools } from '../tools/model.ts'
import type { ChatTransport, ChatTurn } from './model.ts'

/** The fields of a run that a transport reads. `stream` and `readEvents` return more. */
export interface ReadableRun<Tools extends AnyTools = AnyTools> {
  batches(): AsyncIterable<readonly StreamEvent<Tools>[]>
  stop?(): Promise<void>
  /** The history, sealed by the server, once the run has ended. */
  readonly sealed?: string | undefined
}

/**
 * A transport that makes a run of each turn.
 *
 * @example
 * ```ts
 * const transport = runTransport(({ messages, signal }) => stream({ model, messages, signal }))
 * ```
 */
export function runTransport<Tools extends AnyTools = AnyTools>(
  begin: (turn: ChatTurn) => ReadableRun<Tools>,
): ChatTransport<Tools> {
  const runs = new Map<string, ReadableRun<Tools>>()
  return {
    send(turn) {
      const run = begin(turn)
      runs.set(turn.chatId, run)
      return {
        get sealed() {
          return run.sealed
        },
        async *[Symbol.asyncIterator]() {
          try {
            yield* run.batches()
          } finally {
            if (runs.get(turn.chatId) === run) runs.delete(turn.chatId)
          }
        },
      }
    },
    async stop(chatId) {
      await runs.get(chatId)?.stop?.()
    },
  }
}
