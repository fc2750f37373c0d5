/** The Worker before the scripted providers, and a token for it. */
import { freePort } from '../../scripts/worker.mjs'
import { keys } from '../gateway/models.ts'
import { answerAll, type WireName } from '../gateway/provider.ts'
import { type Answering, startUpstream } from '../support/upstream.ts'
import { pageToken, settingsAt } from './harness.ts'
import { type LocalWorker, startWorker } from './local.ts'

/** As the providers call them: a proof goes back to the family of models that it came from. */
export const models = {
  OPENAI: 'gpt-5',
  ANTHROPIC: 'claude-sonnet-5',
  GEMINI: 'gemini-3-flash-preview',
  XAI: 'grok-4',
  OLLAMA: 'qwen3:8b',
}
const wires: Readonly<Record<string, WireName>> = {
  'claude-sonnet-5': 'anthropic',
  'gemini-3-flash-preview': 'gemini',
  'qwen3:8b': 'ollama',
}
const sharedKeys = { openai: 'sk-canary-openai-7Hq2Lw9Zx4', xai: 'xai-canary-5Tm8Vb3Kd6' }

/** OpenAI speaks two wires at one place and with one key; xAI speaks one of them. */
const answerAny: Answering = (response, asked) => {
  const [, provider = '', rest = ''] = /^\/(openai|xai)(\/.*)$/.exec(asked.path) ?? []
  if (provider !== 'openai' && provider !== 'xai') return answerAll(response, asked)
  const wire = rest === '/v1/responses' ? 'openai-responses' : 'openai-chat'
  const isKnown = asked.headers.authorization === `Bearer ${sharedKeys[provider]}`
  const headers = { ...asked.headers, authorization: isKnown ? `Bearer ${keys[wire]}` : 'none' }
  return answerAll(response, { ...asked, path: `/${wire}${rest}`, headers })
}

/** Starts a Worker with these variables and secrets, at this port. Default: the Worker of `examples/worker`. */
type Start = (settings: Readonly<Record<string, string>>, port: number) => Promise<Pick<LocalWorker, 'url' | 'stop'>>

export async function startJudged(start: Start = (settings, port) => startWorker(settings, { port })) {
  const providers = await startUpstream()
  providers.answer(answerAny)
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const at = (prefix: keyof typeof models, path: string, key: string) => ({
    [`${prefix}_MODELS`]: models[prefix],
    [`${prefix}_BASE_URL`]: `${providers.url}/${prefix.toLowerCase()}${path}`,
    [`${prefix}_API_KEY`]: key,
  })
  const worker = await start(
    {
      ...settingsAt(providers.url, origin),
      ...at('OPENAI', '/v1', sharedKeys.openai),
      ...at('ANTHROPIC', '/v1', keys.anthropic),
      ...at('GEMINI', '/v1beta', keys.gemini),
      ...at('XAI', '/v1', sharedKeys.xai),
      ...at('OLLAMA', '', keys.ollama),
    },
    port,
  )
  return {
    url: worker.url,
    token: await pageToken(worker.url),
    providers,
    async stop() {
      await worker.stop()
      await providers.stop()
    },
  }
}

/** OpenAI is asked in the wire of the client if it is one of its two; xAI in the older of them. */
export function wireOf(model: string, client: WireName): WireName {
  return wires[model] ?? (client === 'openai-responses' && model === models.OPENAI ? client : 'openai-chat')
}
