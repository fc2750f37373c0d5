/** Gemini Interactions on the side of a server: its codec, and the facts of it that only a gateway needs. @module */

import type { ServerCodec } from '../../../core/codec.ts'
import { field } from '../../../core/json.ts'
import { withForeignProofs } from '../../shared/foreign-proofs.ts'
import { firstSet, type GatewayFormat, isGoogle } from '../../shared/gateway-format.ts'
import { format } from '../tables.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeError, encodeResponse, encodeStream, proofField } from './encode-answer.ts'

/** Creates the codec of a server of this format. */
export function createServerCodec(): ServerCodec {
  return withForeignProofs(
    { name: format, framing: 'sse', decodeRequest, encodeResponse, encodeStream, encodeError },
    proofField,
  )
}

/** Gemini Interactions as a format of a gateway: its clients can ask the gateway's models. For `formats` of `createGateway`. */
export const geminiInteractionsFormat: GatewayFormat = {
  name: 'gemini-interactions',
  codec: /* @__PURE__ */ createServerCodec(),
  provider: 'gemini',
  paths: { '/v1/interactions': { kind: 'answer' }, '/v1beta/interactions': { kind: 'answer' } },
  list: '/v1beta/models',
  idPrefix: undefined,
  limits: [{ within: 'generation_config', name: 'max_output_tokens' }],
  chainField: 'previous_interaction_id',
  keptField: (body) => firstSet(body, ['background', 'agent', 'environment', 'continuation_token']),
  isClient: (headers, path) => isGoogle(headers) && path.includes('/interactions/'),
  lastFrame: { event: 'done', data: '[DONE]' },
  isEnd: (event) => event === '[DONE]' || ['interaction.completed', 'error'].includes(`${field(event, 'event_type')}`),
}
