/** The parts of a run that a page may see. Types only. @module */
import type { StreamEvent } from '../client/result.ts'
import type { PageError } from './page-error.ts'

/**
 * How much of a tool a page sees: nothing; its name and the status of its calls; their arguments too; results and progress too. `artifacts`
 * and `extra` of a result never leave the server.
 */
export type ToolView = 'hidden' | 'name' | 'arguments' | 'all'

/** The parts of a run that a page may see. Default: text, reasoning, the names of tools and how the run ended. */
export interface PageRules {
  /** The model's reasoning. Default true. */
  readonly reasoning?: boolean
  /** Token counts. Default false. */
  readonly usage?: boolean
  /** The name of the model that answered. Default false. */
  readonly model?: boolean
  /** Losses of requests and answers; `major`: only losses of content. Default false: their paths describe the request. */
  readonly warnings?: boolean | 'major'
  /**
   * How much the page sees of tools: of all of them, or by name. Default `name`, also for tools that are not listed. A tool that the page
   * itself runs, or whose calls a person approves there, needs `arguments`.
   */
  readonly tools?: ToolView | { readonly [name: string]: ToolView }
  /** The same for tools that the provider runs. Default `name`. */
  readonly serverTools?: ToolView
  /** Changes a URL of a citation, or of media, or drops it by `undefined`. */
  readonly url?: (url: string, use: 'citation' | 'media') => string | undefined
  /** Turns an error into one for the page. Default: a code and a sentence of isoglot, and none of the provider's words. */
  readonly error?: (cause: unknown) => PageError
  /** The last word: changes an event that the page would get, or drops it by `undefined`. */
  readonly filter?: (event: StreamEvent) => StreamEvent | undefined
}
