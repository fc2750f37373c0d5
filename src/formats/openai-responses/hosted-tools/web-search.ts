/**
 * OpenAI Responses, a tool that OpenAI runs: web search.
 *
 * @see https://platform.openai.com/docs/guides/tools-web-search (read 2026-11)
 *
 * @module
 */

import { compact } from '../../../core/lookup.ts'
import type { HostedTool, UserLocation } from '../../../kit/hosted-tool.ts'
import { hosted } from './hosted.ts'

/** Options of {@link webSearch}. */
export interface WebSearchOptions {
  /** Searches only these domains and their subdomains. Default: all domains. */
  readonly allowedDomains?: readonly string[]
  /** Whether the search may load pages from the web. `false`: it uses only pages that are already cached. Default `true`. */
  readonly externalWebAccess?: boolean
  /** How much of the model's context the search may use. Default `medium`. */
  readonly searchContextSize?: 'low' | 'medium' | 'high'
  /** The approximate location of the user. Default: the United States. `{}` means no particular place. */
  readonly userLocation?: UserLocation
  /** The version of the tool. Default: the current one. */
  readonly version?: '2025_08_26'
}

/** A web search in the form of the wire. */
export type WireWebSearch = {
  type: 'web_search' | 'web_search_2025_08_26'
  external_web_access?: boolean
  filters?: { allowed_domains: string[] }
  search_context_size?: 'low' | 'medium' | 'high'
  user_location?: UserLocation & { type: 'approximate' }
}

/**
 * Lets the model search the web.
 *
 * @example
 * ```ts
 * import { openaiResponses, webSearch } from 'isoglot/openai-responses'
 *
 * const tools = [webSearch({ allowedDomains: ['nature.com'], userLocation: { country: 'DE' } })]
 * await generate({ model: openaiResponses('gpt-5', { apiKey }), prompt: 'What is new on Mars?', tools })
 * ```
 */
export function webSearch(options: WebSearchOptions = {}): HostedTool<'openai-responses', WireWebSearch> {
  const { allowedDomains, externalWebAccess, searchContextSize, userLocation, version } = options
  return hosted({
    type: version === undefined ? 'web_search' : `web_search_${version}`,
    ...compact({
      external_web_access: externalWebAccess,
      filters: allowedDomains && { allowed_domains: [...allowedDomains] },
      search_context_size: searchContextSize,
      user_location: userLocation && { ...userLocation, type: 'approximate' as const },
    }),
  })
}
