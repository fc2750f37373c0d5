/**
 * OpenAI Chat Completions: decodes a content part of an answer to a block.
 *
 * @module
 */
import { compact, field, isObject, objectIn, otherFields, textOr, unlessEmpty } from '../../core/lookup.ts'
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
  const detail = details.find((one) => one === field(body, 'detail'))
  const read = ['url', ...(detail ? ['detail'] : [])]
  return { type: 'image', ...mediaOf(url), ...compact({ detail }), ...unread(part, type, read) }
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
  return compact({ providerData: ownData(unlessEmpty(others)) })
}

/** Returns fields of this format in the form in which they are stored. */
export function ownData(fields: JsonObject | undefined): ProviderData | undefined {
  return fields && { [format]: fields }
}

/** Whether a value has fields that are not empty. Snowflake sends every field of an answer, and gives empty values to the unused ones. */
export function isFilled(value: unknown): value is JsonObject {
  return isObject(value) && !Object.values(value).every((one) => one === '' || one === 0 || one === null)
}
