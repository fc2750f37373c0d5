/**
 * OpenAI Chat Completions: encodes blocks to content parts.
 *
 * @module
 */
import { compact, field, isObject, lookup, objectIn } from '../../core/lookup.ts'
import { toDataUrl } from '../../core/media.ts'
import type {
  AudioBlock,
  ContentBlock,
  FileBlock,
  ImageBlock,
  Json,
  JsonObject,
  Metadata,
  ProviderData,
} from '../../core/model.ts'
import { reportLoss, reportTtl } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import type { Encoding, ReasoningTurn } from './dialect.ts'
import { format } from './tables.ts'
import type { DialectPart, DialectToolChoice, WireAnyPart, WirePart, WireTextPart } from './wire.ts'

/** The fields of this format that are stored in a block or message. */
export function kept(thing: { readonly providerData?: ProviderData }): JsonObject | undefined {
  const data = thing.providerData
  return data !== undefined && Object.hasOwn(data, format) ? data[format] : undefined
}

/** Encodes a user's content to parts. Skips results, since they are separate messages. */
export function encodeUserParts(blocks: readonly ContentBlock[], path: string, to: Encoding): WirePart[] {
  return encodeParts(blocks, path, (block, place) =>
    block.type === 'tool_result' ? undefined : encodePart(block, place, to, encodeMedia),
  )
}

/** Does the same where the format takes only text. */
export function encodeTextParts(blocks: readonly ContentBlock[], path: string, to: Encoding): WireTextPart[] {
  return encodeParts(blocks, path, (block, place) => encodeTextPart(block, place, to))
}

/** Encodes blocks to parts. Skips blocks that `encode` returns `undefined` for. */
export function encodeParts<Part>(
  blocks: readonly ContentBlock[],
  path: string,
  encode: (block: ContentBlock, path: string) => Part | undefined,
): Part[] {
  return blocks.map((block, at) => encode(block, `${path}[${at}]`)).filter((part) => part !== undefined)
}

/** Encodes a text block. For other blocks, reports a loss and returns `undefined`. */
export function encodeTextPart(block: ContentBlock, path: string, to: Encoding): WireTextPart | undefined {
  return encodePart<WireTextPart>(block, path, to, () => dropBlock(block, path, to, 'only text may stand here'))
}

/** Encodes a block to a part. A part that was decoded from this format is sent back unchanged. */
function encodePart<Part extends WirePart = WireTextPart>(
  block: ContentBlock,
  path: string,
  to: Encoding,
  encodeOther: (block: ContentBlock, path: string, to: Encoding) => Part | undefined,
): Part | WireTextPart | undefined {
  if (block.type === 'unknown' && block.format === format) return beyondTypes(block.value)
  const isText = block.type === 'text' || block.type === 'plain_text'
  const part = isText ? ({ type: 'text', text: block.text } as const) : encodeOther(block, path, to)
  if (part === undefined) return undefined
  const own = kept(block)
  const body = field(part, part.type)
  const fields = isObject(body) && { [part.type]: { ...objectIn(own, part.type), ...body } }
  return { ...own, ...part, ...fields, ...cacheMark(block.metadata, path, to) }
}

/**
 * Returns the parts as content: one string if they are all plain text and the host takes a string. `glue` separates the texts. In an answer
 * it is empty, since the texts there are parts of one text.
 */
export function toContent<Part extends WireAnyPart>(
  parts: readonly Part[],
  to: Encoding,
  isString: boolean,
  glue = '\n',
): string | Part[] {
  const joins = isString || parts.length === 0 || to.dialect.textParts !== true
  const texts = parts.flatMap((part) => (part.type === 'text' && Object.keys(part).length === 2 ? part.text : []))
  return joins && texts.length === parts.length ? texts.join(glue) : [...parts]
}

/** Casts a value that the official client's types do not have: parts of other hosts, and parts that isoglot does not know. */
export function beyondTypes<T>(value: DialectPart | DialectToolChoice | Json): T {
  return value as unknown as T
}

function encodeMedia(block: ContentBlock, path: string, to: Encoding): WirePart | undefined {
  const { title, textOnly, inlineImages, mediaUrls } = to.dialect
  const isInline = block.type === 'image' && block.data !== undefined
  const isTaken = !textOnly && (!inlineImages || isInline)
  if (isTaken && block.type === 'image') return encodeImage(block, path, to)
  if (isTaken && block.type === 'audio') return (to.dialect.encodeAudio ?? encodeAudio)(block, path, to)
  if (isTaken && block.type === 'file') return (to.dialect.encodeFile ?? encodeFile)(block, path, to)
  if (block.type === 'video' && block.url !== undefined && mediaUrls?.has('video')) {
    return beyondTypes({ type: 'video_url', video_url: { url: block.url } })
  }
  const how = inlineImages && block.type === 'image' ? ' but as data' : ''
  return dropBlock(block, path, to, `${title} takes no ${block.type} here${how}`)
}

/** Blocks whose loss does not change the text of the conversation. */
const minorBlocks = /^(?:citation|reasoning|server_.*|.*_chunk|unknown)$/

export function dropBlock(block: ContentBlock, path: string, to: Pick<Encoding, 'losses'>, reason: string): undefined {
  reportLoss(to.losses, 'dropped', path, reason, minorBlocks.test(block.type) ? 'minor' : 'major')
}

/** Reports the loss of reasoning that the host does not accept in a request. */
export function dropReasoning({ blocks, path }: ReasoningTurn, to: Pick<Encoding, 'losses'>): void {
  for (const [at, block] of blocks.entries()) {
    if (block.type === 'reasoning') dropBlock(block, `${path}[${at}]`, to, reasons.reasoning)
  }
}

function encodeImage(block: ImageBlock, path: string, to: Encoding): WirePart | undefined {
  const { data, detail, mimeType = 'image/png' } = block
  const url = data === undefined ? block.url : toDataUrl(mimeType, data)
  if (url === undefined) {
    return dropBlock(block, path, to, 'an image is sent by URL or as data, and not by the id of a file')
  }
  return beyondTypes({ type: 'image_url', image_url: compact({ url, detail }) })
}

/** Audio formats by media type. The registered media type of mp3 is `audio/mpeg`. */
const audioFormats: Readonly<Record<string, 'wav' | 'mp3'>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
}

export function encodeAudio(block: AudioBlock, path: string, to: Encoding): WirePart | undefined {
  const { data, mimeType, transcript } = block
  const audioFormat = lookup(audioFormats, mimeType)
  if (data === undefined || audioFormat === undefined) {
    return dropBlock(block, path, to, 'audio is sent as data, wav or mp3')
  }
  if (transcript !== undefined) reportLoss(to.losses, 'dropped', `${path}.transcript`, reasons.transcript, 'info')
  return { type: 'input_audio', input_audio: { data, format: audioFormat } }
}

function encodeFile(block: FileBlock, path: string, to: Encoding): WirePart | undefined {
  const { fileId, data, url, filename, mimeType = 'application/pdf' } = block
  if (fileId !== undefined) return { type: 'file', file: compact({ file_id: fileId, filename }) }
  if (data !== undefined) {
    if (filename === undefined) reportLoss(to.losses, 'invented', `${path}.filename`, 'a file must have a name', 'info')
    const name = mimeType === 'application/pdf' ? 'document.pdf' : 'document'
    return { type: 'file', file: { filename: filename ?? name, file_data: toDataUrl(mimeType, data) } }
  }
  if (url === undefined || !(url.startsWith('data:') || to.dialect.mediaUrls?.has('file'))) {
    return dropBlock(block, path, to, 'a file is sent as data or by its id, and not by URL')
  }
  return { type: 'file', file: compact({ filename, file_data: url }) }
}

/** Encodes a cache hint as the host's cache mark. */
export function cacheMark(metadata: Metadata | undefined, path: string, to: Encoding): JsonObject | undefined {
  const hint = metadata?.cacheHint
  const { cacheField } = to.dialect
  if (hint === undefined || cacheField === undefined) return undefined
  const [mark, usual, other] =
    cacheField === 'cache_control' ? [{ type: 'ephemeral' }, '1h', '5m'] : [{ mode: 'explicit' }, '30m', '12h']
  if (hint === 'ephemeral') return { [cacheField]: mark }
  const ttl = hint.ttl === other ? other : usual
  if (ttl !== hint.ttl) reportTtl(to.losses, path, ttl)
  return { [cacheField]: { ...mark, ttl } }
}
