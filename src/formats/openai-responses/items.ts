/**
 * OpenAI Responses: turns the items of an output into fragments of blocks. The decoders of streams, of whole answers and of the
 * assistant's items in a request use it.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/object#responses/object-output
 *
 * @module
 */
import type { Fragment } from '../../core/codec.ts'
import { arrayOf, compact, field, isObject, lookup, otherFields, stringOr, textOr } from '../../core/lookup.ts'
import type { Json, JsonObject, Opaque } from '../../core/model.ts'
import { keeping, readAnnotation, unknownBlock } from './content.ts'
import type { ResponsesDialect } from './dialect.ts'
import { format, type HostedCall, hostedId, hostedOf, hostedResults } from './tables.ts'
import { callFragment, customCall, wrappedCalls, wrapperName } from './tools.ts'

/** State of an answer while its items are read. */
export interface Reading {
  readonly dialect: ResponsesDialect
  model: string
  /** The id of the last reasoning item. The items after it belong to it: the server refuses them without it. */
  after: string | undefined
  /** These three decide the stop reason. `waiting` has the ids of items that the client must answer, such as a request for an approval. */
  hasText: boolean
  hasRefusal: boolean
  readonly waiting: Set<string>
  /** Whether a wrapper of parallel calls is split into its calls. Not in a history: there, the output answers the wrapper itself. */
  readonly opensWrappers: boolean
}

export function newReading(dialect: ResponsesDialect, model: string, opensWrappers = true): Reading {
  return { dialect, model, after: undefined, hasText: false, hasRefusal: false, waiting: new Set(), opensWrappers }
}

/** The part of an item that a stream has already sent. Empty if the item was not streamed. */
export interface Progress {
  readonly type: string
  /** The position of the item among those received. */
  readonly order: number
  /** The length of each text received so far, by its index. The complete item then shows the text that the deltas did not have. */
  readonly lengths: Map<number, number>
  /** The number of annotations received for each text, by its index. */
  readonly annotations: Map<number, number>
  /** The part of reasoning that the last delta belongs to. For a call: the name of the wrapper, if it is one. */
  part: string
}

export function newProgress(type = '', order = 0): Progress {
  return { type, order, lengths: new Map(), annotations: new Map(), part: '' }
}

/** Matches ids that a gateway made for its client (see `makeId`). No server knows them, so they are not sent back. */
export const madeId: RegExp = /^[a-z]+_iso_/

/** Items that the client must answer, beside calls of functions. In isoglot they are `unknown` blocks. */
export const asksClient: ReadonlySet<string> = new Set([
  'mcp_approval_request',
  'computer_call',
  'shell_call',
  'local_shell_call',
  'apply_patch_call',
])

type ItemReader = (item: JsonObject, key: number, progress: Progress, reading: Reading, out: Fragment[]) => void

const readers: Readonly<Record<string, ItemReader>> = {
  message: readMessage,
  reasoning: readReasoning,
  function_call: readCall,
  [customCall]: readCall,
  image_generation_call: readImage,
  tool_search_output: readHostedResult,
  program_output: readHostedResult,
}

/** Reads a complete item. An item of an unknown type becomes an `unknown` block, which is sent back unchanged. */
export function readItem(item: Json, key: number, progress: Progress, reading: Reading, out: Fragment[]): void {
  if (!isObject(item)) return
  const type = stringOr(field(item, 'type'), field(item, 'role') === 'assistant' ? 'message' : '')
  const isClients = field(item, 'execution') === 'client'
  const id = textOr(field(item, 'call_id'), stringOr(field(item, 'id'), ''))
  if (asksClient.has(type) || (isClients && type === 'tool_search_call')) reading.waiting.add(id)
  else if (type.endsWith('_output')) reading.waiting.delete(id) // the server ran the call itself
  if (type === 'mcp_list_tools' && field(item, 'error')) {
    const reason = `the tools of the MCP server "${field(item, 'server_label')}" could not be listed`
    out.push({ type: 'warning', warning: { path: 'response', action: 'dropped', reason, severity: 'minor' } })
  }
  const read = (isClients ? undefined : lookup(readers, type)) ?? (hostedOf(item) ? readHosted : readUnknown)
  read(item, key, progress, reading, out)
}

// ---- messages ---------------------------------------------------------------------------------

const knownOfMessage = new Set(['type', 'id', 'role', 'content', 'status'])
const knownOfText = new Set(['type', 'text', 'annotations'])
const knownOfRefusal = new Set(['type', 'refusal'])

/** Returns the key of a text. An item can have several texts, so the key has the index of the text. */
export function textKey(item: number, index: number): string {
  return `${item}/${index}`
}

function readMessage(item: JsonObject, key: number, progress: Progress, reading: Reading, out: Fragment[]): void {
  const content = field(item, 'content')
  const parts = typeof content === 'string' ? [{ type: 'output_text', text: content }] : arrayOf(content)
  const isAssistants = (field(item, 'role') ?? 'assistant') === 'assistant'
  if (!isAssistants || (parts.length === 0 && progress.lengths.size === 0)) {
    out.push({ type: 'block', block: unknownBlock(item) })
    return
  }
  const opaque = proofOf(item, reading)
  const message = otherFields(item, knownOfMessage)
  const places = streamedPlaces(parts, progress)
  for (const [at, part] of parts.entries()) {
    const text = textOfPart(part)
    if (!isObject(part) || text === undefined) {
      out.push({ type: 'block', block: unknownBlock(part, { part: true, proof: opaque.data }) })
      continue
    }
    const index = places.get(at) ?? at
    const refusal = field(part, 'type') === 'refusal' && { refusal: true as const }
    if (refusal) reading.hasRefusal = true
    else if (text !== '') reading.hasText = true
    out.push({ type: 'text', key: textKey(key, index), text: text.slice(progress.lengths.get(index) ?? 0), ...refusal })
    const citations = arrayOf(field(part, 'annotations')).slice(progress.annotations.get(index) ?? 0)
    const kept = otherFields(part, refusal ? knownOfRefusal : knownOfText)
    const fields = { ...withoutEmptyLogprobs(kept), ...compact({ message }) }
    out.push(
      compact({
        type: 'patch',
        key: textKey(key, index),
        opaque,
        citations: citations.length > 0 ? citations.map(readAnnotation) : undefined,
        ...keeping(fields),
      }),
    )
  }
  for (const index of new Set([...parts.keys(), ...places.values(), ...progress.lengths.keys()])) {
    out.push({ type: 'close', key: textKey(key, index) })
  }
}

function textOfPart(part: Json): string | undefined {
  const type = field(part, 'type')
  if (type !== 'output_text' && type !== 'refusal') return undefined
  return stringOr(field(part, type === 'refusal' ? 'refusal' : 'text') ?? '', undefined)
}

/**
 * Returns the `content_index` that each text of a complete item had in the stream, by its position in the item. Usually the two are
 * the same, and the map is empty. Bedrock and vLLM count reasoning parts in the stream but not in the item: then the texts are
 * matched in order.
 */
function streamedPlaces(parts: readonly Json[], { lengths }: Progress): ReadonlyMap<number, number> {
  const texts = [...parts.keys()].filter((at) => textOfPart(parts[at] ?? null) !== undefined)
  const came = [...lengths.keys()].sort((one, other) => one - other)
  if (came.every((index) => texts.includes(index))) return new Map()
  const highest = Math.max(...came, parts.length)
  return new Map(texts.map((at, order) => [at, came[order] ?? highest + order]))
}

/** Leaves out `logprobs` if the list is empty. Every answer has the field, and it is rarely filled. */
function withoutEmptyLogprobs(fields: JsonObject | undefined): JsonObject {
  const { logprobs, ...rest } = fields ?? {}
  return logprobs === undefined || arrayOf(logprobs).length === 0 ? rest : { ...rest, logprobs }
}

// ---- reasoning --------------------------------------------------------------------------------

/** The text that separates the parts of a summary. */
export const partBreak = '\n\n'

/** Returns the readable text of a reasoning item: the summary, then the reasoning itself if the server shows it. */
export function reasoningText(item: JsonObject): string {
  const parts = [...arrayOf(field(item, 'summary')), ...arrayOf(field(item, 'content'))]
  return parts.flatMap((part) => textOr(field(part, 'text'), [])).join(partBreak)
}

function readReasoning(item: JsonObject, key: number, progress: Progress, reading: Reading, out: Fragment[]): void {
  const text = reasoningText(item)
  out.push({ type: 'reasoning', key, text: text.slice(progress.lengths.get(0) ?? 0) })
  const { type: _, summary, ...rest } = item
  const isPlain = isPlainSummary(summary, text) && arrayOf(rest.content).length === 0
  const id = textOr(field(item, 'id'), undefined)
  const isMade = id !== undefined && madeId.test(id)
  const data = isPlain ? rest : { ...rest, summary: summary ?? [] }
  if (isMade) delete data.id
  reading.after = undefined
  const isProof = !isMade || typeof data.encrypted_content === 'string'
  out.push(compact({ type: 'patch', key, opaque: isProof ? proof(data, reading) : undefined }), { type: 'close', key })
  if (!isMade) reading.after = id
}

/** Whether the summary can be written again from its text: it has no part, or one part without other fields. */
function isPlainSummary(summary: unknown, text: string): boolean {
  const parts = arrayOf(summary)
  if (parts.length === 0) return text === ''
  return parts.length === 1 && text !== '' && isObject(parts[0]) && Object.keys(parts[0]).length === 2
}

// ---- calls ------------------------------------------------------------------------------------

function readCall(item: JsonObject, key: number, _progress: Progress, reading: Reading, out: Fragment[]): void {
  const server = isServerCall(item, reading.dialect)
  const opaque = server ? proof(item, reading) : proofOf(item, reading)
  const isWrapper = reading.opensWrappers && field(item, 'name') === wrapperName
  const wrapped = isWrapper ? wrappedCalls(item) : []
  for (const { wrapper, ...call } of wrapped) {
    const part = `${key}/${call.id}`
    out.push({ type: 'call', key: part, ...call, opaque, ...keeping({ wrapper }) }, { type: 'close', key: part })
  }
  if (wrapped.length > 0) return
  out.push(callFragment(item, { key, opaque, server }))
  // A call that was cut off stays open. The end of the answer decides whether it is a valid call.
  if (field(item, 'status') !== 'incomplete') out.push({ type: 'close', key })
}

/** Whether the server runs this call itself. Some servers report such calls as calls for the client; only the tool's name differs. */
export function isServerCall(item: JsonObject, dialect: ResponsesDialect): boolean {
  return dialect.serverTools.has(stringOr(field(item, 'name'), ''))
}

function readHosted(item: JsonObject, key: number, _progress: Progress, reading: Reading, out: Fragment[]): void {
  const hosted = hostedOf(item) as HostedCall
  const output = hosted.output === undefined ? undefined : (field(item, hosted.output) ?? undefined)
  const error = field(item, 'error') ?? undefined
  const id = hostedId(item, hosted)
  const name = hostedName(item, hosted)
  const given = hostedArguments(item, hosted)
  const taken = new Set([...given.fields, ...(output === undefined ? [] : [hosted.output ?? ''])])
  const data = otherFields(item, taken) ?? {}
  out.push(
    { type: 'call', key, id, name, arguments: given.value, final: true, server: true, opaque: proof(data, reading) },
    { type: 'close', key },
  )
  if (output === undefined && error === undefined) return
  const status = error !== undefined || field(item, 'status') === 'failed' ? 'error' : 'success'
  const result = output ?? error
  out.push({ type: 'block', block: { type: 'server_tool_result', toolCallId: id, name, status, output: result } })
}

function readHostedResult(
  item: JsonObject,
  _key: number,
  _progress: Progress,
  reading: Reading,
  out: Fragment[],
): void {
  const { name, output: outputField } = hostedResults[String(item.type)] as (typeof hostedResults)[string]
  const { [outputField]: output, ...data } = item
  const toolCallId = textOr(field(item, 'call_id'), undefined)
  const status = field(item, 'status') === 'incomplete' ? 'error' : 'success'
  const opaque = proof(data, reading)
  out.push({ type: 'block', block: compact({ type: 'server_tool_result', toolCallId, name, status, output, opaque }) })
}

/** Returns the name in the item if it has one, as the items of MCP servers and of xAI do. Otherwise the name from the table. */
export function hostedName(item: JsonObject, hosted: HostedCall): string {
  return textOr(field(item, 'name'), hosted.name)
}

function hostedArguments(item: JsonObject, { input }: HostedCall): { value: string | JsonObject; fields: string[] } {
  if (typeof item.arguments === 'string') return { value: item.arguments, fields: [] }
  if (typeof input === 'string') {
    const value = field(item, input)
    const isGiven = isObject(value) && Object.keys(value).length > 0
    return isGiven ? { value, fields: [input] } : { value: {}, fields: [] }
  }
  const fields = input.filter((name) => (item[name] ?? null) !== null)
  return { value: compact(Object.fromEntries(fields.map((name) => [name, item[name]]))) as JsonObject, fields }
}

// ---- generated images, and the rest -----------------------------------------------------------

function readImage(item: JsonObject, _key: number, _progress: Progress, reading: Reading, out: Fragment[]): void {
  const { result, ...rest } = item
  if (typeof result !== 'string' || result === '') {
    out.push({ type: 'block', block: unknownBlock(item) })
    return
  }
  const mimeType = `image/${textOr(field(item, 'output_format'), 'png')}`
  out.push({ type: 'block', block: { type: 'image', data: result, mimeType, opaque: proof(rest, reading) } })
}

const readUnknown: ItemReader = (item, _key, _progress, _reading, out) => {
  out.push({ type: 'block', block: unknownBlock(item) })
}

// ---- proofs -----------------------------------------------------------------------------------

/** Makes a proof. It also names the reasoning item that came before, if there is one. */
function proof(data: JsonObject, { dialect, model, after }: Reading): Opaque {
  return {
    provider: dialect.provider,
    model,
    format,
    data: after === undefined ? data : { ...data, reasoningId: after },
  }
}

/** Makes a proof of the id and the status of an item. An id that a gateway made is left out. */
function proofOf(item: JsonObject, reading: Reading): Opaque {
  const { id, status } = item
  const isMade = typeof id === 'string' && madeId.test(id)
  return proof(compact({ id: isMade ? undefined : id, status }) as JsonObject, reading)
}
