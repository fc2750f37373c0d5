/**
 * OpenAI Responses: functions that make the tools that OpenAI runs.
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
import { type HostedTool, snakeCase, type UserLocation } from '../shared/hosted-tool.ts'
import { format } from './tables.ts'

/** Makes a tool. The wire has the names of its fields in `snake_case`. */
function hosted(type: string, fields: object): HostedTool<'openai-responses'> {
  return { type: 'provider_tool', format, value: { type, ...snakeCase(fields) } }
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
export function webSearch(options: WebSearchOptions = {}): HostedTool<'openai-responses'> {
  checkOptions('responsesWebSearch', options)
  const { allowedDomains, userLocation, version, ...rest } = options
  return hosted(version === undefined ? 'web_search' : `web_search_${version}`, {
    ...rest,
    filters: allowedDomains && { allowed_domains: allowedDomains },
    user_location: userLocation && { ...userLocation, type: 'approximate' },
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

/**
 * Lets the model search the files in your vector stores.
 */
export function fileSearch(options: FileSearchOptions): HostedTool<'openai-responses'> {
  checkOptions('fileSearch', options)
  const { maxResults, ranking, ...rest } = options
  return hosted('file_search', { ...rest, max_num_results: maxResults, ranking_options: ranking })
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

/**
 * Lets the model run Python in a container at OpenAI.
 */
export function codeInterpreter(options: CodeInterpreterOptions = {}): HostedTool<'openai-responses'> {
  checkOptions('codeInterpreter', options)
  const { container = {} } = options
  return hosted('code_interpreter', {
    container: typeof container === 'string' ? container : encodeContainer(container),
  })
}

function encodeContainer({ network, ...rest }: ContainerOptions): object {
  return { type: 'auto', ...rest, network_policy: network && encodeNetwork(network) }
}

function encodeNetwork(policy: NetworkPolicy): object {
  return policy === 'disabled' ? { type: 'disabled' } : { type: 'allowlist', ...policy }
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

/**
 * Lets the model generate and edit images.
 */
export function imageGeneration(options: ImageGenerationOptions = {}): HostedTool<'openai-responses'> {
  checkOptions('imageGeneration', options)
  const { mask, svg, ...rest } = options
  return hosted('image_generation', { ...rest, input_image_mask: mask, svg: svg && encodeSvg(svg) })
}

function encodeSvg({ model, reasoningEffort }: NonNullable<ImageGenerationOptions['svg']>): object {
  return { model, reasoning: reasoningEffort && { effort: reasoningEffort } }
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

/**
 * Lets the model call the tools of an MCP server. OpenAI connects to the server. To connect from your own program, use `isoglot/mcp`.
 */
export function mcp(options: McpOptions): HostedTool<'openai-responses'> {
  checkOptions('mcp', options)
  const { headers, ...rest } = options
  const tool = hosted('mcp', rest)
  // The names of headers stay as they are.
  return headers === undefined ? tool : { ...tool, value: { ...tool.value, headers: { ...headers } } }
}
