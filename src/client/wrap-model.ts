/** Wraps around the answers of a model. @module */
import type { Ask, Asked, Model } from '../core/codec.ts'
import { isObject } from '../core/lookup.ts'

type Around = NonNullable<Model['around']>

/** A wrap around the answers of a model. Each part may be absent. */
export interface ModelWrap {
  /** Changes what is asked. */
  readonly request?: (asked: Asked) => Asked | Promise<Asked>
  /**
   * Stands around one answer, streamed or whole, each time a model is asked in a run. `next` asks; it may be called twice (for another model) or
   * not at all (for a kept answer). The last event is a `message_end`.
   */
  readonly answer?: Around
  /** Stands around each HTTP request. */
  readonly fetch?: (fetch: typeof globalThis.fetch) => typeof globalThis.fetch
}

/**
 * A model with something around its answers; the first wrap is outermost. `isoglot/wraps` has some ready-made.
 *
 * `request` and `answer` stand around what `generate`, `stream` and chats ask. A gateway passes bytes on, so that of a wrap only `fetch`
 * counts there.
 *
 * @example
 * ```ts
 * const timed = wrapModel(model, {
 *   async *answer(asked, next) {
 *     const startedAt = Date.now()
 *     yield* next(asked)
 *     console.log(asked.model.model, Date.now() - startedAt)
 *   },
 * })
 * ```
 * @throws {TypeError} for what is not a wrap.
 */
export function wrapModel(model: Model, ...wraps: readonly ModelWrap[]): Model {
  return wraps.reduceRight(wrapOnce, model)
}

function wrapOnce(model: Model, wrap: ModelWrap): Model {
  const { request, answer, fetch } = wrap ?? {}
  for (const [name, part] of Object.entries({ request, answer, fetch })) {
    if (part === undefined || typeof part === 'function') continue
    throw new TypeError(`Cannot wrap the model: "${name}" of the wrap is ${typeof part} and not a function`)
  }
  if (!isObject(wrap))
    throw new TypeError('Cannot wrap the model: the wrap is not an object with "request", "answer" or "fetch"')
  const { around: inner = (asked: Asked, next: Ask) => next(asked) } = model
  const around: Around = async function* (given, next) {
    const asked = (await request?.(given)) ?? given
    const askInner: Ask = (question) => inner(question, next)
    yield* answer === undefined ? askInner(asked) : answer(asked, askInner)
  }
  return {
    ...model,
    ...((request ?? answer) && { around }),
    ...(fetch && { fetch: (...args) => fetch(model.fetch ?? globalThis.fetch)(...args) }),
  }
}

/** Asks through what is around the model, and around a model that a wrap asks in its place. */
export function askAround(asked: Asked, next: Ask, outer?: Around): ReturnType<Ask> {
  const { around } = asked.model
  if (around === undefined || around === outer) return next(asked)
  return around(asked, (inner) => askAround(inner, next, around))
}
