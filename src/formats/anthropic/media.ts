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
  if (kept?.type === 'search_result') {
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
  const extras = extrasFor(block, path, scope)
  if (block.type === 'image' || mimeType?.startsWith('image/')) {
    const source = data === undefined ? remoteSource(block, scope) : imageSource(data, mimeType)
    if (source !== undefined) return { ...extras, type: 'image', source }
    return drop(path, 'it takes images in JPEG, PNG, GIF or WebP, by URL or by file id', scope, 'major')
  }
  const isText = inline?.base64 === false
  const source = data === undefined ? remoteSource(block, scope) : documentSource(data, mimeType, isText)
  if (source === undefined)
    return drop(path, 'it takes documents in PDF or plain text, by URL or by file id', scope, 'major')
  if (source.type === 'text' && mimeType !== 'text/plain') drop(`${path}.mimeType`, reasons.mimeType, scope, 'info')
  return documentIn({ ...extras, type: 'document', source, ...compact({ title: block.filename }) }, path, scope)
}

function remoteSource(
  { url, fileId }: ImageBlock | FileBlock,
  { betas, isStrictVersion }: Scope,
): Extract<WireImageSource, { type: 'url' | 'file' }> | undefined {
  if (url !== undefined) return { type: 'url', url }
  if (fileId === undefined) return undefined
  if (!isStrictVersion) betas.add(filesBeta)
  return { type: 'file', file_id: fileId }
}

function imageSource(data: string, mimeType: string | undefined): WireImageSource | undefined {
  const type = typeOf(data, mimeType).replace('/jpg', '/jpeg')
  if (!/^image\/(?:jpeg|png|gif|webp)$/.test(type)) return undefined
  return { type: 'base64', media_type: type as WireImageType, data }
}

function documentSource(data: string, mimeType: string | undefined, isText: boolean): WireDocumentSource | undefined {
  const type = typeOf(data, mimeType)
  if (/^application\/pdf\b/.test(type))
    return isText ? undefined : { type: 'base64', media_type: 'application/pdf', data }
  const text = !type.startsWith('text/') ? undefined : isText ? data : textOfBase64(data)
  return text === undefined ? undefined : { type: 'text', media_type: 'text/plain', data: text }
}

/** The type of a file, in lower case: as it is given, or as its first characters show it. */
function typeOf(data: string, mimeType: string | undefined): string {
  return mimeType?.toLowerCase() ?? lookup(typesByStart, data.slice(0, 4)) ?? ''
}
