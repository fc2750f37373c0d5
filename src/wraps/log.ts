/** Logs one line for each answer. @module */
import type { ModelWrap } from '../client/wrap-model.ts'
import { compact } from '../core/json.ts'
import type { StopReason, Usage } from '../core/messages.ts'

/** The figures of one answer, without any text of the conversation. */
export interface LogEntry {
  readonly provider: string
  readonly model: string
  /** The number of messages in the request. */
  readonly messages: number
  /** Milliseconds from the request to the last event. */
  readonly ms: number
  /** Absent if the answer is not complete. */
  readonly stopReason?: StopReason
  readonly usage?: Usage
  readonly error?: unknown
}

/**
 * Writes an entry for each answer, including failed and cancelled ones.
 *
 * @example
 * ```ts
 * const logged = wrapModel(model, log((entry) => console.log(entry)))
 * ```
 */
export function log(write: (entry: LogEntry) => void): ModelWrap {
  if (typeof write !== 'function')
    throw new TypeError(`Cannot log answers: "write" is ${typeof write} and not a function`)
  return {
    async *answer(question, call, inner) {
      const startedAt = Date.now()
      const { provider, model } = inner
      let end: Pick<LogEntry, 'stopReason' | 'usage' | 'error'> = {}
      try {
        for await (const batch of inner.answer(question, call)) {
          const last = batch.at(-1)
          if (last?.type === 'message_end') {
            end = compact({ stopReason: last.response.stopReason, usage: last.response.usage })
          }
          yield batch
        }
      } catch (error) {
        end = { error }
        throw error
      } finally {
        const messages = question.context.messages.length
        write({ provider, model, messages, ms: Date.now() - startedAt, ...end })
      }
    },
  }
}
