/**
 * Gemini Interactions: from steps to pieces of blocks. A stream sends a step as a start, deltas and a stop. A whole step is a start that
 * has everything already. Answers, streams and the model's steps of a request share this.
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

/** State of an answer while its steps are read. */
export interface Reading {
  model: string
  /** Whether a call takes the signature of the thought before it. Those of a history do not: the thought itself is there. */
  readonly signsCalls: boolean
  /** The signature of the last thought, until a call takes it. */
  signature: string
  /** Whether the client is to run something. */
  hasCalls: boolean
  /** Steps that came. */
  count: number
}

export function newReading(model: string, signsCalls = true): Reading {
  return { model, signsCalls, signature: '', hasCalls: false, count: 0 }
}

/** A step that has begun. */
export interface OpenStep {
  readonly type: string
  /** The step, with the deltas that are whole values in it. */
  step: JsonObject
  readonly key: string
  /** Contents that came: an answer's text is another block after a picture. */
  parts: number
  /** The text that is open, by its lengths. */
  text: Lengths | undefined
  /** Pictures among the summaries of a thought. */
  readonly pictures: Json[]
  /** Whether a thought has a block already. */
  hasBlock: boolean
  /** Whether arguments came in pieces. */
  hasPieces: boolean
}

/** Reads a step that is whole. */
export function readStep(step: Json, reading: Reading, out: Fragment[]): void {
  if (isObject(step)) closeStep(openStep(step, reading, out), reading, out)
}

/** Begins a step. Its first piece is what it already has. */
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

/** Adds a delta to the step that it belongs to. A step of an unknown kind is skipped. */
export function addDelta(open: OpenStep, delta: JsonObject, out: Fragment[]): void {
  const type = textOr(field(delta, 'type'), '')
  if (type === 'arguments_delta') addArguments(open, field(delta, 'arguments'), out)
  else if (type === 'thought_signature') addSignature(open, field(delta, 'signature'))
  else if (type === 'thought_summary') addSummary(open, field(delta, 'content') ?? null, out)
  else if (type === open.type) open.step = { ...open.step, ...delta }
  else if (open.type === 'model_output' && lookup(stepsOfDeltas, type) === open.type) addContent(open, delta, out)
}

/**
 * Ends a step: what was said of it as whole values becomes a block. A call whose own end never came stays open: whether it is one is for the
 * end of the answer to say.
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
      break // what is fetched later begins with what was asked
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

/** A text goes on with the open one; what follows a picture is another. */
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

/** Empty ones come in between: the last one with something in it counts. */
function addSignature(open: OpenStep, signature: unknown): void {
  if (typeof signature === 'string' && signature !== '') open.step = { ...open.step, signature }
}

/** A thought without text and signature is left out. */
function closeThought(open: OpenStep, reading: Reading, out: Fragment[]): void {
  const { step, key } = open
  const signature = textOr(field(step, 'signature'), '')
  if (signature !== '') {
    reading.signature = isEnvelope(signature) ? '' : signature // the envelope of another provider's proof is not a signature of the call
    out.push({ type: 'reasoning', key, text: '' }, { type: 'patch', key, opaque: proof({ signature }, reading) })
  }
  if (signature !== '' || open.hasBlock) out.push({ type: 'close', key })
}

// ---- calls ------------------------------------------------------------------------------------

function addCall({ key, step, type }: OpenStep, name: unknown, out: Fragment[]): void {
  const server = type === 'function_call' ? {} : { server: true as const }
  out.push({ type: 'call', key, id: textOr(field(step, 'id'), null), name: textOr(name, null), ...server })
}

/** Text, in pieces that need not be JSON. Arguments in the start are then ignored. */
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

/** An object, or its text where a client sends that. An empty one stands in every start. */
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

/** The tool's own name where the step has one, as those of MCP servers do. */
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
