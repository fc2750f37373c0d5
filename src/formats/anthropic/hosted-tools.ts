/**
 * Anthropic Messages: functions that make the tools that Anthropic runs itself.
 *
 * Each has a date, which `version` sets. A later date can require a later model, so the default is an early date.
 *
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-reference (read 2026-11)
 *
 * @module
 */

import { checkOptions } from '../../core/checks.ts'
import type { JsonObject } from '../../core/messages.ts'
import { type HostedTool, snakeCase, type UserLocation } from '../shared/hosted-tool.ts'
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

/** Makes a tool. The wire has the names of its fields in `snake_case`. */
function hosted(
  name: string,
  version: string,
  { cacheHint, ...fields }: HostedToolOptions & { readonly [field: string]: unknown },
): HostedTool<'anthropic'> {
  const cache_control = cacheHint && { type: 'ephemeral', ...(cacheHint !== 'ephemeral' && cacheHint) }
  const value = { type: `${name}_${version}`, name, ...snakeCase({ ...fields, cache_control }) }
  return { type: 'provider_tool', format, value }
}

/** The sites that a web tool may use: a list of allowed sites, or a list of blocked sites. Default: all. */
export type DomainOptions =
  | { readonly allowedDomains?: readonly string[]; readonly blockedDomains?: never }
  | { readonly allowedDomains?: never; readonly blockedDomains?: readonly string[] }

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
export function webSearch(options: WebSearchOptions = {}): HostedTool<'anthropic'> {
  checkOptions('anthropicWebSearch', options)
  const { version = '20250305', userLocation, ...rest } = options
  return hosted('web_search', version, {
    ...rest,
    user_location: userLocation && { ...userLocation, type: 'approximate' },
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

/**
 * Lets the model read pages and PDFs whose addresses are in the conversation.
 *
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-fetch-tool (read 2026-11)
 */
export function webFetch(options: WebFetchOptions = {}): HostedTool<'anthropic'> {
  checkOptions('webFetch', options)
  const { version = '20250910', citations, urlSources, ...rest } = options
  return hosted('web_fetch', version, {
    ...rest,
    citations: citations === undefined ? undefined : { enabled: citations },
    url_sources: urlSources && encodeUrlSources(urlSources),
  })
}

function encodeUrlSources({ userInput, clientToolResults, serverToolResults }: UrlSources): object {
  return {
    user_input: userInput && { type: userInput },
    client_tool_results: clientToolResults && encodeUrlSource(clientToolResults),
    server_tool_results: serverToolResults && encodeUrlSource(serverToolResults),
  }
}

function encodeUrlSource(source: UrlSource): JsonObject {
  if (typeof source === 'string') return { type: source }
  return 'only' in source
    ? { type: 'only', tools: source.only.map(encodeReference) }
    : { type: 'except', tools: source.except.map(encodeReference) }
}

function encodeReference(name: string): JsonObject {
  return { type: 'tool_reference', name }
}

// ---- code execution ---------------------------------------------------------------------------

/** Options of {@link codeExecution}. */
export interface CodeExecutionOptions extends HostedToolOptions {
  /** `20250522` runs only Python. From `20260120` on, Python keeps its variables between runs. Default `20250825`. */
  readonly version?: '20250522' | '20250825' | '20260120' | '20260521'
}

/**
 * Lets the model run code in a sandbox of Anthropic.
 *
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool (read 2026-11)
 */
export function codeExecution(options: CodeExecutionOptions = {}): HostedTool<'anthropic'> {
  checkOptions('codeExecution', options)
  const { version = '20250825', ...rest } = options
  return hosted('code_execution', version, rest)
}
