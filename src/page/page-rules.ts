/** The parts of a run that a page may see. Types only. @module */
import type { StreamEvent } from '../client/result.ts'
import type { PageError } from './page-error.ts'

/**
 * The part of a tool that a page sees. `hidden`: nothing. `name`: its name and the status of its calls. `arguments`: also their arguments.
 * `all`: also results and progress. `artifacts` and `extra` of a result never leave the server.
 */
export type ToolView = 'hidden' | 'name' | 'arguments' | 'all'

/** The parts of a run that a page may see. Default: text, reasoning, the names of tools, and the end of the run. */
export interface PageRules {
  /** The model's reasoning. Default true. */
  readonly reasoning?: boolean
  /** Token counts. Default false. */
  readonly usage?: boolean
  /** The name of the model that answered. Default false. */
  readonly model?: boolean
  /** Losses of requests and answers. `major`: only losses of content. Default false, because their paths describe the request. */
  readonly warnings?: boolean | 'major'
  /**
   * The part of tools that the page sees: one value for all tools, or by name. Default `name`, also for tools that are not listed. A tool
   * that runs in the page, or whose calls a user approves there, needs `arguments`.
   */
  readonly tools?: ToolView | { readonly [name: string]: ToolView }
  /** The same for tools that the provider runs. Default `name`. */
  readonly serverTools?: ToolView
  /** Changes the URL of a citation or of media. Return `undefined` to remove it. */
  readonly url?: (url: string, use: 'citation' | 'media') => string | undefined
  /** Makes the error for the page. Default: a code and a fixed message, without the provider's message. */
  readonly error?: (cause: unknown) => PageError
  /** Called last: changes an event before the page gets it. Return `undefined` to remove it. */
  readonly filter?: (event: StreamEvent) => StreamEvent | undefined
}
