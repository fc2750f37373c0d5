/**
 * OpenAI Responses: turns the items of an output into fragments of blocks. The decoders of streams, of whole answers and of the
 * assistant's items in a request use it.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/object#responses/object-output
 *
 * @module
 */
import type { Fragment } from '../../core/codec.ts'
import { arrayOf, compact, field, isObject, lookup, stringOr, textOr, unlessEmpty } from '../../core/lookup.ts'
import type { ContentBlock, Json, JsonObject, Opaque } from '../../core/model.ts'
import { keeping, readAnnotation, unknownBlock } from './content.ts'
import type { ResponsesDialect } from './dialect.ts'
import { format, type Hosted, hostedId, hostedName, hostedOf } from './tables.ts'
import { argumentsOf, customCall, wrappedCalls } from './tools.ts'

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
  /** Identifies the block of the item in fragments. */
  readonly key: number
  readonly type: string
  /** The position of the item among those received. */
  readonly order: number
  /** The length of each text received so far, by its index. The complete item then shows the text that the deltas did not have. */
  readonly lengths: Map<number, number>
  /** The number of citations of each text received so far. */
  readonly cited: Map<number, number>
  /** The part of reasoning that the last delta belongs to. */
  part: string
  /** Whether it was announced as a call. Only then its arguments are passed on before it is complete. */
  isCall: boolean
}

export function newProgress(key: number, type = '', order = 0): Progress {
  return { key, type, order, lengths: new Map(), cited: new Map(), part: '', isCall: false }
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

/** Adds fragments, and returns the block of the item if it is a whole one. */
type ItemReader = (item: JsonObject, progress: Progress, reading: Reading, out: Fragment[]) => ContentBlock | undefined

const readers: Readonly<Record<string, ItemReader>> = {
  message: readMessage,
  reasoning: readReasoning,
  function_call: readCall,
  [customCall]: readCall,
  image_generation_call: readImage,
}

/** Reads a complete item. An item of an unknown type becomes an `unknown` block, which is sent back unchanged. */
export function readItem(item: Json, progress: Progress, reading: Reading, out: Fragment[]): void {
  if (!isObject(item)) return
  const type = stringOr(item.type, item.role === 'assistant' ? 'message' : '')
  const isClients = item.execution === 'client'
  const id = textOr(item.call_id, stringOr(item.id, ''))
  if (asksClient.has(type) || (isClients && type === 'tool_search_call')) reading.waiting.add(id)
  else if (type.endsWith('_output')) reading.waiting.delete(id) // the server ran the call itself
  if (type === 'mcp_list_tools' && item.error) {
    const reason = `the tools of the MCP server "${item.server_label}" could not be listed`
    out.push({ type: 'warning', warning: { path: 'response', action: 'dropped', reason, severity: 'minor' } })
  }
  const read = lookup(readers, type) ?? (hostedOf(item) && readHosted)
  const block = read && !isClients ? read(item, progress, reading, out) : unknownBlock(item)
  if (block !== undefined) out.push({ type: 'block', block })
}

// ---- messages ---------------------------------------------------------------------------------

/** Returns the key of a text. An item can have several texts, so the key has the index of the text. */
export function textKey(item: number, index: number): string {
  return `${item}/${index}`
}

/**
 * Reads the texts of a message. Usually a text has the same index in the stream and in the item. Bedrock and vLLM count reasoning parts in
 * the stream but not in the item: then the texts are matched in order.
 */
function readMessage(
  item: JsonObject,
  progress: Progress,
  reading: Reading,
  out: Fragment[],
): ContentBlock | undefined {
  const { type: _type, id: _id, status: _status, role, content, ...message } = item
  const parts: readonly Json[] =
    typeof content === 'string' ? [{ type: 'output_text', text: content }] : arrayOf(content)
  if ((role ?? 'assistant') !== 'assistant' || parts.length + progress.lengths.size === 0) return unknownBlock(item)
  const opaque = proofOf(item, reading)
  const streamed = [...progress.lengths.keys()].sort((one, other) => one - other)
  const isShifted = streamed.some((index) => textOfPart(parts[index]) === undefined)
  for (const [at, part] of parts.entries()) {
    const text = textOfPart(part)
    if (!isObject(part) || text === undefined) {
      out.push({ type: 'block', block: unknownBlock(part, { part: true, proof: opaque.data }) })
      continue
    }
    const index = isShifted ? (streamed.shift() ?? -1 - at) : at
    const key = textKey(progress.key, index)
    const { type, text: _text, refusal: _refusal, annotations, logprobs, ...kept } = part
    const refusal = type === 'refusal' && { refusal: true as const }
    if (refusal) reading.hasRefusal = true
    else if (text !== '') reading.hasText = true
    const fields = compact({
      ...kept,
      logprobs: unlessEmpty(arrayOf(logprobs)) as Json, // every answer has the field, and it is rarely filled
      message: unlessEmpty(message),
    })
    const citations = unlessEmpty(
      arrayOf(annotations)
        .slice(progress.cited.get(index) ?? 0)
        .map(readAnnotation),
    )
    out.push(
      { type: 'text', key, text: text.slice(progress.lengths.get(index) ?? 0), ...refusal },
      compact({ type: 'patch', key, opaque, citations, ...keeping(fields) }),
      { type: 'close', key },
    )
  }
}

const textFields: Readonly<Record<string, string>> = { output_text: 'text', refusal: 'refusal' }

function textOfPart(part: unknown): string | undefined {
  const name = lookup(textFields, field(part, 'type'))
  return name && stringOr(field(part, name) ?? '', undefined)
}

// ---- reasoning --------------------------------------------------------------------------------

/** The text that separates the parts of a summary. */
export const partBreak = '\n\n'

/** Returns the readable text of a reasoning item: the summary, then the reasoning itself if the server shows it. */
export function reasoningText({ summary, content }: JsonObject): string {
  return [...arrayOf(summary), ...arrayOf(content)].flatMap((part) => textOr(field(part, 'text'), [])).join(partBreak)
}

/** Returns the summary that has this text in one part. */
export function summaryOf(text: string): Json[] {
  return text === '' ? [] : [{ type: 'summary_text', text }]
}

function readReasoning(item: JsonObject, { key, lengths }: Progress, reading: Reading, out: Fragment[]): undefined {
  const text = reasoningText(item)
  const { type: _, id: given, summary: parts, ...rest } = item
  const id = ownId(item)
  const [part, second] = arrayOf(parts)
  // The summary can be written again from its text if it has no part, or one part without other fields.
  const isPlain = Object.keys(part ?? {}).length === (text === '' ? 0 : 2) && second === undefined
  const isWritable = isPlain && text === textOr(field(part, 'text'), '')
  const data = compact({ id, ...rest, summary: isWritable ? undefined : (parts ?? []) }) as JsonObject
  reading.after = undefined
  const isProof = id === given || typeof data.encrypted_content === 'string'
  out.push(
    { type: 'reasoning', key, text: text.slice(lengths.get(0) ?? 0) },
    compact({ type: 'patch', key, opaque: isProof ? proof(data, reading) : undefined }),
    { type: 'close', key },
  )
  reading.after = id
}

// ---- calls ------------------------------------------------------------------------------------

/** Reads a complete call. It replaces the pieces of the same call. */
function readCall(item: JsonObject, { key }: Progress, reading: Reading, out: Fragment[]): undefined {
  const server = isServerCall(item, reading.dialect)
  const opaque = server ? proof(item, reading) : proofOf(item, reading)
  const wrapped = reading.opensWrappers ? wrappedCalls(item) : []
  for (const { wrapper, ...call } of wrapped) {
    const part = `${key}/${call.id}`
    out.push({ type: 'call', key: part, ...call, opaque, ...keeping({ wrapper }) }, { type: 'close', key: part })
  }
  if (wrapped.length > 0) return
  const { type, id: _id, status, call_id, name, arguments: _arguments, input, ...kept } = item
  const isCustom = type === customCall
  const given = isCustom ? JSON.stringify({ input: stringOr(input, '') }) : argumentsOf(item)
  out.push({
    type: 'call',
    key,
    id: textOr(call_id, null),
    name: textOr(name, null),
    ...(given !== '' && { arguments: given, final: true }), // some hosts send empty arguments at the end, after the real ones
    opaque,
    ...keeping(isCustom ? { ...kept, type } : kept),
    ...(server && { server }),
  })
  // A call that was cut off stays open. The end of the answer decides whether it is a valid call.
  if (status !== 'incomplete') out.push({ type: 'close', key })
}

/** Whether the server runs this call itself. Some servers report such calls as calls for the client; only the tool's name differs. */
export function isServerCall({ name }: JsonObject, { serverTools }: ResponsesDialect): boolean {
  return serverTools.has(stringOr(name, ''))
}

/** Reads an item of a tool that the server ran: the call, its result, or both. The proof keeps the other fields of the item. */
function readHosted(item: JsonObject, { key }: Progress, reading: Reading, out: Fragment[]): ContentBlock | undefined {
  const hosted = hostedOf(item) as Hosted
  const { input, output = 'error' } = hosted
  const name = hostedName(item)
  const isSet = (field: string) => (item[field] ?? null) !== null
  const fields = [input ?? []].flat().filter(isSet)
  const given = typeof input === 'string' ? item[input] : Object.fromEntries(fields.map((one) => [one, item[one]]))
  const isTaken = isObject(given) && unlessEmpty(given) !== undefined
  const resultField = isSet('error') ? 'error' : output
  const result = item[resultField] ?? undefined
  const data = { ...item }
  for (const field of isTaken ? fields : []) delete data[field]
  if (result !== undefined && resultField === output) delete data[output]
  const opaque = proof(data, reading)
  const isFailed = resultField === 'error' || item.status === 'failed' || item.status === 'incomplete'
  const block = { type: 'server_tool_result', name, status: isFailed ? 'error' : 'success', output: result } as const
  if (input === undefined) return compact({ ...block, toolCallId: textOr(item.call_id, undefined), opaque })
  const id = hostedId(item, hosted)
  // A text stays in the proof too. It shows that the wire has these arguments as text.
  const value = typeof given === 'string' || isTaken ? (given as string | JsonObject) : {}
  out.push({ type: 'call', key, id, name, arguments: value, final: true, server: true, opaque }, { type: 'close', key })
  return result === undefined ? undefined : { ...block, toolCallId: id }
}

function readImage(item: JsonObject, _progress: Progress, reading: Reading): ContentBlock {
  const { result: data, ...rest } = item
  if (typeof data !== 'string' || data === '') return unknownBlock(item)
  return { type: 'image', data, mimeType: `image/${textOr(item.output_format, 'png')}`, opaque: proof(rest, reading) }
}

// ---- proofs -----------------------------------------------------------------------------------

/** Makes a proof. It also names the reasoning item that came before, if there is one. */
function proof(data: JsonObject, { dialect, model, after }: Reading): Opaque {
  const { provider } = dialect
  return { provider, model, format, data: after === undefined ? data : { ...data, reasoningId: after } }
}

/** Makes a proof of the id and the status of an item. */
function proofOf(item: JsonObject, reading: Reading): Opaque {
  return proof(compact({ id: ownId(item), status: item.status }) as JsonObject, reading)
}

/** Returns the id of an item. An id that a gateway made is left out. */
function ownId({ id }: JsonObject): string | undefined {
  return typeof id === 'string' && !madeId.test(id) ? id : undefined
}
