/**
 * A stored answer in SQLite: one row, and its events. Writes without an `await` between them are atomic.
 *
 * @see https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/ (read 2026-11)
 * @module
 */
import type { Sql, SqlValue } from '../platform.ts'
import type { RunFraming } from './events.ts'

/** `gone`: there was an answer, but its events are deleted. */
export type RunState = 'running' | 'done' | 'failed' | 'stopped' | 'gone'

/** The row of an answer. */
export interface RunRow {
  readonly id: string
  /** The request's URL, and a digest of its URL and body. */
  readonly url: string
  readonly digest: string
  readonly state: RunState
  /** `null` until the answer begins. */
  readonly framing: RunFraming | null
  /** Headers of the answer, as JSON. */
  readonly headers: string
  /** Milliseconds since 1970. */
  readonly endedAt: number | null
}

/** A position in the log: after a part of an event. */
export interface Place {
  readonly event: number
  readonly part: number
}

/** A part of an event. */
export interface Part extends Place {
  readonly bytes: Uint8Array
}

const schema = `
  CREATE TABLE IF NOT EXISTS run (
    one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, url TEXT NOT NULL, digest TEXT NOT NULL,
    state TEXT NOT NULL, framing TEXT, headers TEXT NOT NULL, endedAt INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS events (
    event INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (event, part)
  ) STRICT, WITHOUT ROWID;`

/** A row has at most 2 MB. */
const maxPartBytes = 1024 * 1024

/** The log of one answer. Writes nothing before the answer begins, so a request for an answer that never existed leaves no data. */
export class RunLog {
  readonly #sql: Sql
  /** Whether the tables exist. */
  #isMade: boolean
  /** The number of events. */
  #last: number

  constructor(sql: Sql) {
    this.#sql = sql
    this.#isMade = this.#all(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'run'`).length > 0
    const count = 'SELECT coalesce(max(event), 0) AS last FROM events'
    this.#last = this.#isMade ? Number(this.#all(count)[0]?.last) : 0
  }

  find(): RunRow | undefined {
    return this.#isMade ? (this.#all('SELECT * FROM run').at(0) as RunRow | undefined) : undefined
  }

  /** Begins an answer. Replaces the previous one. */
  begin({ id, url, digest }: Pick<RunRow, 'id' | 'url' | 'digest'>): void {
    if (!this.#isMade) this.#all(schema)
    this.#isMade = true
    this.#clear()
    this.#all(`INSERT OR REPLACE INTO run VALUES (1, ?, ?, ?, 'running', NULL, '{}', NULL)`, id, url, digest)
  }

  setHead(framing: RunFraming, headers: string): void {
    this.#all('UPDATE run SET framing = ?, headers = ?', framing, headers)
  }

  /** Appends events. */
  append(events: readonly Uint8Array<ArrayBuffer>[]): void {
    for (const event of events) {
      this.#last++
      for (let part = 0, at = 0; at < event.length; part++, at += maxPartBytes) {
        this.#all('INSERT INTO events VALUES (?, ?, ?)', this.#last, part, event.slice(at, at + maxPartBytes).buffer)
      }
    }
  }

  end(state: Exclude<RunState, 'running'>, at: number): void {
    this.#all('UPDATE run SET state = ?, endedAt = ?', state, at)
  }

  /** The number of events. */
  last(): number {
    return this.#last
  }

  /** The parts after a position, up to and including event `upTo`, with about `maxBytes` bytes at most. */
  read(after: Place, upTo: number, maxBytes: number): Part[] {
    const parts: Part[] = []
    let size = 0
    const query = 'SELECT * FROM events WHERE (event, part) > (?, ?) AND event <= ? ORDER BY event, part LIMIT 256'
    for (const row of this.#sql.exec(query, after.event, after.part, upTo)) {
      const bytes = new Uint8Array(row.bytes as ArrayBuffer)
      parts.push({ event: Number(row.event), part: Number(row.part), bytes })
      size += bytes.length
      if (size >= maxBytes) break
    }
    return parts
  }

  /** The text of an event; empty if there is no event with that number. */
  text(event: number): string {
    const decoder = new TextDecoder()
    const parts = this.#all('SELECT bytes FROM events WHERE event = ? ORDER BY part', event)
    return parts.map(({ bytes }) => decoder.decode(bytes as ArrayBuffer, { stream: true })).join('')
  }

  /** Deletes the events, but remembers that there was an answer. */
  dropEvents(): void {
    this.#clear()
    this.#all(`UPDATE run SET state = 'gone'`)
  }

  /** Deletes everything about the answer. */
  forget(): void {
    this.#clear()
    this.#all('DELETE FROM run')
  }

  /** Deletes the tables too. */
  drop(): void {
    if (this.#isMade) this.#all('DROP TABLE run; DROP TABLE events;')
    this.#isMade = false
    this.#last = 0
  }

  #clear(): void {
    this.#all('DELETE FROM events')
    this.#last = 0
  }

  #all(query: string, ...values: SqlValue[]): Record<string, unknown>[] {
    return [...this.#sql.exec(query, ...values)]
  }
}
