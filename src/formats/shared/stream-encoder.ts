/** The life of an encoder of streams: it takes events up to the end of the answer. @module */
import type { Frame, StreamEncoder } from '../../core/codec.ts'
import { ApiError } from '../../core/errors.ts'
import type { InvalidToolCall, MessageEvent } from '../../core/messages.ts'
import type { Losses } from './losses.ts'

/** Makes an encoder. After the end of the answer, or after an error, it writes nothing. A stream that stops before that ends with an error. */
export function streamEncoder(
  losses: Losses,
  write: (event: MessageEvent, out: Frame[]) => void,
  writeError: (error: ApiError, out: Frame[]) => unknown,
): StreamEncoder {
  let isEnded = false
  let invalidCalls = 0
  function fail(error: ApiError, out: Frame[]): void {
    if (isEnded) return
    isEnded = true
    writeError(error, out)
  }
  return {
    push(event, out) {
      if (isEnded) return
      if (event.type === 'invalid_tool_call') placeInvalidCall(losses, event.call, invalidCalls++)
      write(event, out)
      isEnded ||= event.type === 'message_end'
    },
    end: (out) => fail(new ApiError('The answer ended before its own end', { kind: 'server', retryable: true }), out),
    fail,
    losses: losses.list,
  }
}

/** Records where an invalid call of an answer is in their list. Its losses are reported with its index among all calls. */
export function placeInvalidCall({ places }: Losses, { index }: InvalidToolCall, at: number): void {
  places.set(`message.invalidToolCalls[${index}]`, `message.invalidToolCalls[${at}]`)
}
