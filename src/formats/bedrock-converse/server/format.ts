/** Bedrock Converse on the side of a server: its codec, and the facts of it that only a gateway needs. @module */

import type { ServerCodec } from '../../../core/codec.ts'
import { encodeEventStream } from '../../../framing/amazon-event-stream.ts'
import { withForeignProofs } from '../../shared/foreign-proofs.ts'
import type { GatewayFormat } from '../../shared/gateway-format.ts'
import { format } from '../tables.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeError, encodeResponse, encodeStream, proofField } from './encode-answer.ts'

/** Creates the codec for a server that answers as Bedrock does. */
export function createServerCodec(): ServerCodec {
  const codec = { name: format, decodeRequest, encodeResponse, encodeStream, encodeError }
  return withForeignProofs({ ...codec, framing: 'event-stream', encodeFrame: encodeEventStream }, proofField)
}

/** Bedrock Converse as a format of a gateway: its clients can ask the gateway's models. For `formats` of `createGateway`. */
export const bedrockConverseFormat: GatewayFormat = {
  name: 'bedrock-converse',
  codec: /* @__PURE__ */ createServerCodec(),
  provider: 'bedrock',
  paths: {},
  route: (path) => (/^\/model\/.+\/converse(?:-stream)?$/.test(path) ? { kind: 'answer' } : undefined),
  modelFields: () => ({}),
  list: '/v1/models', // in Bedrock's API the list is on another host; a gateway has one here
  idPrefix: '',
  keepAlive: 'keepAlive\n{}', // clients ignore events that they do not know
  limits: [
    { within: 'inferenceConfig', name: 'maxTokens' },
    { within: 'additionalModelRequestFields', name: 'max_tokens' }, // is a field of the model's own body
  ],
  budgets: ['thinking', 'reasoning_config', 'reasoningConfig'].map((name) => [
    ...(['additionalModelRequestFields', name, 'budget_tokens'] as const),
  ]),
  isClient: (headers) => headers.has('amz-sdk-invocation-id'),
  isEnd: () => true, // its streams are binary, so they are not stored as text
}
