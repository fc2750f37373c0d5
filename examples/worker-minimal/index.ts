/**
 * The smallest Worker that hides a key: a gateway, and your own check before it. It has no budgets: a user who passes the check can spend
 * as much as your provider allows. `isoglot/worker` has tokens, budgets and limits.
 */
import { ApiError } from 'isoglot'
import { createGateway } from 'isoglot/gateway'
import { openaiChat, openaiChatFormat } from 'isoglot/openai-chat'

interface Env {
  OPENAI_API_KEY: string
  /** The secret that your own server sends, for its users. */
  SHARED_SECRET: string
}

const gateway = createGateway<Env>({
  formats: [openaiChatFormat],
  models: (env) => ({
    'gpt-5-mini': { model: openaiChat('gpt-5-mini', { apiKey: env.OPENAI_API_KEY }), maxOutputTokens: 2000 },
  }),
  async authorize({ headers }, env) {
    const [shown, expected] = await Promise.all([
      digest(headers.get('authorization') ?? ''),
      digest(`Bearer ${env.SHARED_SECRET}`),
    ])
    // A secret that is not set matches no request. Digests are compared, so that the time does not depend on the secret.
    if (env.SHARED_SECRET && shown === expected) return
    throw new ApiError('Who are you?', { kind: 'authentication', status: 401, retryable: false })
  },
})

async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return bytes.join()
}

export default { fetch: gateway.fetch }
