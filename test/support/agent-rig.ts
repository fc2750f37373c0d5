/** A gateway between agents and scripted providers, with no network. */
import type { HttpModel as Model } from '../../src/core/question.ts'
import { allFormats, createGateway, type EndReport, type GatewayOptions } from '../../src/gateway/index.ts'
import { azureAnthropic } from '../../src/providers/azure-anthropic.ts'
import { azureResponses } from '../../src/providers/azure-responses.ts'
import { bedrockAnthropic } from '../../src/providers/bedrock-anthropic.ts'
import { bedrockInvoke } from '../../src/providers/bedrock-invoke.ts'
import { deepseek } from '../../src/providers/deepseek.ts'
import { vertexAnthropic } from '../../src/providers/vertex-anthropic.ts'
import { vllm } from '../../src/providers/vllm.ts'
import { xaiResponses } from '../../src/providers/xai-responses.ts'
import { facts } from '../formats/index.ts'
import type { Loose } from '../formats/provider.ts'
import { servers } from '../formats/servers.ts'
import { toWire } from '../gateway/provider.ts'
import type { Wire as WireName } from './answers.ts'

const apiKey = 'key-of-a-provider-01'

export interface Host {
  readonly wire: WireName
  readonly model: Model
}

const own = (Object.keys(servers) as WireName[]).map((wire): [string, Host] => [
  wire,
  { wire, model: servers[wire].modelAt('http://provider') },
])

/** A model of each format's own provider, and of other hosts of these formats. */
export const hosts: Readonly<Record<string, Host>> = {
  ...Object.fromEntries(own),
  xai: { wire: 'openai-responses', model: xaiResponses('grok-4.3', { apiKey }) },
  'azure-responses': { wire: 'openai-responses', model: azureResponses('my-gpt', { resource: 'r', apiKey }) },
  vllm: { wire: 'openai-chat', model: vllm('qwen3', { baseUrl: 'http://provider/v1' }) },
  deepseek: { wire: 'openai-chat', model: deepseek('deepseek-chat', { apiKey }) },
  'azure-anthropic': { wire: 'anthropic', model: azureAnthropic('claude-sonnet-5', { resource: 'r', apiKey }) },
  'bedrock-anthropic': {
    wire: 'anthropic',
    model: bedrockAnthropic('anthropic.claude-sonnet-5', { region: 'r', apiKey }),
  },
  'bedrock-invoke': {
    wire: 'anthropic',
    model: bedrockInvoke('us.anthropic.claude-sonnet-5', { region: 'r', apiKey }),
  },
  'vertex-anthropic': { wire: 'anthropic', model: vertexAnthropic('claude-sonnet-5', { project: 'p', apiKey }) },
}

/** A request as the provider gets it. */
export interface Sent {
  readonly body: Loose
  readonly headers: Headers
  readonly isStream: boolean
}

export interface AgentRig extends Host {
  readonly sent: Sent[]
  readonly reports: EndReport[]
  /** Asks the gateway. It throws for an answer with an error. */
  readonly ask: typeof fetch
}

/** Answers as the provider. */
export type Says = (sent: Sent, round: number) => Response

export function agentRig(name: string, says: Says, options: Partial<GatewayOptions> = {}): AgentRig {
  const host = hosts[name] as Host
  const sent: Sent[] = []
  const reports: EndReport[] = []
  const { provider } = facts[host.wire]
  const upstream = (async (url, init) => {
    const body = JSON.parse(await new Response(init?.body).text())
    const isStream = provider.isStream({ path: String(url), body }) || body.stream === true
    const one = { body, headers: new Headers(init?.headers), isStream }
    return says(one, sent.push(one))
  }) as typeof fetch
  const gateway = createGateway({
    formats: allFormats,
    models: { any: { model: { ...host.model, fetch: upstream }, aliases: ['*'] } },
    onEnd: (report) => void reports.push(report),
    ...options,
  })
  const ask = (async (input, init) => {
    const response = await gateway.fetch(new Request(input, init))
    if (response.ok) return response
    throw new Error(`${response.status} ${await response.text()}`)
  }) as typeof fetch
  return { ...host, sent, reports, ask }
}

/** An answer in the words of the host's format. */
export function answerOf(wire: WireName, { isStream }: Sent, said: Loose): Response {
  const { provider } = facts[wire]
  return isStream ? new Response(toWire(provider.pieces(said).join(''))) : Response.json(provider.whole(said))
}
