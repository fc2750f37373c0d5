/**
 * Ollama: converts blocks to the fields of a message, and back. A message has one text, one thinking text and one list of images, so
 * the order of the blocks is lost.
 *
 * @see https://docs.ollama.com/api/chat
 *
 * @module
 */
import { DecodeError } from '../../core/errors.ts'
import { compact, isObject, lookup, objectIn } from '../../core/lookup.ts'
import { readDataUrl } from '../../core/media.ts'
import type { ContentBlock, ImageBlock, Json, JsonObject, ProviderData } from '../../core/model.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import * as lackReasons from '../../kit/reasons.ts'
import { format, leftOut, reasons, sniffImage } from './tables.ts'

/** The fields of a message that blocks are written to, without `tool_calls`. */
export interface Fields {
  text: string
  thinking: string
  readonly images: string[]
}

/** Writes blocks to the fields of a message, except those that the caller writes, `apart`. `glue` is inserted between two texts. */
export function encodeBlocks(
  blocks: readonly ContentBlock[],
  path: string,
  glue: string,
  losses: Losses,
  apart?: 'tool_call' | 'tool_result',
): Fields {
  const fields = noFields()
  for (const [at, block] of blocks.entries())
    if (block.type !== apart) encodeBlock(block, fields, `${path}[${at}]`, glue, losses)
  return fields
}

/** Returns the fields of an empty message. */
export function noFields(): Fields {
  return { text: '', thinking: '', images: [] }
}

/** Adds one block to the fields of its message. */
export function encodeBlock(block: ContentBlock, fields: Fields, where: string, glue: string, losses: Losses): void {
  switch (block.type) {
    case 'text':
      addText(block.text, fields, glue)
      break
    case 'plain_text':
      addText(block.text, fields, glue)
      break
    case 'reasoning':
      fields.thinking += block.text
      break
    case 'image':
      addImage(block, fields, where, losses)
      break
    default: {
      const [reason, severity] = lookup(leftOut, block.type) ?? [lackReasons.foreignBlock, 'minor']
      reportLoss(losses, 'dropped', where, reason, severity)
    }
  }
}

function addText(text: string, fields: Fields, glue: string): void {
  fields.text += fields.text === '' || text === '' ? text : glue + text
}

function addImage(block: ImageBlock, fields: Fields, where: string, losses: Losses): void {
  const inline = block.data ?? (block.url === undefined ? undefined : base64Of(block.url))
  if (inline === undefined) reportLoss(losses, 'dropped', where, reasons.remoteImage, 'major')
  else fields.images.push(inline)
}

function base64Of(url: string): string | undefined {
  const parts = readDataUrl(url)
  return parts?.base64 ? parts.data : undefined
}

/** Returns the fields that isoglot kept from this format. The encoder writes them first, and its own fields replace them. */
export function keptFields(value: { readonly providerData?: ProviderData | undefined }): JsonObject {
  return objectIn(value.providerData, format)
}

/** Reads the images of a message as blocks. The format has raw base64 only, but some clients send a `data:` URL; it is accepted. */
export function decodeImages(images: readonly Json[], path: string, subject: Subject): ImageBlock[] {
  return images.map((image, at) => {
    const given = stringAt(image, `${path}[${at}]`, subject)
    const parts = readDataUrl(given)
    const data = parts?.data ?? given
    const mimeType = parts?.mimeType ?? sniffImage(data)
    return compact({ type: 'image', data, mimeType })
  })
}

// ---- reading unchecked values -----------------------------------------------------------------

/** The kind of body that is being decoded; error messages name it. */
export type Subject = 'request' | 'response'

/** Returns the value if it is a string. `undefined` and `null` read as an empty string, as in the server. Throws for other values. */
export function stringAt(value: unknown, path: string, subject: Subject): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  throw misfit(path, 'not a string', subject, value)
}

/** Returns the value if it is a string and not empty. Throws otherwise. */
export function textAt(value: unknown, path: string, subject: Subject): string {
  const text = stringAt(value, path, subject)
  if (text === '') throw misfit(path, 'missing', subject, value)
  return text
}

/** Returns the value if it is a list. `undefined` and `null` read as an empty list. Throws for other values. */
export function listAt(value: unknown, path: string, subject: Subject): readonly Json[] {
  if (Array.isArray(value)) return value
  if (value === undefined || value === null) return []
  throw misfit(path, 'not a list', subject, value)
}

/** Returns the value if it is an object. Throws otherwise. */
export function objectAt(value: unknown, path: string, subject: Subject): JsonObject {
  if (isObject(value)) return value
  const finding = value === undefined || value === null ? 'missing' : 'not an object'
  throw misfit(path, finding, subject, value)
}

function misfit(path: string, finding: string, subject: Subject, cause: unknown): DecodeError {
  return new DecodeError(`Cannot decode Ollama ${subject}: "${path}" is ${finding}`, { path, cause })
}
