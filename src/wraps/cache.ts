/** Answers that were given before. @module */
import type { ModelWrap } from '../client/wrap-model.ts'
import type { Asked } from '../core/codec.ts'
import type { MessageEvent } from '../core/model.ts'

/** Where answers are kept: plain data under a text. A `Map` is one. */
export interface AnswerStore {
  get(key: string): readonly MessageEvent[] | undefined | Promise<readonly MessageEvent[] | undefined>
  set(key: string, events: readonly MessageEvent[]): unknown
}

/**
 * Gives an answer again where the same was asked before. Only whole answers are kept. An answer from the store comes in one batch, and its
 * usage is what it took when it was asked. An exception of the store fails the run.
 *
 * @param key the name of what is asked; `undefined`: this answer is not kept. Default: the provider, the model, the conversation and the
 * options in JSON, which holds all that was said: give a hash where the store limits or shows its keys.
 * @example
 * ```ts
 * const cached = wrapModel(model, cache(new Map()))
 * ```
 */
export function cache(
  store: AnswerStore,
  { key = keyOf }: { readonly key?: (asked: Asked) => string | undefined | Promise<string | undefined> } = {},
): ModelWrap {
  if (typeof store?.get !== 'function' || typeof store.set !== 'function') {
    throw new TypeError('Cannot keep answers: "store" has no "get" and "set"')
  }
  return {
    async *answer(asked, next) {
      const name = await key(asked)
      const kept = name === undefined ? undefined : await store.get(name)
      if (kept !== undefined) {
        yield kept
        return
      }
      const events: MessageEvent[] = []
      for await (const batch of next(asked)) {
        events.push(...batch)
        yield batch
      }
      if (name !== undefined) await store.set(name, events)
    },
  }
}

function keyOf({ model, context, options }: Asked): string {
  return JSON.stringify([model.codec.provider, model.baseUrl, model.model, model.body ?? {}, context, options])
}
