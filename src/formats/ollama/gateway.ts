/**
 * Ollama on a gateway.
 *
 * @see https://docs.ollama.com/api/tags (read 2026-11)
 * @module
 */
import { field } from '../../core/json.ts'
import { type GatewayWire, noDate } from '../../kit/gateway-wire.ts'
import { createServerCodec } from './index.ts'

export const ollamaWire: GatewayWire = {
  name: 'ollama',
  codec: createServerCodec(),
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
  limits: [['options', 'num_predict']],
  isClient: (headers, path) => path.startsWith('/api/') || headers.get('user-agent')?.startsWith('ollama') === true,
  isEnd: (event) => field(event, 'done') === true || field(event, 'error') !== undefined,
}
