/** The body of a stream to a page: the text of a source, and heartbeats while the source is silent. @module */
import { alarm } from '../core/abort.ts'

/** The source of the text, and the parts around it. */
export interface BodySource {
  readonly texts: AsyncIterator<string>
  /** The first text, which has already been requested. */
  readonly first: Promise<IteratorResult<string>>
  /** Text before the first text of the run. */
  readonly opening?: string | undefined
  readonly heartbeat?: string | undefined
  /** In milliseconds. 0: no heartbeats. */
  readonly heartbeatMs: number
  /** The last text of a body whose source failed. `undefined`: the body fails with `new Error(message)`. */
  endOf(cause: unknown): { readonly text: string | undefined; readonly message: string }
  /** Called when the reader has cancelled. After it, the source is returned. */
  leave(): void
}

/** Reads nothing ahead: the source runs at the speed of the reader. */
export function bodyOf(source: BodySource): ReadableStream<Uint8Array> {
  const { texts, opening, heartbeat, heartbeatMs } = source
  const encoder = new TextEncoder()
  let first: BodySource['first'] | undefined = source.first
  let isLeft = false
  let beat = () => {}
  const clock = alarm(() => beat())
  const waitForBeat = () => {
    if (heartbeatMs > 0 && heartbeat !== undefined) clock.wind(heartbeatMs)
  }
  return new ReadableStream({
    start(controller) {
      if (opening) controller.enqueue(encoder.encode(opening))
      beat = () => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(heartbeat))
        waitForBeat()
      }
      waitForBeat()
    },
    async pull(controller) {
      try {
        const { done, value } = await (first ?? texts.next())
        first = undefined
        if (isLeft) return
        waitForBeat()
        if (!done) return controller.enqueue(encoder.encode(value))
      } catch (cause) {
        if (isLeft) return
        clock.stop()
        const { text, message } = source.endOf(cause)
        if (text === undefined) return controller.error(new Error(message))
        controller.enqueue(encoder.encode(text))
      }
      clock.stop()
      controller.close()
    },
    async cancel() {
      isLeft = true
      clock.stop()
      source.leave()
      await texts.return?.().catch(() => {})
    },
  })
}
