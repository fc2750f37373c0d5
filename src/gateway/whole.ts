/** A stream that is put together for a client that wants its answer whole. @module */
import type { Reply, ServerCodec, StreamEncoder } from '../codec.ts'
import type { Loss } from '../model.ts'

/** As a stream of the wire with one piece, at its end: the whole body. An error writes nothing, since a status tells of it. */
export function encodeWhole({ encodeResponse }: Pick<ServerCodec, 'encodeResponse'>, reply?: Reply): StreamEncoder {
  let losses: readonly Loss[] = []
  return {
    get losses() {
      return losses
    },
    push(event, out) {
      if (event.type !== 'message_end') return
      const encoded = encodeResponse(event.response, reply)
      losses = encoded.losses
      out.push({ data: JSON.stringify(encoded.body) })
    },
    end() {},
    fail() {},
  }
}
