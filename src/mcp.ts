/**
 * The tools of an MCP server as isoglot tools, through the official client, which the application makes and connects.
 *
 * ```ts
 * import { Client } from '@modelcontextprotocol/sdk/client/index.js'
 * import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
 *
 * const client = new Client({ name: 'my-app', version: '1.0.0' })
 * await client.connect(new StdioClientTransport({ command: 'my-server' }))
 * const tools = await mcpTools(client)
 * ```
 *
 * Nothing proves that a server's description of its tools is true, including annotations. If you do not trust it, ask for approval.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools (read 2026-11)
 *
 * @module
 */

import { longestMs } from './core/abort.ts'
import { checkOptions } from './core/checks.ts'
import { LimitError } from './core/errors.ts'
import { arrayOf, compact, field, isObject, stringOr, textOr, unlessEmpty } from './core/json.ts'
import type { ContentBlock, Json, JsonObject, JsonSchema, ToolAnnotations } from './core/messages.ts'
import { checkConsent } from './tools/definition.ts'
import { ToolRun } from './tools/run.ts'
import type { Tool, ToolBehaviour, ToolOutput } from './tools/types.ts'

/** The methods of the official client that isoglot uses. Any object with these methods works. */
export interface McpClient {
  listTools(params?: { cursor?: string }, options?: McpRequestOptions): Promise<unknown>
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    resultSchema?: undefined,
    options?: McpRequestOptions,
  ): Promise<unknown>
}
/** Options that the official client takes beside a request. */
export interface McpRequestOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: { progress: number; total?: number; message?: string }) => void
  /** The client's time limit, in milliseconds. */
  readonly timeout?: number
  readonly resetTimeoutOnProgress?: boolean
}

/** The options of `mcpTools`: which tools to use, their names, and their behaviour. */
export interface McpOptions extends Omit<ToolBehaviour, 'convert' | 'terminal'> {
  /** A prefix of each name, such as `files_`, if several servers have tools with the same name. */
  readonly prefix?: string
  /** The selected tools, by the server's names. Default: all. */
  readonly only?: readonly string[]
  /** Cancels the list request. */
  readonly signal?: AbortSignal
  /** The maximum number of tools that a server may list, and of pages in the list. Default 1000. */
  readonly maxTools?: number
}

/**
 * Returns the tools of an MCP server, for `tools` of a request. When a tool runs, it calls the server, which checks the arguments and can
 * report progress. Structured content of a result is in `extra.structuredContent`.
 *
 * @throws {TypeError} for an option of the wrong type, before the server is asked.
 * @throws {LimitError} if there are more than `maxTools` tools, or more pages of them than that. All errors of the client.
 */
export async function mcpTools(client: McpClient, options: McpOptions = {}): Promise<Tool[]> {
  checkOptions('mcpTools', options)
  const { prefix = '', only, signal, maxTools = 1000, ...behaviour } = options
  if (typeof client?.listTools !== 'function' || typeof client.callTool !== 'function') {
    throw new TypeError('Cannot list the tools: "client" has no methods "listTools" and "callTool"')
  }
  checkConsent(options, 'the tools')
  const listed = await listAll(client, signal, maxTools)
  const wanted = only === undefined ? listed : listed.filter(({ name }) => only.includes(name))
  return wanted.map((one) => toTool(one, client, prefix, behaviour))
}

interface Listed {
  readonly name: string
  readonly entry: JsonObject
}

async function listAll(client: McpClient, signal: AbortSignal | undefined, maxTools: number): Promise<Listed[]> {
  const listed: Listed[] = []
  let cursor: string | undefined
  let pages = 0
  do {
    const page = await client.listTools(cursor === undefined ? undefined : { cursor }, signal && { signal })
    for (const entry of arrayOf(field(page, 'tools'))) {
      const name = textOr(field(entry, 'name'), undefined)
      if (name !== undefined && isObject(entry)) listed.push({ name, entry })
    }
    if (listed.length > maxTools) {
      throw new LimitError(`Cannot list the tools: there are more than ${maxTools}`, 'maxTools', maxTools)
    }
    if (++pages > maxTools) {
      throw new LimitError(`Cannot list the tools: there are more than ${maxTools} pages`, 'maxTools', maxTools)
    }
    const next = textOr(field(page, 'nextCursor'), undefined)
    cursor = next === cursor ? undefined : next // a server that repeats a page has no more tools
  } while (cursor !== undefined)
  return listed
}

function toTool({ name, entry }: Listed, client: McpClient, prefix: string, behaviour: ToolBehaviour): Tool {
  const { title, description, inputSchema, annotations } = entry
  const hints: ToolAnnotations = {
    ...(isObject(annotations) && annotations),
    ...compact({ title: textOr(title, undefined) }), // it counts before the title of the annotations
  }
  return {
    ...behaviour,
    name: prefix + name,
    ...compact({
      description: stringOr(description, undefined),
      parameters: parametersOf(inputSchema),
      annotations: unlessEmpty(hints),
    }),
    fromMcp: true,
    run: ToolRun,
    parse: (args) => args, // the server checks the arguments against its whole schema
    execute: async (args: JsonObject, { signal, progress }) => {
      const request: McpRequestOptions = {
        signal,
        onprogress: progress,
        // The loop has its own time limit for each tool, and aborts the signal after it.
        timeout: longestMs,
        resetTimeoutOnProgress: true,
      }
      return readResult(await client.callTool({ name, arguments: args }, undefined, request))
    },
  }
}

/** MCP requires the type, and some servers leave it out. */
function parametersOf(schema: Json | undefined): JsonSchema {
  const { $schema: _, ...own } = isObject(schema) ? schema : {}
  return { ...own, type: 'object' }
}

// ---- results ----------------------------------------------------------------------------------

function readResult(result: unknown): ToolOutput {
  const content = arrayOf(field(result, 'content')).map(readContent)
  const structured = field(result, 'structuredContent')
  const isError = field(result, 'isError') === true
  const blocks: readonly ContentBlock[] =
    content.length === 0 && structured !== undefined ? [{ type: 'text', text: JSON.stringify(structured) }] : content
  return compact({
    content: contentOf(blocks, isError),
    status: isError ? 'error' : undefined,
    extra: structured === undefined ? undefined : { structuredContent: structured },
  })
}

function contentOf(blocks: readonly ContentBlock[], isError: boolean): string | readonly ContentBlock[] {
  if (blocks.length === 0) return isError ? 'The tool failed' : 'Done'
  const [only] = blocks
  return blocks.length === 1 && only?.type === 'text' ? only.text : blocks
}

function readContent(part: Json): ContentBlock {
  const mimeType = stringOr(field(part, 'mimeType'), undefined)
  const data = stringOr(field(part, 'data'), undefined)
  switch (field(part, 'type')) {
    case 'text':
      return { type: 'text', text: stringOr(field(part, 'text'), '') }
    case 'image':
      return { type: 'image', ...compact({ data, mimeType }) }
    case 'audio':
      return { type: 'audio', ...compact({ data, mimeType }) }
    case 'resource':
      return readResource(field(part, 'resource'))
    case 'resource_link':
      return { type: 'text', text: describeLink(part) }
    default:
      return { type: 'text', text: JSON.stringify(part) } // a kind that isoglot does not know: the model may understand it
  }
}

function readResource(resource: Json | undefined): ContentBlock {
  const mimeType = stringOr(field(resource, 'mimeType'), undefined)
  const title = stringOr(field(resource, 'uri'), undefined)
  const text = field(resource, 'text')
  if (typeof text === 'string') return { type: 'plain_text', text, ...compact({ title, mimeType }) }
  const data = stringOr(field(resource, 'blob'), '')
  if (mimeType?.startsWith('image/')) return { type: 'image', data, mimeType }
  return { type: 'file', data, ...compact({ mimeType, filename: title?.split('/').at(-1) }) }
}

function describeLink(link: Json): string {
  const words = ['title', 'name', 'description', 'uri'].map((key) => textOr(field(link, key), undefined))
  return `[resource: ${words.filter((word) => word !== undefined).join(', ')}]`
}
