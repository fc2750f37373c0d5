/** How an answer ends that has no end of its own: in an error of its wire, never in silence and never in a made-up end. @module */
import type { Frame } from '../../src/codec.ts'
import { ApiError } from '../../src/errors.ts'
import { encodeNdjson } from '../../src/framing/ndjson.ts'
import { encodeSse } from '../../src/framing/sse.ts'
import type { WireName } from '../../src/gateway/index.ts'
import { findRoute } from '../../src/gateway/routes.ts'
import { wires } from '../../src/gateway/wires.ts'
import { arrayOf, compact, field } from '../../src/lookup.ts'

/** Nobody writes it any more: the object that did was ended. */
export const interruption: ApiError = new ApiError('The answer broke off, and is not asked for a second time', {
  kind: 'server',
  status: 502,
  retryable: false,
  providerCode: 'interrupted',
})

/** Whoever asked for it has stopped it. */
export const stop: ApiError = new ApiError('The answer was stopped', {
  kind: 'server',
  status: 502,
  retryable: false,
  providerCode: 'stopped',
})

/** The events that end a stream whose last event is `last`, the `before`th, behind `first`: none if it has an end. */
export function errorEvents(
  url: string,
  error: ApiError,
  { first, last, before }: { readonly first: string; readonly last: string; readonly before: number },
): Uint8Array<ArrayBuffer>[] {
  const wire = wires[findRoute(new Request(url))?.wire ?? 'openai-chat']
  if (isEnd[wire.name](dataOf(last))) return []
  const frames: Frame[] = []
  wire.codec.encodeStream(presentationOf(first)).fail(error, frames)
  const write = wire.codec.framing === 'sse' ? encodeSse : encodeNdjson
  const encoder = new TextEncoder()
  return wire.errorFrames(frames, before).map((frame) => Uint8Array.from(encoder.encode(write(frame))))
}

/** Whether a stream of the gateway has nothing behind this event, be it a proper end or an error. */
const isEnd: Readonly<Record<WireName, (event: unknown) => boolean>> = {
  'openai-chat': (event) => event === '[DONE]' || field(event, 'error') !== undefined,
  'openai-responses': (event) =>
    ['response.completed', 'response.incomplete', 'response.failed', 'error'].includes(`${field(event, 'type')}`),
  anthropic: (event) => ['message_stop', 'error'].includes(`${field(event, 'type')}`),
  gemini: (event) =>
    field(event, 'error') !== undefined ||
    field(field(event, 'promptFeedback'), 'blockReason') !== undefined ||
    arrayOf(field(event, 'candidates')).some((candidate) => field(candidate, 'finishReason') !== undefined),
  ollama: (event) => field(event, 'done') === true || field(event, 'error') !== undefined,
}

/** How an answer presents itself: one wire has that in its last event again. */
function presentationOf(first: string): { readonly id?: string; readonly model?: string } {
  const response = field(dataOf(first), 'response')
  const [id, model] = [field(response, 'id'), field(response, 'model')]
  return compact({ id: typeof id === 'string' ? id : undefined, model: typeof model === 'string' ? model : undefined })
}

/** What an event or line of the gateway's says: its data is in one line. */
function dataOf(event: string): unknown {
  const data = /^(?:data: )?([{[].*)$/m.exec(event)?.[1] ?? ''
  try {
    return data === '[DONE]' ? data : JSON.parse(data)
  } catch {
    return undefined
  }
}
