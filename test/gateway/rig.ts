/** A gateway over HTTP in front of the five scripted providers. */
import { anthropic } from '../../src/codecs/anthropic/index.ts'
import { gemini } from '../../src/codecs/gemini/index.ts'
import { ollama } from '../../src/codecs/ollama/index.ts'
import { openaiChat } from '../../src/codecs/openai-chat/index.ts'
import { openaiResponses } from '../../src/codecs/openai-responses/index.ts'
import { createGateway, type EndReport, type GatewayModels, type GatewayOptions } from '../../src/gateway/index.ts'
import { type Served, serve } from '../support/serve.ts'
import type { Upstream } from '../support/upstream.ts'
import { keys, startProviders, type WireName } from './provider.ts'

/** The providers as a table of models: each is asked for by the name of its wire. */
export function modelsAt(url: string): Readonly<Record<WireName, GatewayModels[string]>> {
  const at = (wire: WireName, path: string) => ({ baseUrl: `${url}/${wire}${path}`, apiKey: keys[wire] })
  return {
    'openai-chat': openaiChat('gpt-5', at('openai-chat', '/v1')),
    'openai-responses': openaiResponses('gpt-5', at('openai-responses', '/v1')),
    anthropic: anthropic('claude-sonnet-5', at('anthropic', '/v1')),
    gemini: gemini('gemini-3-flash-preview', at('gemini', '/v1beta')),
    ollama: ollama('qwen3:8b', at('ollama', '')),
  }
}

export interface Rig extends Served {
  readonly providers: Upstream
  /** Of all requests so far. */
  readonly reports: EndReport[]
}

export async function startRig(options: Partial<GatewayOptions> = {}): Promise<Rig> {
  const providers = await startProviders()
  const reports: EndReport[] = []
  const gateway = createGateway({
    models: modelsAt(providers.url),
    ...options,
    onEnd: (report) => {
      reports.push(report)
    },
  })
  const served = await serve((request) => gateway.fetch(request))
  return {
    url: served.url,
    providers,
    reports,
    async stop() {
      await served.stop()
      await providers.stop()
    },
  }
}
