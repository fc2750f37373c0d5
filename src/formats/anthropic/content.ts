/**
 * Anthropic Messages: converts content blocks, except calls and results of our tools (`tools.ts`).
 *
 * Blocks of unknown type or shape are kept whole, and unknown fields are kept with their block.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 *
 * @module
 */

import { compact, field, isObject, lookup, stringOr, textOr } from '../../core/lookup.ts'
import type {
  ContentBlock,
  JsonObject,
  Opaque,
  PlainTextBlock,
  ProviderData,
  ReasoningBlock,
  ServerToolCall,
  ServerToolResult,
  TextBlock,
  UnknownBlock,
} from '../../core/model.ts'
import { textOfArguments } from '../../core/tool-call.ts'
import { ownProof } from '../../kit/opaque.ts'
import * as reasons from '../../kit/reasons.ts'
import { decodeCitation, encodeCitation } from './citations.ts'
import {
  decodeDocument,
  decodeImage,
  decodeSearchResult,
  encodeDocumentText,
  encodeFile,
  encodeImage,
} from './media.ts'
import {
  drop,
  extrasFor,
  extrasOf,
  keptOf,
  noteForeignFields,
  type Origin,
  type Scope,
  unknownBlock,
  verbatim,
} from './scope.ts'
import { format, knownFields } from './tables.ts'
import type { WireBlock } from './wire.ts'

// ---- decoding ---------------------------------------------------------------------------------

type Decoder = (wire: JsonObject, origin: Origin) => ContentBlock | undefined

/** Decoders by the type of the block. Each returns `undefined` for an unknown shape. */
const decoders: Readonly<Record<string, Decoder>> = {
  text: decodeText,
  image: decodeImage,
  document: decodeDocument,
  search_result: decodeSearchResult,
  thinking: decodeThinking,
  redacted_thinking: decodeRedactedThinking,
}

/** Decodes any block except `tool_use` and `tool_result`. */
export function decodeBlock(wire: JsonObject, origin: Origin): ContentBlock {
  const type = stringOr(field(wire, 'type'), '')
  const decode = lookup(decoders, type) ?? decoderOfFamily(type)
  return decode?.(wire, origin) ?? unknownBlock(wire)
}

/** Returns a decoder by the ending of the block's type. Anthropic adds new server tools often, but their types have these endings. */
function decoderOfFamily(type: string): Decoder | undefined {
  if (isServerCall(type)) return decodeServerCall
  return type.endsWith('_tool_result') ? decodeServerResult : undefined
}

/** Whether a block of this type is a call that the provider runs: `server_tool_use`, `mcp_tool_use`. */
export function isServerCall(type: unknown): boolean {
  return typeof type === 'string' && type.endsWith('_tool_use')
}

function decodeText(wire: JsonObject): TextBlock | undefined {
  const text = field(wire, 'text') ?? '' // some hosts start a text without it
  if (typeof text !== 'string') return undefined
  const citations = field(wire, 'citations')
  if (citations === undefined) return { type: 'text', text, ...extrasOf(wire, knownFields.text) }
  if (!Array.isArray(citations) || !citations.every(isObject)) {
    return { type: 'text', text, ...extrasOf(wire, new Set(['type', 'text'])) }
  }
  return { type: 'text', text, citations: citations.map(decodeCitation), ...extrasOf(wire, knownFields.text) }
}

function decodeThinking(wire: JsonObject, origin: Origin): ReasoningBlock | undefined {
  const text = field(wire, 'thinking') ?? ''
  if (typeof text !== 'string') return undefined
  const signature = textOr(field(wire, 'signature'), undefined)
  return compact({
    type: 'reasoning',
    text,
    opaque: signature === undefined ? undefined : signed(signature, origin),
    ...extrasOf(wire, knownFields.thinking),
  })
}

/** Returns the proof that has the signature. */
export function signed(signature: string, { provider, model }: Origin): Opaque {
  return { provider, model, format, data: { signature } }
}

function decodeRedactedThinking(wire: JsonObject, { provider, model }: Origin): ReasoningBlock | undefined {
  const data = field(wire, 'data')
  if (typeof data !== 'string') return undefined
  const opaque = { provider, model, format, data: { data } }
  return { type: 'reasoning', text: '', opaque, ...extrasOf(wire, knownFields.redactedThinking) }
}

function decodeServerCall(wire: JsonObject): ServerToolCall | undefined {
  const { id, name, input } = wire
  if (typeof id !== 'string' || typeof name !== 'string' || !isObject(input)) return undefined
  const argumentsText = textOfArguments(input)
  if (argumentsText === undefined) return undefined
  const { providerData, ...extras } = extrasOf(wire, knownFields.call)
  return {
    type: 'server_tool_call',
    id,
    name,
    arguments: input,
    argumentsText,
    ...extras,
    providerData: serverCallData(wire, providerData),
  }
}

/** Returns the stored data of a server call: its type, which also names its server. */
export function serverCallData(wire: JsonObject, kept?: ProviderData): ProviderData {
  return { [format]: { ...kept?.[format], type: field(wire, 'type') ?? 'server_tool_use' } }
}

function decodeServerResult(wire: JsonObject): ServerToolResult | undefined {
  const toolCallId = field(wire, 'tool_use_id')
  if (typeof toolCallId !== 'string') return undefined
  const output = field(wire, 'content')
  const type = stringOr(field(wire, 'type'), '')
  return compact({
    type: 'server_tool_result',
    toolCallId,
    name: type === 'mcp_tool_result' ? undefined : type.replace(/_tool_result$/, ''),
    status: isErrorResult(wire) ? 'error' : 'success',
    output,
    ...extrasOf(wire, knownFields.serverResult),
  })
}

function isErrorResult(wire: JsonObject): boolean {
  return field(wire, 'is_error') === true || stringOr(field(field(wire, 'content'), 'type'), '').endsWith('_error')
}

// ---- encoding ---------------------------------------------------------------------------------

/** Encodes any block except calls and results of our tools. Returns `undefined` and reports a loss if the format has no place for it. */
export function encodeBlock(block: ContentBlock, path: string, scope: Scope): WireBlock | undefined {
  noteForeignFields(block, path, scope.losses)
  const isOwn = block.type === 'unknown' && block.format === format
  if (scope.place === 'system' && block.type !== 'text' && block.type !== 'plain_text' && !isOwn) {
    return drop(path, `a "${block.type}" block cannot be system text`, scope, 'major')
  }
  switch (block.type) {
    case 'text':
      return encodeText(block, path, scope)
    case 'plain_text':
      return encodePlainText(block, path, scope)
    case 'image':
      return encodeImage(block, path, scope)
    case 'file':
      return encodeFile(block, path, scope)
    case 'reasoning':
      return encodeReasoning(block, path, scope)
    case 'server_tool_call':
      return encodeServerCall(block, path, scope)
    case 'server_tool_result':
      return encodeServerResult(block, path, scope)
    case 'unknown':
      return encodeUnknown(block, path, scope)
    case 'audio':
    case 'video':
      return drop(path, `it takes no ${block.type}`, scope, 'major')
    default:
      return drop(path, `a "${block.type}" block has no place of its own here`, scope)
  }
}

/** Encodes a document. Where the format does not allow documents, the text of the document is sent as text. */
function encodePlainText(block: PlainTextBlock, path: string, scope: Scope): WireBlock | undefined {
  if (scope.place !== 'system' && scope.place !== 'answer') return encodeDocumentText(block, path, scope)
  if (block.title !== undefined) drop(`${path}.title`, reasons.title, scope, 'info')
  return encodeText(compact({ type: 'text', text: block.text, metadata: block.metadata }), path, scope)
}

function encodeText(block: TextBlock, path: string, scope: Scope): WireBlock | undefined {
  if (block.text.trim() === '' && scope.place !== 'answer') return drop(path, 'blank text is refused', scope, 'info')
  const citations = encodeCitations(block, path, scope)
  return { ...extrasFor(block, path, scope), type: 'text', text: block.text, ...compact({ citations }) } as WireBlock
}

function encodeCitations(block: TextBlock, path: string, scope: Scope): object[] | undefined {
  const { citations } = block
  if (citations === undefined) return undefined
  if (citations.length > 0 && scope.place !== 'assistant' && scope.place !== 'answer' && scope.isStrictVersion) {
    return drop(`${path}.citations`, "this version refuses citations outside the assistant's text", scope)
  }
  // Only the provider that made the turn can read the encrypted indexes of its citations.
  const own = scope.isForeign ? [] : citations
  const encoded = own.flatMap((citation) => encodeCitation(citation, scope.place === 'answer') ?? [])
  if (encoded.length < citations.length) drop(`${path}.citations`, reasons.citations, scope)
  return encoded.length === 0 && citations.length > 0 ? undefined : encoded
}

/** Encodes reasoning. Anthropic refuses thinking without a valid signature, so it is not sent. In an answer, clients can show its text. */
function encodeReasoning(block: ReasoningBlock, path: string, scope: Scope): WireBlock | undefined {
  const proof = ownProof(block.opaque, scope.target)
  const { data, signature } = proof ?? {}
  const kept = keptOf(block)
  if (typeof data === 'string') return { ...kept, type: 'redacted_thinking', data }
  if (typeof signature === 'string') return { ...kept, type: 'thinking', thinking: block.text, signature }
  const isShown = scope.place === 'answer' && block.text !== ''
  if (!isShown && !(scope.unsignedThinking && block.opaque === undefined)) {
    return drop(path, 'reasoning without its own signature is refused', scope, block.text === '' ? 'info' : 'minor')
  }
  if (block.opaque !== undefined) drop(`${path}.opaque`, reasons.foreignProof, scope, 'info')
  return { ...kept, type: 'thinking', thinking: block.text, signature: '' }
}

function encodeServerCall(block: ServerToolCall, path: string, scope: Scope): WireBlock | undefined {
  const kept = keptOf(block)
  if (kept === undefined || scope.isForeign) return drop(path, reasons.serverTool, scope)
  return verbatim({
    ...kept,
    ...extrasFor(block, path, scope),
    id: block.id ?? '',
    name: block.name,
    input: block.arguments,
  })
}

function encodeServerResult(block: ServerToolResult, path: string, scope: Scope): WireBlock | undefined {
  const kept = keptOf(block)
  if (kept === undefined || scope.isForeign) return drop(path, reasons.serverTool, scope)
  const output = block.output === undefined ? {} : { content: block.output }
  return verbatim({ ...extrasFor(block, path, scope), tool_use_id: block.toolCallId ?? '', ...output })
}

function encodeUnknown(block: UnknownBlock, path: string, scope: Scope): WireBlock | undefined {
  if (block.format === format && isObject(block.value) && !scope.isForeign) return verbatim(block.value)
  return drop(path, block.format === format ? 'it is a block of another provider' : reasons.foreignBlock, scope)
}
