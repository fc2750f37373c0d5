/** The last events of a stored stream that has no end. @module */
import type { Frame } from '../core/codec.ts'
import { compact, field } from '../core/json.ts'
import type { GatewayFormat } from '../formats/shared/gateway-format.ts'
import { toClientError } from './errors.ts'
import { pieceWriter } from './pieces.ts'

/** The part of a gateway's stream that was sent. An event is the text of one SSE event, or one NDJSON line, with its line ends. */
export interface SentEvents {
  /** The first event; empty if no event was sent. */
  readonly first: string
  /** The last event; empty if no event was sent. */
  readonly last: string
  readonly count: number
}

/**
 * The events to send after a part of a gateway's stream, so that the stream ends in an error of its format. Returns none if the last event
 * already ends the stream.
 *
 * A gateway ends its own streams. This function is for a program that stores a stream, to send it again, and that was stopped before it
 * stored the end. Without an end, official clients of some formats take an incomplete answer for the whole.
 */
export function errorEvents(format: GatewayFormat, error: unknown, { first, last, count }: SentEvents): string[] {
  const { codec, isEnd, errorFrames } = format
  if (isEnd(dataOf(last))) return []
  const frames: Frame[] = []
  codec.encodeStream(presentationOf(first)).fail(toClientError(error), frames)
  return (errorFrames?.(frames, count) ?? frames).map(pieceWriter(codec.framing))
}

/** The id and the model of the answer. Only Responses repeats them in its last event. */
function presentationOf(first: string): { readonly id?: string; readonly model?: string } {
  const response = field(dataOf(first), 'response')
  const [id, model] = [field(response, 'id'), field(response, 'model')]
  return compact({ id: typeof id === 'string' ? id : undefined, model: typeof model === 'string' ? model : undefined })
}

/** The JSON value of an event. A gateway writes the data of each event in one line. */
function dataOf(event: string): unknown {
  const data = /^(?:data: )?([{[].*)$/m.exec(event)?.[1] ?? ''
  try {
    return data === '[DONE]' ? data : JSON.parse(data)
  } catch {
    return undefined
  }
}
