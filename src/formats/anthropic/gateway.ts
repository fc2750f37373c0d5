/**
 * Anthropic Messages on a gateway.
 *
 * @see https://platform.claude.com/docs/en/api/models-list (read 2026-11)
 * @see https://platform.claude.com/docs/en/api/messages-count-tokens (read 2026-11)
 * @module
 */
import { field } from '../../core/json.ts'
import { type GatewayWire, noDate } from '../../kit/gateway-wire.ts'
import { createServerCodec } from './index.ts'

export const anthropicWire: GatewayWire = {
  name: 'anthropic',
  codec: createServerCodec(),
  provider: 'anthropic',
  paths: { '/v1/messages': { kind: 'answer' }, '/v1/messages/count_tokens': { kind: 'count' } },
  list: '/v1/models',
  listing: {
    entry: ({ name }) => ({ type: 'model', id: name, display_name: name, created_at: noDate }),
    list: (data) => ({
      data: [...data],
      has_more: false,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
    }),
  },
  counting: {
    path: () => '/messages/count_tokens',
    fields: (_, model) => ({ model: JSON.stringify(model) }),
    answer: (tokens) => ({ input_tokens: tokens }),
  },
  idPrefix: 'msg_',
  keepAlive: 'event: ping\ndata: {"type":"ping"}\n\n',
  limits: [['max_tokens']],
  headers: { 'anthropic-version': /^\d{4}-\d\d-\d\d$/, 'anthropic-beta': /^[\w.-]+(?:, ?[\w.-]+){0,63}$/ },
  foreign: /"signature"\s*:\s*""/, // thinking without a signature
  isClient: (headers) => headers.has('anthropic-version'),
  lastFrame: { event: 'message_stop', data: '{"type":"message_stop"}' },
  isEnd: (event) => ['message_stop', 'error'].includes(`${field(event, 'type')}`),
}
