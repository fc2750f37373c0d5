/**
 * Anthropic Messages: content blocks and ours, calls and results of our tools aside (`tools.ts`).
 *
 * A block whose type or shape we do not know is kept whole; a field that we do not know is kept beside the block.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 * @module
 */
import { arrayOf, field, isObject, lookup, otherFields, stringOr, textOr } from '../../lookup.ts'
import { type Ledger, lose } from '../../losses.ts'
import { readDataUrl } from '../../media.ts'
import type {
  CitationBlock,
  ContentBlock,
  FileBlock,
  ImageBlock,
  Json,
  JsonObject,
  Metadata,
  Opaque,
  PlainTextBlock,
  ProviderData,
  ReasoningBlock,
  ServerToolCall,
  ServerToolResult,
  TextBlock,
  UnknownBlock,
} from '../../model.ts'
import { ownProof } from '../../opaque.ts'
import { textOfArguments } from '../../tool-call.ts'
import { decodeCacheHint, encodeCacheHint } from './cache.ts'
import { documentCitations, format, imageTypes, knownFields } from './tables.ts'
import type { WireBlock, WireDocumentSource, WireImageSource, WireImageType } from './wire.ts'

// ---- decoding ---------------------------------------------------------------------------------

/** Who made the proofs in what is read. */
export interface Origin {
  readonly provider: string
  readonly model: string
}

type Decoder = (wire: JsonObject, origin: Origin) => ContentBlock | undefined

/** Each gives `undefined` for a shape that it does not know. */
const decoders: Readonly<Record<string, Decoder>> = {
  text: decodeText,
  image: decodeImage,
  document: decodeDocument,
  search_result: decodeSearchResult,
  thinking: decodeThinking,
  redacted_thinking: decodeRedactedThinking,
}

/** Any block but `tool_use` and `tool_result`. */
export function decodeBlock(wire: JsonObject, origin: Origin): ContentBlock {
  const type = stringOr(field(wire, 'type'), '')
  const decode = lookup(decoders, type) ?? decoderOfFamily(type)
  return decode?.(wire, origin) ?? unknownBlock(wire)
}

/** Server tools come and go; the names of their blocks have these ends. */
function decoderOfFamily(type: string): Decoder | undefined {
  if (isServerCall(type)) return decodeServerCall
  return type.endsWith('_tool_result') ? decodeServerResult : undefined
}

/** Whether a block of this type is a call that the provider runs: `server_tool_use`, `mcp_tool_use`. */
export function isServerCall(type: unknown): boolean {
  return typeof type === 'string' && type.endsWith('_tool_use')
}

export function unknownBlock(wire: JsonObject): UnknownBlock {
  return { type: 'unknown', format, providerType: stringOr(field(wire, 'type'), ''), value: wire }
}

/** The cache mark and the fields that we do not know. */
export function extrasOf(
  wire: JsonObject,
  known: ReadonlySet<string>,
): { metadata?: Metadata; providerData?: ProviderData } {
  const rest = otherFields(wire, known)
  if (rest === undefined) return {}
  const cacheHint = decodeCacheHint(field(rest, 'cache_control'))
  if (cacheHint === undefined) return { providerData: { [format]: rest } }
  const { cache_control: _, ...kept } = rest
  return { metadata: { cacheHint }, ...(Object.keys(kept).length > 0 && { providerData: { [format]: kept } }) }
}

function decodeText(wire: JsonObject): TextBlock | undefined {
  const text = field(wire, 'text')
  if (typeof text !== 'string') return undefined
  const citations = field(wire, 'citations')
  if (citations === undefined) return { type: 'text', text, ...extrasOf(wire, knownFields.text) }
  if (!Array.isArray(citations) || !citations.every(isObject)) {
    return { type: 'text', text, ...extrasOf(wire, new Set(['type', 'text'])) }
  }
  return { type: 'text', text, citations: citations.map(decodeCitation), ...extrasOf(wire, knownFields.text) }
}

/** The wire's own fields stay with the citation: an `encrypted_index` is checked when it comes back. */
export function decodeCitation(wire: JsonObject): CitationBlock {
  const title = textOr(field(wire, 'title'), textOr(field(wire, 'document_title'), undefined))
  const url = textOr(field(wire, 'url'), undefined)
  const text = textOr(field(wire, 'cited_text'), undefined)
  const isMadeByUs = field(wire, 'encrypted_index') === '' // see `encodeForeignCitation`
  return {
    type: 'citation',
    ...(url !== undefined && { url }),
    ...(title !== undefined && { title }),
    ...(text !== undefined && { text }),
    ...(!isMadeByUs && { providerData: { [format]: wire } }),
  }
}

function decodeImage(wire: JsonObject): ImageBlock | undefined {
  const media = decodeSource(field(wire, 'source'))
  return media && { type: 'image', ...media, ...extrasOf(wire, knownFields.image) }
}

function decodeDocument(wire: JsonObject): FileBlock | PlainTextBlock | undefined {
  const source = field(wire, 'source')
  const title = textOr(field(wire, 'title'), undefined)
  const extras = extrasOf(wire, title === undefined ? knownFields.image : knownFields.document)
  const text = field(source, 'data')
  if (field(source, 'type') === 'text' && typeof text === 'string') {
    const mimeType = textOr(field(source, 'media_type'), 'text/plain')
    return { type: 'plain_text', text, ...(title !== undefined && { title }), mimeType, ...extras }
  }
  const media = decodeSource(source)
  return media && { type: 'file', ...media, ...(title !== undefined && { filename: title }), ...extras }
}

/** Of the sources of images and documents those that we have words for, if they hold nothing else. */
function decodeSource(source: unknown): Pick<FileBlock, 'data' | 'mimeType' | 'url' | 'fileId'> | undefined {
  if (!isObject(source)) return undefined
  const { type, data, media_type: mimeType, url, file_id: fileId, ...rest } = source
  if (Object.keys(rest).length > 0) return undefined
  if (type === 'base64' && typeof data === 'string' && typeof mimeType === 'string') return { data, mimeType }
  if (type === 'url' && typeof url === 'string') return { url }
  return type === 'file' && typeof fileId === 'string' ? { fileId } : undefined
}

/** Its text is there for all to read; the parts it is cited by stay with it. */
function decodeSearchResult(wire: JsonObject): PlainTextBlock | undefined {
  const title = field(wire, 'title')
  const text = textOfParts(field(wire, 'content'))
  if (typeof title !== 'string' || text === undefined) return undefined
  return { type: 'plain_text', text, title, ...extrasOf(wire, knownFields.searchResult) }
}

function textOfParts(content: unknown): string | undefined {
  let text = ''
  for (const part of arrayOf(content)) {
    const piece = field(part, 'text')
    if (field(part, 'type') !== 'text' || typeof piece !== 'string') return undefined
    text += piece
  }
  return Array.isArray(content) ? text : undefined
}

function decodeThinking(wire: JsonObject, origin: Origin): ReasoningBlock | undefined {
  const text = field(wire, 'thinking')
  if (typeof text !== 'string') return undefined
  const signature = textOr(field(wire, 'signature'), undefined)
  return {
    type: 'reasoning',
    text,
    ...(signature !== undefined && { opaque: signed(signature, origin) }),
    ...extrasOf(wire, knownFields.thinking),
  }
}

/** The proof that a signature is. */
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

/** The word for a server's call stays with it: it tells whose it is, too. */
export function serverCallData(wire: JsonObject, kept?: ProviderData): ProviderData {
  return { [format]: { ...kept?.[format], type: field(wire, 'type') ?? 'server_tool_use' } }
}

function decodeServerResult(wire: JsonObject): ServerToolResult | undefined {
  const toolCallId = field(wire, 'tool_use_id')
  if (typeof toolCallId !== 'string') return undefined
  const output = field(wire, 'content')
  const type = stringOr(field(wire, 'type'), '')
  return {
    type: 'server_tool_result',
    toolCallId,
    ...(type !== 'mcp_tool_result' && { name: type.replace(/_tool_result$/, '') }),
    status: isErrorResult(wire) ? 'error' : 'success',
    ...(output !== undefined && { output }),
    ...extrasOf(wire, knownFields.serverResult),
  }
}

function isErrorResult(wire: JsonObject): boolean {
  return field(wire, 'is_error') === true || stringOr(field(field(wire, 'content'), 'type'), '').endsWith('_error')
}

// ---- encoding ---------------------------------------------------------------------------------

/** Where blocks are written to. */
export interface Scope {
  readonly ledger: Ledger
  /** Whose proofs are valid. */
  readonly target: { readonly format: string; readonly provider: string; readonly model: string }
  readonly place: 'system' | 'user' | 'assistant' | 'result' | 'answer'
  /** `2026-10-21` or later. */
  readonly isStrictVersion?: boolean
  readonly unsignedThinking?: boolean
}

/** What we kept of this wire, as it came. */
export function keptOf(holder: { readonly providerData?: ProviderData }): JsonObject | undefined {
  const kept = field(holder.providerData, format)
  return isObject(kept) ? kept : undefined
}

/** A value that came from this wire goes back to it as it is. */
export function verbatim(value: Json | object): WireBlock {
  return { ...(value as object) } as WireBlock
}

/** Any block but calls and results of our tools; `undefined` if the wire cannot carry it, which is in the ledger then. */
export function encodeBlock(block: ContentBlock, path: string, scope: Scope): WireBlock | undefined {
  noteForeignFields(block, path, scope.ledger)
  if (scope.place === 'system' && block.type !== 'text' && block.type !== 'plain_text') {
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

function drop(path: string, reason: string, scope: Scope, severity: 'info' | 'minor' | 'major' = 'minor'): undefined {
  lose(scope.ledger, 'dropped', path, reason, severity)
}

/** Fields and proofs of other wires are for them alone. */
export function noteForeignFields(
  holder: { readonly providerData?: ProviderData; readonly opaque?: Opaque; readonly type?: string },
  path: string,
  ledger: Ledger,
): void {
  if (holder.opaque !== undefined && holder.type !== 'reasoning')
    lose(ledger, 'dropped', `${path}.opaque`, 'it is the proof of another wire', 'info')
  if (holder.providerData === undefined) return
  for (const name of Object.keys(holder.providerData)) {
    if (name !== format) lose(ledger, 'dropped', `${path}.providerData.${name}`, 'it belongs to another wire', 'info')
  }
}

/** The fields kept with a block and its cache mark. */
function extrasFor(block: ContentBlock, path: string, scope: Scope): object {
  const mark = scope.place === 'answer' ? undefined : encodeCacheHint(block.metadata, path, scope.ledger)
  return { ...keptOf(block), ...(mark && { cache_control: mark }) }
}

function encodeText(block: TextBlock, path: string, scope: Scope): WireBlock | undefined {
  if (block.text.trim() === '' && scope.place !== 'answer') return drop(path, 'blank text is refused', scope, 'info')
  const citations = encodeCitations(block, path, scope)
  return {
    ...extrasFor(block, path, scope),
    type: 'text',
    text: block.text,
    ...(citations && { citations }),
  } as WireBlock
}

function encodeCitations(block: TextBlock, path: string, scope: Scope): object[] | undefined {
  const { citations } = block
  if (citations === undefined) return undefined
  if (citations.length > 0 && scope.place !== 'assistant' && scope.place !== 'answer' && scope.isStrictVersion) {
    return drop(`${path}.citations`, "this version refuses citations outside the assistant's text", scope)
  }
  const encoded = citations.flatMap((citation, at) => {
    const own = encodeCitation(citation, scope.place === 'answer')
    if (own === undefined) drop(`${path}.citations[${at}]`, 'only its own citations are taken', scope)
    return own ?? []
  })
  return encoded.length === 0 && citations.length > 0 ? undefined : encoded
}

/** A citation of this wire; of others, in an answer alone, what a client can show. */
export function encodeCitation(citation: CitationBlock, isAnswer: boolean): object | undefined {
  const kept = keptOf(citation)
  const { url, title, text } = citation
  if (kept === undefined) return isAnswer ? encodeForeignCitation(citation) : undefined
  const titleKey = documentCitations.has(stringOr(field(kept, 'type'), '')) ? 'document_title' : 'title'
  return {
    ...kept,
    ...(text !== undefined && { cited_text: text }),
    ...(url !== undefined && { url }),
    ...(title !== undefined && { [titleKey]: title }),
  }
}

/** The empty index says that no server made it: it never goes to one. */
function encodeForeignCitation({ url, title, text }: CitationBlock): object | undefined {
  if (url === undefined) return undefined
  return { type: 'web_search_result_location', url, title: title ?? null, cited_text: text ?? '', encrypted_index: '' }
}

function encodePlainText(block: PlainTextBlock, path: string, scope: Scope): WireBlock | undefined {
  if (scope.place === 'system' || scope.place === 'answer') {
    return encodeText({ ...block, type: 'text' }, path, scope)
  }
  const kept = keptOf(block)
  const title = block.title === undefined ? undefined : { title: block.title }
  if (kept?.type === 'search_result') {
    // Its parts are what is cited, so they stay unless the text was edited.
    const isSame = textOfParts(kept.content) === block.text
    const content = isSame ? {} : { content: [{ type: 'text', text: block.text }] }
    return { ...extrasFor(block, path, scope), ...title, ...content } as WireBlock
  }
  const source = { type: 'text', media_type: 'text/plain', data: block.text } as const
  return documentIn({ ...extrasFor(block, path, scope), type: 'document', source, ...title }, path, scope)
}

function documentIn(document: WireBlock, path: string, scope: Scope): WireBlock | undefined {
  if (scope.place !== 'assistant' && scope.place !== 'answer') return document
  if (scope.place === 'answer' || scope.isStrictVersion)
    return drop(path, "an assistant's turn takes no documents", scope, 'major')
  return document
}

function encodeImage(block: ImageBlock, path: string, scope: Scope): WireBlock | undefined {
  if (scope.place === 'answer') return drop(path, 'an answer here has no images', scope, 'major')
  if (block.detail !== undefined && block.detail !== 'auto')
    drop(`${path}.detail`, 'it has no levels of detail', scope, 'info')
  const source = imageSource(withoutDataUrl(block))
  if (source === undefined)
    return drop(path, 'it takes images in JPEG, PNG, GIF or WebP, by URL or by file id', scope, 'major')
  return { ...extrasFor(block, path, scope), type: 'image', source }
}

type Media = Pick<FileBlock, 'data' | 'mimeType' | 'url' | 'fileId'>

function withoutDataUrl<T extends Media>(block: T): T {
  const inline = block.url === undefined ? undefined : readDataUrl(block.url)
  if (inline === undefined) return block
  const { url: _, ...rest } = block
  const data = inline.base64 ? inline.data : toBase64(inline.data)
  return { ...rest, data, mimeType: inline.mimeType } as T
}

function imageSource({ data, mimeType, url, fileId }: Media): WireImageSource | undefined {
  if (data !== undefined) {
    const type = mimeType === undefined ? lookup(imageTypes, data.slice(0, 4)) : imageType(mimeType)
    return type && { type: 'base64', media_type: type, data }
  }
  if (url !== undefined) return { type: 'url', url }
  return fileId === undefined ? undefined : { type: 'file', file_id: fileId }
}

function imageType(mimeType: string): WireImageType | undefined {
  const type = mimeType.toLowerCase() === 'image/jpg' ? 'image/jpeg' : mimeType.toLowerCase()
  return Object.values(imageTypes).find((one) => one === type)
}

function encodeFile(given: FileBlock, path: string, scope: Scope): WireBlock | undefined {
  const block = withoutDataUrl(given)
  if (block.mimeType?.startsWith('image/')) return encodeImage({ ...block, type: 'image' }, path, scope)
  const source = documentSource(block)
  if (source === undefined)
    return drop(path, 'it takes documents in PDF or plain text, by URL or by file id', scope, 'major')
  const title = block.filename === undefined ? {} : { title: block.filename }
  return documentIn({ ...extrasFor(block, path, scope), type: 'document', source, ...title }, path, scope)
}

function documentSource({ data, mimeType, url, fileId }: Media): WireDocumentSource | undefined {
  if (data !== undefined) {
    const isPdf = mimeType === undefined ? data.startsWith('JVBER') : /^application\/pdf\b/i.test(mimeType)
    if (isPdf) return { type: 'base64', media_type: 'application/pdf', data }
    const text = mimeType?.startsWith('text/') ? fromBase64(data) : undefined
    return text === undefined ? undefined : { type: 'text', media_type: 'text/plain', data: text }
  }
  if (url !== undefined) return { type: 'url', url }
  return fileId === undefined ? undefined : { type: 'file', file_id: fileId }
}

function fromBase64(data: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)))
  } catch {
    return undefined
  }
}

function toBase64(text: string): string {
  let binary = ''
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Thinking without a valid signature is refused, so it does not go; in an answer, its text can be shown. */
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
  if (block.opaque !== undefined) drop(`${path}.opaque`, 'it is the proof of another provider', scope, 'info')
  return { ...kept, type: 'thinking', thinking: block.text, signature: '' }
}

function encodeServerCall(block: ServerToolCall, path: string, scope: Scope): WireBlock | undefined {
  const kept = keptOf(block)
  if (kept === undefined) return drop(path, 'another provider ran this call', scope)
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
  if (kept === undefined) return drop(path, 'another provider made this result', scope)
  const output = block.output === undefined ? {} : { content: block.output }
  return verbatim({ ...extrasFor(block, path, scope), tool_use_id: block.toolCallId ?? '', ...output })
}

function encodeUnknown(block: UnknownBlock, path: string, scope: Scope): WireBlock | undefined {
  if (block.format === format && isObject(block.value)) return verbatim(block.value)
  return drop(path, `a "${block.providerType}" block of ${block.format} means nothing here`, scope)
}
