/** Cached answers. @module */

import type { ModelWrap } from '../client/wrap-model.ts'
import { checkOptions } from '../core/checks.ts'
import { isEmptyAnswer } from '../core/content.ts'
import type { JsonObject, MessageEvent, ToolCall, ToolCallChunk } from '../core/messages.ts'
import type { HttpModel, LiveArguments, Model, Question } from '../core/question.ts'

type Kept = readonly MessageEvent[] | undefined | null

/** Stores answers: plain data by a text key. A `Map` has this form. `null` counts as `undefined`, since many stores return it. */
export interface AnswerStore {
  get(key: string): Kept | Promise<Kept>
  set(key: string, events: readonly MessageEvent[]): unknown
}

/**
 * Returns the stored answer if the same request was made before. It stores only complete answers that are not empty. A stored answer arrives in one batch,
 * with the usage of the original request. If the store throws, the run fails.
 *
 * @param options `key` makes the key of a request; `undefined`: the answer is not stored. Default: the provider, the model, the conversation and the options in JSON. This contains the whole text, so return a hash if the store limits or shows its keys.
 * @example
 * ```ts
 * const cached = wrapModel(model, cache(new Map()))
 * ```
 */
export function cache(
  store: AnswerStore,
  options: {
    readonly key?: (question: Question, model: Model) => string | undefined | Promise<string | undefined>
  } = {},
): ModelWrap {
  checkOptions('cache', options)
  const { key = keyOf } = options
  if (typeof store?.get !== 'function' || typeof store.set !== 'function') {
    throw new TypeError('Cannot keep answers: "store" has no "get" and "set"')
  }
  return {
    async *answer(question, call, model) {
      const name = await key(question, model)
      const kept = name === undefined ? undefined : await store.get(name)
      if (Array.isArray(kept)) {
        yield withLiveArguments(kept, call.liveArguments)
        return
      }
      if ((kept ?? undefined) !== undefined)
        throw new TypeError('Cannot use the stored answer: it is not a list of events')
      const events: MessageEvent[] = []
      for await (const batch of model.answer(question, call)) {
        events.push(...batch)
        yield batch
      }
      const end = events.at(-1)
      const isEmpty = end?.type === 'message_end' && isEmptyAnswer(end.message) // the run asks again
      if (name !== undefined && !isEmpty) await store.set(name, withLiveArguments(events))
    },
  }
}

/** The events, with the arguments so far on each chunk of a call. A store has none: all chunks of a call have one object, which grows. */
function withLiveArguments(events: readonly MessageEvent[], live?: LiveArguments): readonly MessageEvent[] {
  const views = new Map<number, JsonObject>()
  for (const event of events) {
    const { index, call, block = call } = event as { index: number; call?: ToolCall; block?: ToolCall }
    if (live && block) views.set(index, live.fresh().push(block.argumentsText ?? ''))
  }
  return events.map((event) => {
    if (event.type !== 'tool_call_chunk') return event
    const { argumentsSoFar: _, ...chunk } = event.chunk as ToolCallChunk
    return { ...event, chunk: { ...chunk, ...(live && { argumentsSoFar: views.get(event.index) }) } as ToolCallChunk }
  })
}

function keyOf({ context, options }: Question, model: Model): string {
  const { baseUrl, body = {} } = model as Partial<HttpModel>
  return JSON.stringify([model.provider, baseUrl, model.model, body, context, options])
}
