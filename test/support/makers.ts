/** Values that tests of many folders need, and messages in short. */
import type { InvalidToolCall, ToolCall } from '../../src/core/messages.ts'

/** The roles of a conversation, in order: `user assistant tool`. */
export function rolesOf(messages: readonly { readonly role: string }[] = []): string {
  return messages.map(({ role }) => role).join(' ')
}

/** A call whose arguments are cut. */
export function invalidCall(more: Partial<InvalidToolCall> = {}): InvalidToolCall {
  return {
    type: 'invalid_tool_call',
    id: 'a',
    name: 'f',
    index: 0,
    argumentsText: '{',
    reason: 'malformed_json',
    error: 'no JSON',
    ...more,
  }
}

/** A call of `f`, as a stored conversation has it. */
export function callOf(args: ToolCall['arguments'] = {}, more: Partial<ToolCall> = {}): ToolCall {
  const argumentsText = JSON.stringify(args)
  return { type: 'tool_call', id: 'c', name: 'f', arguments: args, argumentsText, index: 0, complete: true, ...more }
}

/** A response that streams this body. */
export function sse(body: BodyInit | null): Response {
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

/** A body in these pieces, one for each read. It fails at its end if there is an error. */
export function bodyOf(pieces: readonly (string | Uint8Array)[], error?: unknown): ReadableStream<Uint8Array> {
  const left = pieces.map((piece) => (typeof piece === 'string' ? new TextEncoder().encode(piece) : piece))
  return new ReadableStream(
    {
      pull(controller) {
        const piece = left.shift()
        if (piece !== undefined) controller.enqueue(piece)
        else if (error === undefined) controller.close()
        else controller.error(error)
      },
    },
    { highWaterMark: 0 },
  )
}

/** The error of what has to fail. */
export function failureOf<T = Error>(promise: Promise<unknown>): Promise<T> {
  return promise.then(
    (value) => {
      throw new Error(`It did not fail, and is ${JSON.stringify(value)}`)
    },
    (cause) => cause,
  )
}
