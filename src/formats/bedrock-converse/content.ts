/**
 * Bedrock Converse: converts content blocks, both ways. Calls and results of the user's own tools are in `tools.ts`.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html (read 2026-11)
 *
 * @module
 */
import { DecodeError } from '../../core/errors.ts'
import { arrayOf, compact, field, isObject, lookup, objectIn, textOr } from '../../core/lookup.ts'
import { readDataUrl } from '../../core/media.ts'
import type {
  CitationBlock,
  ContentBlock,
  Json,
  JsonObject,
  Opaque,
  ProviderData,
  ReasoningBlock,
} from '../../core/model.ts'
import { textOfArguments } from '../../core/tool-call.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import { ownProof } from '../../kit/opaque.ts'
import * as lackReasons from '../../kit/reasons.ts'
import { familyOf } from './families.ts'
import { format, leftOut, mediaFormats, provider, reasons } from './tables.ts'
import type { WireBlock, WireCitation, WireSource } from './wire.ts'

/** Returns the fields that isoglot kept from this format. The encoder writes them first, and its own fields replace them. */
export function keptFields(value: { readonly providerData?: ProviderData | undefined }): JsonObject {
  return objectIn(value.providerData, format)
}

/** Returns a value that came from this format unchanged, with the type that the encoder needs. */
export function verbatim<T>(value: Json): T {
  return value as T
}

/** The place that blocks are written to, and the state that its encoders share. */
export interface Scope {
  readonly losses: Losses
  readonly model: string
  readonly place: 'user' | 'assistant' | 'result' | 'answer'
  /** The names of the documents of the request so far. Each name must be unique. */
  readonly names: Set<string>
}

// ---- encode -----------------------------------------------------------------------------------

/**
 * Writes a block, except a call or a result of the user's tools. If the format does not support the block, it reports a loss and returns
 * `undefined`. An empty text also returns `undefined`, without a loss.
 */
export function encodeBlock(block: ContentBlock, path: string, scope: Scope): WireBlock | undefined {
  const { losses, place } = scope
  const isSpoken = place === 'assistant' || place === 'answer'
  switch (block.type) {
    case 'text':
      if (block.text.trim() === '') return undefined // Bedrock refuses an empty text; omitting it loses nothing
      if (place === 'answer' && block.citations?.length) return encodeCited(block)
      return guardOf(block) ?? { text: block.text }
    case 'plain_text':
      if (!isSpoken && (place !== 'result' || takesDocuments(scope.model)))
        return { document: { format: 'txt', name: nameOf(block.title, scope), source: { text: block.text } } }
      if (block.title !== undefined) reportLoss(losses, 'dropped', `${path}.title`, lackReasons.title, 'info')
      return { text: block.text }
    case 'reasoning':
      return encodeReasoning(block, path, scope)
    case 'image':
    case 'video':
    case 'audio':
    case 'file':
      if (!isSpoken) return encodeMedia(block, path, scope)
      reportLoss(losses, 'dropped', path, reasons.assistantMedia, 'major')
      return undefined
    case 'unknown':
      if (block.format === format) return verbatim(block.value)
  }
  const kept = keptFields(block)
  if (block.type === 'server_tool_call' && kept.type !== undefined)
    return { toolUse: { ...kept, toolUseId: block.id ?? '', name: block.name, input: block.arguments } }
  if (block.type === 'server_tool_result' && kept.toolUseId !== undefined) return { toolResult: verbatim(kept) }
  const [reason, severity] = lookup(leftOut, block.type) ?? [lackReasons.foreignBlock, 'minor']
  reportLoss(losses, 'dropped', path, reason, severity)
  return undefined
}

/** Whether results may have documents of text. */
function takesDocuments(model: string): boolean {
  return familyOf(model).resultMedia?.includes('file') !== false
}

/** Returns the original `guardContent` of a text, which marks the text for a guardrail. Returns `undefined` if the text was changed. */
function guardOf(block: ContentBlock & { type: 'text' }): WireBlock | undefined {
  const { guardContent } = keptFields(block)
  return field(field(guardContent, 'text'), 'text') === block.text
    ? verbatim({ guardContent } as JsonObject)
    : undefined
}

function encodeReasoning(block: ReasoningBlock, path: string, { losses, model, place }: Scope): WireBlock | undefined {
  const { redactedContent, signature } = ownProof(block.opaque, { format, provider, model }) ?? {}
  if (typeof redactedContent === 'string') return { reasoningContent: { redactedContent } }
  const isShown = place === 'answer' && block.text !== ''
  if (typeof signature !== 'string' && !isShown) {
    reportLoss(losses, 'dropped', path, reasons.reasoning, block.text === '' ? 'info' : 'minor')
    return undefined
  }
  if (typeof signature !== 'string' && block.opaque !== undefined)
    reportLoss(losses, 'dropped', `${path}.opaque`, lackReasons.foreignProof, 'info')
  const reasoningText = { text: block.text, ...compact({ signature: textOr(signature, undefined) }) }
  return { reasoningContent: { reasoningText } }
}

type MediaBlock = ContentBlock & { type: 'image' | 'video' | 'audio' | 'file' }

function encodeMedia(block: MediaBlock, path: string, scope: Scope): WireBlock | undefined {
  const inline = block.url === undefined ? undefined : readDataUrl(block.url)
  const data = block.data ?? (inline?.base64 ? inline.data : undefined)
  const mimeType = block.mimeType ?? inline?.mimeType ?? (block.type === 'image' ? 'image/png' : '')
  const isS3 = block.url?.startsWith('s3://') === true
  const kind = block.type === 'file' ? 'document' : block.type
  const named = lookup(mediaFormats[kind], mimeType.toLowerCase().split(';')[0])
  const wireFormat = named ?? lookup(objectIn(keptFields(block), 'media') as Record<string, string>, 'format')
  const uri = isS3 ? block.url : undefined
  if ((data === undefined && uri === undefined) || wireFormat === undefined) {
    reportLoss(scope.losses, 'dropped', path, wireFormat === undefined ? reasons.mediaType : reasons.remote, 'major')
    return undefined
  }
  const source: WireSource = data === undefined ? { s3Location: { uri: uri ?? '' } } : { bytes: data }
  const media = { ...objectIn(keptFields(block), 'media'), format: wireFormat, source }
  if (block.type === 'file') return { document: { ...media, name: nameOf(block.filename, scope) } }
  return { [block.type]: media } as unknown as WireBlock
}

/** Returns a unique name that Bedrock accepts. It may have letters, digits, single spaces, hyphens, parentheses and brackets. */
function nameOf(title: string | undefined, { names }: Scope): string {
  const bare = (title ?? '').replace(/\.\w{1,5}$/, '').replace(/[^A-Za-z0-9\s()[\]-]/g, '-')
  const name = bare.replace(/\s+/g, ' ').trim().slice(0, 180) || `document-${names.size + 1}`
  let unique = name
  for (let count = 2; names.has(unique); count++) unique = `${name} (${count})`
  names.add(unique)
  return unique
}

function encodeCited({ text, citations = [] }: ContentBlock & { type: 'text' }): WireBlock {
  return { citationsContent: { content: [{ text }], citations: citations.map(encodeCitation) } }
}

/** Writes a citation. If it came from this format, it is unchanged. If not, it has the fields that a client can show. */
export function encodeCitation(citation: CitationBlock): WireCitation {
  const { url, title, text, providerData } = citation
  if (providerData?.[format] !== undefined) return verbatim(keptFields(citation))
  return compact({
    title,
    source: url,
    sourceContent: text === undefined ? undefined : [{ text }],
    location: url === undefined ? undefined : { web: { url } },
  })
}

// ---- decode -----------------------------------------------------------------------------------

/** Reads a block, except a call or a result of the user's tools. The block has one key that is not null, which names its type. */
export function decodeBlock(wire: JsonObject): ContentBlock {
  const [kind = '', ...others] = Object.keys(wire).filter((name) => wire[name] !== null)
  const text = field(wire, 'text')
  if (typeof text === 'string' && others.length === 0) return { type: 'text', text }
  const known = others.length === 0 ? lookup(decoders, kind)?.(objectIn(wire, kind)) : undefined
  return known ?? { type: 'unknown', format, providerType: kind, value: wire }
}

const decoders: Readonly<Record<string, (body: JsonObject) => ContentBlock | undefined>> = {
  image: (body) => decodeMedia('image', body),
  video: (body) => decodeMedia('video', body),
  audio: (body) => decodeMedia('audio', body),
  document: decodeDocument,
  guardContent: decodeGuarded,
  reasoningContent: decodeReasoning,
  citationsContent: decodeCited,
  toolUse: decodeServerCall,
  toolResult: (body) => decodeServerResult(body),
}

function decodeMedia(kind: keyof typeof mediaFormats, { format: word, source, ...more }: JsonObject) {
  const bytes = field(source, 'bytes')
  const uri = field(field(source, 's3Location'), 'uri')
  const found = typeof bytes === 'string' ? { data: bytes } : typeof uri === 'string' ? { url: uri } : undefined
  if (found === undefined) return undefined
  const mimeType = Object.entries(mediaFormats[kind]).find(([, name]) => name === word)?.[0]
  const media = mimeType === undefined ? { ...more, format: word ?? '' } : more
  const type = kind === 'document' ? ('file' as const) : kind
  const kept = Object.keys(media).length > 0 ? { providerData: { [format]: { media } } } : {}
  return { type, ...found, ...compact({ mimeType }), ...kept }
}

function decodeDocument({ name, ...body }: JsonObject): ContentBlock | undefined {
  const text = field(field(body, 'source'), 'text')
  const title = textOr(name, undefined)
  if (typeof text === 'string' && Object.keys(body).length === 2) return compact({ type: 'plain_text', text, title })
  const media = decodeMedia('document', body)
  return media && { ...media, type: 'file', ...compact({ filename: title }) }
}

function decodeGuarded(body: JsonObject): ContentBlock | undefined {
  const text = field(field(body, 'text'), 'text')
  return typeof text === 'string'
    ? { type: 'text', text, providerData: { [format]: { guardContent: body } } }
    : undefined
}

function decodeReasoning(body: JsonObject): ReasoningBlock | undefined {
  const { text, signature } = objectIn(body, 'reasoningText')
  const redacted = field(body, 'redactedContent')
  if (typeof redacted === 'string') return { type: 'reasoning', text: '', opaque: proof({ redactedContent: redacted }) }
  if (typeof text !== 'string') return undefined
  const opaque = typeof signature === 'string' && signature !== '' ? proof({ signature }) : undefined
  return compact({ type: 'reasoning', text, opaque })
}

/** Returns a proof with this data. Its model is empty, since an answer of this format does not name its model. */
export function proof(data: JsonObject): Opaque {
  return { provider, model: '', format, data }
}

function decodeCited(body: JsonObject): ContentBlock | undefined {
  const text = arrayOf(field(body, 'content'))
    .map((part) => textOr(field(part, 'text'), ''))
    .join('')
  const citations = arrayOf(field(body, 'citations')).filter(isObject)
  return { type: 'text', text, citations: citations.map((one) => decodeCitation(one, text.length)) }
}

/** Reads a citation. It covers the whole text; `length` is the length of that text in UTF-16 units. */
export function decodeCitation(wire: JsonObject, length: number): CitationBlock {
  const source = textOr(field(wire, 'source'), undefined)
  const address = source !== undefined && /^https?:/.test(source) ? source : undefined
  const url = textOr(field(field(field(wire, 'location'), 'web'), 'url'), address)
  const passages = arrayOf(field(wire, 'sourceContent')).map((part) => textOr(field(part, 'text'), ''))
  return compact({
    type: 'citation',
    url,
    title: textOr(field(wire, 'title'), undefined),
    text: passages.length === 0 ? undefined : passages.join(''),
    startIndex: 0,
    endIndex: length,
    providerData: { [format]: wire },
  })
}

/** Reads a call that Bedrock ran. Returns `undefined` for any other call. */
function decodeServerCall({ toolUseId, name, input, ...kept }: JsonObject): ContentBlock | undefined {
  const argumentsText = isObject(input) ? textOfArguments(input) : undefined
  if (kept.type !== 'server_tool_use' || typeof name !== 'string' || argumentsText === undefined) return undefined
  const id = textOr(toolUseId, '')
  return {
    type: 'server_tool_call',
    id,
    name,
    arguments: input as JsonObject,
    argumentsText,
    providerData: { [format]: kept },
  }
}

/** Reads the result of a call that Bedrock ran. It is in the same message as the call. */
export function decodeServerResult(body: JsonObject): ContentBlock {
  return compact({
    type: 'server_tool_result',
    toolCallId: textOr(field(body, 'toolUseId'), undefined),
    status: field(body, 'status') === 'error' ? 'error' : 'success',
    output: field(body, 'content'),
    providerData: { [format]: body },
  })
}

// ---- reading unchecked values -----------------------------------------------------------------

/** The kind of body that is being decoded; error messages name it. */
export type Subject = 'request' | 'response' | 'stream'

/** Returns the value if it is a list. `undefined` and `null` read as an empty list. Throws for other values. */
export function listAt(value: unknown, path: string, subject: Subject): readonly Json[] {
  if (Array.isArray(value)) return value
  if (value === undefined || value === null) return []
  throw misfit(path, 'not a list', subject, value)
}

/** Returns the value if it is an object. Throws otherwise. */
export function objectAt(value: unknown, path: string, subject: Subject): JsonObject {
  if (isObject(value)) return value
  throw misfit(path, value === undefined || value === null ? 'missing' : 'not an object', subject, value)
}

/** Returns the value if it is a string. `undefined` and `null` read as an empty string. Throws for other values. */
export function stringAt(value: unknown, path: string, subject: Subject): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  throw misfit(path, 'not a string', subject, value)
}

export function misfit(path: string, finding: string, subject: Subject, cause: unknown): DecodeError {
  return new DecodeError(`Cannot decode Bedrock ${subject}: "${path}" is ${finding}`, { path, cause })
}
