/**
 * The fields of a message that may reach a page. Each value is built only from the fields that are listed here, so a field that is added to
 * the model later stays on the server until it is listed.
 *
 * @module
 */

import { type AnyCall, blocksOf, isPart } from '../core/content.ts'
import { compact, isObject, lookup, unlessEmpty } from '../core/json.ts'
import type {
  AssistantMessage,
  CitationBlock,
  Content,
  ContentBlock,
  InvalidToolCall,
  Json,
  Metadata,
  ServerToolCallChunk,
  ToolCall,
  ToolCallChunk,
  ToolMessage,
  Usage,
} from '../core/messages.ts'
import type { ToolResult } from '../tools/types.ts'
import type { PageRules, ToolView } from './page-rules.ts'

/** How much of this tool a page sees. */
export function viewOf({ tools = 'name' }: PageRules, name: string | undefined): ToolView {
  return typeof tools === 'string' ? tools : (lookup(tools, name) ?? 'name')
}

/** Whether the page sees arguments. */
export function hasArguments(view: ToolView): boolean {
  return view === 'arguments' || view === 'all'
}

/** A copy of a value's JSON form; `undefined` if it has none. */
export function jsonOf(value: unknown): Json | undefined {
  try {
    const text = JSON.stringify(value)
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

export function pageBlock(block: ContentBlock, rules: PageRules): ContentBlock | undefined {
  const { serverTools = 'name', reasoning = true } = rules
  switch (block.type) {
    case 'text': {
      const { type, text, refusal } = block
      const citations = unlessEmpty((block.citations ?? []).map((one) => pageCitation(one, rules)))
      return compact({ type, text, citations, refusal })
    }
    case 'plain_text': {
      const { type, text, title, mimeType } = block
      return compact({ type, text, title, mimeType })
    }
    case 'reasoning':
      return reasoning ? { type: block.type, text: block.text } : undefined
    case 'image':
    case 'video':
      return compact({ type: block.type, ...mediaIn(block, rules) })
    case 'audio':
      return compact({ type: block.type, ...mediaIn(block, rules), transcript: block.transcript })
    case 'file':
      return compact({ type: block.type, ...mediaIn(block, rules), filename: block.filename })
    case 'citation':
      return pageCitation(block, rules)
    case 'tool_call':
      return pageCall(block, rules)
    case 'tool_call_chunk':
    case 'server_tool_call_chunk':
      return pageChunk(block, block.type === 'tool_call_chunk' ? viewOf(rules, block.name) : serverTools)
    case 'server_tool_call': {
      if (serverTools === 'hidden') return undefined
      const { type, id, name } = block
      return compact({ type, id, name, arguments: hasArguments(serverTools) ? block.arguments : {} })
    }
    case 'server_tool_result': {
      if (serverTools === 'hidden') return undefined
      const { type, toolCallId, name, status } = block
      return compact({
        type,
        toolCallId,
        name,
        status,
        output: serverTools === 'all' ? jsonOf(block.output) : undefined,
      })
    }
    default:
      return undefined // blocks that only one format has, and unknown blocks
  }
}

function pageCitation(
  { type, url, title, text, startIndex, endIndex }: CitationBlock,
  rules: PageRules,
): CitationBlock {
  return compact({ type, url: pageUrl(url, 'citation', rules), title, text, startIndex, endIndex })
}

function mediaIn(
  { url, data, mimeType }: { readonly url?: string; readonly data?: string; readonly mimeType?: string },
  rules: PageRules,
) {
  return { url: pageUrl(url, 'media', rules), data, mimeType }
}

function pageUrl(url: string | undefined, use: 'citation' | 'media', rules: PageRules): string | undefined {
  return url === undefined || rules.url === undefined ? url : rules.url(url, use)
}

/** A call, or an invalid call. `undefined`: its tool is hidden. */
export function pageCall<Call extends AnyCall>(call: Call, rules: PageRules): Call | undefined
export function pageCall(call: AnyCall, rules: PageRules): AnyCall | undefined {
  const view = viewOf(rules, call.name)
  if (view === 'hidden') return undefined
  return call.type === 'tool_call' ? pageToolCall(call, view) : pageInvalidCall(call, view)
}

function pageToolCall(call: ToolCall, view: ToolView): ToolCall {
  const { type, id, name, index, complete, approvalId } = call
  // Whoever decides must see the arguments.
  const [args, argumentsText, approvalProof] = hasArguments(view)
    ? [call.arguments, call.argumentsText, call.approvalProof]
    : [{}, '{}']
  return compact({ type, id, name, arguments: args, argumentsText, index, complete, approvalId, approvalProof })
}

function pageInvalidCall(call: InvalidToolCall, view: ToolView): InvalidToolCall {
  const { type, id, name, index, reason } = call
  const [argumentsText, error] = hasArguments(view) ? [call.argumentsText, call.error] : ['', 'The call cannot be run']
  return compact({ type, id, name, index, argumentsText, reason, error })
}

export function pageChunk<Chunk extends ToolCallChunk | ServerToolCallChunk>(
  chunk: Chunk,
  view: ToolView,
): Chunk | undefined
export function pageChunk(chunk: ToolCallChunk & ServerToolCallChunk, view: ToolView): object | undefined {
  const { type, id, name, index } = chunk
  if (hasArguments(view)) {
    const { argumentsDelta, argumentsSoFar } = chunk
    return compact({ type, id, name, index, argumentsDelta, argumentsSoFar })
  }
  return view === 'hidden' || name === undefined ? undefined : compact({ type, id, name, index })
}

export function pageUsage(usage: Usage | undefined, rules: PageRules): Usage | undefined {
  if (!rules.usage || usage === undefined) return undefined
  const { inputTokens, outputTokens, totalTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage
  return compact({ inputTokens, outputTokens, totalTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens })
}

/** @param own the fields of its metadata that the application wrote for the page */
export function pageAnswer(message: AssistantMessage, rules: PageRules, own: ReadonlySet<string>): AssistantMessage {
  const model = rules.model ? message.response?.model : undefined
  const blocks = blocksOf(message.content)
  return compact({
    role: message.role,
    content: blocks.flatMap((block) => pageBlock(block, rules) ?? []),
    invalidToolCalls: unlessEmpty((message.invalidToolCalls ?? []).flatMap((call) => pageCall(call, rules) ?? [])),
    stopReason: message.stopReason,
    usage: pageUsage(message.usage, rules),
    response: unlessEmpty(compact({ model })),
    metadata: message.metadata && unlessEmpty(pageMetadata(message.metadata, blocks, rules, own)),
  })
}

/** The fields stay in their order, so that the page can make the same. */
function pageMetadata(
  metadata: Metadata,
  blocks: readonly ContentBlock[],
  rules: PageRules,
  own: ReadonlySet<string>,
): Metadata {
  const isSeen = blocks.filter(isPart).map((block) => pageBlock(block, rules) !== undefined)
  const { dataParts } = metadata
  const parts = dataParts?.map(({ name, id, value, at }) => {
    return compact({ name, id, value, at: isSeen.slice(0, at).filter((seen) => seen).length })
  })
  const fields = Object.entries(metadata).flatMap(([name, value]) => {
    return name === 'dataParts' ? [[name, parts]] : own.has(name) ? [[name, value]] : []
  })
  return Object.fromEntries(fields)
}

/** The message of a result, with the fields in the order in which `toToolMessage` has them. `undefined`: its tool is hidden. */
export function pageToolMessage(message: ToolMessage, rules: PageRules): ToolMessage | undefined {
  const { role, toolCallId, name, status } = message
  const view = viewOf(rules, name)
  if (view === 'hidden') return undefined
  return compact({ role, toolCallId, name, content: pageContent(message.content, view, rules), status })
}

/** `undefined`: its tool is hidden. */
export function pageResult(result: ToolResult, rules: PageRules): ToolResult | undefined {
  const { toolCallId, name, status, error } = result
  const call = pageCall(result.call, rules)
  if (call === undefined) return undefined
  const view = viewOf(rules, name)
  const isAll = view === 'all'
  return compact({
    call,
    toolCallId,
    name,
    status,
    content: pageContent(result.content, view, rules),
    value: isAll ? jsonOf(forPage(result)) : undefined,
    error: error && { kind: error.kind, message: isAll ? error.message : 'The call failed' },
  })
}

/** What the tool returned, without the fields that are only for the application. */
function forPage({ value, artifacts, extra }: ToolResult): unknown {
  if (!isObject(value) || (artifacts ?? extra) === undefined) return value
  return compact({ ...value, artifacts: undefined, extra: undefined })
}

function pageContent(content: Content, view: ToolView, rules: PageRules): Content {
  if (view !== 'all') return ''
  return typeof content === 'string' ? content : content.flatMap((block) => pageBlock(block, rules) ?? [])
}
