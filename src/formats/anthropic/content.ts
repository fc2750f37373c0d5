/**
 * Anthropic Messages: decodes the blocks of answers, and encodes those of requests.
 *
 * Blocks of unknown type or shape are kept whole, and unknown fields are kept with their block.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 *
 * @module
 */

import { compact, field, isObject, stringOr, textOr, unlessEmpty } from '../../core/lookup.ts'
import type {
  ContentBlock,
  JsonObject,
  Opaque,
  ReasoningBlock,
  ServerToolCall,
  ServerToolResult,
  TextBlock,
  ToolCall,
  ToolMessage,
  UnknownBlock,
} from '../../core/model.ts'
import { ownProof } from '../../kit/opaque.ts'
import * as reasons from '../../kit/reasons.ts'
import { decodeCitation, encodeCitation } from './citations.ts'
import { encodeDocumentText, encodeMedia } from './media.ts'
import { drop, extrasFor, keptFields, keptOf, type Origin, type Scope, unknownBlock } from './scope.ts'
import { format } from './tables.ts'
import type { WireBlock, WireToolResult, WireToolUse } from './wire.ts'

// ---- decoding ---------------------------------------------------------------------------------

/** Decodes a block of an answer, except a call. */
export function decodeBlock(wire: JsonObject, origin: Origin): ContentBlock {
  return decodeKnown(wire, origin) ?? unknownBlock(wire)
}

/** Each of these decoders returns `undefined` for an unknown shape. */
function decodeKnown(wire: JsonObject, origin: Origin): ContentBlock | undefined {
  switch (field(wire, 'type')) {
    case 'text':
      return decodeText(wire)
    case 'thinking':
      return decodeThinking(wire, origin)
    case 'redacted_thinking':
      return decodeRedactedThinking(wire, origin)
  }
  // Anthropic adds new server tools often, but the types of their results have this ending.
  return stringOr(field(wire, 'type'), '').endsWith('_tool_result') ? decodeServerResult(wire) : undefined
}

function decodeText({ type: _, text: given, ...rest }: JsonObject): TextBlock | undefined {
  const text = given ?? '' // some hosts start a text without it
  if (typeof text !== 'string') return undefined
  const { citations, ...others } = rest
  if (!Array.isArray(citations) || !citations.every(isObject)) return { type: 'text', text, ...keptFields(rest) }
  return { type: 'text', text, citations: citations.map(decodeCitation), ...keptFields(others) }
}

function decodeThinking(
  { type: _, thinking, signature, ...rest }: JsonObject,
  origin: Origin,
): ReasoningBlock | undefined {
  const text = thinking ?? ''
  if (typeof text !== 'string') return undefined
  const isSigned = typeof signature === 'string' && signature !== ''
  const opaque = isSigned ? proof({ signature }, origin) : undefined
  return compact({ type: 'reasoning', text, opaque, ...keptFields(rest) })
}

function decodeRedactedThinking({ type: _, data, ...rest }: JsonObject, origin: Origin): ReasoningBlock | undefined {
  if (typeof data !== 'string') return undefined
  return { type: 'reasoning', text: '', opaque: proof({ data }, origin), ...keptFields(rest) }
}

/** Returns the proof with a signature, or with encrypted data. */
export function proof(data: JsonObject, { provider, model }: Origin): Opaque {
  return { provider, model, format, data }
}

function decodeServerResult({ tool_use_id: toolCallId, content, ...rest }: JsonObject): ServerToolResult | undefined {
  if (typeof toolCallId !== 'string') return undefined
  const isError = rest.is_error === true || stringOr(field(content, 'type'), '').endsWith('_error')
  return compact({
    type: 'server_tool_result',
    toolCallId,
    name: rest.type === 'mcp_tool_result' ? undefined : String(rest.type).replace(/_tool_result$/, ''),
    status: isError ? 'error' : 'success',
    output: content,
    ...keptFields(rest),
  })
}

// ---- encoding ---------------------------------------------------------------------------------

const systemBlocks: ReadonlySet<ContentBlock['type']> = new Set(['text', 'plain_text', 'unknown'])

/** Encodes the blocks of a request, without those that are lost. */
export function encodeBlocks(blocks: readonly ContentBlock[], path: string, scope: Scope): WireBlock[] {
  return blocks.flatMap((block, at) => encodeBlock(block, `${path}[${at}]`, scope) ?? [])
}

/** Returns `undefined` and reports a loss if the format has no place for the block. */
function encodeBlock(block: ContentBlock, path: string, scope: Scope): WireBlock | undefined {
  const isInSystem = scope.place === 'system'
  if (isInSystem && !systemBlocks.has(block.type))
    return drop(path, `a "${block.type}" block cannot be system text`, scope, 'major')
  switch (block.type) {
    case 'text':
      return encodeText(block, path, scope)
    case 'plain_text': {
      if (!isInSystem) return encodeDocumentText(block, path, scope)
      const { text, title, metadata } = block
      if (title !== undefined) drop(`${path}.title`, reasons.title, scope, 'info')
      return encodeText(compact({ type: 'text', text, metadata }), path, scope)
    }
    case 'image':
    case 'file':
      return encodeMedia(block, path, scope)
    case 'reasoning':
      return encodeReasoning(block, path, scope)
    case 'tool_call':
      return encodeCall(block, path, scope)
    case 'server_tool_call':
    case 'server_tool_result':
    case 'unknown':
      return encodeOwnBlock(block, path, scope)
    default:
      return drop(path, `it takes no ${block.type}`, scope, 'major')
  }
}

function encodeText(block: TextBlock, path: string, scope: Scope): WireBlock | undefined {
  const { text, citations = [] } = block
  if (text.trim() === '') return drop(path, 'blank text is refused', scope, 'info')
  // Only the provider that made the turn can read the encrypted indexes of its citations.
  const encoded = scope.isForeign ? [] : citations.flatMap((citation) => encodeCitation(citation) ?? [])
  if (encoded.length < citations.length) drop(`${path}.citations`, reasons.citations, scope)
  return { ...extrasFor(block, path, scope), type: 'text', text, ...compact({ citations: unlessEmpty(encoded) }) }
}

/** Encodes reasoning. Anthropic refuses thinking without a valid signature, so it is not sent. */
function encodeReasoning(block: ReasoningBlock, path: string, scope: Scope): WireBlock | undefined {
  const { text } = block
  const { data, signature } = ownProof(block.opaque, scope.target) ?? {}
  const kept = keptOf(block)
  if (typeof data === 'string') return { ...kept, type: 'redacted_thinking', data }
  if (typeof signature === 'string' || scope.unsignedThinking)
    return { ...kept, type: 'thinking', thinking: text, signature: stringOr(signature, '') }
  return drop(path, 'reasoning without its own signature is refused', scope, text === '' ? 'info' : 'minor')
}

/** Encodes a call of a tool of ours, or one that the provider ran: then its type is among the stored fields. */
export function encodeCall(call: ToolCall | ServerToolCall, path: string, scope: Pick<Scope, 'losses'>): WireToolUse {
  const { id = '', name, arguments: input } = call
  return { type: 'tool_use', ...extrasFor(call, path, scope), id, name, input }
}

/** Encodes a block that only the provider that made it can read. It goes back as it came. */
export function encodeOwnBlock(
  block: ServerToolCall | ServerToolResult | UnknownBlock,
  path: string,
  scope: Pick<Scope, 'losses' | 'isForeign'>,
): WireBlock | undefined {
  const isUnknown = block.type === 'unknown'
  const own = isUnknown ? block.value : keptOf(block)
  if (scope.isForeign || field(own, 'type') === undefined)
    return drop(path, isUnknown ? 'it is a block of another provider' : reasons.serverTool, scope)
  if (isUnknown) return { ...(own as object) } as WireBlock
  if (block.type === 'server_tool_call') return encodeCall(block, path, scope)
  const { toolCallId = '', output } = block
  return { ...extrasFor(block, path, scope), tool_use_id: toolCallId, ...compact({ content: output }) } as WireBlock
}

/** Encodes a result. An empty one has no content. */
export function encodeResultBlock(result: ToolMessage, path: string, scope: Scope): WireToolResult {
  const { content, status, toolCallId } = result
  const sent =
    typeof content === 'string' ? textOr(content, undefined) : encodeBlocks(content, `${path}.content`, scope)
  return {
    ...extrasFor(result, path, scope),
    type: 'tool_result',
    tool_use_id: toolCallId,
    ...compact({ content: sent as WireToolResult['content'], is_error: status === 'error' || undefined }),
  }
}
