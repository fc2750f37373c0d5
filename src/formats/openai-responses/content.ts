/**
 * OpenAI Responses: the parts of input messages, and the annotations (citations) of an answer's text.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 *
 * @module
 */

import { blocksOf } from '../../core/content.ts'
import {
  arrayOf,
  compact,
  field,
  isObject,
  lookup,
  numberOr,
  objectIn,
  otherFields,
  stringOr,
  unlessEmpty,
} from '../../core/lookup.ts'
import { readDataUrl, toDataUrl } from '../../core/media.ts'
import type {
  CitationBlock,
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
import { type Losses, reportLoss, reportTtl } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import type { ResponsesDialect } from './dialect.ts'
import { format, isCacheTtl } from './tables.ts'
import type { WireInputImage, WireInputPart } from './wire.ts'

/** The target of encoded parts. */
export interface PartScope {
  readonly losses: Losses
  readonly dialect: ResponsesDialect
}

// ---- input parts: encoding --------------------------------------------------------------------

/** Encodes content. A string stays a string, and blocks become parts. Only parts have cache hints: that of a message goes to its last part. */
export function encodeParts(
  content: Content,
  path: string,
  { losses }: PartScope,
  messageHint?: Metadata['cacheHint'],
): string | WireInputPart[] {
  if (typeof content === 'string' && messageHint === undefined) return content
  const blocks = blocksOf(content)
  return blocks.flatMap((block, at) => {
    const part = encodePart(block, `${path}[${at}]`, losses)
    if (part === undefined) return []
    const hint = (at === blocks.length - 1 ? messageHint : undefined) ?? block.metadata?.cacheHint
    if (hint === undefined) return { ...keptFields(block), ...part }
    const asked = hint === 'ephemeral' ? undefined : hint.ttl
    const ttl = isCacheTtl(asked) ? asked : undefined
    if (ttl !== asked) reportTtl(losses, `${path}[${at}]`, 'its own time')
    return { ...keptFields(block), ...part, prompt_cache_breakpoint: compact({ mode: 'explicit', ttl }) }
  })
}

/** Encodes a block as a part. If that is not possible, reports the loss and returns `undefined`. */
function encodePart(block: ContentBlock, path: string, losses: Losses): WireInputPart | undefined {
  switch (block.type) {
    case 'text':
    case 'plain_text':
      return { type: 'input_text', text: block.text }
    case 'image':
    case 'file': {
      const part = encodeMedia(block)
      if (part !== undefined) return part
      reportLoss(losses, 'dropped', path, `the ${block.type} has neither data nor an address`, 'major')
      return undefined
    }
    case 'unknown':
      if (block.format === format && isObject(block.value)) return verbatim(block.value)
      reportLoss(losses, 'dropped', path, reasons.foreignBlock)
      return undefined
    default:
      reportLoss(losses, 'dropped', path, `a block of type "${block.type}" cannot be input here`, 'major')
      return undefined
  }
}

function encodeMedia(block: ImageBlock | FileBlock): WireInputPart | undefined {
  const { type, data, mimeType = type === 'image' ? 'image/png' : 'application/octet-stream', fileId: file_id } = block
  const url = data === undefined ? block.url : toDataUrl(mimeType, data)
  if (url === undefined && file_id === undefined) return undefined
  if (type === 'image') {
    const detail = block.detail ?? (stringOr(keptFields(block).detail, 'auto') as WireInputImage['detail'])
    return { type: 'input_image', detail, ...compact(url === undefined ? { file_id } : { image_url: url }) }
  }
  const { filename = data === undefined ? undefined : 'file' } = block
  const source = url === undefined ? { file_id } : data === undefined ? { file_url: url } : { file_data: url }
  return { type: 'input_file', ...compact({ ...source, filename }) }
}

/**
 * Returns a value unchanged, with another type. Used for values of this format that are sent back unchanged, and for a model's messages:
 * the official types require their `id` and `status`, but the server does not. TypeScript checks everything else that is sent.
 */
export function verbatim<T>(value: Json | object): T {
  return value as T
}

/** Returns the fields of this wire that the decoder kept with a block. */
export function keptFields(block: { readonly providerData?: ProviderData }): JsonObject {
  return objectIn(block.providerData, format)
}

/** Returns `providerData` that keeps fields with a block, or an empty object if there are no fields. */
export function keeping(fields: JsonObject | undefined): { providerData?: ProviderData } {
  return fields && unlessEmpty(fields) ? { providerData: { [format]: fields } } : {}
}

// ---- input parts: decoding --------------------------------------------------------------------

/** Decodes the content of an input message. */
export function decodeParts(content: unknown): Content {
  if (typeof content === 'string') return content
  return arrayOf(content).map(decodePart)
}

type PartReader = (part: JsonObject) => ContentBlock | undefined

const partReaders: Readonly<Record<string, PartReader>> = {
  input_text: (part) => readText(part),
  output_text: (part) => readText(part),
  text: (part) => readText(part),
  input_image: readImage,
  input_file: readFile,
}

function decodePart(part: Json): ContentBlock {
  const type = field(part, 'type')
  const read = isObject(part) ? lookup(partReaders, type)?.(part) : undefined
  return read ?? unknownBlock(part)
}

/** Makes a block that holds a value of an unknown type, unchanged. */
export function unknownBlock(value: Json, kept?: JsonObject): UnknownBlock {
  return { type: 'unknown', format, providerType: stringOr(field(value, 'type'), ''), value, ...keeping(kept) }
}

function readText(part: JsonObject): ContentBlock | undefined {
  const text = field(part, 'text')
  if (typeof text !== 'string') return undefined
  return { type: 'text', text, ...readExtras(part, knownOfText) }
}

const knownOfText = new Set(['type', 'text', 'prompt_cache_breakpoint'])
const knownOfImage = new Set(['type', 'detail', 'image_url', 'file_id', 'prompt_cache_breakpoint'])
/** For images with an unknown `detail`. The field is not in this set, so it is kept in `providerData`. */
const knownOfOddImage = new Set(['type', 'image_url', 'file_id', 'prompt_cache_breakpoint'])
const knownOfFile = new Set(['type', 'file_data', 'file_id', 'file_url', 'filename', 'prompt_cache_breakpoint'])

/** Reads the cache hint of a part, and keeps the unknown fields. */
function readExtras(
  part: JsonObject,
  known: ReadonlySet<string>,
): { metadata?: Metadata; providerData?: ProviderData } {
  const breakpoint = field(part, 'prompt_cache_breakpoint')
  const rest = otherFields(part, known)
  if (breakpoint === undefined) return keeping(rest)
  const ttl = field(breakpoint, 'ttl')
  if (field(breakpoint, 'mode') !== 'explicit' || (ttl !== undefined && !isCacheTtl(ttl)))
    return keeping({ ...rest, prompt_cache_breakpoint: breakpoint })
  return { metadata: { cacheHint: ttl === undefined ? 'ephemeral' : { ttl } }, ...keeping(rest) }
}

const details: Readonly<Record<string, NonNullable<ImageBlock['detail']>>> = {
  auto: 'auto',
  low: 'low',
  high: 'high',
  original: 'original',
}

function readImage(part: JsonObject): ContentBlock | undefined {
  const source = readSource(field(part, 'image_url'), 'url') ?? readFileId(part)
  if (source === undefined) return undefined
  const detail = lookup(details, field(part, 'detail'))
  const known = detail === undefined ? knownOfOddImage : knownOfImage
  return { type: 'image', ...source, ...compact({ detail }), ...readExtras(part, known) }
}

function readFile(part: JsonObject): ContentBlock | undefined {
  const source =
    readSource(field(part, 'file_data'), 'data') ?? readFileId(part) ?? readSource(field(part, 'file_url'), 'url')
  if (source === undefined) return undefined
  const filename = stringOr(field(part, 'filename'), undefined)
  return { type: 'file', ...source, ...compact({ filename }), ...readExtras(part, knownOfFile) }
}

/** Reads the source of an image or a file. Base64 in a data URL becomes `data`. Other text becomes `url`, if it can be a URL. */
function readSource(value: unknown, otherwise: 'url' | 'data'): Partial<FileBlock> | undefined {
  if (typeof value !== 'string') return undefined
  const inline = readDataUrl(value)
  if (inline?.base64) return { data: inline.data, mimeType: inline.mimeType }
  return otherwise === 'url' || inline !== undefined ? { url: value } : undefined
}

function readFileId(part: JsonObject): Partial<FileBlock> | undefined {
  const fileId = stringOr(field(part, 'file_id'), undefined)
  return fileId === undefined ? undefined : { fileId }
}

// ---- annotations ------------------------------------------------------------------------------

/** Decodes an annotation of any type. Its type and its unknown fields are kept. They also mark the citation as one from this wire. */
export function readAnnotation(annotation: Json): CitationBlock {
  const { url, title, start_index, end_index, ...rest } = isObject(annotation) ? annotation : {}
  const fields = {
    url: stringOr(url, undefined),
    title: stringOr(title, undefined),
    startIndex: numberOr(start_index, undefined),
    endIndex: numberOr(end_index, undefined),
  }
  return { type: 'citation', ...compact(fields), providerData: { [format]: rest } }
}

/** Encodes a citation that came from this wire. */
export function writeAnnotation({ url, title, startIndex, endIndex, providerData }: CitationBlock): JsonObject {
  return { ...providerData?.[format], ...compact({ url, title, start_index: startIndex, end_index: endIndex }) }
}
