/**
 * OpenAI Chat Completions: content in a form that requests and other hosts have. Answers of OpenAI itself are read by `read-part.ts`.
 *
 * @module
 */
import { DecodeError } from '../../core/errors.ts'
import { compact, field, isObject, textOr } from '../../core/lookup.ts'
import type { Content, ContentBlock, JsonObject, Metadata } from '../../core/model.ts'
import { mediaOf, readPart, unread } from './read-part.ts'
import { format } from './tables.ts'

/** A string stays a string. @throws {DecodeError} if it is neither that nor an array of objects. */
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

/** Reads a part of any host's. A cache mark becomes a hint, except on a part of an unknown type, which is kept whole. */
export function decodePart(part: JsonObject): ContentBlock {
  const name = Object.hasOwn(part, 'prompt_cache_breakpoint') ? 'prompt_cache_breakpoint' : 'cache_control'
  const { [name]: mark, ...unmarked } = part
  const cacheHint = readCacheMark(mark)
  if (cacheHint === undefined) return decodeMedia(part) ?? readPart(part)
  const block = decodeMedia(unmarked) ?? readPart(unmarked)
  return block.type === 'unknown' ? { ...block, value: part } : { ...block, metadata: { cacheHint } }
}

/** Reads the media that only requests have. Mistral has a bare string where OpenAI has an object. */
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
      // Bare base64 has no type, so it goes back unchanged.
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
