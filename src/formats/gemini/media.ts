/**
 * Gemini: encodes and decodes media, as base64 data or as the URI of a file.
 *
 * @see https://ai.google.dev/api/caching#Blob (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/file-input-methods (read 2026-11)
 *
 * @module
 */

import { compact, field, stringOr } from '../../core/lookup.ts'
import { readDataUrl } from '../../core/media.ts'
import type { ContentBlock, Json, JsonObject } from '../../core/model.ts'
import { addressOf, guessType, type Media, place } from '../../kit/google-files.ts'
import { reportLoss } from '../../kit/losses.ts'
import * as lackReasons from '../../kit/reasons.ts'
import { kept, type Origin, proofOf, type Scope, signatureOf } from './part.ts'
import { knownFields } from './tables.ts'
import type { WirePart } from './wire.ts'

// ---- decode -----------------------------------------------------------------------------------

/** Reads `inlineData`. Returns `undefined` if it does not contain data. */
export function readBlob(part: JsonObject, blob: JsonObject, origin: Origin): ContentBlock | undefined {
  return readMedia(part, 'inlineData', blob, { data: field(blob, 'data') }, origin)
}

/** Reads `fileData`. Returns `undefined` if it does not contain a URI. */
export function readFile(part: JsonObject, file: JsonObject, origin: Origin): ContentBlock | undefined {
  return readMedia(part, 'fileData', file, placeOf(field(file, 'fileUri')), origin)
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
  // Image blocks are the only media blocks with a field for a proof.
  const opaque = type === 'image' ? proofOf(part, origin) : undefined
  const providerData = kept(part, name, knownFields[name], opaque !== undefined)
  return { type, ...source, ...compact({ mimeType, opaque, providerData }) } as Media
}

/** Returns the type of block for a MIME type: image, audio or video by its first half, otherwise file. */
function mediaType(mimeType: string | undefined): Media['type'] {
  const kind = mimeType?.split('/')[0]
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file'
}

/** Returns the fields for the place of a file. Their value is not a string if the wire has no URI. */
function placeOf(uri: Json | undefined): { readonly [field: string]: Json | undefined } {
  return typeof uri === 'string' ? place(uri) : { url: uri }
}

// ---- encode -----------------------------------------------------------------------------------

/** Writes a part with the data of a block, otherwise with its URI. Returns `undefined` if it has neither. */
export function encodeMedia(block: Media, scope: Scope, path: string): WirePart | undefined {
  const ours = block.providerData?.gemini
  const common = { ...ours, ...(block.type === 'image' && signatureOf(block, scope, path)) }
  if (block.type === 'file' && block.filename !== undefined) {
    reportLoss(scope.losses, 'dropped', `${path}.filename`, lackReasons.filename, 'info')
  }
  const url = block.url === undefined ? undefined : readDataUrl(block.url)
  const data = block.data ?? (url?.base64 ? url.data : undefined)
  if (data !== undefined) {
    const mimeType = block.mimeType ?? url?.mimeType ?? guessType(block, scope.losses, path)
    return { ...common, inlineData: { ...(field(ours, 'inlineData') as object), mimeType, data } }
  }
  const fileUri = addressOf(block, scope.losses, path, 'minor')
  if (fileUri === undefined) return undefined
  return {
    ...common,
    fileData: { ...(field(ours, 'fileData') as object), ...compact({ mimeType: block.mimeType }), fileUri },
  }
}
