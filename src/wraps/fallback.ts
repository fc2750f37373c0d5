/** Other models, for when one fails. @module */

import { checkModel } from '../client/request.ts'
import type { ModelWrap } from '../client/wrap-model.ts'
import { checkOptions } from '../core/checks.ts'
import { isRetryable } from '../core/errors.ts'
import type { Model } from '../core/question.ts'

/**
 * Asks the next of these models if one fails before the first event of its answer. After the first event, it throws the error of that
 * model. The `earlier` of that error has the errors of the models before. Each model is retried first; `retries: 0` prevents that. The models
 * may be from any provider.
 *
 * @param options `when`: whether to ask the next model after this error. Default: for retryable API errors, broken connections
 * and timeouts.
 * @example
 * ```ts
 * const safe = wrapModel(model, fallback([cheaper]))
 * ```
 * @throws {TypeError} for what is not a list of models.
 */
export function fallback(
  models: readonly Model[],
  options: { readonly when?: (error: unknown, model: Model) => boolean } = {},
): ModelWrap {
  checkOptions('fallback', options)
  const { when = isRetryable } = options
  if (!Array.isArray(models as unknown)) throw new TypeError('Cannot fall back: the models are not a list')
  for (const model of models) checkModel(model)
  return {
    async *answer({ context, options }, call, first) {
      const { providerState: _, ...rest } = context
      const earlier: unknown[] = []
      for (const [at, model] of [first, ...models].entries()) {
        let hasBegun = false
        try {
          // A state of the conversation is for the provider that gave it.
          const question = { context: model.provider === first.provider ? context : rest, options }
          for await (const batch of model.answer(question, call)) {
            hasBegun ||= batch.some(({ type }) => type !== 'warning')
            yield batch
          }
          return
        } catch (error) {
          if (hasBegun || at === models.length || call.signal.aborted || !when(error, model)) {
            const isOfCaller = error === call.signal.reason
            if (earlier.length > 0 && error instanceof Error && !isOfCaller) Object.assign(error, { earlier })
            throw error
          }
          earlier.push(error)
        }
      }
    },
  }
}
