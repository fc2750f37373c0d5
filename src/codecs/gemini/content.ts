/**
 * Gemini: parts of contents, and our blocks. Calls of functions and their results are `tools.ts`'s.
 *
 * A signature stays on the very part that it came with: a signed part is a block of its own, even with empty text.
 *
 * @see https://ai.google.dev/api/caching#Part (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures (read 2026-11)
 * @module
 */
import { compact, field, isObject, lookup, otherFields, stringOr } from '../../lookup.ts'
import { type Ledger, lose } from '../../losses.ts'
import { readDataUrl } from '../../media.ts'
import type {
  AudioBlock,
  ContentBlock,
  FileBlock,
  ImageBlock,
  Json,
  JsonObject,
  Opaque,
  ProviderData,
  ServerToolCall,
  ServerToolResult,
  VideoBlock,
} from '../../model.ts'
import { ownProof } from '../../opaque.ts'
import { textOfArguments } from '../../tool-call.ts'
import { type GeminiDialect, knownFields, outcomes } from './tables.ts'
import type { WirePart } from './wire.ts'

/** Who made what is read. */
export interface Origin {
  readonly provider: string
  readonly model: string
}

/** The fields of one wire object that have no word of ours. */
export function keptFields(fields: JsonObject | undefined): ProviderData | undefined {
  return fields === undefined || Object.keys(fields).length === 0 ? undefined : { gemini: fields }
}

// ---- decode -----------------------------------------------------------------------------------

/** Reads a part that is no call and no result of a function. What we do not know becomes an `unknown` block. */
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

/** Whether a part holds nothing at all, as image models send between their pictures; sent back, it would be refused. */
export function isEmptyPart(part: Json): boolean {
  return isObject(part) && Object.keys(part).length === 0
}

type Reader = (part: JsonObject, data: JsonObject, origin: Origin) => ContentBlock | undefined

/** By the part's data field. */
const readers: Readonly<Record<string, Reader>> = {
  inlineData: (part, blob, origin) => readMedia(part, 'inlineData', blob, { data: field(blob, 'data') }, origin),
  fileData: (part, file, origin) => readMedia(part, 'fileData', file, place(field(file, 'fileUri')), origin),
  executableCode: (part, code, origin) => {
    const args = otherFields(code, new Set(['id'])) ?? {}
    return readServerCall(part, 'executableCode', { tool: 'code_execution', args, rest: {} }, origin)
  },
  codeExecutionResult: (part, result, origin) =>
    readServerResult(part, 'codeExecutionResult', origin, {
      name: 'code_execution',
      status: lookup(outcomes, field(result, 'outcome')),
      output: field(result, 'output'),
    }),
  toolCall: (part, call, origin) => {
    const args = field(call, 'args') ?? {}
    const tool = stringOr(field(call, 'toolType'), '')
    const rest = otherFields(call, knownFields.toolCall) ?? {}
    return isObject(args) ? readServerCall(part, 'toolCall', { tool, args, rest }, origin) : undefined
  },
  toolResponse: (part, response, origin) =>
    readServerResult(part, 'toolResponse', origin, {
      name: stringOr(field(response, 'toolType'), undefined),
      output: field(response, 'response'),
    }),
}

const textFields: ReadonlySet<string> = new Set(['text', 'thought', 'thoughtSignature'])

function readText(part: JsonObject, text: string, origin: Origin): ContentBlock {
  const common = compact({ opaque: proofOf(part, origin), providerData: keptFields(otherFields(part, textFields)) })
  return field(part, 'thought') === true ? { type: 'reasoning', text, ...common } : { type: 'text', text, ...common }
}

type Media = ImageBlock | AudioBlock | VideoBlock | FileBlock

function readMedia(
  part: JsonObject,
  name: 'inlineData' | 'fileData',
  wire: JsonObject,
  source: { readonly [field: string]: Json | undefined },
  origin: Origin,
): ContentBlock | undefined {
  const mimeType = stringOr(field(wire, 'mimeType'), undefined)
  if (!Object.values(source).every((value) => typeof value === 'string')) return undefined
  const type = mediaType(mimeType)
  // Of media only images have a slot for a proof.
  const opaque = type === 'image' ? proofOf(part, origin) : undefined
  const providerData = kept(part, name, knownFields[name], opaque !== undefined)
  return { type, ...source, ...compact({ mimeType, opaque, providerData }) } as Media
}

/** By the first half of a MIME type; what is neither seen nor heard is a file. */
export function mediaType(mimeType: string | undefined): Media['type'] {
  const kind = mimeType?.split('/')[0]
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file'
}

/** A file in Google's own storage, or an address that anybody may read. */
function place(uri: Json | undefined): { readonly [field: string]: Json | undefined } {
  return isStored(uri) ? { fileId: uri } : { url: uri }
}

function isStored(uri: Json | undefined): uri is string {
  return typeof uri === 'string' && /^(?:gs:\/\/|files\/|https:\/\/generativelanguage\.googleapis\.com\/)/.test(uri)
}

function readServerCall(
  part: JsonObject,
  name: 'executableCode' | 'toolCall',
  { tool, args, rest }: { readonly tool: string; readonly args: JsonObject; readonly rest: JsonObject },
  origin: Origin,
): ServerToolCall {
  const id = stringOr(field(field(part, name), 'id'), undefined)
  return {
    type: 'server_tool_call',
    name: tool,
    arguments: args,
    ...compact({ id, opaque: proofOf(part, origin) }),
    providerData: marked(part, name, rest),
  }
}

function readServerResult(
  part: JsonObject,
  name: 'codeExecutionResult' | 'toolResponse',
  origin: Origin,
  said: Pick<ServerToolResult, 'output'> & {
    readonly name: string | undefined
    readonly status?: ServerToolResult['status'] | undefined
  },
): ServerToolResult {
  const toolCallId = stringOr(field(field(part, name), 'id'), undefined)
  const rest = otherFields(field(part, name) as JsonObject, knownFields[name]) ?? {}
  const providerData = marked(part, name, rest)
  return {
    type: 'server_tool_result',
    ...compact({ toolCallId, ...said, opaque: proofOf(part, origin) }),
    providerData,
  }
}

/** Kept fields that always name the data field, since nothing else tells which part of this wire the block was. */
function marked(part: JsonObject, name: string, rest: JsonObject): ProviderData {
  return { gemini: { ...otherFields(part, new Set([name, 'thoughtSignature'])), [name]: rest } }
}

/** The fields of a part, and of its data field, that have no word of ours. */
export function kept(
  part: JsonObject,
  name: string,
  known: ReadonlySet<string>,
  isSigned: boolean,
): ProviderData | undefined {
  const inner = field(part, name)
  const rest = otherFields(part, new Set(isSigned ? [name, 'thoughtSignature'] : [name]))
  const innerRest = isObject(inner) ? otherFields(inner, known) : undefined
  return keptFields({ ...rest, ...(innerRest && { [name]: innerRest }) })
}

/** A part's signature, which belongs to it and to nothing beside it. */
export function proofOf(part: JsonObject, { provider, model }: Origin): Opaque | undefined {
  const thoughtSignature = field(part, 'thoughtSignature')
  if (typeof thoughtSignature !== 'string') return undefined
  return { provider, model, format: 'gemini', data: { thoughtSignature } }
}

// ---- encode -----------------------------------------------------------------------------------

/** What encoders of blocks need to know of the whole. */
export interface Scope {
  readonly ledger: Ledger
  readonly dialect: GeminiDialect
  /** Empty: proofs of all models of this provider may go. */
  readonly model: string
}

/** A part, or `undefined` where there is nothing to send; what is lost stands in the ledger. */
export function encodeBlock(block: ContentBlock, scope: Scope, path: string): WirePart | undefined {
  noteForeign(block, scope, path)
  switch (block.type) {
    case 'text':
      return encodeText(block.text, {}, block, scope, path)
    case 'reasoning':
      return encodeText(block.text, { thought: true }, block, scope, path)
    case 'plain_text':
      if (block.title !== undefined) lose(scope.ledger, 'dropped', `${path}.title`, reasons.title, 'info')
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
      return drop(scope, path, reasons.unknown)
    case 'citation':
      return drop(scope, path, reasons.citation)
    case 'tool_call_chunk':
    case 'server_tool_call_chunk':
      return drop(scope, path, reasons.chunk)
    case 'tool_call':
    case 'tool_result':
      return undefined // `tools.ts`
  }
}

/** What cannot be carried, and why: reasons in the ledger of losses. */
export const reasons = {
  title: 'Gemini has no titles of documents',
  unknown: 'it belongs to another wire',
  foreign: 'it means something to another wire alone',
  proof: 'the proof of another model means nothing to this one',
  citation: 'Gemini takes no citations back',
  chunk: 'a piece of a call is no call',
  serverTool: 'what another provider ran itself means nothing to Gemini',
  media: 'there is neither data nor an address',
  storedElsewhere: 'a file stored at one provider is not known to another',
  mimeType: 'Gemini must be told the type of data',
  address: 'only some models of Gemini fetch addresses: data is safer',
  filename: 'Gemini has no names of files',
} as const

function drop(scope: Scope, path: string, reason: string): undefined {
  lose(scope.ledger, 'dropped', path, reason, 'minor')
}

function noteForeign(block: ContentBlock, scope: Scope, path: string): void {
  for (const format of Object.keys(block.providerData ?? {})) {
    if (format !== 'gemini') lose(scope.ledger, 'dropped', `${path}.providerData.${format}`, reasons.foreign, 'info')
  }
}

interface Signable {
  readonly opaque?: Opaque
  readonly providerData?: ProviderData
}

/** The signature that may go on this part, if any. */
export function signatureOf(block: Signable, scope: Scope, path: string): Pick<WirePart, 'thoughtSignature'> {
  if (block.opaque === undefined) return {}
  const target = { format: 'gemini', provider: scope.dialect.provider, model: scope.model }
  const thoughtSignature = field(ownProof(block.opaque, target), 'thoughtSignature')
  if (typeof thoughtSignature === 'string') return { thoughtSignature }
  lose(scope.ledger, 'dropped', `${path}.opaque`, reasons.proof, 'info')
  return {}
}

/** Empty text goes only where it carries a signature. */
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

function encodeMedia(block: Media, scope: Scope, path: string): WirePart | undefined {
  const ours = block.providerData?.gemini
  const common = { ...ours, ...(block.type === 'image' && signatureOf(block, scope, path)) }
  if (block.type === 'file' && block.filename !== undefined) {
    lose(scope.ledger, 'dropped', `${path}.filename`, reasons.filename, 'info')
  }
  const url = block.url === undefined ? undefined : readDataUrl(block.url)
  const data = block.data ?? (url?.base64 ? url.data : undefined)
  if (data !== undefined) {
    const mimeType = block.mimeType ?? url?.mimeType ?? guessType(block, scope, path)
    return { ...common, inlineData: { ...(field(ours, 'inlineData') as object), mimeType, data } }
  }
  const fileUri = addressOf(block, scope, path)
  if (fileUri === undefined) return undefined
  return {
    ...common,
    fileData: { ...(field(ours, 'fileData') as object), ...compact({ mimeType: block.mimeType }), fileUri },
  }
}

const usualTypes: Readonly<Record<Media['type'], string>> = {
  image: 'image/png',
  audio: 'audio/wav',
  video: 'video/mp4',
  file: 'application/pdf',
}

function guessType(block: Media, scope: Scope, path: string): string {
  lose(scope.ledger, 'invented', `${path}.mimeType`, reasons.mimeType)
  return usualTypes[block.type]
}

function addressOf(block: Media, scope: Scope, path: string): string | undefined {
  if (block.fileId !== undefined) {
    if (isStored(block.fileId)) return block.fileId
    lose(scope.ledger, 'dropped', path, reasons.storedElsewhere, 'major')
  } else if (block.url === undefined) {
    lose(scope.ledger, 'dropped', path, reasons.media, 'major')
  } else if (!isFetched(block)) {
    lose(scope.ledger, 'changed', `${path}.url`, reasons.address)
  }
  return block.url
}

/** Addresses that Gemini is known to read, or gave us itself. */
function isFetched(block: Media): boolean {
  const isVideoSite = /^https:\/\/(?:www\.)?(?:youtube\.com|youtu\.be)\//.test(block.url ?? '')
  return isVideoSite || isStored(block.url)
}

function encodeServerCall(block: ServerToolCall, scope: Scope, path: string): WirePart | undefined {
  const ours = block.providerData?.gemini
  const common = { ...ours, ...signatureOf(block, scope, path) }
  const id = compact({ id: block.id })
  if (isObject(field(ours, 'executableCode'))) return { ...common, executableCode: { ...block.arguments, ...id } }
  const call = field(ours, 'toolCall')
  if (!isObject(call)) return drop(scope, path, reasons.serverTool)
  return { ...common, toolCall: { ...call, ...id, toolType: block.name, args: block.arguments } }
}

function encodeServerResult(block: ServerToolResult, scope: Scope, path: string): WirePart | undefined {
  const ours = block.providerData?.gemini
  const common = { ...ours, ...signatureOf(block, scope, path) }
  const id = compact({ id: block.toolCallId })
  const ran = field(ours, 'codeExecutionResult')
  if (isObject(ran)) {
    const output = compact({ output: block.output as string | undefined })
    return { ...common, codeExecutionResult: { ...ran, outcome: outcomeOf(block, ran), ...output, ...id } }
  }
  const response = field(ours, 'toolResponse')
  if (!isObject(response)) return drop(scope, path, reasons.serverTool)
  const said = compact({ toolType: block.name, response: block.output as JsonObject | undefined })
  return { ...common, toolResponse: { ...response, ...said, ...id } }
}

/** The wire's own word while it still says the same. */
function outcomeOf(block: ServerToolResult, ran: JsonObject): string {
  const word = stringOr(field(ran, 'outcome'), undefined)
  if (word !== undefined && lookup(outcomes, word) === block.status) return word
  return block.status === 'error' ? 'OUTCOME_FAILED' : 'OUTCOME_OK'
}

/** JSON text of anything; `undefined` if it is nested too deep to be written. */
export function jsonText(value: Json): string | undefined {
  return textOfArguments({ value }) === undefined ? undefined : JSON.stringify(value)
}

/** Whether what was kept of the wire, read again, still says what we are to say: then it goes back as it came. */
export function stillSays(kept: Json | undefined, read: (kept: Json) => unknown, now: unknown): boolean {
  return kept !== undefined && JSON.stringify(read(kept)) === JSON.stringify(now)
}
