/** Writes changes of an object's storage together. @module */
import type { ObjectState, SqlValue } from '../platform.ts'

/** Changes that are made in memory already, and not in the storage yet. */
export interface Writer {
  /** Notes a change for the next writing. */
  change(query: string, ...values: SqlValue[]): void
  /** Writes all changes together, all or none. An object whose storage fails ends: the next one knows what the storage knows. */
  write(): Promise<void>
}

/**
 * How long a change waits for others, in ms, to be written with them. Each writing waits for the disk, or for Cloudflare's other places; of
 * many requests at once every one would wait for all before it.
 */
const gatheringMs = 1

/** The writer of an object. */
export function openWriter(ctx: ObjectState): Writer {
  const { storage } = ctx
  let changes: (() => void)[] = []
  /** Resolves when they are written. */
  let written: Promise<void> | undefined

  return {
    change(query, ...values) {
      changes.push(() => storage.sql.exec(query, ...values))
    },
    write() {
      if (changes.length === 0) return Promise.resolve()
      written ??= new Promise((resolve, reject) => {
        setTimeout(() => {
          const noted = changes
          changes = []
          written = undefined
          try {
            storage.transactionSync(() => {
              for (const write of noted) write()
            })
            resolve()
          } catch (error) {
            reject(error)
            ctx.abort('The accounts cannot be written')
          }
        }, gatheringMs)
      })
      return written
    },
  }
}
