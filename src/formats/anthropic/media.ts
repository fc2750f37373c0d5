/**
 * Anthropic Messages: encodes images and documents.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/pdf-support (read 2026-11)
 *
 * @module
 */
import { arrayOf, compact, field, lookup } from '../../core/lookup.ts'
import { readDataUrl, textOfBase64 } from '../../core/media.ts'
import type { FileBlock, ImageBlock, PlainTextBlock } from '../../core/model.ts'
import * as reasons from '../../kit/reasons.ts'
import { drop, extrasFor, keptOf, type Scope } from './scope.ts'
import { typesByStart } from './tables.ts'
import type { WireBlock, WireDocumentSource, WireImageSource, WireImageType } from './wire.ts'

/** The beta feature that the older API version requires for file ids. */
const filesBeta = 'files-api-2025-04-14'

/** Encodes a text document. If it was decoded from a search result, encodes it as a search result. */
export function encodeDocumentText(block: PlainTextBlock, path: string, scope: Scope): WireBlock | undefined {
  const { text, title } = block
  const kept = keptOf(block)
  const extras = extrasFor(block, path, scope)
  if (kept.type === 'search_result') {
    // Citations name parts of the search result, so the parts are kept unless the text was edited.
    const parts = arrayOf(kept.content)
    const isSame = parts.map((part) => field(part, 'text')).join('') === text
    const content = isSame ? parts : [{ type: 'text', text }]
    return { ...extras, ...compact({ title }), content } as object as WireBlock
  }
  const source = { type: 'text', media_type: 'text/plain', data: text } as const
  return documentIn({ ...extras, type: 'document', source, ...compact({ title }) }, path, scope)
}

function documentIn(document: WireBlock, path: string, scope: Scope): WireBlock | undefined {
  const isRefused = scope.place === 'assistant' && scope.isStrictVersion
  return isRefused ? drop(path, "an assistant's turn takes no documents", scope, 'major') : document
}

/** Encodes an image, a PDF or a text file. A file that is an image is sent as an image. */
export function encodeMedia(block: ImageBlock | FileBlock, path: string, scope: Scope): WireBlock | undefined {
  const inline = readDataUrl(block.url ?? '')
  const { data, mimeType } = inline ?? block
  const isImage = block.type === 'image' || mimeType?.startsWith('image/') === true
  const isText = inline?.base64 === false
  // As it is given, or as its first characters show it.
  const type = mimeType?.toLowerCase() ?? lookup(typesByStart, data?.slice(0, 4)) ?? ''
  const source =
    data === undefined ? remoteSource(block, scope) : (isImage ? imageSource : documentSource)(data, type, isText)
  if (source === undefined) {
    const taken = isImage ? 'images in JPEG, PNG, GIF or WebP' : 'documents in PDF or plain text'
    return drop(path, `it takes ${taken}, by URL or by file id`, scope, 'major')
  }
  const extras = extrasFor(block, path, scope)
  if (isImage) return { ...extras, type: 'image', source: source as WireImageSource }
  if (source.type === 'text' && mimeType !== 'text/plain') drop(`${path}.mimeType`, reasons.mimeType, scope, 'info')
  const document = { ...extras, type: 'document', source: source as WireDocumentSource } as const
  return documentIn({ ...document, ...compact({ title: block.filename }) }, path, scope)
}

function remoteSource(
  { url, fileId }: ImageBlock | FileBlock,
  { betas, isStrictVersion }: Scope,
): WireImageSource | undefined {
  if (url !== undefined) return { type: 'url', url }
  if (fileId === undefined) return undefined
  if (!isStrictVersion) betas.add(filesBeta)
  return { type: 'file', file_id: fileId }
}

function imageSource(data: string, type: string, isText: boolean): WireImageSource | undefined {
  const isTaken = !isText && /^image\/(?:jpe?g|png|gif|webp)$/.test(type)
  return isTaken ? { type: 'base64', media_type: type.replace('jpg', 'jpeg') as WireImageType, data } : undefined
}

function documentSource(data: string, type: string, isText: boolean): WireDocumentSource | undefined {
  if (/^application\/pdf\b/.test(type) && !isText) return { type: 'base64', media_type: 'application/pdf', data }
  if (!type.startsWith('text/')) return undefined
  const text = isText ? data : textOfBase64(data)
  return text === undefined ? undefined : { type: 'text', media_type: 'text/plain', data: text }
}
