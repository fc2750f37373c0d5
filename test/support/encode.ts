/** Writes the stream of an answer: from events to frames, and from frames to bytes. */
import type { Frame, ServerCodec, StreamEncoder } from '../../src/core/codec.ts'
import type { MessageEvent } from '../../src/core/messages.ts'
import { encodeNdjson, encodeSse } from '../../src/framing/text.ts'

/** The frames of all events. The encoder then has the losses. */
export function toFrames(encoder: StreamEncoder, events: Iterable<MessageEvent>): Frame[] {
  const frames: Frame[] = []
  for (const event of events) encoder.push(event, frames)
  encoder.end(frames)
  return frames
}

/** The bytes that a server of the format sends. */
export function toBytes(server: ServerCodec, frames: readonly Frame[]): Uint8Array {
  const encodeText = server.framing === 'ndjson' ? encodeNdjson : encodeSse
  const encodeFrame = (frame: Frame) => server.encodeFrame?.(frame) ?? Buffer.from(encodeText(frame))
  return new Uint8Array(Buffer.concat(frames.map(encodeFrame)))
}
