/** Chat Completions on the side of a server: its codec, and the facts of it that only a gateway needs. @module */

import type { ServerCodec } from '../../../core/codec.ts'
import { field } from '../../../core/json.ts'
import { withForeignProofs } from '../../shared/foreign-proofs.ts'
import type { GatewayFormat } from '../../shared/gateway-format.ts'
import { format } from '../tables.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeError, encodeResponse, encodeStream, proofField } from './encode-answer.ts'
import { port } from './port.ts'

/** The server codec. With it, a gateway answers in OpenAI's format. */
export function createServerCodec(): ServerCodec {
  return withForeignProofs(
    { name: format, framing: 'sse', decodeRequest, port, encodeResponse, encodeStream, encodeError },
    proofField,
  )
}

/** OpenAI Chat Completions as a format of a gateway: its clients can ask the gateway's models. For `formats` of `createGateway`. */
export const openaiChatFormat: GatewayFormat = {
  name: 'openai-chat',
  codec: /* @__PURE__ */ createServerCodec(),
  provider: 'openai',
  paths: { '/v1/chat/completions': { kind: 'answer' } },
  list: '/v1/models',
  idPrefix: 'chatcmpl-',
  limits: [{ name: 'max_completion_tokens' }, { name: 'max_tokens' }],
  foreign: /"reasoning_(?:content|details)"/,
  lastFrame: { data: '[DONE]' },
  isEnd: (event) => event === '[DONE]' || field(event, 'error') !== undefined,
}
