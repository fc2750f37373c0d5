/**
 * Ends a stored answer that was cut off: with an error in its format. It never just stops, and never gets an invented normal end. @module
 */
import { ApiError } from '../../core/errors.ts'
import type { GatewayFormat } from '../../formats/shared/gateway-format.ts'
import { errorEvents, type SentEvents } from '../../gateway/error-events.ts'
import { isoglotFormat } from '../../gateway/isoglot-format.ts'
import { findRoute } from '../../gateway/routes.ts'

/** The answer is no longer written: the Durable Object that wrote it has ended. */
export const interruption: ApiError = new ApiError('The answer was cut off; the Worker does not request it again', {
  kind: 'server',
  status: 502,
  retryable: false,
  providerCode: 'interrupted',
})

/** A client stopped the answer. */
export const stop: ApiError = new ApiError('The answer was stopped', {
  kind: 'server',
  status: 502,
  retryable: false,
  providerCode: 'stopped',
})

/** The events that end the stream of a request for `url`; none if it has an end already. */
export function endOf(
  url: string,
  formats: readonly GatewayFormat[],
  error: ApiError,
  sent: SentEvents,
): Uint8Array<ArrayBuffer>[] {
  const format = findRoute(new Request(url), formats)?.format ?? isoglotFormat
  const encoder = new TextEncoder()
  return errorEvents(format, error, sent).map((event) => Uint8Array.from(encoder.encode(event)))
}
