/** The formats in which a run is sent to a page: the interface that `toResponse` needs. Types only. @module */
import type { StreamEvent } from '../client/result.ts'
import type { PageError } from './page-error.ts'

/** How a run ended, in the form that a page may see. */
export type PageEnd =
  /** `sealed`: the result of `seal` of `toResponse`, if that option is set. */
  | { readonly type: 'end'; readonly sealed?: string }
  | { readonly type: 'error'; readonly error: PageError }
  /** The server itself aborted the run. */
  | { readonly type: 'abort'; readonly error: PageError }

/** The format of one response. It may keep state from one batch to the next. */
export interface Encoding {
  readonly headers: Readonly<Record<string, string>>
  /**
   * Where a reader of this format looks for the error of a run that fails before its first event: in the body of a response with an error
   * status, as `{ error }` in JSON (`json`, the default) or as the sentence alone (`text`), or at the end of a response with status 200
   * (`events`).
   */
  readonly failsIn?: 'json' | 'text' | 'events'
  /** The text that is sent while the run is silent. Absent: no text. */
  readonly heartbeat?: string
  /** The text before the first event. */
  begin?(): string
  /** The text for one batch of events that the page may see. May be empty. */
  events(batch: readonly StreamEvent[]): string
  /** The text for the end. `undefined`: the format cannot express this end, so the body fails with an error. */
  end(end: PageEnd): string | undefined
}

/** A format for runs that are sent to a page. It is called once for each response, so one value works for all responses. */
export type Encoder = () => Encoding
