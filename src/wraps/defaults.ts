/** Default options of a model. @module */

import type { ModelWrap } from '../client/wrap-model.ts'
import { checkOptions } from '../core/checks.ts'
import type { RequestOptions } from '../core/messages.ts'

/**
 * Options for each request of a model. The options of a request take precedence.
 *
 * @example
 * ```ts
 * const brief = wrapModel(model, defaults({ maxTokens: 200, temperature: 0 }))
 * ```
 */
export function defaults(options: Partial<Omit<RequestOptions, 'model' | 'stream'>>): ModelWrap {
  checkOptions('defaults', options)
  return { request: ({ context, options: own }) => ({ context, options: { ...options, ...own } }) }
}
