/** Joins changes of an object's storage into one write. @module */
import type { ObjectState, SqlValue } from '../platform.ts'

/** Collects changes that are already made in memory, and writes them to the storage. */
export interface Writer {
  /** Adds a change to the next write. */
  change(query: string, ...values: SqlValue[]): void
  /**
   * Writes all changes together, all or none: within {@link gatheringMs}, or {@link settlingMs} if no caller `waits`. If the storage
   * fails, the object ends, and the next one starts with what is stored.
   */
  write(waits?: boolean): Promise<void>
}

/**
 * How long a change waits for other changes, in ms, so that all are written together. Each write waits for the disk, or for Cloudflare's
 * other locations: with one write for each request, a request would wait for the writes of all requests before it.
 */
const gatheringMs = 1
/** The same time for a settlement. No answer waits for it. It is usually written with the next request of its user. */
const settlingMs = 50

/** The writer of an object. */
export function openWriter(ctx: ObjectState): Writer {
  const { storage } = ctx
  let changes: (() => void)[] = []
  /** The next write: `done` resolves after it; `isWaitedFor` says whether a caller waits for it. */
  let next: { readonly done: Promise<void>; readonly begin: (ms: number) => void; isWaitedFor: boolean } | undefined

  function plan(): NonNullable<typeof next> {
    let timer: ReturnType<typeof setTimeout> | undefined
    let begin = (_: number) => {}
    const done = new Promise<void>((resolve, reject) => {
      begin = (ms) => {
        if (timer !== undefined) clearTimeout(timer)
        timer = setTimeout(() => {
          const noted = changes
          changes = []
          next = undefined
          try {
            storage.transactionSync(() => {
              for (const write of noted) write()
            })
            resolve()
          } catch (error) {
            reject(error)
            ctx.abort('The accounts cannot be written')
          }
        }, ms)
      }
    })
    begin(settlingMs)
    return { done, begin, isWaitedFor: false }
  }

  return {
    change(query, ...values) {
      changes.push(() => storage.sql.exec(query, ...values))
    },
    write(waits = true) {
      if (changes.length === 0) return Promise.resolve()
      next ??= plan()
      if (waits && !next.isWaitedFor) {
        next.isWaitedFor = true
        next.begin(gatheringMs)
      }
      return next.done
    },
  }
}
