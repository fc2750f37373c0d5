/** Functions around the questions and answers of a model. @module */

import { isObject } from '../core/json.ts'
import type { MessageEvent } from '../core/messages.ts'
import type { Call, HttpModel, Model, Question } from '../core/question.ts'

/** Functions around the questions and answers of a model. Each is optional. */
export interface ModelWrap {
  /** Changes the question. */
  readonly request?: (question: Question, model: Model) => Question | Promise<Question>
  /**
   * Runs around one answer, streamed or whole, each time the model is asked. `model.answer(question, call)` asks the wrapped model. Ask
   * another model in its place, or yield a stored answer. The last event of the answer is a `message_end`. `context.providerState` is for
   * one provider: leave it out for a model of another one.
   */
  readonly answer?: (question: Question, call: Call, model: Model) => AsyncIterable<readonly MessageEvent[]>
  /** Runs around each HTTP request. */
  readonly fetch?: (fetch: typeof globalThis.fetch) => typeof globalThis.fetch
}

/**
 * A model with functions around each answer, in `generate`, `stream`, chats and structured output. The first wrap is the outermost.
 * Ready-made wraps: `isoglot/wraps`.
 *
 * @example
 * ```ts
 * const careful = wrapModel(model, {
 *   request: ({ context, options }) => ({ context, options: { temperature: 0, ...options } }),
 *   async *answer(question, call, inner) {
 *     const startedAt = Date.now()
 *     yield* inner.answer(question, call)
 *     console.log(inner.model, Date.now() - startedAt)
 *   },
 * })
 * ```
 * @throws {TypeError} for a value that is not a wrap.
 */
export function wrapModel<Wrapped extends Model>(model: Wrapped, ...wraps: readonly ModelWrap[]): Wrapped {
  return wraps.reduceRight(wrapOnce, model) as Wrapped
}

function wrapOnce(model: Model, wrap: ModelWrap): Model {
  const { request, answer, fetch: wrapFetch } = wrap ?? {}
  for (const [name, part] of Object.entries({ request, answer, fetch: wrapFetch })) {
    if (part === undefined || typeof part === 'function') continue
    throw new TypeError(`Cannot wrap the model: "${name}" of the wrap is not a function`)
  }
  if (!isObject(wrap))
    throw new TypeError('Cannot wrap the model: the wrap is not an object with "request", "answer" or "fetch"')
  const { fetch = (...args: Parameters<typeof globalThis.fetch>) => globalThis.fetch(...args) } = model as HttpModel
  const asked =
    wrapFetch === undefined ? model : { ...model, fetch: ((...args) => wrapFetch(fetch)(...args)) as typeof fetch }
  if (request === undefined && answer === undefined) return asked
  const wrapped: Model = {
    ...asked,
    async *answer(given, call) {
      // A copy of the wrapped model may have other settings.
      const inner = this === wrapped ? asked : { ...this, answer: asked.answer }
      const question = (await request?.(given, inner)) ?? given
      yield* answer === undefined ? inner.answer(question, call) : answer(question, call, inner)
    },
  }
  return wrapped
}
