/**
 * OpenAI Responses: the tools that OpenAI runs itself, as typed values.
 *
 * @see https://platform.openai.com/docs/guides/tools?api-mode=responses (read 2026-11)
 * @module
 */
import type { HostedTool, UserLocation } from '../../hosted-tool.ts'
import { compact } from '../../lookup.ts'
import { format } from './tables.ts'

// ---- web search -------------------------------------------------------------------------------

/** What {@link webSearch} takes. */
export interface WebSearchOptions {
  /** The only sites to search, with what stands under them. Default: all. */
  readonly allowedDomains?: readonly string[]
  /** `false` searches what is stored alone, and fetches nothing anew. Default `true`. */
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
 * @see https://platform.openai.com/docs/guides/tools-web-search (read 2026-11)
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

// ---- file search ------------------------------------------------------------------------------

/** A condition on the attributes of files; the words are those of the wire. */
export type FileFilter =
  | {
      type: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'nin'
      key: string
      value: string | number | boolean | (string | number)[]
    }
  | { type: 'and' | 'or'; filters: FileFilter[] }

/** How what was found is ordered. */
export interface RankingOptions {
  /** Default `auto`. */
  readonly ranker?: 'auto' | 'default-2024-11-15'
  /** From 0 to 1: what scores less is left out. Default 0. */
  readonly scoreThreshold?: number
  /** How much meaning weighs against words, where both are searched. */
  readonly hybridSearch?: { readonly embeddingWeight: number; readonly textWeight: number }
}

/** What {@link fileSearch} takes. */
export interface FileSearchOptions {
  /** The ids of the vector stores to search. */
  readonly vectorStoreIds: readonly string[]
  /** Default: all files. */
  readonly filters?: FileFilter
  /** From 1 to 50. Default: the provider's. */
  readonly maxResults?: number
  readonly ranking?: RankingOptions
}

type WireRanking = {
  ranker?: 'auto' | 'default-2024-11-15'
  score_threshold?: number
  hybrid_search?: { embedding_weight: number; text_weight: number }
}

/** A file search, as the wire has it. */
export type WireFileSearch = {
  type: 'file_search'
  vector_store_ids: string[]
  filters?: FileFilter
  max_num_results?: number
  ranking_options?: WireRanking
}

/**
 * Lets the model search files that were put into vector stores.
 *
 * @see https://platform.openai.com/docs/guides/tools-file-search (read 2026-11)
 */
export function fileSearch(options: FileSearchOptions): HostedTool<'openai-responses', WireFileSearch> {
  const { vectorStoreIds, filters, maxResults, ranking } = options
  return hosted({
    type: 'file_search',
    vector_store_ids: [...vectorStoreIds],
    ...compact({ filters, max_num_results: maxResults, ranking_options: ranking && encodeRanking(ranking) }),
  })
}

function encodeRanking({ ranker, scoreThreshold, hybridSearch }: RankingOptions): WireRanking {
  return compact({
    ranker,
    score_threshold: scoreThreshold,
    hybrid_search: hybridSearch && {
      embedding_weight: hybridSearch.embeddingWeight,
      text_weight: hybridSearch.textWeight,
    },
  })
}

// ---- code interpreter -------------------------------------------------------------------------

/** What code may reach: nothing, or these sites, with secrets that are put into what is sent to them. */
export type NetworkPolicy =
  | 'disabled'
  | {
      readonly allowedDomains: readonly string[]
      /** Keys that the code uses by `name` and never sees. Whoever prints the tool prints them. */
      readonly domainSecrets?: readonly { readonly domain: string; readonly name: string; readonly value: string }[]
    }

/** A container that is made for the answer. */
export interface ContainerOptions {
  /** Uploaded files to put into it. Default: none. */
  readonly fileIds?: readonly string[]
  /** In gigabytes. Default `1g`. */
  readonly memoryLimit?: '1g' | '4g' | '16g' | '64g'
  /** Default: the provider's. */
  readonly network?: NetworkPolicy
}

/** What {@link codeInterpreter} takes. */
export interface CodeInterpreterOptions {
  /** The id of one that is there, or what a new one is to be like. Default: a new one. */
  readonly container?: string | ContainerOptions
}

type WireNetworkPolicy =
  | { type: 'disabled' }
  | { type: 'allowlist'; allowed_domains: string[]; domain_secrets?: { domain: string; name: string; value: string }[] }
type WireContainer = {
  type: 'auto'
  file_ids?: string[]
  memory_limit?: '1g' | '4g' | '16g' | '64g'
  network_policy?: WireNetworkPolicy
}

/** A code interpreter, as the wire has it. */
export type WireCodeInterpreter = { type: 'code_interpreter'; container: string | WireContainer }

/**
 * Lets the model run Python in a container of OpenAI's.
 *
 * @see https://platform.openai.com/docs/guides/tools-code-interpreter (read 2026-11)
 */
export function codeInterpreter(
  options: CodeInterpreterOptions = {},
): HostedTool<'openai-responses', WireCodeInterpreter> {
  const { container = {} } = options
  return hosted({
    type: 'code_interpreter',
    container: typeof container === 'string' ? container : encodeContainer(container),
  })
}

function encodeContainer({ fileIds, memoryLimit, network }: ContainerOptions): WireContainer {
  return {
    type: 'auto',
    ...compact({
      file_ids: fileIds && [...fileIds],
      memory_limit: memoryLimit,
      network_policy: network && encodeNetwork(network),
    }),
  }
}

function encodeNetwork(policy: NetworkPolicy): WireNetworkPolicy {
  if (policy === 'disabled') return { type: 'disabled' }
  const { allowedDomains, domainSecrets } = policy
  return {
    type: 'allowlist',
    allowed_domains: [...allowedDomains],
    ...compact({ domain_secrets: domainSecrets?.map((secret) => ({ ...secret })) }),
  }
}

// ---- image generation -------------------------------------------------------------------------

/** What {@link imageGeneration} takes. */
export interface ImageGenerationOptions {
  /** Whether to make a new picture or change one that is there. Default `auto`. */
  readonly action?: 'generate' | 'edit' | 'auto'
  /** `transparent` needs `png` or `webp`. Default `auto`. */
  readonly background?: 'transparent' | 'opaque' | 'auto'
  /** How much the picture is thought over, however well it is drawn. Default: the effort of the request's reasoning. */
  readonly complexity?: 'low' | 'medium' | 'high'
  /** Pictures in a `gif`. Default 9. */
  readonly frameCount?: number
  /** Of each picture in a `gif`, in milliseconds, in steps of 10. Default 200. */
  readonly frameDurationMs?: number
  /** How close to stay to the pictures given, faces above all. Default `low`; not for `gpt-image-2`. */
  readonly inputFidelity?: 'high' | 'low'
  /** The part of a picture that may change: an uploaded file, or base64. */
  readonly mask?: { readonly fileId?: string; readonly imageUrl?: string }
  /** Default `gpt-image-2`. */
  readonly model?: string
  /** Default `auto`. */
  readonly moderation?: 'auto' | 'low'
  /** In percent. Default 100. */
  readonly outputCompression?: number
  /** Default `png`. */
  readonly outputFormat?: 'png' | 'webp' | 'jpeg' | 'gif' | 'svg'
  /** Pictures to stream before the whole one, from 0 to 3. Default 0. */
  readonly partialImages?: number
  /** Default `auto`. */
  readonly quality?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | 'auto'
  /** Width and height in pixels, such as `1024x1536`, or `auto`. */
  readonly size?: string
  /** Who writes an `svg`, and with what effort. Default: the model of the request. */
  readonly svg?: { readonly model?: string; readonly reasoningEffort?: SvgEffort }
}

type SvgEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** An image generation, as the wire has it. */
export type WireImageGeneration = {
  type: 'image_generation'
  action?: 'generate' | 'edit' | 'auto'
  background?: 'transparent' | 'opaque' | 'auto'
  complexity?: 'low' | 'medium' | 'high'
  frame_count?: number
  frame_duration_ms?: number
  input_fidelity?: 'high' | 'low'
  input_image_mask?: { file_id?: string; image_url?: string }
  model?: string
  moderation?: 'auto' | 'low'
  output_compression?: number
  output_format?: 'png' | 'webp' | 'jpeg' | 'gif' | 'svg'
  partial_images?: number
  quality?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | 'auto'
  size?: string
  svg?: { model?: string; reasoning?: { effort: SvgEffort } }
}

/**
 * Lets the model draw.
 *
 * @see https://platform.openai.com/docs/guides/tools-image-generation (read 2026-11)
 */
export function imageGeneration(
  options: ImageGenerationOptions = {},
): HostedTool<'openai-responses', WireImageGeneration> {
  const { action, background, complexity, mask, model, moderation, quality, size, svg } = options
  return hosted({
    type: 'image_generation',
    ...compact({
      action,
      background,
      complexity,
      frame_count: options.frameCount,
      frame_duration_ms: options.frameDurationMs,
      input_fidelity: options.inputFidelity,
      input_image_mask: mask && compact({ file_id: mask.fileId, image_url: mask.imageUrl }),
      model,
      moderation,
      output_compression: options.outputCompression,
      output_format: options.outputFormat,
      partial_images: options.partialImages,
      quality,
      size,
      svg: svg && encodeSvg(svg),
    }),
  })
}

function encodeSvg({ model, reasoningEffort }: NonNullable<ImageGenerationOptions['svg']>) {
  return compact({ model, reasoning: reasoningEffort && { effort: reasoningEffort } })
}

// ---- MCP --------------------------------------------------------------------------------------

/** Some tools of an MCP server: those that fit all that is said. */
export interface McpToolFilter {
  /** Whether they change nothing, by their own `readOnlyHint`. */
  readonly readOnly?: boolean
  readonly toolNames?: readonly string[]
}

/** Where an MCP server is: an address, or the id of a Secure MCP Tunnel. Connectors are deprecated, and left to raw values. */
export type McpPlace =
  | { readonly serverUrl: string; readonly tunnelId?: never }
  | { readonly serverUrl?: never; readonly tunnelId: string }

/** What {@link mcp} takes. */
export type McpOptions = McpPlace & {
  /** What its calls name the server by. */
  readonly serverLabel: string
  /** What the model is told of it. */
  readonly serverDescription?: string
  /** Default: all that it has. */
  readonly allowedTools?: readonly string[] | McpToolFilter
  /** An OAuth token for the server. Whoever prints or stores the tool has it. */
  readonly authorization?: string
  /** Headers of every request to the server. */
  readonly headers?: Readonly<Record<string, string>>
  /** Which calls wait for a person. Default `always`. */
  readonly requireApproval?: 'always' | 'never' | { readonly always?: McpToolFilter; readonly never?: McpToolFilter }
  /** Who may call: the model itself, or a program that it writes. Default: the provider's. */
  readonly allowedCallers?: readonly ('direct' | 'programmatic')[]
  /** Keeps the tools from the model until a search for tools finds them. Default `false`. */
  readonly deferLoading?: boolean
}

type WireMcpToolFilter = { read_only?: boolean; tool_names?: string[] }

/** An MCP server, as the wire has it. */
export type WireMcp = {
  type: 'mcp'
  server_label: string
  server_url?: string
  tunnel_id?: string
  server_description?: string
  allowed_tools?: string[] | WireMcpToolFilter
  authorization?: string
  headers?: { [name: string]: string }
  require_approval?: 'always' | 'never' | { always?: WireMcpToolFilter; never?: WireMcpToolFilter }
  allowed_callers?: ('direct' | 'programmatic')[]
  defer_loading?: boolean
}

/**
 * Lets the model call the tools of an MCP server, from OpenAI's side. To call them from yours, use `isoglot/mcp`.
 *
 * @see https://platform.openai.com/docs/guides/tools-connectors-mcp (read 2026-11)
 */
export function mcp(options: McpOptions): HostedTool<'openai-responses', WireMcp> {
  const { allowedTools, authorization, headers, requireApproval, allowedCallers } = options
  return hosted({
    type: 'mcp',
    server_label: options.serverLabel,
    ...compact({
      server_url: options.serverUrl,
      tunnel_id: options.tunnelId,
      server_description: options.serverDescription,
      allowed_tools: allowedTools && encodeAllowedTools(allowedTools),
      authorization,
      headers: headers && { ...headers },
      require_approval: requireApproval && encodeApproval(requireApproval),
      allowed_callers: allowedCallers && [...allowedCallers],
      defer_loading: options.deferLoading,
    }),
  })
}

function encodeAllowedTools(tools: readonly string[] | McpToolFilter): string[] | WireMcpToolFilter {
  return isList(tools) ? [...tools] : encodeFilter(tools)
}

/** `Array.isArray` does not narrow lists that are read-only. */
function isList(tools: readonly string[] | McpToolFilter): tools is readonly string[] {
  return Array.isArray(tools)
}

function encodeApproval(
  approval: NonNullable<McpOptions['requireApproval']>,
): NonNullable<WireMcp['require_approval']> {
  if (typeof approval === 'string') return approval
  const { always, never } = approval
  return compact({ always: always && encodeFilter(always), never: never && encodeFilter(never) })
}

function encodeFilter({ readOnly, toolNames }: McpToolFilter): WireMcpToolFilter {
  return compact({ read_only: readOnly, tool_names: toolNames && [...toolNames] })
}

type WireHostedTool = WireWebSearch | WireFileSearch | WireCodeInterpreter | WireImageGeneration | WireMcp

function hosted<Value extends WireHostedTool>(value: Value): HostedTool<'openai-responses', Value> {
  return { type: 'provider_tool', format, value }
}
