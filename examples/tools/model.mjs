/** A model for the examples: a real one if there is a key, otherwise the embedded provider. */
import { anthropic } from 'isoglot/anthropic'

/** Call `stop` at the end. */
export async function chooseModel() {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseUrl } = process.env
  if (apiKey) return { model: anthropic('claude-haiku-4-5', { apiKey, baseUrl }), stop: async () => {} }
  const { startProvider } = await import('../provider/index.mjs')
  const provider = await startProvider({ key: 'demo' })
  return {
    model: anthropic('demo-model', { apiKey: 'demo', baseUrl: `${provider.url}/v1` }),
    stop: () => provider.stop(),
  }
}
