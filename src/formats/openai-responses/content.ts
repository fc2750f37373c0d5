/**
 * OpenAI Responses: the parts of input messages, and the annotations (citations) of an answer's text.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 *
 * @module
 */

import { arrayOf, compact, field, isObject, lookup, numberOr, otherFields, stringOr } from '../../core/lookup.ts'
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
import { cacheBreakpoint, format, readCacheTtl } from './tables.ts'
import type { WireInputFile, WireInputImage, WireInputPart, WireUrlCitation } from './wire.ts'

/** The target of encoded parts. */
export interface PartScope {
  readonly losses: Losses
  readonly dialect: ResponsesDialect
}

// ---- input parts: encoding --------------------------------------------------------------------

/** Encodes content. A string stays a string, and blocks become parts. */
export function encodeParts(content: Content, path: string, scope: PartScope): string | WireInputPart[] {
  if (typeof content === 'string') return content
  return content.flatMap((block, at) =>
    block.type === 'tool_result' ? [] : (encodePart(block, `${path}[${at}]`, scope) ?? []),
  )
}

/** Encodes a block as a part. If that is not possible, reports the loss and returns `undefined`. */
export function encodePart(block: ContentBlock, path: string, scope: PartScope): WireInputPart | undefined {
  const part = encodeKnownPart(block, path, scope)
  if (part === undefined) return undefined
  const hint = block.metadata?.cacheHint
  if (hint === undefined) return { ...keptFields(block), ...part }
  const breakpoint = cacheBreakpoint(hint)
  if (hint !== 'ephemeral' && breakpoint.ttl === undefined) reportTtl(scope.losses, path, 'its own time')
  return { ...keptFields(block), ...part, prompt_cache_breakpoint: breakpoint }
}

function encodeKnownPart(block: ContentBlock, path: string, { losses }: PartScope): WireInputPart | undefined {
  switch (block.type) {
    case 'text':
      return { type: 'input_text', text: block.text }
    case 'plain_text':
      return { type: 'input_text', text: block.text }
    case 'image':
      return encodeImage(block, path, losses)
    case 'file':
      return encodeFile(block, path, losses)
    case 'unknown':
      return encodeUnknownPart(block, path, losses)
    default:
      reportLoss(losses, 'dropped', path, `a block of type "${block.type}" cannot be input here`, 'major')
      return undefined
  }
}

function encodeImage(block: ImageBlock, path: string, losses: Losses): WireInputImage | undefined {
  const source = block.data === undefined ? block.url : toDataUrl(block.mimeType ?? 'image/png', block.data)
  if (source === undefined && block.fileId === undefined) {
    reportLoss(losses, 'dropped', path, 'the image has neither data nor an address', 'major')
    return undefined
  }
  return {
    type: 'input_image',
    detail: block.detail ?? (stringOr(keptFields(block).detail, 'auto') as WireInputImage['detail']),
    ...(source === undefined ? { file_id: block.fileId as string } : { image_url: source }),
  }
}

function encodeFile(block: FileBlock, path: string, losses: Losses): WireInputFile | undefined {
  const name = block.filename === undefined ? {} : { filename: block.filename }
  if (block.data !== undefined) {
    const mimeType = block.mimeType ?? 'application/octet-stream'
    return { type: 'input_file', file_data: toDataUrl(mimeType, block.data), filename: 'file', ...name }
  }
  if (block.fileId !== undefined) return { type: 'input_file', file_id: block.fileId, ...name }
  if (block.url !== undefined) return { type: 'input_file', file_url: block.url, ...name }
  reportLoss(losses, 'dropped', path, 'the file has neither data nor an address', 'major')
  return undefined
}

function encodeUnknownPart(block: UnknownBlock, path: string, losses: Losses): WireInputPart | undefined {
  if (block.format === format && isObject(block.value)) return verbatim(block.value)
  reportLoss(losses, 'dropped', path, reasons.foreignBlock)
  return undefined
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
  return block.providerData && Object.hasOwn(block.providerData, format) ? (block.providerData[format] ?? {}) : {}
}

/** Returns `providerData` that keeps fields with a block, or an empty object if there are no fields. */
export function keeping(fields: JsonObject | undefined): { providerData?: ProviderData } {
  return fields === undefined || Object.keys(fields).length === 0 ? {} : { providerData: { [format]: fields } }
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
  const ttl = readCacheTtl(field(breakpoint, 'ttl'))
  const isKnown =
    field(breakpoint, 'mode') === 'explicit' && (ttl !== undefined || field(breakpoint, 'ttl') === undefined)
  if (!isKnown) return keeping({ ...rest, prompt_cache_breakpoint: breakpoint })
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

const knownOfAnnotation = new Set(['url', 'title', 'start_index', 'end_index'])

/** Decodes an annotation of any type. Its type and its unknown fields are kept. They also mark the citation as one from this wire. */
export function readAnnotation(annotation: Json): CitationBlock {
  const rest = isObject(annotation) ? otherFields(annotation, knownOfAnnotation) : undefined
  return {
    type: 'citation',
    ...compact({
      url: stringOr(field(annotation, 'url'), undefined),
      title: stringOr(field(annotation, 'title'), undefined),
      startIndex: numberOr(field(annotation, 'start_index'), undefined),
      endIndex: numberOr(field(annotation, 'end_index'), undefined),
    }),
    providerData: { [format]: rest ?? {} },
  }
}

/** Encodes a citation. A citation from another wire becomes a `url_citation`. It requires all its fields, so missing ones get defaults. */
export function writeAnnotation(citation: CitationBlock, text: string): WireUrlCitation {
  const own = citation.providerData?.[format]
  const given = compact({
    url: citation.url,
    title: citation.title,
    start_index: citation.startIndex,
    end_index: citation.endIndex,
  })
  if (own !== undefined) return { ...own, ...given } as unknown as WireUrlCitation
  return { type: 'url_citation', url: '', title: '', start_index: 0, end_index: text.length, ...given }
}
