/**
 * Cohere Chat v2: converts blocks to parts of messages, and back.
 *
 * @see https://docs.cohere.com/reference/chat (read 2026-11)
 *
 * @module
 */
import { DecodeError } from '../../core/errors.ts'
import {
  compact,
  field,
  isObject,
  lookup,
  objectIn,
  otherFields,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/lookup.ts'
import { readDataUrl, textOfBase64, toDataUrl } from '../../core/media.ts'
import type {
  Content,
  ContentBlock,
  FileBlock,
  ImageBlock,
  Json,
  JsonObject,
  Metadata,
  Opaque,
  PlainTextBlock,
  ProviderData,
  UnknownBlock,
} from '../../core/model.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import * as lackReasons from '../../kit/reasons.ts'
import { format, leftOut, reasons } from './tables.ts'
import type { WireDocument, WireDocumentPart, WireImage, WireText } from './wire.ts'

/** Returns the fields that isoglot kept from this format. The encoder writes them first, and its own fields replace them. */
export function keptFields(value: { readonly providerData?: ProviderData | undefined }): JsonObject {
  return objectIn(value.providerData, format)
}

/** Returns a value that came from this format unchanged, with the type that the encoder needs. */
export function verbatim<T>(value: Json): T {
  return value as T
}

// ---- encode -----------------------------------------------------------------------------------

/** Writes a block as a text part. For a block that is not text, it reports a loss and returns `undefined`. */
export function encodeTextPart(block: ContentBlock, path: string, losses: Losses): WireText | undefined {
  if (block.type === 'text' || block.type === 'plain_text') {
    const { document: _, ...kept } = keptFields(block)
    if (block.type === 'plain_text' && block.title !== undefined)
      reportLoss(losses, 'dropped', `${path}.title`, lackReasons.title, 'info')
    return { ...kept, type: 'text', text: block.text }
  }
  if (block.type === 'unknown' && block.format === format) return verbatim(block.value)
  const [reason, severity] = lookup(leftOut, block.type) ?? [reasons.media, 'major']
  reportLoss(losses, 'dropped', path, reason, severity)
  return undefined
}

export function encodeTextParts(blocks: readonly ContentBlock[], path: string, losses: Losses): WireText[] {
  return blocks.flatMap((block, at) => encodeTextPart(block, `${path}[${at}]`, losses) ?? [])
}

/** Writes a block of a user's message that is not a document. */
export function encodeUserPart(
  block: ContentBlock,
  path: string,
  { losses, takesImages }: { readonly losses: Losses; readonly takesImages: boolean },
): WireText | WireImage | undefined {
  if (block.type !== 'image') return encodeTextPart(block, path, losses)
  if (takesImages) return encodeImage(block, path, losses)
  reportLoss(losses, 'dropped', path, reasons.images, 'major')
  return undefined
}

function encodeImage(block: ImageBlock, path: string, losses: Losses): WireImage | undefined {
  const url = block.data === undefined ? block.url : toDataUrl(block.mimeType ?? 'image/png', block.data)
  if (url === undefined) {
    reportLoss(losses, 'dropped', path, reasons.fileId, 'major')
    return undefined
  }
  if (block.detail === 'original') reportLoss(losses, 'changed', `${path}.detail`, reasons.detail, 'info')
  const detail = block.detail === 'original' ? 'high' : block.detail
  const { image_url: image, ...kept } = keptFields(block)
  return { ...kept, type: 'image_url', image_url: { ...(isObject(image) && image), url, ...compact({ detail }) } }
}

/** Writes a text document or a text file as a document. Returns `undefined` for every other block. */
export function encodeDocument(block: ContentBlock, path: string, losses: Losses): WireDocument | undefined {
  if (block.type === 'file') return encodeFile(block, path, losses)
  if (block.type !== 'plain_text') return undefined
  const { document } = keptFields(block)
  const isSame = document !== undefined && decodeDocument(document).text === block.text
  if (isSame) return verbatim(document)
  return { ...compact({ id: textOr(field(document, 'id'), undefined) }), data: documentData(block.text, block.title) }
}

function encodeFile({ data, mimeType, filename }: FileBlock, path: string, losses: Losses): WireDocument | undefined {
  const text = data !== undefined && mimeType?.startsWith('text/') ? textOfBase64(data) : undefined
  if (text === undefined) return undefined
  if (mimeType !== 'text/plain') reportLoss(losses, 'dropped', `${path}.mimeType`, lackReasons.mimeType, 'info')
  return { data: documentData(text, filename) }
}

function documentData(text: string, title: string | undefined): WireDocument['data'] {
  return compact({ text, title })
}

/** Writes a block of a tool's result, as text or as a document. */
export function encodeResultPart(
  block: ContentBlock,
  path: string,
  losses: Losses,
): WireText | WireDocumentPart | undefined {
  const document = encodeDocument(block, path, losses)
  return document === undefined ? encodeTextPart(block, path, losses) : { type: 'document', document }
}

/** Reports a loss of severity `info` for each proof and field of another format, since an answer of this format cannot have them. */
export function noteForeign(
  value: { readonly metadata?: Metadata; readonly providerData?: ProviderData; readonly opaque?: Opaque },
  path: string,
  losses: Losses,
): void {
  if (value.opaque !== undefined) reportLoss(losses, 'dropped', `${path}.opaque`, lackReasons.foreignProof, 'info')
  for (const name of Object.keys(value.providerData ?? {})) {
    if (name !== format)
      reportLoss(losses, 'dropped', `${path}.providerData.${name}`, lackReasons.foreignFields, 'info')
  }
}

// ---- decode -----------------------------------------------------------------------------------

/** Reads the content of a message: a string, which is returned unchanged, or a list of parts. */
export function decodeContent(value: unknown, path: string): Content {
  if (typeof value === 'string') return value
  return listAt(value, path, 'request').map((part, at) => decodePart(part, `${path}[${at}]`))
}

/** Reads a part of a message. A part of an unknown type is kept unchanged. */
function decodePart(value: Json, path: string): ContentBlock {
  const part = objectAt(value, path, 'request')
  const text = field(part, 'text')
  if (field(part, 'type') === 'text' && typeof text === 'string') return { type: 'text', text, ...restOf(part, 'text') }
  const document = field(part, 'document')
  if (field(part, 'type') === 'document' && isObject(document)) return decodeDocument(document)
  return (field(part, 'type') === 'image_url' ? decodeImage(part) : undefined) ?? unknownPart(part)
}

export function unknownPart(part: JsonObject): UnknownBlock {
  return { type: 'unknown', format, providerType: stringOr(field(part, 'type'), ''), value: part }
}

function decodeImage(part: JsonObject): ImageBlock | undefined {
  const image = field(part, 'image_url')
  const url = textOr(field(image, 'url'), undefined)
  if (url === undefined) return undefined
  const { detail, url: _, ...more } = objectIn(part, 'image_url')
  const isKnown = detail === 'auto' || detail === 'low' || detail === 'high'
  const others = isKnown || detail === undefined ? more : { ...more, detail }
  const inline = readDataUrl(url)
  const source = inline?.base64 ? { data: inline.data, mimeType: inline.mimeType } : { url }
  const kept = { ...otherFields(part, new Set(['type', 'image_url'])), ...compact({ image_url: unlessEmpty(others) }) }
  return compact({
    type: 'image',
    ...source,
    detail: isKnown ? detail : undefined,
    providerData: unlessEmpty(kept) && { [format]: kept },
  })
}

/** Reads a document of a request or of a result. If it has fields other than text and title, all its fields become JSON text. */
export function decodeDocument(value: Json): PlainTextBlock {
  const data = typeof value === 'string' ? { text: value } : objectIn(value, 'data')
  const { text, title, ...more } = data as JsonObject
  const isPlain = typeof text === 'string' && Object.keys(more).length === 0 && typeof (title ?? '') === 'string'
  const isBare = typeof value === 'string' || (isPlain && Object.keys(value as JsonObject).length === 1)
  return compact({
    type: 'plain_text',
    text: isPlain ? text : JSON.stringify(data),
    title: stringOr(title, undefined),
    providerData: isBare ? undefined : { [format]: { document: value } },
  })
}

/** Returns the fields of a part other than `type` and the fields in `body`. */
export function restOf(part: JsonObject, ...body: readonly string[]): { providerData?: { [format]: JsonObject } } {
  const rest = otherFields(part, new Set(['type', ...body]))
  return rest === undefined ? {} : { providerData: { [format]: rest } }
}

// ---- reading unchecked values -----------------------------------------------------------------

/** The kind of body that is being decoded; error messages name it. */
export type Subject = 'request' | 'response' | 'stream'

/** Returns the value if it is a string. `undefined` and `null` read as an empty string. Throws for other values. */
export function stringAt(value: unknown, path: string, subject: Subject): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  throw misfit(path, 'not a string', subject, value)
}

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

export function misfit(path: string, finding: string, subject: Subject, cause: unknown): DecodeError {
  return new DecodeError(`Cannot decode Cohere ${subject}: "${path}" is ${finding}`, { path, cause })
}
