/** Chat Completions on a gateway. @module */
import { field } from '../../core/json.ts'
import type { GatewayWire } from '../../kit/gateway-wire.ts'
import { createServerCodec } from './index.ts'

export const openaiChatWire: GatewayWire = {
  name: 'openai-chat',
  codec: createServerCodec(),
  provider: 'openai',
  paths: { '/v1/chat/completions': { kind: 'answer' } },
  list: '/v1/models',
  idPrefix: 'chatcmpl-',
  limits: [['max_completion_tokens'], ['max_tokens']],
  foreign: /"reasoning_(?:content|details)"/,
  lastFrame: { data: '[DONE]' },
  isEnd: (event) => event === '[DONE]' || field(event, 'error') !== undefined,
}
