/** What of a run a page may see. Types only. @module */
import type { StreamEvent } from '../client/result.ts'
import type { PageError } from './page-error.ts'

/**
 * What a page sees of a tool: nothing; its name and how its calls went; their arguments too; everything, results and progress too. What a
 * tool returns as `artifacts` or `extra` never leaves the server.
 */
export type ToolView = 'hidden' | 'name' | 'arguments' | 'all'

/** What a page may see of a run. The default is text, reasoning, the names of tools and how the run went. */
export interface PageRules {
  /** What the model thinks. Default true. */
  readonly reasoning?: boolean
  /** Token counts. Default false. */
  readonly usage?: boolean
  /** The name of the model that answered. Default false. */
  readonly model?: boolean
  /** What a request or an answer could not carry; `major`: only losses of content. Default false: their paths describe the request. */
  readonly warnings?: boolean | 'major'
  /**
   * What the page sees of tools: of all of them, or by name. Default `name`, also for tools that are not listed. A tool that the page itself
   * runs, or whose calls a person approves there, needs `arguments`.
   */
  readonly tools?: ToolView | { readonly [name: string]: ToolView }
  /** The same for tools that the provider runs. Default `name`. */
  readonly serverTools?: ToolView
  /** Changes a URL of a citation, or of media, or drops it by `undefined`. */
  readonly url?: (url: string, use: 'citation' | 'media') => string | undefined
  /** What the page is told of an error. Default: a code and a sentence of ours, and nothing of the provider's words. */
  readonly error?: (cause: unknown) => PageError
  /** The last word: changes an event that the page would get, or drops it by `undefined`. */
  readonly filter?: (event: StreamEvent) => StreamEvent | undefined
}
