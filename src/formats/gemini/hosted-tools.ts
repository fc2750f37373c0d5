/**
 * Gemini: functions that make the tools that Google runs itself.
 *
 * A request can have both these tools and your own functions only on Gemini 3 and later, with
 * `toolConfig.includeServerSideToolInvocations`.
 *
 * @see https://ai.google.dev/api/caching#Tool (read 2026-11)
 *
 * @module
 */

import { checkOptions } from '../../core/checks.ts'
import { compact } from '../../core/json.ts'
import type { JsonObject } from '../../core/messages.ts'
import type { HostedTool } from '../shared/hosted-tool.ts'

/** The lowest confidence (that a site is harmful) at which Google leaves the site out of the results. */
export type BlockingConfidence =
  | 'BLOCK_LOW_AND_ABOVE'
  | 'BLOCK_MEDIUM_AND_ABOVE'
  | 'BLOCK_HIGH_AND_ABOVE'
  | 'BLOCK_HIGHER_AND_ABOVE'
  | 'BLOCK_VERY_HIGH_AND_ABOVE'
  | 'BLOCK_ONLY_EXTREMELY_HIGH'

/** Options of {@link googleSearch}. */
export interface GoogleSearchOptions {
  /** Domains to leave out of the results, at most 2000. Vertex AI only. Default: none. */
  readonly blockedDomains?: readonly string[]
  /** Google leaves out sites that it considers harmful with this confidence or a higher one. Vertex AI only. */
  readonly blockingConfidence?: BlockingConfidence
  /** The kinds of results: web pages, images or both. Default: web pages. */
  readonly searchTypes?: readonly ('web' | 'image')[]
  /** Returns only results from `start` (inclusive) to `end` (exclusive), both in RFC 3339. Not on Vertex AI. Default: all times. */
  readonly timeRange?: { readonly start: string; readonly end: string }
}

/**
 * Lets the model search with Google.
 *
 * @see https://ai.google.dev/gemini-api/docs/google-search (read 2026-11)
 * @example
 * ```ts
 * import { gemini, googleSearch } from 'isoglot/gemini'
 *
 * const tools = [googleSearch()]
 * await generate({ model: gemini('gemini-3-flash-preview', { apiKey }), prompt: 'What is new on Mars?', tools })
 * ```
 */
export function googleSearch(options: GoogleSearchOptions = {}): HostedTool<'gemini'> {
  checkOptions('googleSearch', options)
  const { blockedDomains, blockingConfidence, searchTypes, timeRange } = options
  const search = compact({
    excludeDomains: blockedDomains && [...blockedDomains],
    blockingConfidence,
    searchTypes: searchTypes && encodeSearchTypes(searchTypes),
    timeRangeFilter: timeRange && { startTime: timeRange.start, endTime: timeRange.end },
  })
  return hosted({ googleSearch: search })
}

function encodeSearchTypes(types: readonly ('web' | 'image')[]) {
  return compact({
    webSearch: types.includes('web') ? {} : undefined,
    imageSearch: types.includes('image') ? {} : undefined,
  })
}

/**
 * Lets the model run Python code in a sandbox at Google.
 *
 * @see https://ai.google.dev/gemini-api/docs/code-execution (read 2026-11)
 */
export function codeExecution(): HostedTool<'gemini'> {
  return hosted({ codeExecution: {} })
}

/**
 * Lets the model read web pages whose URLs are in the conversation.
 *
 * @see https://ai.google.dev/gemini-api/docs/url-context (read 2026-11)
 */
export function urlContext(): HostedTool<'gemini'> {
  return hosted({ urlContext: {} })
}

function hosted(value: JsonObject): HostedTool<'gemini'> {
  return { type: 'provider_tool', format: 'gemini', value }
}
