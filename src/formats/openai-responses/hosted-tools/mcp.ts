/**
 * OpenAI Responses, the tools that OpenAI runs itself: the tools of an MCP server.
 *
 * @see https://platform.openai.com/docs/guides/tools-connectors-mcp (read 2026-11)
 *
 * @module
 */

import { compact } from '../../../core/lookup.ts'
import type { HostedTool } from '../../../kit/hosted-tool.ts'
import { hosted } from './hosted.ts'

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

/** Options of {@link mcp}. */
export type McpOptions = McpPlace & {
  /** The name of the server in its calls. */
  readonly serverLabel: string
  /** The description of the server that the model receives. */
  readonly serverDescription?: string
  /** Default: all that it has. */
  readonly allowedTools?: readonly string[] | McpToolFilter
  /** An OAuth token for the server. If you print or store the tool, you print or store it. */
  readonly authorization?: string
  /** Headers of every request to the server. */
  readonly headers?: Readonly<Record<string, string>>
  /** Which calls wait for a person. Default `always`. */
  readonly requireApproval?: 'always' | 'never' | { readonly always?: McpToolFilter; readonly never?: McpToolFilter }
  /** The allowed callers: the model itself, or a program that it writes. Default: the provider's. */
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
