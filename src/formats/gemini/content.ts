/**
 * Gemini: decodes parts of contents into blocks, and encodes blocks as parts. `tools.ts` does this for calls of functions and their results.
 *
 * A signature must stay on the part that it was received with. So a signed part is a block of its own, even if its text is empty.
 *
 * @see https://ai.google.dev/api/caching#Part (read 2026-11)
 *
 * @module
 */

import { compact, field, isObject, otherFields } from '../../core/lookup.ts'
import type { ContentBlock, Json, JsonObject } from '../../core/model.ts'
import { reportLoss } from '../../kit/losses.ts'
import * as lackReasons from '../../kit/reasons.ts'
import { encodeMedia, readBlob, readFile } from './media.ts'
import { drop, keptFields, type Origin, proofOf, type Scope, type Signable, signatureOf } from './part.ts'
import {
  encodeServerCall,
  encodeServerResult,
  readCode,
  readCodeResult,
  readToolCall,
  readToolResponse,
} from './server-tools.ts'
import type { WirePart } from './wire.ts'

// ---- decode -----------------------------------------------------------------------------------

/** Reads a part, except calls and results of functions. A part that isoglot does not know becomes an `unknown` block. */
export function decodePart(part: Json, origin: Origin): ContentBlock {
  if (!isObject(part)) return { type: 'unknown', format: 'gemini', providerType: 'part', value: part }
  for (const [name, read] of Object.entries(readers)) {
    const data = field(part, name)
    const block = isObject(data) ? read(part, data, origin) : undefined
    if (block !== undefined) return block
  }
  const isEmptySigned = field(part, 'text') === undefined && typeof field(part, 'thoughtSignature') === 'string'
  const hasNothingElse = Object.keys(part).every((key) => key === 'thought' || key === 'thoughtSignature')
  const text = isEmptySigned && hasNothingElse ? '' : field(part, 'text')
  if (typeof text === 'string') return readText(part, text, origin)
  return { type: 'unknown', format: 'gemini', providerType: Object.keys(part)[0] ?? 'part', value: part }
}

/** Whether a part has no fields. Image models send such parts between images, and the server refuses them in a request. */
export function isEmptyPart(part: Json): boolean {
  return isObject(part) && Object.keys(part).length === 0
}

type Reader = (part: JsonObject, data: JsonObject, origin: Origin) => ContentBlock | undefined

/** The reader for each data field of a part. */
const readers: Readonly<Record<string, Reader>> = {
  inlineData: readBlob,
  fileData: readFile,
  executableCode: readCode,
  codeExecutionResult: readCodeResult,
  toolCall: readToolCall,
  toolResponse: readToolResponse,
}

const textFields: ReadonlySet<string> = new Set(['text', 'thought', 'thoughtSignature'])

function readText(part: JsonObject, text: string, origin: Origin): ContentBlock {
  const common = compact({ opaque: proofOf(part, origin), providerData: keptFields(otherFields(part, textFields)) })
  return field(part, 'thought') === true ? { type: 'reasoning', text, ...common } : { type: 'text', text, ...common }
}

// ---- encode -----------------------------------------------------------------------------------

/** Encodes a block as a part. Returns `undefined` if there is nothing to send. Losses are reported. */
export function encodeBlock(block: ContentBlock, scope: Scope, path: string): WirePart | undefined {
  noteForeign(block, scope, path)
  switch (block.type) {
    case 'text':
      return encodeText(block.text, {}, block, scope, path)
    case 'reasoning':
      return encodeText(block.text, { thought: true }, block, scope, path)
    case 'plain_text':
      if (block.title !== undefined) reportLoss(scope.losses, 'dropped', `${path}.title`, lackReasons.title, 'info')
      return encodeText(block.text, {}, block, scope, path)
    case 'image':
    case 'audio':
    case 'video':
    case 'file':
      return encodeMedia(block, scope, path)
    case 'server_tool_call':
      return encodeServerCall(block, scope, path)
    case 'server_tool_result':
      return encodeServerResult(block, scope, path)
    case 'unknown':
      if (block.format === 'gemini' && isObject(block.value)) return block.value as WirePart
      return drop(scope, path, lackReasons.foreignBlock)
    case 'citation':
      return drop(scope, path, lackReasons.citation)
    case 'tool_call_chunk':
    case 'server_tool_call_chunk':
      return drop(scope, path, lackReasons.chunk)
    case 'tool_call':
    case 'tool_result':
      return undefined // `tools.ts`
  }
}

function noteForeign(block: ContentBlock, scope: Scope, path: string): void {
  for (const format of Object.keys(block.providerData ?? {})) {
    if (format !== 'gemini')
      reportLoss(scope.losses, 'dropped', `${path}.providerData.${format}`, lackReasons.foreignFields, 'info')
  }
}

/** Writes text. Empty text is sent only if it has a signature. */
function encodeText(
  text: string,
  mark: { readonly thought?: true },
  block: Signable,
  scope: Scope,
  path: string,
): WirePart | undefined {
  const signature = signatureOf(block, scope, path)
  if (text === '' && signature.thoughtSignature === undefined) return undefined
  return { ...block.providerData?.gemini, text, ...mark, ...signature }
}
