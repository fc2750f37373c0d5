/** How an answer ends that has no end of its own: in an error of its wire, never in silence and never in a made-up end. @module */
import { ApiError } from '../../core/errors.ts'
import { errorEvents, type SentEvents } from '../../gateway/error-events.ts'
import { findRoute } from '../../gateway/routes.ts'

/** The answer is no longer written: the object that wrote it was ended. */
export const interruption: ApiError = new ApiError('The answer broke off, and is not asked for a second time', {
  kind: 'server',
  status: 502,
  retryable: false,
  providerCode: 'interrupted',
})

/** The client that asked for it has stopped it. */
export const stop: ApiError = new ApiError('The answer was stopped', {
  kind: 'server',
  status: 502,
  retryable: false,
  providerCode: 'stopped',
})

/** The events that end the stream of a request for `url`: none if it has an end. */
export function endOf(url: string, error: ApiError, sent: SentEvents): Uint8Array<ArrayBuffer>[] {
  const wire = findRoute(new Request(url))?.wire ?? 'openai-chat'
  const encoder = new TextEncoder()
  return errorEvents(wire, error, sent).map((event) => Uint8Array.from(encoder.encode(event)))
}
