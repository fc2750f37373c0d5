/** A transport made from a function that starts a run. @module */
import type { StreamEvent } from '../client/result.ts'
import type { AnyTools } from '../tools/types.ts'
import type { ChatEvents, ChatTransport, ChatTurn } from './types.ts'

/** The fields of a run that a transport reads. The runs of `stream` and `readEvents` have them. */
export interface ReadableRun<Tools extends AnyTools = AnyTools> {
  batches(): AsyncIterable<readonly StreamEvent<Tools>[]>
  stop?(): Promise<void>
  /** The history that the server sealed, once the run has ended. */
  readonly sealed?: string | undefined
}

/**
 * A transport that starts a run for each turn.
 *
 * @example
 * ```ts
 * const transport = runTransport(({ messages, signal }) => stream({ model, messages, signal }))
 * ```
 */
export function runTransport<Tools extends AnyTools = AnyTools>(
  begin: (turn: ChatTurn) => ReadableRun<Tools>,
): ChatTransport<Tools> {
  const { read, stop } = readRuns<Tools>()
  return { send: (turn) => read(turn.chatId, begin(turn)), stop }
}

interface RunReader<Tools extends AnyTools> {
  read(chatId: string, run: ReadableRun<Tools>): ChatEvents<Tools>
  /** Stops the run of the chat that is currently read. */
  stop(chatId: string): Promise<void>
}

export function readRuns<Tools extends AnyTools = AnyTools>(): RunReader<Tools> {
  const runs = new Map<string, ReadableRun<Tools>>()
  return {
    read(chatId, run) {
      runs.set(chatId, run)
      return {
        get sealed() {
          return run.sealed
        },
        async *[Symbol.asyncIterator]() {
          try {
            yield* run.batches()
          } finally {
            if (runs.get(chatId) === run) runs.delete(chatId)
          }
        },
      }
    },
    async stop(chatId) {
      await runs.get(chatId)?.stop?.()
    },
  }
}
