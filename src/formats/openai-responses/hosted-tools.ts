/**
 * OpenAI Responses: the tools that OpenAI runs, as typed values.
 *
 * @see https://platform.openai.com/docs/guides/tools-web-search (read 2026-11)
 * @see https://platform.openai.com/docs/guides/tools-file-search (read 2026-11)
 * @see https://platform.openai.com/docs/guides/tools-code-interpreter (read 2026-11)
 * @see https://platform.openai.com/docs/guides/tools-image-generation (read 2026-11)
 * @see https://platform.openai.com/docs/guides/tools-connectors-mcp (read 2026-11)
 *
 * @module
 */

import { checkOptions } from '../../core/checks.ts'
import { compact } from '../../core/json.ts'
import type { JsonObject } from '../../core/messages.ts'
import type { HostedTool, UserLocation } from '../shared/hosted-tool.ts'
import { format } from './tables.ts'

/** Makes a tool of this format from the value that the wire gets. */
function hosted<Value extends JsonObject>(value: Value): HostedTool<'openai-responses', Value> {
  return { type: 'provider_tool', format, value }
}

// ---- web search ---------------------------------------------------------------------------------

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
  checkOptions('responsesWebSearch', options)
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

// ---- file search --------------------------------------------------------------------------------

/** A condition on the attributes of files. It has the form and the field names of the wire. */
export type FileFilter =
  | {
      type: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'nin'
      key: string
      value: string | number | boolean | (string | number)[]
    }
  | { type: 'and' | 'or'; filters: FileFilter[] }

/** How the results are ranked. */
export interface RankingOptions {
  /** The algorithm that ranks the results. Default `auto`. */
  readonly ranker?: 'auto' | 'default-2024-11-15'
  /** The minimum score of a result, from 0 to 1. Default 0. */
  readonly scoreThreshold?: number
  /** The weights of the two kinds of search: by meaning (embeddings) and by the words of the text. */
  readonly hybridSearch?: { readonly embeddingWeight: number; readonly textWeight: number }
}

/** Options of {@link fileSearch}. */
export interface FileSearchOptions {
  /** The ids of the vector stores to search. */
  readonly vectorStoreIds: readonly string[]
  /** Which files to search, by their attributes. Default: all files. */
  readonly filters?: FileFilter
  /** The maximum number of results, from 1 to 50. Default: the provider's. */
  readonly maxResults?: number
  /** Default: the provider's. */
  readonly ranking?: RankingOptions
}

type WireRanking = {
  ranker?: 'auto' | 'default-2024-11-15'
  score_threshold?: number
  hybrid_search?: { embedding_weight: number; text_weight: number }
}

/** A file search in the form of the wire. */
export type WireFileSearch = {
  type: 'file_search'
  vector_store_ids: string[]
  filters?: FileFilter
  max_num_results?: number
  ranking_options?: WireRanking
}

/**
 * Lets the model search the files in your vector stores.
 */
export function fileSearch(options: FileSearchOptions): HostedTool<'openai-responses', WireFileSearch> {
  checkOptions('fileSearch', options)
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

// ---- the code interpreter -----------------------------------------------------------------------

/** The domains that the code may reach: none, or those listed. The provider adds the secrets to requests to their domains. */
export type NetworkPolicy =
  | 'disabled'
  | {
      readonly allowedDomains: readonly string[]
      /** Secrets that the code uses by `name`. It never sees their values. If you print the tool, you print them. */
      readonly domainSecrets?: readonly { readonly domain: string; readonly name: string; readonly value: string }[]
    }

/** Options of a new container, which the provider creates for the answer. */
export interface ContainerOptions {
  /** The ids of uploaded files that the container has. Default: none. */
  readonly fileIds?: readonly string[]
  /** The memory of the container, in gigabytes. Default `1g`. */
  readonly memoryLimit?: '1g' | '4g' | '16g' | '64g'
  /** The network access of the code. Default: the provider's. */
  readonly network?: NetworkPolicy
}

/** Options of {@link codeInterpreter}. */
export interface CodeInterpreterOptions {
  /** The id of an existing container, or the options of a new one. Default: a new one. */
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

/** A code interpreter in the form of the wire. */
export type WireCodeInterpreter = { type: 'code_interpreter'; container: string | WireContainer }

/**
 * Lets the model run Python in a container at OpenAI.
 */
export function codeInterpreter(
  options: CodeInterpreterOptions = {},
): HostedTool<'openai-responses', WireCodeInterpreter> {
  checkOptions('codeInterpreter', options)
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

// ---- image generation ---------------------------------------------------------------------------

/** Options of {@link imageGeneration}. */
export interface ImageGenerationOptions {
  /** Whether to make a new image or edit one of the conversation. Default `auto`. */
  readonly action?: 'generate' | 'edit' | 'auto'
  /** The background of the image. `transparent` needs the output format `png` or `webp`. Default `auto`. */
  readonly background?: 'transparent' | 'opaque' | 'auto'
  /** How much the model reasons about the image. It is independent of `quality`. Default: the reasoning effort of the request. */
  readonly complexity?: 'low' | 'medium' | 'high'
  /** The number of frames of a `gif`. Default 9. */
  readonly frameCount?: number
  /** How long a `gif` shows each frame, in milliseconds, a multiple of 10. Default 200. */
  readonly frameDurationMs?: number
  /** How closely the result matches the input images, mainly their faces. Default `low`. `gpt-image-2` does not support it. */
  readonly inputFidelity?: 'high' | 'low'
  /** A mask: the area of the image that may change. `fileId` is an uploaded file, `imageUrl` is an image in base64. */
  readonly mask?: { readonly fileId?: string; readonly imageUrl?: string }
  /** The model that makes the image. Default `gpt-image-2`. */
  readonly model?: string
  /** How strictly images are moderated. Default `auto`. */
  readonly moderation?: 'auto' | 'low'
  /** The compression level of the image, in percent. Default 100. */
  readonly outputCompression?: number
  /** The file format of the image. Default `png`. */
  readonly outputFormat?: 'png' | 'webp' | 'jpeg' | 'gif' | 'svg'
  /** The number of partial images to stream before the final one, from 0 to 3. Default 0. */
  readonly partialImages?: number
  /** The quality of the image. Default `auto`. */
  readonly quality?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | 'auto'
  /** The width and height in pixels, such as `1024x1536`, or `auto`. */
  readonly size?: string
  /** The model that writes an `svg`, and its reasoning effort. Default: the model of the request. */
  readonly svg?: { readonly model?: string; readonly reasoningEffort?: SvgEffort }
}

type SvgEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** An image generation tool in the form of the wire. */
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
 * Lets the model generate and edit images.
 */
export function imageGeneration(
  options: ImageGenerationOptions = {},
): HostedTool<'openai-responses', WireImageGeneration> {
  checkOptions('imageGeneration', options)
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

// ---- the tools of an MCP server -----------------------------------------------------------------

/** Selects tools of an MCP server. A tool must match every field that is set. */
export interface McpToolFilter {
  /** Selects tools by their `readOnlyHint`: whether the tool says that it changes nothing. */
  readonly readOnly?: boolean
  /** The names of the tools. */
  readonly toolNames?: readonly string[]
}

/** The address of an MCP server: a URL, or the id of a Secure MCP Tunnel. Connectors are deprecated: write them as a raw `provider_tool`. */
export type McpPlace =
  | { readonly serverUrl: string; readonly tunnelId?: never }
  | { readonly serverUrl?: never; readonly tunnelId: string }

/** Options of {@link mcp}. */
export type McpOptions = McpPlace & {
  /** The name of the server. Calls of its tools have it as `server_label`. */
  readonly serverLabel: string
  /** The description of the server that the model receives. */
  readonly serverDescription?: string
  /** The tools that the model may call. Default: all tools of the server. */
  readonly allowedTools?: readonly string[] | McpToolFilter
  /** An OAuth token for the server. It is part of the tool: if you print or store the tool, you print or store the token. */
  readonly authorization?: string
  /** HTTP headers that OpenAI sends with every request to the server. */
  readonly headers?: Readonly<Record<string, string>>
  /** Which calls need an approval before they run. Default `always`. */
  readonly requireApproval?: 'always' | 'never' | { readonly always?: McpToolFilter; readonly never?: McpToolFilter }
  /** The allowed callers of the tools: the model itself, or a program that it writes. Default: the provider's. */
  readonly allowedCallers?: readonly ('direct' | 'programmatic')[]
  /** If `true`, the model gets the definition of a tool only after a tool search finds it. Default `false`. */
  readonly deferLoading?: boolean
}

type WireMcpToolFilter = { read_only?: boolean; tool_names?: string[] }

/** An MCP server in the form of the wire. */
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
 * Lets the model call the tools of an MCP server. OpenAI connects to the server. To connect from your own program, use `isoglot/mcp`.
 */
export function mcp(options: McpOptions): HostedTool<'openai-responses', WireMcp> {
  checkOptions('mcp', options)
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

/** TypeScript does not narrow a read-only list with `Array.isArray`, so this function does it. */
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
