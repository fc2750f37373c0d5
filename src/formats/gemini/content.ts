/**
 * Gemini: decodes parts of contents into blocks, and encodes blocks as parts. `tools.ts` does this for calls of functions and their results.
 *
 * A signature must stay on the part that it was received with. So a signed part is a block of its own, even if its text is empty.
 *
 * @see https://ai.google.dev/api/caching#Part (read 2026-11)
 *
 * @module
 */

import { compact, field, isObject, lookup, otherFields, unlessEmpty } from '../../core/lookup.ts'
import type { ContentBlock, Json, JsonObject } from '../../core/model.ts'
import * as reasons from '../../kit/reasons.ts'
import { encodeMedia, readBlob, readFile } from './media.ts'
import {
  drop,
  keptFields,
  keptOf,
  type Origin,
  proofOf,
  type Reader,
  type Scope,
  signatureOf,
  stringIn,
} from './part.ts'
import { encodeServerTool, serverParts } from './server-tools.ts'
import type { WirePart } from './wire.ts'

/** Reads a part, except calls and results of functions. A part that isoglot does not know becomes an `unknown` block. */
export function decodePart(part: Json, origin: Origin): ContentBlock {
  if (!isObject(part)) return unknownBlock(part, 'part')
  const names = Object.keys(part)
  for (const name of names) {
    const block = readData(part, name, origin)
    if (block !== undefined) return block
  }
  const rest = otherFields(part, textFields)
  const opaque = proofOf(part, origin)
  const text = field(part, 'text') ?? (opaque && rest === undefined ? '' : undefined)
  if (typeof text !== 'string') return unknownBlock(part, names[0])
  const type = field(part, 'thought') === true ? 'reasoning' : 'text'
  return compact({ type, text, opaque, providerData: keptFields(rest) })
}

const textFields: ReadonlySet<string> = new Set(['text', 'thought', 'thoughtSignature'])

function unknownBlock(value: Json, providerType = 'part'): ContentBlock {
  return { type: 'unknown', format: 'gemini', providerType, value }
}

/** Reads the data field `name` of a part; `undefined` if it is not known, or has the wrong form. */
function readData(part: JsonObject, name: string, origin: Origin): ContentBlock | undefined {
  const data = part[name]
  const serverPart = lookup(serverParts, name)
  const read = serverPart?.read ?? lookup(mediaReaders, name)
  const found = isObject(data) ? read?.(data, stringIn(data, 'id')) : undefined
  if (found === undefined) return undefined
  const { rest, ...block } = found
  // Image blocks are the only media blocks with a field for a proof. Only the name of its data field says what a part of a server tool is.
  const isSigned = serverPart !== undefined || block.type === 'image'
  const kept = serverPart === undefined ? unlessEmpty(rest) : rest
  return compact({ ...block, ...keptOf(part, name, kept, isSigned ? origin : undefined) }) as unknown as ContentBlock
}

const mediaReaders: Readonly<Record<string, Reader>> = { inlineData: readBlob, fileData: readFile }

/**
 * Encodes a block as a part. Returns `undefined` if there is nothing to send: empty text is sent only if it has a signature. Features that
 * the format lacks, and what other formats kept, have been removed before.
 */
export function encodeBlock(block: ContentBlock, scope: Scope, path: string): WirePart | undefined {
  switch (block.type) {
    case 'text':
    case 'plain_text':
    case 'reasoning': {
      const part = { ...block.providerData?.gemini, text: block.text, ...signatureOf(block) }
      if (block.text === '' && part.thoughtSignature === undefined) return undefined
      return block.type === 'reasoning' ? { ...part, thought: true } : part
    }
    case 'image':
    case 'audio':
    case 'video':
    case 'file':
      return encodeMedia(block, scope, path)
    case 'server_tool_call':
    case 'server_tool_result':
      return encodeServerTool(block, scope, path)
    case 'unknown':
      return isObject(block.value) ? (block.value as WirePart) : drop(scope, path, reasons.foreignBlock)
    default:
      return drop(scope, path, 'it stands in a turn of the wrong role', 'major')
  }
}
