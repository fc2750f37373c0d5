/**
 * Anthropic Messages: the tools that Anthropic runs itself, as typed values.
 *
 * Each has a date, which `version` sets. A later date can require a later model, so the default is an early date.
 *
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-reference (read 2026-11)
 *
 * @module
 */

import { checkOptions } from '../../core/checks.ts'
import { compact } from '../../core/json.ts'
import type { HostedTool, UserLocation } from '../shared/hosted-tool.ts'
import { format } from './tables.ts'

// ---- common options ---------------------------------------------------------------------------

/** The callers that a tool allows: the model, or code that the model runs in {@link codeExecution} of that date. */
export type ToolCaller = 'direct' | `code_execution_${'20250825' | '20260120' | '20260521'}`

/** Options of every tool that Anthropic runs. */
export interface HostedToolOptions {
  /** Default: the provider's, which differs by date. */
  readonly allowedCallers?: readonly ToolCaller[]
  /** Ends a cached prefix at this tool, for this time; `ephemeral` is 5 minutes. Default: none. */
  readonly cacheHint?: 'ephemeral' | { readonly ttl: '5m' | '1h' }
  /** Hides the tool from the model until a search for tools finds it. Default `false`. */
  readonly deferLoading?: boolean
  /** Forces names and inputs to match the tool's schema. Default `false`. */
  readonly strict?: boolean
}

type WireShared = {
  allowed_callers?: ToolCaller[]
  cache_control?: { type: 'ephemeral'; ttl?: '5m' | '1h' }
  defer_loading?: boolean
  strict?: boolean
}

function encodeShared({ allowedCallers, cacheHint, deferLoading, strict }: HostedToolOptions): WireShared {
  return compact({
    allowed_callers: allowedCallers && [...allowedCallers],
    cache_control: cacheHint && encodeHint(cacheHint),
    defer_loading: deferLoading,
    strict,
  })
}

function encodeHint(hint: NonNullable<HostedToolOptions['cacheHint']>): NonNullable<WireShared['cache_control']> {
  return hint === 'ephemeral' ? { type: 'ephemeral' } : { type: 'ephemeral', ttl: hint.ttl }
}

/** The sites that a web tool may use: a list of allowed sites, or a list of blocked sites. Default: all. */
export type DomainOptions =
  | { readonly allowedDomains?: readonly string[]; readonly blockedDomains?: never }
  | { readonly allowedDomains?: never; readonly blockedDomains?: readonly string[] }

type WireDomains = { allowed_domains?: string[]; blocked_domains?: string[] }

function encodeDomains({ allowedDomains, blockedDomains }: DomainOptions): WireDomains {
  return compact({
    allowed_domains: allowedDomains && [...allowedDomains],
    blocked_domains: blockedDomains && [...blockedDomains],
  })
}

/** Whether the answer also has the results that code has used. */
type ResultsOption = {
  /** `excluded`: the answer does not have the results that finished code of the same turn has used. Default `full`. */
  readonly responseInclusion?: 'full' | 'excluded'
}

// ---- web search -------------------------------------------------------------------------------

/** Options of {@link webSearch}. */
export type WebSearchOptions = HostedToolOptions &
  DomainOptions & {
    /** The maximum number of searches in one request. Default: no limit. */
    readonly maxUses?: number
    /** The location of the user. Default: none. */
    readonly userLocation?: UserLocation
  } & (
    | { /** Default `20250305`. */ readonly version?: '20250305' | '20260209'; readonly responseInclusion?: never }
    | ({ readonly version: '20260318' } & ResultsOption)
  )

/** A web search, in Anthropic's format. */
export type WireWebSearch = WireShared &
  WireDomains & {
    type: `web_search_${NonNullable<WebSearchOptions['version']>}`
    name: 'web_search'
    max_uses?: number
    user_location?: UserLocation & { type: 'approximate' }
    response_inclusion?: 'full' | 'excluded'
  }

/**
 * Lets the model search the web.
 *
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool (read 2026-11)
 * @example
 * ```ts
 * import { anthropic, webSearch } from 'isoglot/anthropic'
 *
 * const tools = [webSearch({ maxUses: 3, allowedDomains: ['nature.com'] })]
 * await generate({ model: anthropic('claude-sonnet-5', { apiKey }), prompt: 'What is new on Mars?', tools })
 * ```
 */
export function webSearch(options: WebSearchOptions = {}): HostedTool<'anthropic', WireWebSearch> {
  checkOptions('anthropicWebSearch', options)
  const { version = '20250305', maxUses, userLocation, responseInclusion } = options
  return hosted({
    type: `web_search_${version}`,
    name: 'web_search',
    ...encodeDomains(options),
    ...compact({
      max_uses: maxUses,
      user_location: userLocation && { ...userLocation, type: 'approximate' as const },
      response_inclusion: responseInclusion,
    }),
    ...encodeShared(options),
  })
}

// ---- web fetch --------------------------------------------------------------------------------

/** The tools whose results may contain addresses to fetch: all, none, some by name, or all except some. */
export type UrlSource = 'all' | 'none' | { readonly only: readonly string[] } | { readonly except: readonly string[] }

/** The sources of addresses that may be fetched. Each is `all` by default. */
export interface UrlSources {
  /** Messages of the user. */
  readonly userInput?: 'all' | 'none'
  /** Results of your tools. */
  readonly clientToolResults?: UrlSource
  /** Results of web searches and fetches. */
  readonly serverToolResults?: UrlSource
}

type WireToolReference = { type: 'tool_reference'; name: string }
type WireUrlSource = { type: 'all' | 'none' } | { type: 'only' | 'except'; tools: WireToolReference[] }

/** Options of {@link webFetch}. */
export type WebFetchOptions = HostedToolOptions &
  DomainOptions & {
    /** Whether answers cite the fetched pages. Default `false`. */
    readonly citations?: boolean
    /** The approximate maximum length of the text of one page, in tokens. Not for PDFs and similar files. Default: no limit. */
    readonly maxContentTokens?: number
    /** The maximum number of fetches in one request. Default: no limit. */
    readonly maxUses?: number
    readonly urlSources?: UrlSources
  } & (
    | {
        /** Default `20250910`. */
        readonly version?: '20250910' | '20260209'
        readonly useCache?: never
        readonly responseInclusion?: never
      }
    | { readonly version: '20260309'; readonly useCache?: boolean; readonly responseInclusion?: never }
    | ({
        readonly version: '20260318'
        /** Whether a page that was fetched before can come from the cache. `false` fetches it again. Default `true`. */
        readonly useCache?: boolean
      } & ResultsOption)
  )

/** A web fetch, in Anthropic's format. */
export type WireWebFetch = WireShared &
  WireDomains & {
    type: `web_fetch_${NonNullable<WebFetchOptions['version']>}`
    name: 'web_fetch'
    citations?: { enabled: boolean }
    max_content_tokens?: number
    max_uses?: number
    url_sources?: {
      user_input?: { type: 'all' | 'none' }
      client_tool_results?: WireUrlSource
      server_tool_results?: WireUrlSource
    }
    use_cache?: boolean
    response_inclusion?: 'full' | 'excluded'
  }

/**
 * Lets the model read pages and PDFs whose addresses are in the conversation.
 *
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-fetch-tool (read 2026-11)
 */
export function webFetch(options: WebFetchOptions = {}): HostedTool<'anthropic', WireWebFetch> {
  checkOptions('webFetch', options)
  const { version = '20250910', citations, maxContentTokens, maxUses, urlSources, useCache } = options
  return hosted({
    type: `web_fetch_${version}`,
    name: 'web_fetch',
    ...encodeDomains(options),
    ...compact({
      citations: citations === undefined ? undefined : { enabled: citations },
      max_content_tokens: maxContentTokens,
      max_uses: maxUses,
      url_sources: urlSources && encodeUrlSources(urlSources),
      use_cache: useCache,
      response_inclusion: options.responseInclusion,
    }),
    ...encodeShared(options),
  })
}

function encodeUrlSources({ userInput, clientToolResults, serverToolResults }: UrlSources) {
  return compact({
    user_input: userInput && { type: userInput },
    client_tool_results: clientToolResults && encodeUrlSource(clientToolResults),
    server_tool_results: serverToolResults && encodeUrlSource(serverToolResults),
  })
}

function encodeUrlSource(source: UrlSource): WireUrlSource {
  if (typeof source === 'string') return { type: source }
  return 'only' in source
    ? { type: 'only', tools: source.only.map(encodeReference) }
    : { type: 'except', tools: source.except.map(encodeReference) }
}

function encodeReference(name: string): WireToolReference {
  return { type: 'tool_reference', name }
}

// ---- code execution ---------------------------------------------------------------------------

/** Options of {@link codeExecution}. */
export interface CodeExecutionOptions extends HostedToolOptions {
  /** `20250522` runs only Python. From `20260120` on, Python keeps its variables between runs. Default `20250825`. */
  readonly version?: '20250522' | '20250825' | '20260120' | '20260521'
}

/** A code execution, in Anthropic's format. */
export type WireCodeExecution = WireShared & {
  type: `code_execution_${NonNullable<CodeExecutionOptions['version']>}`
  name: 'code_execution'
}

/**
 * Lets the model run code in a sandbox of Anthropic.
 *
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool (read 2026-11)
 */
export function codeExecution(options: CodeExecutionOptions = {}): HostedTool<'anthropic', WireCodeExecution> {
  checkOptions('codeExecution', options)
  const { version = '20250825' } = options
  return hosted({ type: `code_execution_${version}`, name: 'code_execution', ...encodeShared(options) })
}

function hosted<Value extends WireWebSearch | WireWebFetch | WireCodeExecution>(
  value: Value,
): HostedTool<'anthropic', Value> {
  return { type: 'provider_tool', format, value }
}
