/** A block from a data URL, by its MIME type. @see https://www.rfc-editor.org/rfc/rfc2397 @module */
import { DecodeError } from '../core/errors.ts'
import { type DataUrl, readDataUrl } from '../core/media.ts'
import type { ContentBlock } from '../core/messages.ts'

/** Where the bytes of a media block are: raw base64 and its type, or the URL. */
export type MediaSource = { readonly data: string; readonly mimeType: string } | { readonly url: string }

/**
 * The block that a data URL is: an image, sound, a video, text, or a file. `undefined` if it is not a data URL.
 *
 * @throws {DecodeError} if its base64 is not valid.
 */
export function blockOfDataUrl(url: string, path = ''): ContentBlock | undefined {
  const read = readDataUrl(url)
  if (read === undefined) return undefined
  const { mimeType } = read
  switch (/^[^/;]*/.exec(mimeType.toLowerCase())?.[0]) {
    case 'image':
      return { type: 'image', ...mediaOf(read, path) }
    case 'audio':
      return { type: 'audio', ...mediaOf(read, path) }
    case 'video':
      return { type: 'video', ...mediaOf(read, path) }
    case 'application':
      return { type: 'file', ...mediaOf(read, path) }
    case 'text':
      return textBlock(textIn(read, path), mimeType)
    default:
      return { type: 'unknown', format: '', providerType: 'data_url', value: { ...mediaOf(read, path) } }
  }
}

/**
 * Where the bytes of a URL are: in itself, if it is a data URL.
 *
 * @throws {DecodeError} if its base64 is not valid.
 */
export function sourceOf(url: string, path = ''): MediaSource {
  const read = readDataUrl(url)
  return read === undefined ? { url } : mediaOf(read, path)
}

function textBlock(text: string, mimeType: string): ContentBlock {
  const isPlain = /^text\/plain(;|$)/i.test(mimeType)
  return isPlain ? { type: 'text', text } : { type: 'plain_text', text, mimeType }
}

function mediaOf({ data, mimeType, base64 }: DataUrl, path: string): { data: string; mimeType: string } {
  if (!base64) return { data: textToBase64(data), mimeType }
  return { data: checkBase64(data, path), mimeType }
}

function textIn({ data, base64 }: DataUrl, path: string): string {
  if (!base64) return data
  const bytes = Uint8Array.from(atob(checkBase64(data, path)), (char) => char.charCodeAt(0))
  return new TextDecoder().decode(bytes)
}

/** Standard base64 of whatever base64 this is: white space, the URL alphabet and percent signs are allowed in a URL. */
function checkBase64(data: string, path: string): string {
  const clean = data
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\s+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(clean) && clean.replace(/=+$/, '').length % 4 !== 1) return clean
  throw new DecodeError('Cannot read data URL: it is not base64', { path })
}

function textToBase64(text: string): string {
  let binary = ''
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte)
  return btoa(binary)
}
