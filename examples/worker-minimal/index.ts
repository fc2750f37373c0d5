/**
 * The smallest Worker that hides a key: a gateway for isoglot's own wire, and your own check before it. It has no budgets: a user who passes
 * the check can spend as much as your provider allows. `isoglot/worker` has tokens, budgets and limits.
 */
import { ApiError } from 'isoglot'
import { createGateway, isoglotFormat } from 'isoglot/gateway'
import { openaiChat } from 'isoglot/openai-chat'
import { mockModel } from 'isoglot/test'

interface Env {
  OPENAI_API_KEY?: string
  /** The secret that your own server or page sends, for its users. */
  SHARED_SECRET: string
}

/** Answers while there is no key. Delete it when you have one. */
const offline = mockModel(() => 'Hello from the Worker. Set OPENAI_API_KEY for answers of a model.', { delayMs: 30 })

const gateway = createGateway<Env>({
  formats: [isoglotFormat],
  models: ({ OPENAI_API_KEY: apiKey }) => ({
    'openai:gpt-5-mini': { model: apiKey ? openaiChat('gpt-5-mini', { apiKey }) : offline, maxOutputTokens: 2000 },
  }),
  async authorize({ headers }, env) {
    const [shown, expected] = await Promise.all(
      [headers.get('authorization') ?? '', `Bearer ${env.SHARED_SECRET}`].map(digest),
    )
    // A secret that is not set matches no request. Digests are compared, so that the time does not depend on the secret.
    if (env.SHARED_SECRET && shown === expected) return
    throw new ApiError('Who are you?', { kind: 'authentication', status: 401, retryable: false })
  },
})

const digest = async (text: string) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).join()

export default { fetch: gateway.fetch }
