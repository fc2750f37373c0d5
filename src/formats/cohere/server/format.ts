/**
 * Cohere on the side of a server: its codec, and the facts of it that only a gateway needs.
 *
 * @see https://docs.cohere.com/reference/list-models (read 2026-11)
 * @module
 */

import type { ServerCodec } from '../../../core/codec.ts'
import { field } from '../../../core/json.ts'
import type { GatewayFormat } from '../../shared/gateway-format.ts'
import { format } from '../tables.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeError, encodeResponse, encodeStream } from './encode-answer.ts'

/** Creates the codec for a gateway that answers as Cohere does. */
export function createServerCodec(): ServerCodec {
  return { name: format, framing: 'sse', decodeRequest, encodeResponse, encodeStream, encodeError }
}

/** Cohere's Chat as a format of a gateway: its clients can ask the gateway's models. For `formats` of `createGateway`. */
export const cohereFormat: GatewayFormat = {
  name: 'cohere',
  codec: /* @__PURE__ */ createServerCodec(),
  provider: 'cohere',
  paths: { '/v2/chat': { kind: 'answer' } },
  list: '/v1/models',
  listing: {
    entry: ({ name }) => ({ name, endpoints: ['chat'] }),
    list: (models) => ({ models: [...models] }),
  },
  isClient: (headers) => headers.get('x-fern-sdk-name')?.startsWith('cohere') === true,
  idPrefix: '',
  limits: [{ name: 'max_tokens' }],
  budgets: [['thinking', 'token_budget']],
  lastFrame: { data: '[DONE]' },
  isEnd: (event) => event === '[DONE]' || field(event, 'type') === 'message-end',
  // Appended to a stream that has begun: without a second beginning.
  errorFrames: (frames, before) => (before === 0 ? frames : frames.filter(({ event }) => event !== 'message-start')),
}
