/**
 * OpenAI Chat Completions: encodes blocks to content parts.
 *
 * @module
 */
import { compact, field, isObject, objectIn } from '../../core/lookup.ts'
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
  UnknownBlock,
} from '../../core/model.ts'
import { reportLoss, reportTtl } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import type { Encoding, ReasoningTurn } from './dialect.ts'
import { format } from './tables.ts'
import type { DialectPart, DialectToolChoice, WireAnyPart, WirePart, WireTextPart } from './wire.ts'

/** The fields of this format that are stored in a block or message. */
export function kept(thing: { readonly providerData?: ProviderData }): JsonObject | undefined {
  return thing.providerData?.[format]
}

/** Encodes a block that is not text. Returns `undefined` if the block is not a part. */
type EncodeOther<Part> = (block: ContentBlock, path: string, to: Encoding) => Part | undefined

/** Encodes blocks to parts. A part that was decoded from this format is sent back unchanged. Unknown calls are not parts. */
export function encodeParts<Part extends WireAnyPart = WireTextPart>(
  blocks: readonly ContentBlock[],
  path: string,
  to: Encoding,
  encodeOther: EncodeOther<Part> = dropOther,
): (Part | WireTextPart)[] {
  return blocks.flatMap((block, at): (Part | WireTextPart)[] => {
    if (isUnknownCall(block)) return []
    if (block.type === 'unknown' && block.format === format) return [beyondTypes(block.value)]
    const place = `${path}[${at}]`
    const part = encodeText(block) ?? encodeOther(block, place, to)
    if (part === undefined) return []
    const own = kept(block)
    const body = field(part, part.type)
    const fields = isObject(body) && { [part.type]: { ...objectIn(own, part.type), ...body } }
    return [{ ...own, ...part, ...fields, ...cacheMark(block.metadata, place, to) } as Part]
  })
}

/** Whether a block stores an entry of `tool_calls` that isoglot does not know. */
export function isUnknownCall(block: ContentBlock): block is UnknownBlock & { providerType: `tool_calls${string}` } {
  return block.type === 'unknown' && block.format === format && block.providerType.startsWith('tool_calls')
}

function encodeText(block: ContentBlock): WireTextPart | undefined {
  if (block.type !== 'text' && block.type !== 'plain_text') return undefined
  const { text } = block
  return block.type === 'text' && block.refusal
    ? beyondTypes({ type: 'refusal', refusal: text })
    : { type: 'text', text }
}

/** Reports the loss of a block where the format takes only text. */
export function dropOther(block: ContentBlock, path: string, to: Encoding): undefined {
  return dropBlock(block, path, to, 'only text may stand here')
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

/** Encodes media of a user message. `prepare` has moved results to messages of their own. */
export function encodeMedia(block: ContentBlock, path: string, to: Encoding): WirePart | undefined {
  const { dialect } = to
  const { title, textOnly, inlineImages, mediaUrls } = dialect
  const isTaken = !textOnly && (!inlineImages || (block.type === 'image' && block.data !== undefined))
  if (isTaken && block.type === 'image') return encodeImage(block, path, to)
  if (isTaken && block.type === 'audio') return (dialect.encodeAudio ?? encodeAudio)(block, path, to)
  if (isTaken && block.type === 'file') return (dialect.encodeFile ?? encodeFile)(block, path, to)
  if (block.type === 'video' && block.url !== undefined && mediaUrls?.has('video')) {
    return beyondTypes({ type: 'video_url', video_url: { url: block.url } })
  }
  const how = inlineImages && block.type === 'image' ? ' but as data' : ''
  return dropBlock(block, path, to, `${title} takes no ${block.type} here${how}`)
}

/** Reports the loss of a block. Without reasoning, the text of the conversation is the same. */
export function dropBlock(
  { type }: ContentBlock,
  path: string,
  to: Pick<Encoding, 'losses'>,
  reason: string,
): undefined {
  reportLoss(to.losses, 'dropped', path, reason, type === 'reasoning' ? 'minor' : 'major')
}

/** Reports the loss of reasoning that the host does not accept in a request. */
export function dropReasoning({ blocks, path }: ReasoningTurn, to: Pick<Encoding, 'losses'>): undefined {
  for (const [at, block] of blocks.entries()) {
    if (block.type === 'reasoning') dropBlock(block, `${path}[${at}]`, to, reasons.reasoning)
  }
}

/** Returns the URL of a block, or a data URL with its data. */
export function urlOf({ data, url }: ImageBlock | FileBlock, mimeType: string): string | undefined {
  return data === undefined ? url : toDataUrl(mimeType, data)
}

function encodeImage(block: ImageBlock, path: string, to: Encoding): WirePart | undefined {
  const { detail, mimeType = 'image/png' } = block
  const url = urlOf(block, mimeType)
  if (url !== undefined) return beyondTypes({ type: 'image_url', image_url: compact({ url, detail }) })
  return dropBlock(block, path, to, 'an image is sent by URL or as data, and not by the id of a file')
}

export function encodeAudio(block: AudioBlock, path: string, to: Encoding): WirePart | undefined {
  const { data, mimeType, transcript } = block
  // The registered media type of mp3 is `audio/mpeg`.
  const found = /^audio\/(?:(?:x-|vnd\.)?wave?|(mpeg|mp3))$/.exec(mimeType ?? '')
  if (data === undefined || found === null) {
    return dropBlock(block, path, to, 'audio is sent as data, wav or mp3')
  }
  if (transcript !== undefined) reportLoss(to.losses, 'dropped', `${path}.transcript`, reasons.transcript, 'info')
  return { type: 'input_audio', input_audio: { data, format: found[1] ? 'mp3' : 'wav' } }
}

function encodeFile(block: FileBlock, path: string, to: Encoding): WirePart | undefined {
  const { fileId, data, filename, mimeType = 'application/pdf' } = block
  if (fileId !== undefined) return { type: 'file', file: compact({ file_id: fileId, filename }) }
  const url = urlOf(block, mimeType)
  if (url === undefined || !(url.startsWith('data:') || to.dialect.mediaUrls?.has('file'))) {
    return dropBlock(block, path, to, 'a file is sent as data or by its id, and not by URL')
  }
  const isNameless = data !== undefined && filename === undefined
  if (isNameless) reportLoss(to.losses, 'invented', `${path}.filename`, 'a file must have a name', 'info')
  const invented = mimeType === 'application/pdf' ? 'document.pdf' : 'document'
  return { type: 'file', file: compact({ filename: isNameless ? invented : filename, file_data: url }) }
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
