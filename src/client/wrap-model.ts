/** Adds functions around the answers of a model. @module */
import type { Ask, Asked, Model } from '../core/codec.ts'
import { compact, isObject } from '../core/lookup.ts'

type Around = NonNullable<Model['around']>

/** Functions around the requests and answers of a model. Each is optional. */
export interface ModelWrap {
  /** Changes the request. */
  readonly request?: (asked: Asked) => Asked | Promise<Asked>
  /**
   * Runs around one answer, streamed or whole, each time a run asks a model. `next` asks. Call it twice to ask another model, or not at all
   * to return a stored answer. The last event is a `message_end`.
   */
  readonly answer?: Around
  /** Runs around each HTTP request. */
  readonly fetch?: (fetch: typeof globalThis.fetch) => typeof globalThis.fetch
}

/**
 * Adds functions around the answers of a model. The first wrap is the outermost. `isoglot/wraps` has ready-made wraps.
 *
 * `request` and `answer` apply to `generate`, `stream` and chats. A gateway passes bytes through, so it uses only the `fetch` of a wrap.
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
 * @throws {TypeError} for a value that is not a wrap.
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
    ...compact({
      around: (request ?? answer) && around,
      fetch:
        fetch && ((...args: Parameters<typeof globalThis.fetch>) => fetch(model.fetch ?? globalThis.fetch)(...args)),
    }),
  }
}

/** Asks through the wraps of the model, and of another model that a wrap asks instead. */
export function askAround(asked: Asked, next: Ask, outer?: Around): ReturnType<Ask> {
  const { around } = asked.model
  if (around === undefined || around === outer) return next(asked)
  return around(asked, (inner) => askAround(inner, next, around))
}
