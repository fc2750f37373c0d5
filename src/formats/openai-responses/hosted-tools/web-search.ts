/**
 * OpenAI Responses, the tools that OpenAI runs itself: a search of the web.
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
  /** The only sites to search, with what stands under them. Default: all. */
  readonly allowedDomains?: readonly string[]
  /** `false` searches only stored pages, and fetches no page. Default `true`. */
  readonly externalWebAccess?: boolean
  /** How much of the context a search may fill. Default `medium`. */
  readonly searchContextSize?: 'low' | 'medium' | 'high'
  /** Default: the United States; `{}` is nowhere in particular. */
  readonly userLocation?: UserLocation
  /** Default: the current one. */
  readonly version?: '2025_08_26'
}

/** A web search, as the wire has it. */
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
