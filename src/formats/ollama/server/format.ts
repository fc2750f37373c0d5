/**
 * Ollama on the side of a server: its codec, and the facts of it that only a gateway needs.
 *
 * @see https://docs.ollama.com/api/tags (read 2026-11)
 * @module
 */

import type { ServerCodec } from '../../../core/codec.ts'
import { field } from '../../../core/json.ts'
import { type GatewayFormat, noDate } from '../../shared/gateway-format.ts'
import { format, isLast } from '../tables.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeError, encodeResponse, encodeStream } from './encode-answer.ts'

/** Creates the codec for a gateway that answers as an Ollama server does. */
export function createServerCodec(): ServerCodec {
  return { name: format, framing: 'ndjson', decodeRequest, encodeResponse, encodeStream, encodeError }
}

/** Ollama as a format of a gateway: its clients can ask the gateway's models. For `formats` of `createGateway`. */
export const ollamaFormat: GatewayFormat = {
  name: 'ollama',
  codec: /* @__PURE__ */ createServerCodec(),
  provider: 'ollama',
  paths: {
    '/api/chat': { kind: 'answer' },
    '/api/tags': { kind: 'models' },
    '/api/version': { kind: 'version' },
  },
  list: '/api/tags',
  listing: {
    entry: ({ name }) => ({ name, model: name, modified_at: noDate, size: 0, digest: '', details: {} }),
    list: (models) => ({ models: [...models] }),
  },
  idPrefix: '',
  keepAlive: ' ', // its client reports every line that is not valid JSON. JSON may begin with white space
  limits: [{ within: 'options', name: 'num_predict' }],
  isClient: (headers, path) => path.startsWith('/api/') || headers.get('user-agent')?.startsWith('ollama') === true,
  isEnd: (event) => isLast(event) || field(event, 'error') !== undefined,
}
