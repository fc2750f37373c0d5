/** Gemini Interactions on a gateway. @module */
import { field } from '../../core/json.ts'
import { firstSet, type GatewayWire, isGoogle } from '../../kit/gateway-wire.ts'
import { createServerCodec } from './index.ts'

export const geminiInteractionsWire: GatewayWire = {
  name: 'gemini-interactions',
  codec: createServerCodec(),
  provider: 'gemini',
  paths: { '/v1/interactions': { kind: 'answer' }, '/v1beta/interactions': { kind: 'answer' } },
  list: '/v1beta/models',
  idPrefix: undefined,
  limits: [['generation_config', 'max_output_tokens']],
  chainField: 'previous_interaction_id',
  keptField: (body) => firstSet(body, ['background', 'agent', 'environment', 'continuation_token']),
  isClient: (headers, path) => isGoogle(headers) && path.includes('/interactions/'),
  lastFrame: { event: 'done', data: '[DONE]' },
  isEnd: (event) => event === '[DONE]' || ['interaction.completed', 'error'].includes(`${field(event, 'event_type')}`),
}
