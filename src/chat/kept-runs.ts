/** The runs of a page that its server keeps: their names outlive a reload. @module */
import { ConnectionError, InterruptedError, TimeoutError } from '../core/errors.ts'
import { readEvents } from '../page/read.ts'
import { type Resuming, resuming } from '../page/resuming.ts'
import type { ChatEvents, ChatTransport } from './model.ts'
import type { ReadableRun } from './run-transport.ts'

/** Goes on with runs that the server keeps: what `keptRuns` makes, for `fetchTransport`. */
export interface KeptRuns {
  /** For `readEvents`. */
  readonly resuming: Resuming
  /** Notes the name that the server gave to the run of the chat. */
  remember(chatId: string, response: Response): void
  /** The run, which is forgotten when it ends: what is not its end can be made good by another connection. */
  forgetting(chatId: string, run: ReadableRun): ReadableRun
  /** The `resume` of the transport. */
  readonly resume: NonNullable<ChatTransport['resume']>
}

/**
 * The `resume` of `fetchTransport`, for a server that answers by `keepRun` and, below the same address, by `answerKept`. Where the network cuts
 * an answer it goes on by itself; after a reload, and by `retry` of the chat, it comes again from its beginning: call `chat.resume()` when the
 * page begins. The name of the run is kept in `sessionStorage` until its end, and `stop` ends it on the server. A server of another origin
 * has to expose the header `x-isoglot-stream`.
 *
 * @example
 * ```ts
 * const chat = createChatStore({ id: 'c1', transport: fetchTransport({ resume: keptRuns }), persist: localPersist() })
 * await chat.load()
 * await chat.resume()
 * ```
 */
export function keptRuns(
  transport: { readonly url: string; readonly fetch: typeof fetch },
  read: (chatId: string, run: ReadableRun) => ChatEvents,
): KeptRuns {
  const resume = resuming(transport)
  const names = new Map<string, string>()

  function note(chatId: string, name: string | undefined): void {
    if (name === undefined) names.delete(chatId)
    else names.set(chatId, name)
    const store = pageStorage()
    if (name === undefined) store?.removeItem(keyOf(chatId))
    else store?.setItem(keyOf(chatId), name)
  }

  function forgetting(chatId: string, run: ReadableRun): ReadableRun {
    return {
      get sealed() {
        return run.sealed
      },
      async *batches() {
        try {
          yield* run.batches()
        } catch (cause) {
          if (!isOfNetwork(cause)) note(chatId, undefined)
          throw cause
        }
        note(chatId, undefined)
      },
      async stop() {
        note(chatId, undefined)
        await run.stop?.()
      },
    }
  }

  return {
    resuming: resume,
    remember: (chatId, { headers }) => note(chatId, headers.get('x-isoglot-stream') ?? undefined),
    forgetting,
    async resume(chatId, signal) {
      const name = names.get(chatId) ?? pageStorage()?.getItem(keyOf(chatId)) ?? undefined
      if (name === undefined) return undefined
      const response = resume.replay(name, signal)
      const found = await response.catch(() => undefined) // its error is that of the turn
      if (found !== undefined && goneStatuses.has(found.status)) {
        await found.body?.cancel()
        note(chatId, undefined)
        return undefined
      }
      return read(chatId, forgetting(chatId, readEvents(response, { signal, resume })))
    },
  }
}

/** The run has no more events (204), belongs to another user (403) or is not stored (404). */
const goneStatuses: ReadonlySet<number> = new Set([204, 403, 404])

function isOfNetwork(error: unknown): boolean {
  return error instanceof InterruptedError || error instanceof ConnectionError || error instanceof TimeoutError
}

function keyOf(chatId: string): string {
  return `isoglot-run:${chatId}`
}

/** Of this tab. A page may not be allowed to store anything; then its runs are lost with it. */
function pageStorage(): Storage | undefined {
  try {
    return globalThis.sessionStorage
  } catch {
    return undefined
  }
}
