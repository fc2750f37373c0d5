/**
 * Anthropic Messages: encodes and decodes images, documents and search results.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/pdf-support (read 2026-11)
 *
 * @module
 */
import { arrayOf, compact, field, isObject, lookup, textOr } from '../../core/lookup.ts'
import { readDataUrl, textOfBase64 } from '../../core/media.ts'
import type { FileBlock, ImageBlock, JsonObject, PlainTextBlock } from '../../core/model.ts'
import * as reasons from '../../kit/reasons.ts'
import { drop, extrasFor, extrasOf, keptOf, type Scope } from './scope.ts'
import { imageTypes, knownFields } from './tables.ts'
import type { WireBlock, WireDocumentSource, WireImageSource, WireImageType } from './wire.ts'

/** Decodes an image. This decoder and the next ones return `undefined` for an unknown shape. */
export function decodeImage(wire: JsonObject): ImageBlock | undefined {
  const media = decodeSource(field(wire, 'source'))
  return media && { type: 'image', ...media, ...extrasOf(wire, knownFields.image) }
}

/** Decodes a document: plain text becomes a text block, and any other document a file. */
export function decodeDocument(wire: JsonObject): FileBlock | PlainTextBlock | undefined {
  const source = field(wire, 'source')
  const title = textOr(field(wire, 'title'), undefined)
  const extras = extrasOf(wire, title === undefined ? knownFields.image : knownFields.document)
  const text = field(source, 'data')
  if (field(source, 'type') === 'text' && typeof text === 'string') {
    const mimeType = textOr(field(source, 'media_type'), 'text/plain')
    return compact({ type: 'plain_text', text, title, mimeType, ...extras })
  }
  const media = decodeSource(source)
  return media && { type: 'file', ...media, ...compact({ filename: title }), ...extras }
}

/** Decodes the source of an image or document. Returns `undefined` for unknown sources and unknown fields. */
function decodeSource(source: unknown): Pick<FileBlock, 'data' | 'mimeType' | 'url' | 'fileId'> | undefined {
  if (!isObject(source)) return undefined
  const { type, data, media_type: mimeType, url, file_id: fileId, ...rest } = source
  if (Object.keys(rest).length > 0) return undefined
  if (type === 'base64' && typeof data === 'string' && typeof mimeType === 'string') return { data, mimeType }
  if (type === 'url' && typeof url === 'string') return { url }
  return type === 'file' && typeof fileId === 'string' ? { fileId } : undefined
}

/** A search result becomes a text block. Its parts, which citations name, are kept. */
export function decodeSearchResult(wire: JsonObject): PlainTextBlock | undefined {
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

/** Encodes a text document. If it was decoded from a search result, encodes it as a search result. */
export function encodeDocumentText(block: PlainTextBlock, path: string, scope: Scope): WireBlock | undefined {
  const kept = keptOf(block)
  const title = block.title === undefined ? undefined : { title: block.title }
  if (kept?.type === 'search_result') {
    // Citations name parts of the search result, so the parts are kept unless the text was edited.
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

/** Encodes an image, if it has one of the four types that Anthropic takes. */
export function encodeImage(block: ImageBlock, path: string, scope: Scope): WireBlock | undefined {
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

/** Encodes a PDF or text file. A file that is an image is sent as an image. */
export function encodeFile(given: FileBlock, path: string, scope: Scope): WireBlock | undefined {
  const block = withoutDataUrl(given)
  if (block.mimeType?.startsWith('image/')) return encodeImage({ ...block, type: 'image' }, path, scope)
  const source = documentSource(block)
  if (source === undefined)
    return drop(path, 'it takes documents in PDF or plain text, by URL or by file id', scope, 'major')
  if (source.type === 'text' && block.mimeType !== 'text/plain')
    drop(`${path}.mimeType`, reasons.mimeType, scope, 'info')
  const title = block.filename === undefined ? {} : { title: block.filename }
  return documentIn({ ...extrasFor(block, path, scope), type: 'document', source, ...title }, path, scope)
}

function documentSource({ data, mimeType, url, fileId }: Media): WireDocumentSource | undefined {
  if (data !== undefined) {
    const isPdf = mimeType === undefined ? data.startsWith('JVBER') : /^application\/pdf\b/i.test(mimeType)
    if (isPdf) return { type: 'base64', media_type: 'application/pdf', data }
    const text = mimeType?.startsWith('text/') ? textOfBase64(data) : undefined
    return text === undefined ? undefined : { type: 'text', media_type: 'text/plain', data: text }
  }
  if (url !== undefined) return { type: 'url', url }
  return fileId === undefined ? undefined : { type: 'file', file_id: fileId }
}

function toBase64(text: string): string {
  let binary = ''
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte)
  return btoa(binary)
}
