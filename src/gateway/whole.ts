/** Joins a stream for a client that wants its answer without streaming. @module */
import type { Frame, Reply, ServerCodec, StreamEncoder } from '../core/codec.ts'
import type { Loss, MessageEvent } from '../core/messages.ts'

/** Writes the whole body as one piece, at the end of the stream. Writes nothing for an error, because the status reports it. */
export function encodeWhole({ encodeResponse }: Pick<ServerCodec, 'encodeResponse'>, reply: Reply = {}): StreamEncoder {
  const found = [...(reply.losses ?? [])]
  const encoder = {
    losses: [] as readonly Loss[],
    push(event: MessageEvent, out: Frame[]) {
      if (event.type === 'warning') found.push(event.warning)
      if (event.type !== 'message_end') return
      const { body, losses } = encodeResponse(event.response, { ...reply, losses: found })
      encoder.losses = losses
      out.push({ data: JSON.stringify(body) })
    },
    end() {},
    fail() {},
  }
  return encoder
}
