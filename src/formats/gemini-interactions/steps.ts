/**
 * Gemini Interactions: reads steps into fragments of blocks. A stream sends a step as a start, deltas and a stop. A whole step is read like a
 * start that has all content already. The decoders of answers, streams and requests use this code.
 *
 * @see https://ai.google.dev/gemini-api/docs/interactions (read 2026-11)
 *
 * @module
 */
import type { Fragment } from '../../core/codec.ts'
import { compact, field, isObject, lookup, otherFields, stringOr, textOr } from '../../core/lookup.ts'
import type { Json, JsonObject, Opaque } from '../../core/model.ts'
import { isEnvelope } from '../../kit/envelope.ts'
import { follow, type Lengths, newLengths } from '../../kit/utf8.ts'
import { contentsOf, decodeContent, keeping, readAnnotations } from './content.ts'
import { format, hostedOf, provider, stepsOfDeltas } from './tables.ts'

/** The state of an answer while its steps are read. */
export interface Reading {
  model: string
  /** Whether a call takes the signature of the thought before it. Calls in a history do not, because the history has the thought itself. */
  readonly signsCalls: boolean
  /** The signature of the last thought. The next call takes it; it is then empty. */
  signature: string
  /** Whether the answer has calls that the client must run. */
  hasCalls: boolean
  /** The number of steps so far. */
  count: number
}

export function newReading(model: string, signsCalls = true): Reading {
  return { model, signsCalls, signature: '', hasCalls: false, count: 0 }
}

/** A step that has started and not ended. */
export interface OpenStep {
  readonly type: string
  /** The fields of the step. Deltas that contain whole values are merged into it. */
  step: JsonObject
  readonly key: string
  /** The number of texts so far. Each text is a block: text that follows an image starts a new one. */
  parts: number
  /** The lengths of the open text; `undefined` if no text is open. */
  text: Lengths | undefined
  /** The images in the summary of a thought. */
  readonly pictures: Json[]
  /** Whether the thought has a block already. */
  hasBlock: boolean
  /** Whether the arguments were received as deltas. */
  hasPieces: boolean
}

/** Reads a whole step. */
export function readStep(step: Json, reading: Reading, out: Fragment[]): void {
  if (isObject(step)) closeStep(openStep(step, reading, out), reading, out)
}

/** Starts a step, and reads the content that it already has. */
export function openStep(step: JsonObject, reading: Reading, out: Fragment[]): OpenStep {
  const type = textOr(field(step, 'type'), '')
  const key = `${reading.count++}`
  const open: OpenStep = { type, step, key, parts: 0, text: undefined, pictures: [], hasBlock: false, hasPieces: false }
  switch (type) {
    case 'model_output':
      for (const content of contentsOf(field(step, 'content'))) {
        closeText(open, out) // each text of a whole step is a block of its own
        addContent(open, content, out)
      }
      break
    case 'thought':
      for (const content of contentsOf(field(step, 'summary'))) addSummary(open, content, out)
      break
    case 'function_call':
      reading.hasCalls = true
      addCall(open, field(step, 'name'), out)
      break
    default:
      if (hostedOf(type)?.part === 'call') addCall(open, nameOf(type, step), out)
  }
  return open
}

/** Adds a delta to its step. A delta of an unknown type is skipped. */
export function addDelta(open: OpenStep, delta: JsonObject, out: Fragment[]): void {
  const type = textOr(field(delta, 'type'), '')
  if (type === 'arguments_delta') addArguments(open, field(delta, 'arguments'), out)
  else if (type === 'thought_signature') addSignature(open, field(delta, 'signature'))
  else if (type === 'thought_summary') addSummary(open, field(delta, 'content') ?? null, out)
  else if (type === open.type) open.step = { ...open.step, ...delta }
  else if (open.type === 'model_output' && lookup(stepsOfDeltas, type) === open.type) addContent(open, delta, out)
}

/**
 * Ends a step. Its fields that are not streamed become a block. `isWhole` is false if the step's own end was not received: its call then stays
 * open, and the end of the answer decides whether it is valid.
 */
export function closeStep(open: OpenStep, reading: Reading, out: Fragment[], isWhole = true): void {
  const { type, step, key } = open
  switch (type) {
    case 'model_output':
      closeText(open, out)
      if (isObject(field(step, 'error'))) {
        out.push({ type: 'extra', on: 'message', providerData: { [format]: { error: step.error as Json } } })
      }
      break
    case 'thought':
      closeThought(open, reading, out)
      break
    case 'function_call':
      closeCall(open, reading, out)
      if (isWhole) out.push({ type: 'close', key })
      break
    case 'user_input':
      break // an answer that is fetched later begins with the input of its request
    default: {
      const hosted = hostedOf(type)
      if (hosted?.part === 'call') closeHostedCall(open, reading, out)
      else if (hosted?.part === 'result') out.push(resultFragment(open, hosted.name, reading))
      else if (type !== '') {
        out.push({ type: 'block', key, block: { type: 'unknown', format, providerType: type, value: step } })
      }
    }
  }
}

// ---- output -----------------------------------------------------------------------------------

/** Adds a content. Text continues the open text block; other content, such as an image, closes it. */
function addContent(open: OpenStep, content: Json, out: Fragment[]): void {
  const type = field(content, 'type')
  if (type === 'text_annotation' || type === 'text_annotation_delta') {
    addAnnotations(open, content, out)
    return
  }
  if (type !== 'text') {
    closeText(open, out)
    out.push({ type: 'block', block: decodeContent(content) })
    return
  }
  const text = field(content, 'text')
  if (typeof text !== 'string') return
  if (open.text === undefined) {
    open.text = newLengths()
    open.parts++
  }
  follow(open.text, text)
  out.push({ type: 'text', key: textKey(open), text })
  const kept = isObject(content) ? otherFields(content, knownOfText) : undefined
  if (kept !== undefined) out.push({ type: 'patch', key: textKey(open), ...keeping(kept) })
  addAnnotations(open, content, out)
}

const knownOfText = new Set(['type', 'text', 'annotations'])

function addAnnotations(open: OpenStep, content: Json, out: Fragment[]): void {
  if (open.text === undefined) return
  const citations = readAnnotations(field(content, 'annotations'), open.text)
  if (citations.length > 0) out.push({ type: 'patch', key: textKey(open), citations })
}

function textKey({ key, parts }: OpenStep): string {
  return `${key}/${parts}`
}

function closeText(open: OpenStep, out: Fragment[]): void {
  if (open.text !== undefined) out.push({ type: 'close', key: textKey(open) })
  open.text = undefined
}

// ---- thoughts ---------------------------------------------------------------------------------

function addSummary(open: OpenStep, content: Json, out: Fragment[]): void {
  const text = field(content, 'text')
  open.hasBlock = true
  if (typeof text === 'string') {
    out.push({ type: 'reasoning', key: open.key, text })
    return
  }
  open.pictures.push(content)
  out.push({ type: 'reasoning', key: open.key, text: '' })
  out.push({ type: 'patch', key: open.key, ...keeping({ summary: [...open.pictures] }) })
}

/** Adds the signature of a thought. The server also sends empty ones; the last one that is not empty counts. */
function addSignature(open: OpenStep, signature: unknown): void {
  if (typeof signature === 'string' && signature !== '') open.step = { ...open.step, signature }
}

/** Ends a thought. A thought without text and signature is left out. */
function closeThought(open: OpenStep, reading: Reading, out: Fragment[]): void {
  const { step, key } = open
  const signature = textOr(field(step, 'signature'), '')
  if (signature !== '') {
    reading.signature = isEnvelope(signature) ? '' : signature // the proof of another provider, in an envelope, cannot sign a call
    out.push({ type: 'reasoning', key, text: '' }, { type: 'patch', key, opaque: proof({ signature }, reading) })
  }
  if (signature !== '' || open.hasBlock) out.push({ type: 'close', key })
}

// ---- calls ------------------------------------------------------------------------------------

function addCall({ key, step, type }: OpenStep, name: unknown, out: Fragment[]): void {
  const server = type === 'function_call' ? {} : { server: true as const }
  out.push({ type: 'call', key, id: textOr(field(step, 'id'), null), name: textOr(name, null), ...server })
}

/** Adds a piece of the arguments' JSON text. Arguments in the start of the step are then ignored. */
function addArguments(open: OpenStep, piece: unknown, out: Fragment[]): void {
  if (typeof piece !== 'string' || piece === '') return
  open.hasPieces = true
  const server = open.type === 'function_call' ? {} : { server: true as const }
  out.push({ type: 'call', key: open.key, arguments: piece, ...server })
}

const knownOfCall = new Set(['type', 'id', 'name', 'arguments', 'signature'])

function closeCall(open: OpenStep, reading: Reading, out: Fragment[]): void {
  const { step, key } = open
  const signature = textOr(field(step, 'signature'), reading.signsCalls ? reading.signature : '')
  reading.signature = ''
  out.push({
    type: 'call',
    key,
    id: textOr(field(step, 'id'), null),
    name: textOr(field(step, 'name'), null),
    ...givenArguments(open),
    ...(signature !== '' && { opaque: proof({ signature }, reading) }),
    ...keeping(otherFields(step, knownOfCall)),
  })
}

/** Returns the arguments in the step: an object, or JSON text from some clients. Every start has an empty object, which is ignored. */
function givenArguments({ step, hasPieces }: OpenStep): { arguments?: string | JsonObject; final?: true } {
  const given = field(step, 'arguments')
  if (hasPieces || !(typeof given === 'string' || isObject(given))) return {}
  return Object.keys(given).length === 0 ? {} : { arguments: given, final: true }
}

function closeHostedCall(open: OpenStep, reading: Reading, out: Fragment[]): void {
  const { step, key, type } = open
  const { id, arguments: _, ...data } = step
  const server = true as const
  const given = givenArguments(open)
  const name = nameOf(type, step)
  out.push({ type: 'call', key, id: textOr(id, null), name, ...given, server, opaque: proof(data, reading) })
  out.push({ type: 'close', key })
}

/** Returns the name of the tool: the step's `name`, which steps of MCP servers have, otherwise the name from the step's type. */
function nameOf(type: string, step: JsonObject): string {
  return textOr(field(step, 'name'), hostedOf(type)?.name ?? '')
}

function resultFragment({ key, step, type }: OpenStep, name: string, reading: Reading): Fragment {
  const { call_id, result, is_error, ...data } = step
  return {
    type: 'block',
    key,
    block: {
      type: 'server_tool_result',
      toolCallId: stringOr(call_id, ''),
      name: nameOf(type, step) || name,
      status: is_error === true ? 'error' : 'success',
      ...compact({ output: result }),
      opaque: proof(data, reading),
    },
  }
}

function proof(data: JsonObject, { model }: Reading): Opaque {
  return { provider, model, format, data }
}
