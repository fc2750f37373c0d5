/** Stores the names of runs that a server stores, so that a page can continue them after a reload. @module */
import { isNetworkError } from '../core/errors.ts'
import { readingOf } from '../page/reading.ts'
import { type Resuming, resuming } from '../page/resuming.ts'
import type { ReadableRun } from './run-transport.ts'
import type { ChatEvents, ChatQuestion, ChatTransport } from './types.ts'

/** Continues runs that the server stores. `keptRuns` returns it, for `fetchTransport`. */
export interface KeptRuns {
  /** For `readEvents`. */
  readonly resuming: Resuming
  /** Stores the name of the run, and what the run answers. `undefined`: the server does not store it. */
  remember(chatId: string, name: string | undefined, question?: ChatQuestion): void
  /**
   * Returns the same run, and deletes its name when it ends. A network error does not end it, and neither does leaving it: another
   * connection can continue it.
   */
  forgetting(chatId: string, run: ReadableRun, signal: AbortSignal): ReadableRun
  /** Ends the run that a broken connection left on the server. */
  stop(chatId: string): Promise<void>
  /** The `resume` of the transport. */
  readonly resume: NonNullable<ChatTransport['resume']>
}

/**
 * The `resume` of `fetchTransport`, for a server that answers with `keepRun` and, below the same address, with `answerKept`.
 *
 * After a lost connection, the answer continues by itself. After a reload, `chat.resume()` reads it again from its beginning: call it when
 * the page starts. `retry` of the chat does the same. `stop` ends the run on the server. The name of the run is stored in `sessionStorage`
 * until the run ends. A server of another origin must expose the header `x-isoglot-stream`.
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
  const resume = resuming({ url: transport.url, fetch: transport.fetch })
  const kept = new Map<string, string>()

  function keep(key: string, value: string | undefined): void {
    if (value === undefined) kept.delete(key)
    else kept.set(key, value)
    inStorage((store) => (value === undefined ? store.removeItem(key) : store.setItem(key, value)))
  }

  function keptAt(key: string): string | undefined {
    return kept.get(key) ?? inStorage((store) => store.getItem(key)) ?? undefined
  }

  function note(chatId: string, name: string | undefined, question?: ChatQuestion): void {
    keep(keyOf(chatId), name)
    keep(questionKeyOf(chatId), name && question && JSON.stringify(question))
  }

  function nameOf(chatId: string): string | undefined {
    return keptAt(keyOf(chatId))
  }

  return {
    resuming: resume,
    remember: note,
    forgetting: (chatId, run, signal) => forgetting(note, chatId, run, signal),
    async stop(chatId) {
      const name = nameOf(chatId)
      note(chatId, undefined)
      if (name !== undefined) await resume.stop('', name)
    },
    async resume(chatId, signal) {
      const name = nameOf(chatId)
      if (name === undefined) return undefined
      const response = resume.replay(name, signal)
      const question: ChatQuestion | undefined = JSON.parse(keptAt(questionKeyOf(chatId)) ?? 'null') ?? undefined
      const run = forgetting(note, chatId, readingOf(response, { signal, resume }), signal)
      const events = read(chatId, run) // a stop ends it from now on
      const found = await response.catch(() => undefined) // its error is that of the turn
      const isGone = found !== undefined && goneStatuses.includes(found.status)
      if (!isGone && !signal.aborted) return Object.assign(events, { question })
      await found?.body?.cancel()
      if (!signal.aborted) note(chatId, undefined)
      return undefined
    },
  }
}

/** @param note see `remember` */
function forgetting(note: KeptRuns['remember'], chatId: string, run: ReadableRun, signal: AbortSignal): ReadableRun {
  return {
    get sealed() {
      return run.sealed
    },
    async *batches() {
      try {
        yield* run.batches()
      } catch (cause) {
        if (!isNetworkError(cause) && !signal.aborted) note(chatId, undefined)
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

/** The run has no more events (204), belongs to another user (403) or is not stored (404). */
const goneStatuses = [204, 403, 404]

function keyOf(chatId: string): string {
  return `isoglot-run:${chatId}`
}

function questionKeyOf(chatId: string): string {
  return `isoglot-question:${chatId}`
}

/** Uses the storage of this tab. `undefined` if the storage is missing, full or blocked: a reload then loses the runs of the page. */
function inStorage<T>(use: (store: Storage) => T): T | undefined {
  try {
    return use(globalThis.sessionStorage)
  } catch {
    return undefined
  }
}
