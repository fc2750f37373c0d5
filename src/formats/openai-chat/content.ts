/**
 * OpenAI Chat Completions: content parts and our blocks.
 *
 * @module
 */
import { DecodeError } from '../../core/errors.ts'
import { compact, field, isObject, lookup, objectIn, otherFields, stringOr, textOr } from '../../core/lookup.ts'
import { readDataUrl, toDataUrl } from '../../core/media.ts'
import type {
  AudioBlock,
  Content,
  ContentBlock,
  FileBlock,
  ImageBlock,
  Json,
  JsonObject,
  Metadata,
  ProviderData,
  UnknownBlock,
} from '../../core/model.ts'
import { lose, loseTtl } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import type { Encoding, ReasoningTurn } from './dialect.ts'
import { format } from './tables.ts'
import type { DialectPart, DialectToolChoice, WireAnyPart, WirePart, WireTextPart } from './wire.ts'

/** Fields of this wire that a block or message keeps. */
export function kept(thing: { readonly providerData?: ProviderData }): JsonObject | undefined {
  const data = thing.providerData
  return data !== undefined && Object.hasOwn(data, format) ? data[format] : undefined
}

// ---- to the wire ------------------------------------------------------------------------------

/** What a user may say. */
export function encodeUserParts(blocks: readonly ContentBlock[], path: string, to: Encoding): WirePart[] {
  return blocks.flatMap((block, at) => {
    const part = block.type === 'tool_result' ? undefined : encodePart(block, `${path}[${at}]`, to)
    return part === undefined ? [] : [part]
  })
}

/** Where the wire takes text alone. */
export function encodeTextParts(blocks: readonly ContentBlock[], path: string, to: Encoding): WireTextPart[] {
  return blocks.flatMap((block, at) => {
    const part = encodeTextPart(block, `${path}[${at}]`, to)
    return part === undefined ? [] : [part]
  })
}

/** `undefined` for what is not text, with a loss. */
export function encodeTextPart(block: ContentBlock, path: string, to: Encoding): WireTextPart | undefined {
  if (block.type === 'unknown') return encodeUnknown(block, path, to)
  if (block.type === 'text' || block.type === 'plain_text') {
    return { ...kept(block), type: 'text', text: block.text, ...cacheMark(block.metadata, path, to) }
  }
  loseBlock(block, path, to, 'only text may stand here')
  return undefined
}

/**
 * Parts as content: one string where that says the same, and the host does not insist on more. `glue` stands between texts: in an
 * answer nothing does, since there they are pieces of one.
 */
export function toContent<Part extends WireAnyPart>(
  parts: readonly Part[],
  to: Encoding,
  isString: boolean,
  glue = '\n',
): string | Part[] {
  const isPlain = parts.every((part) => part.type === 'text' && Object.keys(part).length === 2)
  const joins = isString || parts.length === 0 || to.dialect.textParts !== true
  return isPlain && joins ? parts.map((part) => (part.type === 'text' ? part.text : '')).join(glue) : [...parts]
}

function encodePart(block: ContentBlock, path: string, to: Encoding): WirePart | undefined {
  if (block.type === 'unknown') return encodeUnknown(block, path, to)
  const part = encodeBare(block, path, to)
  if (part === undefined) return undefined
  return { ...kept(block), ...part, ...cacheMark(block.metadata, path, to) }
}

/** A part that came in this format goes back as it came. */
function encodeUnknown<Part extends WirePart>(block: UnknownBlock, path: string, to: Encoding): Part | undefined {
  if (block.format === format) return beyondTypes(block.value)
  loseBlock(block, path, to, reasons.foreignBlock)
  return undefined
}

/** What the official client's types do not know: parts of other hosts, and what a provider sent and we have no word for. */
export function beyondTypes<T>(value: DialectPart | DialectToolChoice | Json): T {
  return value as unknown as T
}

function encodeBare(block: ContentBlock, path: string, to: Encoding): WirePart | undefined {
  const { textOnly, inlineImages } = to.dialect
  switch (block.type) {
    case 'text':
    case 'plain_text':
      return { type: 'text', text: block.text }
    case 'image':
      if (!textOnly && !(inlineImages && block.data === undefined)) return encodeImage(block, path, to)
      break
    case 'audio':
      if (!textOnly && !inlineImages) return (to.dialect.encodeAudio ?? encodeAudio)(block, path, to)
      break
    case 'file':
      if (!textOnly && !inlineImages) return (to.dialect.encodeFile ?? encodeFile)(block, path, to)
      break
    case 'video':
      if (block.url !== undefined && to.dialect.mediaUrls?.has('video')) {
        return beyondTypes({ type: 'video_url', video_url: { url: block.url } })
      }
      break
  }
  const how = inlineImages && block.type === 'image' ? ' but as data' : ''
  loseBlock(block, path, to, `${to.dialect.title} takes no ${block.type} here${how}`)
  return undefined
}

/** Blocks whose loss takes nothing from what was said. */
const severities: Readonly<Record<string, 'info' | 'minor'>> = {
  citation: 'minor',
  reasoning: 'minor',
  tool_call_chunk: 'minor',
  server_tool_call_chunk: 'minor',
  server_tool_call: 'minor',
  server_tool_result: 'minor',
  unknown: 'minor',
}

export function loseBlock(block: ContentBlock, path: string, to: Pick<Encoding, 'ledger'>, reason: string): void {
  lose(to.ledger, 'dropped', path, reason, lookup(severities, block.type) ?? 'major')
}

/** Notes reasoning that the host does not take back. */
export function loseReasoning({ blocks, path }: ReasoningTurn, to: Pick<Encoding, 'ledger'>): void {
  for (const [at, block] of blocks.entries()) {
    if (block.type === 'reasoning') loseBlock(block, `${path}[${at}]`, to, reasons.reasoning)
  }
}

function encodeImage(block: ImageBlock, path: string, to: Encoding): WirePart | undefined {
  const url = block.data === undefined ? block.url : toDataUrl(block.mimeType ?? 'image/png', block.data)
  if (url !== undefined) {
    const { detail } = block
    const more = objectIn(kept(block), 'image_url')
    if (detail === 'original') return beyondTypes({ type: 'image_url', image_url: { ...more, url, detail } })
    return { type: 'image_url', image_url: { ...more, url, ...compact({ detail }) } }
  }
  loseBlock(block, path, to, 'an image is sent by URL or as data, and not by the id of a file')
  return undefined
}

/** By media type; `mpeg` is what an mp3 is registered as. */
const audioFormats: Readonly<Record<string, 'wav' | 'mp3'>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
}

export function encodeAudio(block: AudioBlock, path: string, to: Encoding): WirePart | undefined {
  const audioFormat = lookup(audioFormats, block.mimeType)
  if (block.data !== undefined && audioFormat !== undefined) {
    if (block.transcript !== undefined) lose(to.ledger, 'dropped', `${path}.transcript`, reasons.transcript, 'info')
    return { type: 'input_audio', input_audio: { data: block.data, format: audioFormat } }
  }
  loseBlock(block, path, to, 'audio is sent as data, wav or mp3')
  return undefined
}

function encodeFile(block: FileBlock, path: string, to: Encoding): WirePart | undefined {
  const { filename, mimeType = 'application/pdf' } = block
  if (block.fileId !== undefined) return { type: 'file', file: compact({ file_id: block.fileId, filename }) }
  if (block.data !== undefined) {
    const name = filename ?? (mimeType === 'application/pdf' ? 'document.pdf' : 'document')
    if (filename === undefined) lose(to.ledger, 'invented', `${path}.filename`, 'a file must have a name', 'info')
    return { type: 'file', file: { filename: name, file_data: toDataUrl(mimeType, block.data) } }
  }
  const isKnownUrl = block.url?.startsWith('data:') === true || to.dialect.mediaUrls?.has('file')
  if (block.url !== undefined && isKnownUrl) {
    return { type: 'file', file: compact({ filename, file_data: block.url }) }
  }
  loseBlock(block, path, to, 'a file is sent as data or by its id, and not by URL')
  return undefined
}

/** The mark of a prefix worth caching, in the host's own words. */
export function cacheMark(metadata: Metadata | undefined, path: string, to: Encoding): JsonObject {
  const hint = metadata?.cacheHint
  const { cacheField } = to.dialect
  if (hint === undefined || cacheField === undefined) return {}
  const isOpenai = cacheField === 'prompt_cache_breakpoint'
  const mark: JsonObject = isOpenai ? { mode: 'explicit' } : { type: 'ephemeral' }
  if (hint === 'ephemeral') return { [cacheField]: mark }
  const ttl = isOpenai ? (hint.ttl === '12h' ? '12h' : '30m') : hint.ttl === '5m' ? '5m' : '1h'
  if (ttl !== hint.ttl) loseTtl(to.ledger, path, ttl)
  return { [cacheField]: { ...mark, ttl } }
}

// ---- from the wire ----------------------------------------------------------------------------

/** A string stays a string. @throws {DecodeError} if it is neither that nor an array of objects. */
export function decodeContent(value: unknown, path: string): Content {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return []
  if (!Array.isArray(value))
    throw new DecodeError(`Cannot decode ${format} request: "${path}" is not content`, { path })
  return value.map((part, at) => decodePart(part, `${path}[${at}]`))
}

/** One part; one of an unknown type is kept whole. */
export function decodePart(part: unknown, path: string): ContentBlock {
  if (typeof part === 'string') return { type: 'text', text: part }
  if (!isObject(part)) throw new DecodeError(`Cannot decode ${format} request: "${path}" is not an object`, { path })
  return decodeKnown(part) ?? unknownPart(part)
}

export function unknownPart(part: JsonObject): UnknownBlock {
  return { type: 'unknown', format, providerType: stringOr(field(part, 'type'), ''), value: part }
}

function decodeKnown(part: JsonObject): ContentBlock | undefined {
  const type = field(part, 'type')
  const body = typeof type === 'string' ? field(part, type) : undefined
  switch (type) {
    case 'text':
      return typeof body === 'string' ? { type: 'text', text: body, ...rest(part, 'text') } : undefined
    case 'refusal':
      return typeof body === 'string'
        ? { type: 'text', text: body, refusal: true, ...rest(part, 'refusal') }
        : undefined
    case 'image_url':
      return decodeImage(part, body)
    case 'input_audio':
      return decodeAudio(part, body)
    case 'file':
      return decodeFile(part, body)
    case 'document_url':
      return typeof body === 'string' ? { type: 'file', ...media(body), ...rest(part, 'document_url') } : undefined
    case 'video_url': {
      const url = textOr(field(body, 'url'), undefined)
      return url === undefined ? undefined : { type: 'video', url, ...rest(part, 'video_url') }
    }
    default:
      return undefined
  }
}

/** An object, or, at Mistral, the bare URL. */
function decodeImage(part: JsonObject, body: Json | undefined): ImageBlock | undefined {
  const url = textOr(body, textOr(field(body, 'url'), undefined))
  if (url === undefined) return undefined
  const detail = field(body, 'detail')
  const known = detail === 'auto' || detail === 'low' || detail === 'high' || detail === 'original'
  const more = isObject(body) ? otherFields(body, new Set(known ? ['url', 'detail'] : ['url'])) : undefined
  return { type: 'image', ...media(url), ...(known && { detail }), ...rest(part, 'image_url', more) }
}

function decodeAudio(part: JsonObject, body: Json | undefined): AudioBlock | undefined {
  const data = textOr(body, textOr(field(body, 'data'), undefined))
  if (data === undefined) return undefined
  const word = textOr(field(body, 'format'), 'wav')
  return {
    type: 'audio',
    data,
    mimeType: word === 'mp3' ? 'audio/mpeg' : `audio/${word}`,
    ...rest(part, 'input_audio'),
  }
}

function decodeFile(part: JsonObject, body: Json | undefined): FileBlock | undefined {
  const fileData = textOr(field(body, 'file_data'), undefined)
  const fileId = textOr(field(body, 'file_id'), undefined)
  if (fileData === undefined && fileId === undefined) return undefined
  const filename = textOr(field(body, 'filename'), undefined)
  const source = fileData === undefined ? {} : media(fileData)
  return { type: 'file', ...source, ...compact({ fileId, filename }), ...rest(part, 'file') }
}

function media(url: string): { url: string } | { data: string; mimeType: string } {
  const read = readDataUrl(url)
  return read?.base64 ? { data: read.data, mimeType: read.mimeType } : { url }
}

/** What a part says beside its type and body: the cache mark, and what we have no word for. */
function rest(
  part: JsonObject,
  body: string,
  more?: JsonObject,
): { metadata?: Metadata; providerData?: { [format]: JsonObject } } {
  const mark = Object.hasOwn(part, 'prompt_cache_breakpoint') ? 'prompt_cache_breakpoint' : 'cache_control'
  const hint = readCacheMark(field(part, mark))
  const known = new Set(hint === undefined ? ['type', body] : ['type', body, mark])
  const others = otherFields(part, known)
  const data = more === undefined ? others : { ...others, [body]: more }
  return compact({ metadata: hint && { cacheHint: hint }, providerData: data && { [format]: data } })
}

function readCacheMark(mark: unknown): Metadata['cacheHint'] {
  if (!isObject(mark)) return undefined
  const ttl = field(mark, 'ttl')
  return ttl === '5m' || ttl === '30m' || ttl === '1h' || ttl === '12h' ? { ttl } : 'ephemeral'
}
