/** Writes changes of an object's storage together. @module */
import type { ObjectState, SqlValue } from '../platform.ts'

/** Changes that are made in memory already, and not in the storage yet. */
export interface Writer {
  /** Notes a change for the next writing. */
  change(query: string, ...values: SqlValue[]): void
  /**
   * Writes all changes together, all or none: within {@link gatheringMs}, or {@link settlingMs} if no caller `waits`. If the storage
   * fails, the object ends, and the next one starts with what is stored.
   */
  write(waits?: boolean): Promise<void>
}

/**
 * How long a change waits for others, in ms, to be written with them. Each writing waits for the disk, or for Cloudflare's other places; of
 * many requests at once every one would wait for all before it.
 */
const gatheringMs = 1
/** The same for a settlement, which no answer waits for: the next request of its user most often takes it along. */
const settlingMs = 50

/** The writer of an object. */
export function openWriter(ctx: ObjectState): Writer {
  const { storage } = ctx
  let changes: (() => void)[] = []
  /** The next writing: `done` when it is written, and whether a caller waits for it. */
  let next: { readonly done: Promise<void>; readonly begin: (ms: number) => void; isWaitedFor: boolean } | undefined

  function plan(): NonNullable<typeof next> {
    let timer: ReturnType<typeof setTimeout> | undefined
    let begin = (_: number) => {}
    const done = new Promise<void>((resolve, reject) => {
      begin = (ms) => {
        clearTimeout(timer)
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
