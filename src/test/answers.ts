/** The answers of a mock. @module */
import type { ApiErrorKind } from '../core/errors.ts'
import type { JsonObject, StopReason, Usage } from '../core/model.ts'

/** A call of a tool in a mock's answer: what {@link call} makes. */
export interface MockCall {
  readonly name: string
  readonly arguments: JsonObject
  readonly id?: string
  readonly rawText?: string
}

/** A model's answer: a text, or the parts of a turn, which are written in this order: reasoning, text, calls. */
export type MockTurn =
  | string
  | {
      readonly text?: string
      readonly reasoning?: string
      readonly calls?: readonly MockCall[]
      /** Default: none is reported. */
      readonly usage?: Usage
      /** Default: `tool_calls` if there are calls, otherwise `stop`. */
      readonly stopReason?: StopReason
    }

/** The provider refuses, by a status. */
export interface MockRefusal {
  readonly error: ApiErrorKind
  /** Default: the status that the format has for the kind. */
  readonly status?: number
  /** Sent as `retry-after`, in whole seconds. */
  readonly retryAfterMs?: number
}

/** The provider reports an error in mid-stream: after so many events of the format of a turn. */
export interface MockBreakdown {
  readonly error: ApiErrorKind
  readonly afterEvents: number
  readonly of: MockTurn
}

/** The stream ends after so many events of the format, without its normal end. */
export interface MockCut {
  readonly cutAfter: number
  readonly of: MockTurn
  /** `true`: the body ends as if it were whole. Default false: the connection breaks. */
  readonly clean?: boolean
}

/** Nothing arrives for so many milliseconds after the headers; then the turn does. */
export interface MockSilence {
  readonly silentFor: number
  readonly of: MockTurn
}

/** The answer of a mock to one request. A `Response` is returned unchanged. */
export type MockAnswer = MockTurn | MockRefusal | MockBreakdown | MockCut | MockSilence | Response

/**
 * A call of a tool, for the `calls` of a mock's answer.
 *
 * @param options `id`: default `call_1`, `call_2` … `rawText`: the arguments as the model wrote them, such as broken JSON. It takes the
 * place of `args`. Gemini and Ollama send arguments as objects: there it is a `TypeError`.
 * @example
 * ```ts
 * import { call, mockModel } from 'isoglot/test'
 *
 * mockModel([{ calls: [call('get_weather', { city: 'Tokyo' })] }, 'It is sunny.'])
 * ```
 */
export function call(
  name: string,
  args: JsonObject = {},
  options: { readonly id?: string; readonly rawText?: string } = {},
): MockCall {
  return { name, arguments: args, ...options }
}
