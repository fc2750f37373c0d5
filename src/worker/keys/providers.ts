/**
 * The providers this Worker can ask, and the models it may ask them for. A destination depends only on this file and the options, never on
 * a request.
 *
 * @module
 */
import type { ModelSettings } from '../../core/codec.ts'
import { compact } from '../../core/json.ts'
import type { HttpModel } from '../../core/question.ts'
import { anthropic } from '../../formats/anthropic/index.ts'
import { gemini } from '../../formats/gemini/index.ts'
import { ollama } from '../../formats/ollama/index.ts'
import { openaiChat } from '../../formats/openai-chat/index.ts'
import type { GatewayFormat } from '../../formats/shared/gateway-format.ts'
import type { GatewayModel, GatewayModels, WireName } from '../../gateway/types.ts'
import { type WorkersAiBinding, workersAi } from '../../providers/workers-ai.ts'
import { xai } from '../../providers/xai.ts'
import type { Fetcher } from '../platform.ts'

/** How tokens, prices and the page name a provider: by its wire format, or by its own name. */
export type ProviderId = 'openai-chat' | 'anthropic' | 'gemini' | 'xai' | 'ollama' | 'workers-ai'

/** A model of this Worker. */
export interface ServedModel {
  readonly provider: ProviderId
  /** The provider's name of the model. */
  readonly name: string
  readonly baseUrl: string
  readonly apiKey: string | (() => Promise<string>) | undefined
  /** A service token of Cloudflare Access, for a server that a Tunnel reaches. */
  readonly access: { readonly id: string; readonly secret: string } | undefined
  /** Used in place of the internet. */
  readonly service: Fetcher | undefined
  /** The binding `AI`, used in place of an address. It needs no key. */
  readonly binding: WorkersAiBinding | undefined
  /** The token for Cloudflare's AI Gateway, if the model is asked through it. It has the provider's key, and no `apiKey` is here. */
  readonly gatewayToken: string | undefined
}

/** How options name a provider. */
export type ProviderName = 'openai' | 'anthropic' | 'gemini' | 'xai' | 'ollama' | 'workersAi'

/** One provider: its default address, and its own wire formats. */
export interface Provider {
  readonly id: ProviderId
  readonly option: ProviderName
  readonly baseUrl: string
  readonly wires: readonly WireName[]
  /** A user's own server may take no key. */
  readonly needsKey: boolean
  /**
   * Its path below an AI Gateway of Cloudflare, if it has one.
   *
   * @see https://developers.cloudflare.com/ai-gateway/usage/providers/ (read 2026-11). Its two examples for xAI differ. This is the path of
   *   the one for curl, and of Cloudflare's own client.
   */
  readonly gatewayPath?: string
}

export const providers: readonly Provider[] = [
  {
    id: 'openai-chat',
    option: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    wires: ['openai-chat', 'openai-responses'],
    needsKey: true,
    gatewayPath: '/openai',
  },
  {
    id: 'anthropic',
    option: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    wires: ['anthropic'],
    needsKey: true,
    gatewayPath: '/anthropic/v1',
  },
  {
    id: 'gemini',
    option: 'gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    wires: ['gemini'],
    needsKey: true,
    gatewayPath: '/google-ai-studio/v1beta',
  },
  {
    id: 'xai',
    option: 'xai',
    baseUrl: 'https://api.x.ai/v1',
    wires: [],
    needsKey: true,
    gatewayPath: '/grok/v1',
  },
  { id: 'ollama', option: 'ollama', baseUrl: 'http://127.0.0.1:11434', wires: ['ollama'], needsKey: false },
  // Each account has its own address.
  { id: 'workers-ai', option: 'workersAi', baseUrl: '', wires: [], needsKey: true },
]

/**
 * The address of an account's Workers AI models, in OpenAI's format.
 *
 * @see https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility/ (read 2026-11)
 */
export function workersAiUrl(accountId: string): string {
  return `https://api.cloudflare.com/client/v4/accounts/${accountId}/ai/v1`
}

function workersAiByRest(name: string, { apiKey = '', ...settings }: ModelSettings): HttpModel {
  return workersAi({ accountId: '', apiToken: apiKey }, name, settings)
}

const makers = { 'openai-chat': openaiChat, anthropic, gemini, xai, ollama, 'workers-ai': workersAiByRest }

/** A model's id, such as `anthropic:claude-haiku-4-5`. */
export function servedId({ provider, name }: Pick<ServedModel, 'provider' | 'name'>): string {
  return `${provider}:${name}`
}

/** The models that clients of one format may ask for: the gateway's table, and the id for each of its names. */
export interface WireTable {
  readonly models: GatewayModels
  readonly ids: ReadonlyMap<string, string>
}

/**
 * If several providers have a name, it means the model of the provider whose own wire format the client uses, otherwise of the first one.
 * An id selects one provider.
 */
export function tableFor(format: GatewayFormat, entries: readonly ServedModel[], maxOutputTokens: number): WireTable {
  const own = new Set(providers.filter(({ wires }) => wires.includes(format.name)).map(({ id }) => id))
  const ordered = [...entries].sort((a, b) => Number(own.has(b.provider)) - Number(own.has(a.provider)))
  const models: Record<string, GatewayModel> = Object.create(null)
  const ids = new Map<string, string>()
  for (const entry of ordered) {
    const id = servedId(entry)
    const isFirst = !(entry.name in models)
    const name = isFirst ? entry.name : id
    // Pages write `openai:gpt-5-mini`, as `provider` of its models says.
    const openai = entry.provider === 'openai-chat' ? [`openai:${entry.name}`] : []
    models[name] = compact({
      model: modelOf(entry, format),
      maxOutputTokens,
      aliases: [...(isFirst ? [id] : []), ...openai],
    })
    ids.set(name, id)
  }
  return { models, ids }
}

/** OpenAI gets the client's wire format, if that is one of its two. */
function modelOf(entry: ServedModel, format: GatewayFormat): HttpModel {
  const { provider, name, baseUrl, apiKey, access, service, binding, gatewayToken } = entry
  if (binding !== undefined) return workersAi(binding, name)
  const make = (provider === 'openai-chat' && format.model) || makers[provider]
  return make(name, {
    baseUrl,
    headers: {
      'user-agent': 'isoglot-worker',
      ...compact({ 'cf-access-client-id': access?.id, 'cf-access-client-secret': access?.secret }),
      ...(gatewayToken !== undefined && gatewayHeaders(gatewayToken)),
    },
    ...compact({ apiKey, fetch: service && ((...args: Parameters<typeof fetch>) => service.fetch(...args)) }),
  })
}

/**
 * The headers for AI Gateway. They override its settings: they name the user, turn off the cache (an answer may belong to another user) and
 * retries (a retry may cost twice), and keep requests and answers out of its log.
 *
 * @see https://developers.cloudflare.com/ai-gateway/configuration/bring-your-own-keys/, and on that site: features/caching/,
 *   configuration/request-handling/ and observability/logging/ (read 2026-11)
 */
function gatewayHeaders(token: string): Record<string, string> {
  return {
    'cf-aig-authorization': `Bearer ${token}`,
    'cf-aig-skip-cache': 'true',
    'cf-aig-max-attempts': '1',
    'cf-aig-collect-log-payload': 'false',
  }
}
