/**
 * Cohere on a gateway.
 *
 * @see https://docs.cohere.com/reference/list-models (read 2026-11)
 * @module
 */
import { field } from '../../core/json.ts'
import type { GatewayWire } from '../../kit/gateway-wire.ts'
import { createServerCodec } from './index.ts'

export const cohereWire: GatewayWire = {
  name: 'cohere',
  codec: createServerCodec(),
  provider: 'cohere',
  paths: { '/v2/chat': { kind: 'answer' } },
  list: '/v1/models',
  listing: {
    entry: ({ name }) => ({ name, endpoints: ['chat'] }),
    list: (models) => ({ models: [...models] }),
  },
  isClient: (headers) => headers.get('x-fern-sdk-name')?.startsWith('cohere') === true,
  idPrefix: '',
  limits: [['max_tokens']],
  lastFrame: { data: '[DONE]' },
  isEnd: (event) => event === '[DONE]' || field(event, 'type') === 'message-end',
  // Appended to a stream that has begun: without a second beginning.
  errorFrames: (frames, before) => (before === 0 ? frames : frames.filter(({ event }) => event !== 'message-start')),
}
