/** Options that a model is asked with unless a request says otherwise. @module */
import type { ModelWrap } from '../client/wrap-model.ts'
import type { RequestOptions } from '../core/model.ts'

/**
 * Options for each request of a model. Those of the request win.
 *
 * @example
 * ```ts
 * const brief = wrapModel(model, defaults({ maxTokens: 200, temperature: 0 }))
 * ```
 */
export function defaults(options: Partial<Omit<RequestOptions, 'model' | 'stream'>>): ModelWrap {
  return { request: (asked) => ({ ...asked, options: { ...options, ...asked.options } }) }
}
