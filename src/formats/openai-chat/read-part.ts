/**
 * OpenAI Chat Completions: decodes a content part of an answer to a block.
 *
 * @module
 */
import { compact, field, objectIn, otherFields, textOr } from '../../core/lookup.ts'
import { readDataUrl } from '../../core/media.ts'
import type { ContentBlock, JsonObject, ProviderData } from '../../core/model.ts'
import { format } from './tables.ts'

const details = ['auto', 'low', 'high', 'original'] as const

/** Decodes a part. A part of an unknown type is kept unchanged. */
export function readPart(part: JsonObject): ContentBlock {
  const type = textOr(field(part, 'type'), '')
  const body = field(part, type)
  if (typeof body === 'string' && (type === 'text' || type === 'refusal')) {
    return { type: 'text', text: body, ...compact({ refusal: type === 'refusal' || undefined }), ...unread(part, type) }
  }
  // OpenAI sends an object with the URL. Mistral sends only the URL.
  const url = textOr(body, textOr(field(body, 'url'), undefined))
  if (type !== 'image_url' || url === undefined) return { type: 'unknown', format, providerType: type, value: part }
  const detail = field(body, 'detail')
  const known = details.find((one) => one === detail)
  const read = known ? ['url', 'detail'] : ['url']
  return { type: 'image', ...mediaOf(url), ...compact({ detail: known }), ...unread(part, type, read) }
}

/** Returns the data and media type of a base64 data URL. Returns any other URL unchanged. */
export function mediaOf(url: string): { url: string } | { data: string; mimeType: string } {
  const read = readDataUrl(url)
  return read?.base64 ? { data: read.data, mimeType: read.mimeType } : { url }
}

/** Returns the unread fields of a part and of its body, which are stored with the block. */
export function unread(part: JsonObject, type: string, read: readonly string[] = []): { providerData?: ProviderData } {
  const inBody = otherFields(objectIn(part, type), new Set(read))
  const others = { ...otherFields(part, new Set(['type', type])), ...(inBody && { [type]: inBody }) }
  return Object.keys(others).length > 0 ? { providerData: { [format]: others } } : {}
}
