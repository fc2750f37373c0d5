/** Bedrock Converse on a gateway. @module */
import type { GatewayWire } from '../../kit/gateway-wire.ts'
import { createServerCodec } from './index.ts'

export const bedrockConverseWire: GatewayWire = {
  name: 'bedrock-converse',
  codec: createServerCodec(),
  provider: 'bedrock',
  paths: {},
  route: (path) => (/^\/model\/.+\/converse(?:-stream)?$/.test(path) ? { kind: 'answer' } : undefined),
  modelFields: () => ({}),
  list: '/v1/models', // in Bedrock's API the list is on another host; a gateway has one here
  idPrefix: '',
  keepAlive: 'keepAlive\n{}', // clients ignore events that they do not know
  limits: [
    ['inferenceConfig', 'maxTokens'],
    ['additionalModelRequestFields', 'max_tokens'], // is a field of the model's own body
  ],
  isClient: (headers) => headers.has('amz-sdk-invocation-id'),
  isEnd: () => true, // its streams are binary, so they are not stored as text
}
