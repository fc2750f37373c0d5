/** A model to try the examples with: a real one if there is a key, else the embedded provider. */
import { anthropic } from 'isoglot/anthropic'

/** Call `stop` when you are done with it. */
export async function chooseModel() {
  const apiKey = process.env.ANTHROPIC_API_KEY
  if (apiKey) return { model: anthropic('claude-haiku-4-5', { apiKey }), stop: async () => {} }
  const { startProvider } = await import('../../scripts/provider/index.mjs')
  const provider = await startProvider({ key: 'demo' })
  return {
    model: anthropic('demo-model', { apiKey: 'demo', baseUrl: `${provider.url}/v1` }),
    stop: () => provider.stop(),
  }
}
