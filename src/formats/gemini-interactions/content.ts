/**
 * Gemini Interactions: encodes and decodes the contents of steps, and the citations of texts.
 *
 * @see https://ai.google.dev/api/interactions-api (read 2026-11)
 *
 * @module
 */
import {
  arrayOf,
  compact,
  field,
  isObject,
  lookup,
  numberOr,
  otherFields,
  stringOr,
  unlessEmpty,
} from '../../core/lookup.ts'
import { readDataUrl, textOfBase64 } from '../../core/media.ts'
import type {
  CitationBlock,
  ContentBlock,
  FileBlock,
  ImageBlock,
  Json,
  JsonObject,
  ProviderData,
  TextBlock,
} from '../../core/model.ts'
import { addressOf, guessType, type Media, place } from '../../kit/google-files.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { byteLength, follow, type Lengths, newLengths, unitsAt } from '../../kit/utf8.ts'
import { format } from './tables.ts'
import type { WireContent, WireMedia, WireUrlCitation } from './wire.ts'

/** Returns a value that was received in this format, to send it unchanged. Its type is not checked. */
export function verbatim<T>(value: Json | object): T {
  return value as T
}

/** Returns the fields of this format that were kept with a block, a message or a tool. */
export function keptFields(thing: { readonly providerData?: ProviderData }): JsonObject {
  return thing.providerData && Object.hasOwn(thing.providerData, format) ? (thing.providerData[format] ?? {}) : {}
}

/** Returns `providerData` with the fields to keep; an empty object if there are none. */
export function keeping(fields: JsonObject | undefined): { providerData?: ProviderData } {
  return fields === undefined || Object.keys(fields).length === 0 ? {} : { providerData: { [format]: fields } }
}

// ---- decoding ---------------------------------------------------------------------------------

/** Reads the contents of a step. The wire has a list, one object, or a string. */
export function contentsOf(value: unknown): readonly Json[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  return isObject(value) ? [value] : arrayOf(value)
}

const knownOfText = new Set(['type', 'text', 'annotations'])

/** Decodes one content. A content that isoglot does not know is kept unchanged. */
export function decodeContent(content: Json): ContentBlock {
  const text = field(content, 'text')
  if (isObject(content) && field(content, 'type') === 'text' && typeof text === 'string') {
    const lengths = newLengths()
    follow(lengths, text)
    const citations = readAnnotations(field(content, 'annotations'), lengths)
    const kept = keeping(otherFields(content, knownOfText))
    return { type: 'text', text, ...compact({ citations: unlessEmpty(citations) }), ...kept }
  }
  return readMedia(content) ?? unknownContent(content)
}

/** Keeps an unknown content as a block. Its `providerData` marks it as a content, because an unknown step becomes an `unknown` block too. */
export function unknownContent(value: Json): ContentBlock {
  const providerType = stringOr(field(value, 'type'), '')
  return { type: 'unknown', format, providerType, value, ...keeping({ content: true }) }
}

const mediaTypes: Readonly<Record<string, Media['type']>> = {
  image: 'image',
  audio: 'audio',
  video: 'video',
  document: 'file',
}
const details: Readonly<Record<string, NonNullable<ImageBlock['detail']>>> = { low: 'low', high: 'high' }

/** Reads media with data or a URI. Returns `undefined` for any other content. */
export function readMedia(content: Json): Media | undefined {
  const type = lookup(mediaTypes, field(content, 'type'))
  if (type === undefined || !isObject(content)) return undefined
  const { type: _, data, uri, mime_type: mimeType, ...rest } = content
  const source = typeof data === 'string' ? { data } : typeof uri === 'string' ? place(uri) : undefined
  if (source === undefined) return undefined
  const detail = type === 'image' ? lookup(details, rest.resolution) : undefined
  if (detail !== undefined) delete rest.resolution
  const common = compact({ mimeType: stringOr(mimeType, undefined), detail })
  return { type, ...source, ...common, ...keeping(rest) } as Media
}

const knownOfAnnotation = new Set(['url', 'title', 'start_index', 'end_index'])

/**
 * Reads annotations of any type as citations. `providerData` keeps their type and the fields that isoglot has no field for, and marks them as
 * citations of this format.
 */
export function readAnnotations(annotations: unknown, lengths: Lengths): CitationBlock[] {
  const unit = (byte: Json | undefined) =>
    typeof byte === 'number' && byte >= 0 && byte <= lengths.bytes ? unitsAt(lengths, byte) : undefined
  return arrayOf(annotations)
    .filter(isObject)
    .map((annotation) => {
      const end = unit(field(annotation, 'end_index'))
      const start = end === undefined ? undefined : unit(numberOr(field(annotation, 'start_index'), 0))
      return {
        type: 'citation',
        ...compact({
          url: stringOr(field(annotation, 'url'), undefined),
          title: stringOr(field(annotation, 'title'), undefined),
          startIndex: start,
          endIndex: start === undefined ? undefined : end,
        }),
        providerData: { [format]: otherFields(annotation, knownOfAnnotation) ?? {} },
      }
    })
}

// ---- encoding ---------------------------------------------------------------------------------

/** Encodes a block as a content. Returns `undefined`, and reports the loss, if the format has no such content. */
export function encodeContent(
  block: ContentBlock,
  path: string,
  losses: Losses,
  isAnswer = false,
): WireContent | undefined {
  switch (block.type) {
    case 'text':
      return {
        ...keptFields(block),
        type: 'text',
        text: block.text,
        ...annotationsOf(block, path, losses, isAnswer),
      }
    case 'plain_text':
      return { ...keptFields(block), type: 'text', text: block.text }
    case 'file':
      return encodeTextFile(block, path, losses) ?? encodeMedia(block, path, losses)
    case 'image':
    case 'audio':
    case 'video':
      return encodeMedia(block, path, losses)
    case 'unknown':
      if (block.format === format && isObject(block.value)) return verbatim(block.value)
      reportLoss(losses, 'dropped', path, reasons.foreignBlock)
      return undefined
    default:
      reportLoss(losses, 'dropped', path, `a block of type "${block.type}" has no place here`, 'major')
      return undefined
  }
}

/** Encodes a text file as text, since the format has no such document except CSV. Returns `undefined` for any other file. */
function encodeTextFile(block: FileBlock, path: string, losses: Losses): WireContent | undefined {
  const { data, mimeType = '' } = block
  const isText = mimeType.startsWith('text/') && mimeType !== 'text/csv'
  const text = data !== undefined && isText ? textOfBase64(data) : undefined
  if (text === undefined) return undefined
  if (mimeType !== 'text/plain') reportLoss(losses, 'dropped', `${path}.mimeType`, reasons.mimeType, 'info')
  return { ...keptFields(block), type: 'text', text }
}

const wireTypes = { image: 'image', audio: 'audio', video: 'video', file: 'document' } as const

function encodeMedia(block: Media, path: string, losses: Losses): WireMedia | undefined {
  const inline = block.url === undefined ? undefined : readDataUrl(block.url)
  const data = block.data ?? (inline?.base64 ? inline.data : undefined)
  const head = { ...keptFields(block), type: wireTypes[block.type], ...resolutionOf(block, path, losses) }
  if (data !== undefined) {
    return { ...head, data, mime_type: block.mimeType ?? inline?.mimeType ?? guessType(block, losses, path) }
  }
  const uri = addressOf(block, losses, path, 'info')
  return uri === undefined ? undefined : { ...head, uri, ...compact({ mime_type: block.mimeType }) }
}

function resolutionOf(block: Media, path: string, losses: Losses): Pick<WireMedia, 'resolution'> {
  const detail = block.type === 'image' ? block.detail : undefined
  if (detail === undefined || detail === 'auto') return {}
  if (detail !== 'original') return { resolution: detail }
  reportLoss(losses, 'changed', `${path}.detail`, 'the target has no "original": "high" is sent', 'info')
  return { resolution: 'high' }
}

/** Writes the citations of a text: those that were read from this format and, if `isAnswer` is true, all others that have a URL. */
function annotationsOf(
  { citations = [], text }: TextBlock,
  path: string,
  losses: Losses,
  isAnswer: boolean,
): { annotations?: WireUrlCitation[] } {
  const sendable = citations.filter(
    ({ url, providerData }) => providerData?.[format] !== undefined || (isAnswer && url !== undefined),
  )
  if (sendable.length < citations.length) reportLoss(losses, 'dropped', `${path}.citations`, reasons.citations)
  return sendable.length === 0 ? {} : { annotations: sendable.map((one) => writeAnnotation(one, text)) }
}

function writeAnnotation(citation: CitationBlock, text: string): WireUrlCitation {
  const byteAt = (unit: number | undefined) => (unit === undefined ? undefined : byteLength(text.slice(0, unit)))
  return {
    type: 'url_citation',
    ...keptFields(citation),
    ...compact({
      url: citation.url,
      title: citation.title,
      start_index: byteAt(citation.startIndex),
      end_index: byteAt(citation.endIndex),
    }),
  }
}
