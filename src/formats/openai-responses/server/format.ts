/** Responses on the side of a server: its codec, and the facts of it that only a gateway needs. @module */

import type { Frame, ServerCodec } from '../../../core/codec.ts'
import { arrayOf, field } from '../../../core/json.ts'
import { withForeignProofs } from '../../shared/foreign-proofs.ts'
import { firstSet, type GatewayFormat } from '../../shared/gateway-format.ts'
import { format } from '../tables.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeError, encodeResponse, encodeStream, proofField } from './encode-answer.ts'
import { port } from './port.ts'

/** Creates the codec that a gateway uses to answer clients in this format. */
export function createServerCodec(): ServerCodec {
  return withForeignProofs(
    { name: format, framing: 'sse', decodeRequest, port, encodeResponse, encodeStream, encodeError },
    proofField,
  )
}

/** Items that stand for content which only OpenAI has or can read, or for work that only OpenAI does. */
const keptItems: readonly string[] = ['item_reference', 'compaction', 'compaction_summary', 'compaction_trigger']

/** The format for a gateway. `model` makes the models of OpenAI that are asked in it. */
export function createFormat(model: GatewayFormat['model'] & {}): GatewayFormat {
  return {
    name: 'openai-responses',
    codec: createServerCodec(),
    provider: 'openai',
    model,
    paths: { '/v1/responses': { kind: 'answer' } },
    list: '/v1/models',
    idPrefix: 'resp_',
    limits: [{ name: 'max_output_tokens' }],
    foreign: /"\w{1,16}_iso_/, // ids that our encoder makes
    keptField: (body) =>
      keptItems.find((type) => arrayOf(body.input).some((item) => field(item, 'type') === type)) ??
      firstSet(body, ['background', 'prompt']),
    isEnd: (event) =>
      ['response.completed', 'response.incomplete', 'response.failed', 'error'].includes(`${field(event, 'type')}`),
    errorFrames: numberedOn,
  }
}

/** The frames for a stream that has already begun: without the first frames, and with the next sequence numbers. */
function numberedOn(frames: readonly Frame[], before: number): readonly Frame[] {
  if (before === 0) return frames
  const last = frames.filter(({ event }) => event !== 'response.created' && event !== 'response.in_progress')
  return last.map(({ data, ...frame }, at) => {
    return { ...frame, data: JSON.stringify({ ...JSON.parse(data), sequence_number: before + at }) }
  })
}
