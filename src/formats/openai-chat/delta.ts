/**
 * OpenAI Chat Completions: decodes a delta of the assistant's message to fragments. A complete message is read like one large delta.
 *
 * @module
 */
import type { CallFragment, Fragment } from '../../core/codec.ts'
import {
  arrayOf,
  compact,
  field,
  isObject,
  numberOr,
  otherFields,
  setOwn,
  stringOr,
  textOr,
} from '../../core/lookup.ts'
import type { CitationBlock, Json, JsonObject, Opaque } from '../../core/model.ts'
import type { ChatDialect } from './dialect.ts'
import { readPart } from './read-part.ts'
import { answerFields, callFields, deltaBookkeeping, format, proofNames } from './tables.ts'

/** The decoder's state between deltas. It stores text only of proofs, since a proof must be sent back complete. */
export interface DeltaState {
  readonly dialect: ChatDialect
  /** The model's name in the answer. */
  model: string
  hasRefusal: boolean
  hasAudio: boolean
  /** Whether the last part read was text. Annotations belong to this text. */
  isText: boolean
  /** OpenRouter's incomplete proofs. */
  details: JsonObject[] | undefined
  detailsBlock: number
  /** Whether reasoning came in a field without a proof. Proofs after it repeat its text. */
  hasPlainReasoning: boolean
  /** The ids of custom calls whose text is not complete yet, by the index of the call. */
  openCustom: Map<number, string | undefined>
  /** Unknown fields of the choice in the answer. */
  readonly choice: Record<string, Json>
}

/** Reads a delta or, with `isWhole`, a complete message. The order is: reasoning, text with its citations, refusal, media, calls. */
export function readDelta(state: DeltaState, delta: JsonObject, out: Fragment[], isWhole: boolean): void {
  for (const name in delta) {
    if (answerFields.has(name) || !Object.hasOwn(delta, name)) continue
    const value = delta[name] as Json
    if (name === deltaBookkeeping) state.choice[name] = value
    else keepOnMessage(name, value, out)
  }
  readReasoning(state, delta, out)
  readContent(state, delta.content, out)
  if (delta.annotations) readAnnotations(state, delta.annotations, out)
  const refusal = delta.refusal
  if (typeof refusal === 'string' && refusal !== '') {
    state.hasRefusal = true
    pushText(state, { type: 'text', text: refusal, refusal: true }, out)
  }
  if (isObject(delta.audio) && !isBlank(delta.audio)) readAudio(state, delta.audio, out)
  for (const image of arrayOf(delta.images)) pushPart(state, image, 'images', out)
  readCalls(state, delta, out, isWhole)
}

/** Whether all values are empty. Snowflake sends every field of an answer, and gives empty values to the fields that it does not use. */
export function isBlank(value: JsonObject): boolean {
  return Object.values(value).every((one) => one === '' || one === 0 || one === null)
}

/** Appends the fragments that are complete only at the end of the message. */
export function endMessage(state: DeltaState, out: Fragment[]): void {
  endReasoning(state, out)
  for (const [position, id] of state.openCustom) {
    out.push({ type: 'call', ...(position >= 0 && { position }), ...(id && { id }), arguments: '"}' })
  }
  state.openCustom.clear()
}

function keepOnMessage(name: string, value: Json, out: Fragment[]): void {
  if (value === null) return
  const fields: JsonObject = {}
  setOwn(fields, name, value)
  out.push({ type: 'extra', on: 'message', providerData: { [format]: fields } })
}

// ---- text -------------------------------------------------------------------------------------

function pushText(state: DeltaState, fragment: Fragment, out: Fragment[]): void {
  endReasoning(state, out)
  state.isText = true
  out.push(fragment)
}

/** Reads content: a string or an array of parts. */
function readContent(state: DeltaState, content: Json | undefined, out: Fragment[]): void {
  if (typeof content === 'string') {
    if (content !== '') pushText(state, { type: 'text', text: content }, out)
    return
  }
  for (const part of Array.isArray(content) ? content : isObject(content) ? [content] : []) {
    const text = field(part, 'type') === 'text' ? field(part, 'text') : part
    const isBare = typeof text === 'string' && (part === text || Object.keys(part as JsonObject).length === 2)
    if (isBare) readContent(state, text, out)
    else pushPart(state, part, 'content', out)
  }
}

/** Reads a part with the dialect's `readPart`, then with the common one. A value that is not an object is kept under its field's name. */
function pushPart(state: DeltaState, value: Json, name: string, out: Fragment[]): void {
  const part = isObject(value) ? value : { type: name, value }
  const read = state.dialect.readPart?.(part) ?? [{ type: 'block' as const, block: readPart(part) }]
  endReasoning(state, out)
  state.isText = false
  for (const fragment of read) {
    if (fragment.type === 'block' && fragment.block.type === 'text') {
      state.isText = true
      state.hasRefusal ||= fragment.block.refusal === true
    }
    out.push(fragment)
  }
}

/** Reads OpenAI's citations, which belong to the text before them. Keeps other annotations, such as OpenRouter's file annotations. */
function readAnnotations(state: DeltaState, annotations: unknown, out: Fragment[]): void {
  const citations: CitationBlock[] = []
  const others: Json[] = []
  for (const annotation of arrayOf(annotations)) {
    const wire = field(annotation, 'url_citation')
    if (isObject(wire) && isBlank(wire)) continue
    const citation = readCitation(annotation)
    if (citation === undefined) others.push(annotation)
    else citations.push(citation)
  }
  if (others.length > 0) keepOnMessage('annotations', others, out)
  if (citations.length === 0) return
  if (state.isText) out.push({ type: 'patch', citations })
  else for (const block of citations) out.push({ type: 'block', block })
}

const citationFields = new Set(['url', 'title', 'start_index', 'end_index'])

function readCitation(annotation: Json): CitationBlock | undefined {
  const wire = field(annotation, 'url_citation')
  if (!isObject(wire)) return undefined
  const others = otherFields(wire, citationFields)
  return compact({
    type: 'citation',
    url: textOr(wire.url, undefined),
    title: stringOr(wire.title, undefined),
    startIndex: numberOr(wire.start_index, undefined),
    endIndex: numberOr(wire.end_index, undefined),
    providerData: others && { [format]: others },
  })
}

const audioFields = new Set(['id', 'data', 'transcript'])

/** Reads generated audio. Only its id is sent back in later requests. `expires_at` comes in the last chunk. */
function readAudio(state: DeltaState, audio: JsonObject, out: Fragment[]): void {
  const others = otherFields(audio, audioFields)
  const added = compact({
    id: textOr(audio.id, undefined),
    data: textOr(audio.data, undefined),
    transcript: textOr(audio.transcript, undefined),
    providerData: others && { [format]: others },
  })
  if (state.hasAudio) out.push({ type: 'patch', key: 'audio', ...added })
  else out.push({ type: 'block', key: 'audio', open: true, block: { type: 'audio', ...added } })
  state.hasAudio = true
}

// ---- reasoning --------------------------------------------------------------------------------

/** Reads reasoning. Some hosts send the same text in two fields: the first non-empty field is read. OpenRouter also sends a proof. */
function readReasoning(state: DeltaState, delta: JsonObject, out: Fragment[]): void {
  const pieces = arrayOf(delta.reasoning_details)
    .filter(isObject)
    .filter((piece) => !isBlank(piece))
  let text = ''
  for (const name of state.dialect.reasoningFields) text ||= stringOr(delta[name], '')
  if (text === '' && pieces.length === 0) return
  state.isText = false
  if (pieces.length > 0) {
    if (text === '' && !state.hasPlainReasoning) {
      text = pieces.map((piece) => stringOr(piece.text, stringOr(piece.summary, ''))).join('')
    }
    state.details ??= []
    for (const piece of pieces) addPiece(state.details, piece)
  }
  if (state.details === undefined) {
    state.hasPlainReasoning = true
    out.push({ type: 'reasoning', text })
  } else out.push({ type: 'reasoning', text, key: detailsKey(state) })
}

const detailsKey = (state: DeltaState) => `reasoning_details:${state.detailsBlock}`

/** Appends a piece to its detail. Pieces of one detail have the same index and type. */
function addPiece(details: JsonObject[], piece: JsonObject): void {
  const detail = details.find((one) => one.index === piece.index && one.type === piece.type)
  if (detail === undefined || piece.index === undefined) {
    details.push({ ...piece })
    return
  }
  for (const [name, added] of Object.entries(piece)) {
    const before = detail[name]
    const grows = /^(?:text|summary|data)$/.test(name) && typeof before === 'string' && typeof added === 'string'
    if (grows) detail[name] = before + added
    else if (added !== null) detail[name] = added
  }
}

/** Ends the reasoning block. Any other piece ends it, so that formats with one open block at a time can write at once. */
function endReasoning(state: DeltaState, out: Fragment[]): void {
  if (state.details === undefined) return
  const key = detailsKey(state)
  out.push({ type: 'patch', key, opaque: proof(state, { reasoning_details: state.details }) }, { type: 'close', key })
  state.details = undefined
  state.detailsBlock++
}

function proof({ dialect, model }: DeltaState, data: JsonObject): Opaque {
  return { provider: dialect.provider, model, format, data }
}

// ---- calls ------------------------------------------------------------------------------------

/** A call fragment with writable fields. Setting the fields one by one is ten times as fast as spreading optional fields. */
type CallPiece = { -readonly [Key in keyof CallFragment]: CallFragment[Key] }

function readCalls(state: DeltaState, delta: JsonObject, out: Fragment[], isWhole: boolean): void {
  const legacy = delta.function_call
  if (isObject(legacy) && !isBlank(legacy)) {
    const providerData = { [format]: { type: 'function_call' } }
    pushCall(state, { type: 'call', key: 'function_call', providerData }, legacy, out)
  }
  const calls = arrayOf(delta.tool_calls)
  for (let at = 0; at < calls.length; at++) {
    const call = calls[at] ?? null
    if (isObject(call)) {
      if (!isBlankCall(call)) readCall(state, call, at, out, isWhole)
    } else if (call !== null) pushPart(state, call, 'tool_calls', out)
  }
}

/** Whether a call has no values except an index and a type. */
function isBlankCall(delta: JsonObject): boolean {
  if (delta.id || textOr(field(delta.function, 'arguments'), undefined) !== undefined) return false // the common case in a stream
  const { index: _, type = 'function', ...call } = delta
  const isEmpty = (value: Json) => (isObject(value) ? isBlank(value) : value === '' || value === null)
  return (type === 'function' || type === '' || type === null) && Object.values(call).every(isEmpty)
}

const functionFields = new Set(['name', 'arguments'])

function readCall(state: DeltaState, call: JsonObject, at: number, out: Fragment[], isWhole: boolean): void {
  const { custom, function: body } = call
  const position = numberOr(call.index, undefined)
  const id = stringOr(call.id, undefined)
  const found = otherFields(call, callFields)
  const proofs = found && otherFields(found, { has: (name) => !proofNames.has(name) || found[name] === null })
  const inFunction = isObject(body) ? otherFields(body, functionFields) : undefined
  const others = found && otherFields(found, proofNames)
  const piece: CallPiece = { type: 'call' }
  if (isWhole) piece.key = `call:${at}`
  else if (position !== undefined) piece.position = position
  if (id !== undefined) piece.id = id
  if (proofs !== undefined) piece.opaque = proof(state, proofs)
  if (others !== undefined || inFunction !== undefined) {
    piece.providerData = { [format]: { ...others, ...compact({ function: inFunction }) } }
  }
  const type = textOr(call.type, 'function')
  if (isObject(custom) && isCustom(call, custom)) {
    piece.providerData = { [format]: { ...others, type: 'custom' } }
    pushCall(
      state,
      piece,
      { name: custom.name ?? null, arguments: customInput(state, custom, piece.id, position ?? -1, isWhole) },
      out,
    )
  } else if (type === 'function' || body !== undefined) {
    pushCall(state, piece, body, out)
  } else {
    out.push({ type: 'block', block: { type: 'unknown', format, providerType: `tool_calls:${type}`, value: call } })
  }
}

/** Whether a call is of a custom tool. Later pieces of a call have no type: if both fields are set, the non-empty one decides. */
function isCustom({ type, function: body }: JsonObject, custom: JsonObject): boolean {
  if (type === 'custom' || !isObject(body)) return true
  return type !== 'function' && isBlank(body) && !isBlank(custom)
}

/** Free text becomes the argument `input`. In a stream, `endMessage` adds the closing `"}`. */
function customInput(
  { openCustom }: DeltaState,
  custom: JsonObject,
  id: string | null | undefined,
  position: number,
  isWhole: boolean,
): string | JsonObject {
  const input = stringOr(custom.input, '')
  if (isWhole) return { input }
  const text = JSON.stringify(input).slice(1, -1)
  if (openCustom.has(position)) return text
  openCustom.set(position, id ?? undefined)
  return `{"input":"${text}`
}

/** Adds the fields of a function to a call. Some hosts send the arguments as an object. */
function pushCall(state: DeltaState, piece: CallPiece, body: unknown, out: Fragment[]): void {
  const name = field(body, 'name')
  const args = field(body, 'arguments')
  if (typeof name === 'string') piece.name = name
  if (typeof args === 'string' || isObject(args)) piece.arguments = args
  else if (args !== undefined && args !== null) piece.arguments = JSON.stringify(args)
  endReasoning(state, out)
  state.isText = false
  out.push(piece)
}
