/** Other models, for when one fails. @module */

import { checkModel, type ModelWrap } from '../client/request.ts'
import type { Model } from '../core/codec.ts'
import { ApiError, ConnectionError, TimeoutError } from '../core/errors.ts'

/**
 * Asks the next of these models if one fails before the first event of its answer. After the first event, it throws the error of that
 * model. Each model is retried first; `retries: 0` prevents that. The models may be from any provider.
 *
 * @param when whether to ask the next model after this error. Default: for retryable API errors, connection errors and timeouts.
 * @example
 * ```ts
 * const safe = wrapModel(model, fallback([cheaper]))
 * ```
 * @throws {TypeError} for what is not a list of models.
 */
export function fallback(
  models: readonly Model[],
  { when = mayPass }: { readonly when?: (error: unknown, model: Model) => boolean } = {},
): ModelWrap {
  if (!Array.isArray(models)) throw new TypeError('Cannot fall back: the models are not a list')
  for (const model of models) checkModel(model)
  return {
    async *answer(asked, next) {
      for (const [at, model] of [asked.model, ...models].entries()) {
        let hasBegun = false
        try {
          for await (const batch of next({ ...asked, model })) {
            hasBegun ||= batch.some(({ type }) => type !== 'warning')
            yield batch
          }
          return
        } catch (error) {
          if (hasBegun || at === models.length || asked.signal.aborted || !when(error, model)) throw error
        }
      }
    },
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof ApiError) return error.retryable
  return error instanceof ConnectionError || error instanceof TimeoutError
}
