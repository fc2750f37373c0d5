/**
 * Passes a streamed answer on and sees to its end: it ends as its wire says, or with that wire's error frame, never in silence.
 *
 * The client pulls: who reads slowly is not read ahead for. When the client leaves, the provider's side is closed.
 *
 * @see https://streams.spec.whatwg.org/#rs-model
 * @module
 */
import { Refusal, type RefusalCode } from './refusal.ts'
import { comment, watch } from './watch.ts'
import type { Wire } from './wires.ts'

/** How often a silent stream gets a comment, in ms: workerd notices that a client left only by writing to it. */
const heartbeatMs = 1000

/** How a stream ended, for the log. */
export type Outcome = RefusalCode | 'done' | 'client_left'

interface RelayOptions {
  readonly wire: Wire
  /** The whole answer, in bytes. */
  readonly maxBytes: number
  /** Longest silence of the provider, in ms. */
  readonly idleTimeoutMs: number
  readonly scrub: (text: string) => string
  /** Called once, when nothing of the call is left. */
  readonly onEnd: (outcome: Outcome) => void
}

/** The answer as the client gets it. `stop` ends the provider's side; when another aborts it, its reason is how the stream ends. */
export function relayEvents(
  opening: Promise<Response>,
  stop: AbortController,
  options: RelayOptions,
): ReadableStream<Uint8Array> {
  const { wire, maxBytes, idleTimeoutMs, scrub, onEnd } = options
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  const answer = watch(wire)
  let size = 0
  let silentMs = 0
  let broken: RefusalCode | undefined
  let ended = false
  let pending: Promise<ReadableStreamReadResult<Uint8Array>> | undefined

  async function read(): Promise<ReadableStreamReadResult<Uint8Array>> {
    reader ??= ((await opening).body ?? new Blob().stream()).getReader()
    return reader.read()
  }

  /** Reads on until there is something to write. */
  async function advance(): Promise<string> {
    for (;;) {
      pending ??= read()
      const waitMs = Math.min(heartbeatMs, idleTimeoutMs - silentMs)
      const chunk = await within(waitMs, pending)
      if (chunk === 'late') {
        if (reader) silentMs += waitMs // until then, the limit for headers counts
        if (silentMs >= idleTimeoutMs) throw new Refusal('upstream_timeout')
        return comment
      }
      pending = undefined
      silentMs = 0
      size += chunk.value?.byteLength ?? 0
      if (size > maxBytes) throw new Refusal('upstream_too_large')
      if (chunk.done) answer.close()
      else answer.feed(decoder.decode(chunk.value, { stream: true }))
      const frames = answer.take()
      if (frames || answer.outcome) return frames
    }
  }

  /** What a failed read means: ours if we stopped it, else the provider's line broke. */
  function onBroken(thrown: unknown): string {
    const reason = thrown instanceof Refusal ? thrown : stop.signal.reason
    if (reason instanceof Refusal) broken = reason.code
    else answer.close()
    return answer.take()
  }

  function finish(outcome: Outcome): void {
    if (ended) return
    ended = true
    void reader?.cancel().catch(() => {})
    stop.abort()
    onEnd(outcome)
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const frames = await advance().catch(onBroken)
        const outcome = broken ?? answer.outcome
        const last = outcome && outcome !== 'done' ? wire.errorFrame(new Refusal(outcome)) : ''
        if (frames + last) controller.enqueue(encoder.encode(scrub(frames + last)))
        if (!outcome) return
        controller.close()
        finish(stop.signal.aborted && !(stop.signal.reason instanceof Refusal) ? 'client_left' : outcome)
      },
      cancel: () => finish('client_left'),
    },
    { highWaterMark: 0 },
  )
}

/** The promise's value, or `late`; the promise stays good. */
function within<T>(ms: number, promise: Promise<T>): Promise<T | 'late'> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve('late'), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
