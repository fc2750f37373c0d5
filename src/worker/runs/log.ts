/**
 * A kept answer, in SQLite: one row of its own, and its events. Writes without an `await` in between are written together, or not at all.
 *
 * @see https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/ (read 2026-11)
 * @module
 */
import type { Sql } from '../platform.ts'
import type { RunFraming } from './events.ts'

/** `gone`: it was, and its events are not kept any more. */
export type RunState = 'running' | 'done' | 'failed' | 'stopped' | 'gone'

/** The row of an answer. */
export interface RunRow {
  readonly id: string
  /** The request: its URL, and a digest of all of it. */
  readonly url: string
  readonly digest: string
  readonly state: RunState
  /** Not known before the answer has begun. */
  readonly framing: RunFraming | null
  /** Headers of the answer, as JSON. */
  readonly headers: string
  /** Milliseconds since 1970. */
  readonly endedAt: number | null
}

/** A place in the log: after a part of an event. */
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
  /** Begins a new one, in the place of what there was. */
  begin(run: Pick<RunRow, 'id' | 'url' | 'digest'>): void
  setHead(framing: RunFraming, headers: string): void
  /** Appends events. */
  append(events: readonly Uint8Array<ArrayBuffer>[]): void
  end(state: Exclude<RunState, 'running'>, at: number): void
  /** How many events there are. */
  last(): number
  /** The parts after a place, up to an event: no more than about so many bytes. */
  read(after: Place, upTo: number, maxBytes: number): Part[]
  /** The text of an event; empty if there is none of that number. */
  text(event: number): string
  /** Drops the events, and keeps that there were some. */
  bury(): void
  /** Drops all there is of it. */
  forget(): void
  /** Drops the tables too. */
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

/** A row holds 2 MB at most. */
const maxPartBytes = 1024 * 1024

/** Writes nothing before an answer begins: who asks for answers that never were leaves no trace. */
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
    bury() {
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
