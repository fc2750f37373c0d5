/**
 * Anthropic Messages on the side of a server: its codec, and the facts of it that only a gateway needs.
 *
 * @see https://platform.claude.com/docs/en/api/models-list (read 2026-11)
 * @see https://platform.claude.com/docs/en/api/messages-count-tokens (read 2026-11)
 * @module
 */

import type { ServerCodec } from '../../../core/codec.ts'
import { field } from '../../../core/json.ts'
import { withForeignProofs } from '../../shared/foreign-proofs.ts'
import { type GatewayFormat, noDate } from '../../shared/gateway-format.ts'
import { format } from '../tables.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeError, encodeResponse, encodeStream, proofField } from './encode-answer.ts'
import { port } from './port.ts'

/** The server codec, for a gateway. */
export function createServerCodec(): ServerCodec {
  return withForeignProofs(
    { name: format, framing: 'sse', decodeRequest, port, encodeResponse, encodeStream, encodeError },
    proofField,
  )
}

/** Anthropic's Messages as a format of a gateway: its clients can ask the gateway's models. For `formats` of `createGateway`. */
export const anthropicFormat: GatewayFormat = {
  name: 'anthropic',
  codec: /* @__PURE__ */ createServerCodec(),
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
    ofAnswer: ({ max_tokens, stream, metadata, temperature, top_p, top_k, stop_sequences, ...counted }) => counted,
    answer: (tokens) => ({ input_tokens: tokens }),
  },
  countsFirst: true,
  idPrefix: 'msg_',
  keepAlive: 'event: ping\ndata: {"type":"ping"}\n\n',
  limits: [{ name: 'max_tokens' }],
  budgets: [['thinking', 'budget_tokens']],
  headers: { 'anthropic-version': /^\d{4}-\d\d-\d\d$/, 'anthropic-beta': /^[\w.-]+(?:, ?[\w.-]+){0,63}$/ },
  threadField: 'thread',
  foreign: /"signature"\s*:\s*""/, // thinking without a signature
  isClient: (headers) => headers.has('anthropic-version'),
  lastFrame: { event: 'message_stop', data: '{"type":"message_stop"}' },
  isEnd: (event) => ['message_stop', 'error'].includes(`${field(event, 'type')}`),
}
