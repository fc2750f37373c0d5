/**
 * A stored answer in SQLite: one row, and its events. Writes without an `await` between them are atomic.
 *
 * @see https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/ (read 2026-11)
 * @module
 */
import type { Sql } from '../platform.ts'
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

/** The log of one answer. */
export interface RunLog {
  find(): RunRow | undefined
  /** Begins an answer. Replaces the previous one. */
  begin(run: Pick<RunRow, 'id' | 'url' | 'digest'>): void
  setHead(framing: RunFraming, headers: string): void
  /** Appends events. */
  append(events: readonly Uint8Array<ArrayBuffer>[]): void
  end(state: Exclude<RunState, 'running'>, at: number): void
  /** The number of events. */
  last(): number
  /** The parts after a position, up to and including event `upTo`, with about `maxBytes` bytes at most. */
  read(after: Place, upTo: number, maxBytes: number): Part[]
  /** The text of an event; empty if there is no event with that number. */
  text(event: number): string
  /** Deletes the events, but remembers that there was an answer. */
  dropEvents(): void
  /** Deletes everything about the answer. */
  forget(): void
  /** Deletes the tables too. */
  drop(): void
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

/** Writes nothing before an answer begins, so a request for an answer that never existed leaves no data. */
export function openLog(sql: Sql): RunLog {
  const all = (query: string, ...values: (string | number | null | ArrayBuffer)[]) => [...sql.exec(query, ...values)]
  let isMade = all(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'run'`).length > 0
  let last = isMade ? countEvents() : 0

  function countEvents(): number {
    return Number(all('SELECT coalesce(max(event), 0) AS last FROM events')[0]?.last)
  }

  function make(): void {
    if (!isMade) all(schema)
    isMade = true
  }

  function dropEvents(): void {
    all('DELETE FROM events')
    last = 0
  }

  return {
    find: () => (isMade ? (all('SELECT * FROM run').at(0) as RunRow | undefined) : undefined),
    begin({ id, url, digest }) {
      make()
      dropEvents()
      all(`INSERT OR REPLACE INTO run VALUES (1, ?, ?, ?, 'running', NULL, '{}', NULL)`, id, url, digest)
    },
    setHead: (framing, headers) => void all('UPDATE run SET framing = ?, headers = ?', framing, headers),
    append(events) {
      for (const event of events) {
        last++
        for (let part = 0, at = 0; at < event.length; part++, at += maxPartBytes) {
          all('INSERT INTO events VALUES (?, ?, ?)', last, part, event.slice(at, at + maxPartBytes).buffer)
        }
      }
    },
    end: (state, at) => void all('UPDATE run SET state = ?, endedAt = ?', state, at),
    last: () => last,
    read(after, upTo, maxBytes) {
      const parts: Part[] = []
      let size = 0
      const query = 'SELECT * FROM events WHERE (event, part) > (?, ?) AND event <= ? ORDER BY event, part LIMIT 256'
      for (const row of sql.exec(query, after.event, after.part, upTo)) {
        const bytes = new Uint8Array(row.bytes as ArrayBuffer)
        parts.push({ event: Number(row.event), part: Number(row.part), bytes })
        size += bytes.length
        if (size >= maxBytes) break
      }
      return parts
    },
    text(event) {
      const decoder = new TextDecoder()
      const parts = all('SELECT bytes FROM events WHERE event = ? ORDER BY part', event)
      return parts.map(({ bytes }) => decoder.decode(bytes as ArrayBuffer, { stream: true })).join('')
    },
    dropEvents() {
      dropEvents()
      all(`UPDATE run SET state = 'gone'`)
    },
    forget() {
      dropEvents()
      all('DELETE FROM run')
    },
    drop() {
      if (isMade) all('DROP TABLE run; DROP TABLE events;')
      isMade = false
      last = 0
    },
  }
}
