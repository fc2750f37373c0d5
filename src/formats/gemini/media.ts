/**
 * Gemini: media, as data or as the address of a file, both ways.
 *
 * @see https://ai.google.dev/api/caching#Blob (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/file-input-methods (read 2026-11)
 *
 * @module
 */

import { compact, field, stringOr } from '../../core/lookup.ts'
import { readDataUrl } from '../../core/media.ts'
import type { AudioBlock, ContentBlock, FileBlock, ImageBlock, Json, JsonObject, VideoBlock } from '../../core/model.ts'
import { lose } from '../../kit/losses.ts'
import * as lackReasons from '../../kit/reasons.ts'
import { kept, type Origin, proofOf, type Scope, signatureOf } from './part.ts'
import { knownFields, reasons } from './tables.ts'
import type { WirePart } from './wire.ts'

/** A block of media. */
export type Media = ImageBlock | AudioBlock | VideoBlock | FileBlock

// ---- decode -----------------------------------------------------------------------------------

/** Reads `inlineData`; `undefined` if it holds no data. */
export function readBlob(part: JsonObject, blob: JsonObject, origin: Origin): ContentBlock | undefined {
  return readMedia(part, 'inlineData', blob, { data: field(blob, 'data') }, origin)
}

/** Reads `fileData`; `undefined` if it names no file. */
export function readFile(part: JsonObject, file: JsonObject, origin: Origin): ContentBlock | undefined {
  return readMedia(part, 'fileData', file, place(field(file, 'fileUri')), origin)
}

function readMedia(
  part: JsonObject,
  name: 'inlineData' | 'fileData',
  wire: JsonObject,
  source: { readonly [field: string]: Json | undefined },
  origin: Origin,
): ContentBlock | undefined {
  const mimeType = stringOr(field(wire, 'mimeType'), undefined)
  if (!Object.values(source).every((value) => typeof value === 'string')) return undefined
  const type = mediaType(mimeType)
  // Of media only images have a slot for a proof.
  const opaque = type === 'image' ? proofOf(part, origin) : undefined
  const providerData = kept(part, name, knownFields[name], opaque !== undefined)
  return { type, ...source, ...compact({ mimeType, opaque, providerData }) } as Media
}

/** By the first half of a MIME type; what is neither seen nor heard is a file. */
function mediaType(mimeType: string | undefined): Media['type'] {
  const kind = mimeType?.split('/')[0]
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file'
}

/** A file in Google's own storage, or an address that anybody may read. */
function place(uri: Json | undefined): { readonly [field: string]: Json | undefined } {
  return isStored(uri) ? { fileId: uri } : { url: uri }
}

function isStored(uri: Json | undefined): uri is string {
  return typeof uri === 'string' && /^(?:gs:\/\/|files\/|https:\/\/generativelanguage\.googleapis\.com\/)/.test(uri)
}

// ---- encode -----------------------------------------------------------------------------------

/** A part with the data, else with the address. */
export function encodeMedia(block: Media, scope: Scope, path: string): WirePart | undefined {
  const ours = block.providerData?.gemini
  const common = { ...ours, ...(block.type === 'image' && signatureOf(block, scope, path)) }
  if (block.type === 'file' && block.filename !== undefined) {
    lose(scope.ledger, 'dropped', `${path}.filename`, lackReasons.filename, 'info')
  }
  const url = block.url === undefined ? undefined : readDataUrl(block.url)
  const data = block.data ?? (url?.base64 ? url.data : undefined)
  if (data !== undefined) {
    const mimeType = block.mimeType ?? url?.mimeType ?? guessType(block, scope, path)
    return { ...common, inlineData: { ...(field(ours, 'inlineData') as object), mimeType, data } }
  }
  const fileUri = addressOf(block, scope, path)
  if (fileUri === undefined) return undefined
  return {
    ...common,
    fileData: { ...(field(ours, 'fileData') as object), ...compact({ mimeType: block.mimeType }), fileUri },
  }
}

const usualTypes: Readonly<Record<Media['type'], string>> = {
  image: 'image/png',
  audio: 'audio/wav',
  video: 'video/mp4',
  file: 'application/pdf',
}

function guessType(block: Media, scope: Scope, path: string): string {
  lose(scope.ledger, 'invented', `${path}.mimeType`, reasons.mimeType)
  return usualTypes[block.type]
}

function addressOf(block: Media, scope: Scope, path: string): string | undefined {
  if (block.fileId !== undefined) {
    if (isStored(block.fileId)) return block.fileId
    lose(scope.ledger, 'dropped', path, reasons.storedElsewhere, 'major')
  } else if (block.url === undefined) {
    lose(scope.ledger, 'dropped', path, reasons.media, 'major')
  } else if (!isFetched(block)) {
    lose(scope.ledger, 'changed', `${path}.url`, reasons.address)
  }
  return block.url
}

/** Addresses that Gemini is known to read, or gave us itself. */
function isFetched(block: Media): boolean {
  const isVideoSite = /^https:\/\/(?:www\.)?(?:youtube\.com|youtu\.be)\//.test(block.url ?? '')
  return isVideoSite || isStored(block.url)
}
