/** The answers of a mock. @module */
import { checkOptions } from '../core/checks.ts'
import type { ApiErrorKind } from '../core/errors.ts'
import type { JsonObject, StopReason, Usage } from '../core/messages.ts'

/** A call of a tool in a mock's answer: what {@link call} makes. */
export interface MockCall {
  readonly name: string
  readonly arguments: JsonObject
  readonly id?: string
  readonly rawText?: string
}

/** A model's answer: a text, or the parts of a turn. The parts are written in this order: reasoning, text, calls. */
export type MockTurn =
  | string
  | {
      readonly text?: string
      readonly reasoning?: string
      readonly calls?: readonly MockCall[]
      /** Default: no usage is reported. */
      readonly usage?: Usage
      /** Default: `tool_calls` if there are calls, otherwise `stop`. */
      readonly stopReason?: StopReason
    }

/** The provider refuses the request with an error status. */
export interface MockRefusal {
  readonly error: ApiErrorKind
  /** Default: the status that the format has for the kind. */
  readonly status?: number
  /** Sent as `retry-after`, in whole seconds. */
  readonly retryAfterMs?: number
}

/** The provider reports an error in the middle of the stream, after this number of events of a turn. */
export interface MockBreakdown {
  readonly error: ApiErrorKind
  readonly afterEvents: number
  readonly of: MockTurn
}

/** The stream ends after this number of events, without its normal end. */
export interface MockCut {
  readonly cutAfter: number
  readonly of: MockTurn
  /** `true`: the body ends normally, as if it were complete. Default false: the connection breaks. */
  readonly clean?: boolean
}

/** Nothing arrives for this many milliseconds after the headers. Then the turn arrives. */
export interface MockSilence {
  readonly silentFor: number
  readonly of: MockTurn
}

/** A mock's answer to one request. A `Response` is returned unchanged. */
export type MockAnswer = MockTurn | MockRefusal | MockBreakdown | MockCut | MockSilence | Response

/**
 * A call of a tool, for the `calls` of a mock's answer.
 *
 * @param options `id`: default `call_1`, `call_2` … `rawText`: the arguments as the model wrote them, such as invalid JSON. It replaces `args`. It throws a `TypeError` with Gemini and Ollama, because these formats send arguments as objects.
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
  checkOptions('call', options)
  return { name, arguments: args, ...options }
}
