/**
 * Gemini: encodes and decodes media, as base64 data or as the URI of a file.
 *
 * @see https://ai.google.dev/api/caching#Blob (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/file-input-methods (read 2026-11)
 *
 * @module
 */

import { stringOr } from '../../core/lookup.ts'
import { readDataUrl } from '../../core/media.ts'
import type { Json } from '../../core/model.ts'
import { addressOf, guessType, type Media, place } from '../../kit/google-files.ts'
import { partWith, type Reader, type Scope } from './part.ts'
import type { WirePart } from './wire.ts'

/** Reads `inlineData`. Returns `undefined` if it does not contain data. */
export const readBlob: Reader = ({ mimeType, data, ...rest }) =>
  typeof data === 'string' ? { ...typesOf(mimeType), data, rest } : undefined

/** Reads `fileData`. Returns `undefined` if it does not contain a URI. */
export const readFile: Reader = ({ mimeType, fileUri, ...rest }) =>
  typeof fileUri === 'string' ? { ...typesOf(mimeType), ...place(fileUri), rest } : undefined

/** The type of the block for a MIME type: image, audio or video by its first half, otherwise file. */
function typesOf(given: Json | undefined) {
  const mimeType = stringOr(given, undefined)
  return { type: /^(?:image|audio|video)(?=\/)/.exec(mimeType ?? '')?.[0] ?? 'file', mimeType }
}

/** Writes a part with the data of a block, otherwise with its URI. Returns `undefined` if it has neither. */
export function encodeMedia(block: Media, { losses }: Scope, path: string): WirePart | undefined {
  const url = block.url === undefined ? undefined : readDataUrl(block.url)
  const data = block.data ?? (url?.base64 ? url.data : undefined)
  if (data !== undefined) {
    const mimeType = block.mimeType ?? url?.mimeType ?? guessType(block, losses, path)
    return partWith('inlineData', { mimeType, data }, block)
  }
  const fileUri = addressOf(block, losses, path, 'minor')
  return fileUri === undefined ? undefined : partWith('fileData', { mimeType: block.mimeType, fileUri }, block)
}
