/** How a run travels to a page: what `toResponse` asks of each form. Types only. @module */
import type { StreamEvent } from '../client/result.ts'
import type { PageError } from './page-error.ts'

/** How a run ended, as a page may know it. */
export type PageEnd =
  /** `sealed`: what `seal` of `toResponse` made, if it was given. */
  | { readonly type: 'end'; readonly sealed?: string }
  | { readonly type: 'error'; readonly error: PageError }
  /** The server itself aborted the run. */
  | { readonly type: 'abort'; readonly error: PageError }

/** The form of one response. It may keep state from one batch to the next. */
export interface Encoding {
  readonly headers: Readonly<Record<string, string>>
  /** The text that is sent while the run is silent. Absent: none. */
  readonly heartbeat?: string
  /** The text before the first event. */
  begin?(): string
  /** The events of one batch, as the page may see them. May be empty. */
  events(batch: readonly StreamEvent[]): string
  /** The end. `undefined`: the format has no mark for this end, and the body breaks off with an error. */
  end(end: PageEnd): string | undefined
}

/** A form for runs on their way to a page. It is called once for each response, so one value can serve all of them. */
export type Encoder = () => Encoding
