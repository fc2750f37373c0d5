/**
 * OpenAI Responses, a tool that OpenAI runs: the tools of an MCP server.
 *
 * @see https://platform.openai.com/docs/guides/tools-connectors-mcp (read 2026-11)
 *
 * @module
 */

import { compact } from '../../../core/lookup.ts'
import type { HostedTool } from '../../../kit/hosted-tool.ts'
import { hosted } from './hosted.ts'

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
