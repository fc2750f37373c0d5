/**
 * OpenAI Chat Completions: decodes the content of requests and of other hosts' answers. `read-part.ts` decodes the answers of OpenAI.
 *
 * @module
 */
import { DecodeError } from '../../core/errors.ts'
import { compact, field, isObject, textOr } from '../../core/lookup.ts'
import type { Content, ContentBlock, JsonObject, Metadata } from '../../core/model.ts'
import { mediaOf, readPart, unread } from './read-part.ts'
import { format } from './tables.ts'

/** Decodes content. A string stays a string. @throws {DecodeError} if the value is not a string or an array of objects. */
export function decodeContent(value: unknown, path: string): Content {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return []
  if (!Array.isArray(value))
    throw new DecodeError(`Cannot decode ${format} request: "${path}" is not content`, { path })
  return value.map((part, at): ContentBlock => {
    if (typeof part === 'string') return { type: 'text', text: part }
    if (isObject(part)) return decodePart(part)
    const place = `${path}[${at}]`
    throw new DecodeError(`Cannot decode ${format} request: "${place}" is not an object`, { path: place })
  })
}

/** Decodes a part of any host. A cache mark becomes a cache hint. A part of an unknown type is kept unchanged, with its mark. */
export function decodePart(part: JsonObject): ContentBlock {
  const name = Object.hasOwn(part, 'prompt_cache_breakpoint') ? 'prompt_cache_breakpoint' : 'cache_control'
  const { [name]: mark, ...unmarked } = part
  const cacheHint = readCacheMark(mark)
  if (cacheHint === undefined) return decodeMedia(part) ?? readPart(part)
  const block = decodeMedia(unmarked) ?? readPart(unmarked)
  return block.type === 'unknown' ? { ...block, value: part } : { ...block, metadata: { cacheHint } }
}

/** Decodes media that only requests have. Mistral sends a string where OpenAI sends an object. */
function decodeMedia(part: JsonObject): ContentBlock | undefined {
  const type = textOr(field(part, 'type'), '')
  const body = field(part, type)
  switch (type) {
    case 'input_audio': {
      const data = textOr(body, textOr(field(body, 'data'), undefined))
      const word = textOr(field(body, 'format'), 'wav')
      const mimeType = word === 'mp3' ? 'audio/mpeg' : `audio/${word}`
      return data === undefined
        ? undefined
        : { type: 'audio', data, mimeType, ...unread(part, type, ['data', 'format']) }
    }
    case 'file': {
      const fileData = textOr(field(body, 'file_data'), undefined)
      const fileId = textOr(field(body, 'file_id'), undefined)
      const filename = textOr(field(body, 'filename'), undefined)
      // Base64 without a data URL has no media type, so it is kept unchanged.
      const isBare = fileData !== undefined && !/^[a-z]+:/i.test(fileData)
      if (isBare || (fileData === undefined && fileId === undefined)) return undefined
      const others = unread(part, type, ['file_data', 'file_id', 'filename'])
      return { type, ...(fileData && mediaOf(fileData)), ...compact({ fileId, filename }), ...others }
    }
    case 'document_url':
      return typeof body === 'string' ? { type: 'file', ...mediaOf(body), ...unread(part, type) } : undefined
    case 'video_url': {
      const url = textOr(field(body, 'url'), undefined)
      return url === undefined ? undefined : { type: 'video', url, ...unread(part, type, ['url']) }
    }
    default:
      return undefined
  }
}

function readCacheMark(mark: unknown): Metadata['cacheHint'] {
  if (!isObject(mark)) return undefined
  const ttl = field(mark, 'ttl')
  return ttl === '5m' || ttl === '30m' || ttl === '1h' || ttl === '12h' ? { ttl } : 'ephemeral'
}
