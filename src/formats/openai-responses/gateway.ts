/** Responses on a gateway. @module */
import type { Frame } from '../../core/codec.ts'
import { arrayOf, field } from '../../core/json.ts'
import { firstSet, type GatewayWire } from '../../kit/gateway-wire.ts'
import { createServerCodec } from './index.ts'

export const openaiResponsesWire: GatewayWire = {
  name: 'openai-responses',
  codec: createServerCodec(),
  provider: 'openai',
  paths: { '/v1/responses': { kind: 'answer' } },
  list: '/v1/models',
  idPrefix: 'resp_',
  limits: [['max_output_tokens']],
  foreign: /"\w{1,16}_iso_/, // ids that our encoder makes
  keptField: (body) =>
    arrayOf(body.input).some((item) => field(item, 'type') === 'item_reference')
      ? 'item_reference'
      : firstSet(body, ['background', 'prompt']),
  isEnd: (event) =>
    ['response.completed', 'response.incomplete', 'response.failed', 'error'].includes(`${field(event, 'type')}`),
  errorFrames: numberedOn,
}

/** The frames for a stream that has already begun: without the first frames, and with the next sequence numbers. */
function numberedOn(frames: readonly Frame[], before: number): readonly Frame[] {
  if (before === 0) return frames
  const last = frames.filter(({ event }) => event !== 'response.created' && event !== 'response.in_progress')
  return last.map(({ data, ...frame }, at) => {
    return { ...frame, data: JSON.stringify({ ...JSON.parse(data), sequence_number: before + at }) }
  })
}
