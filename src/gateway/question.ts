/**
 * The request to a provider, made from a client's request: translated, or the client's own bytes with another name of the model.
 *
 * @module
 */

import type { DecodedRequest } from '../core/codec.ts'
import { compact, field, isObject } from '../core/lookup.ts'
import type { Json, JsonObject, Loss } from '../core/model.ts'
import { holdsEnvelope } from '../kit/envelope.ts'
import type { Call } from './call.ts'
import { refusal } from './errors.ts'
import type { Target } from './models.ts'
import { withFields } from './splice.ts'
import { type Question as Answering, translateRequest } from './translate.ts'
import type { Permit } from './types.ts'
import type { Wire } from './wires.ts'

/**
 * Refuses a second spelling of a field that the gateway sets. Servers in Go, such as Ollama, read `Model` as `model`, also with letters such
 * as `ſ`, and the last one counts: it could name a model that is not in the table.
 */
export function checkSpelling(body: JsonObject, { limits }: Wire): void {
  const names = new Set(['model', 'stream', ...limits.map(([name]) => name)])
  for (const key of Object.keys(body)) {
    const folded = key.toUpperCase().toLowerCase()
    if (folded !== key && names.has(folded)) throw refusal(400, `The body has "${folded}" in another spelling`)
  }
}

/** A request of the provider's wire. */
export interface Question {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The answer goes to the client as it comes. */
  readonly passes: boolean
  /** Options for reading a translated answer. */
  readonly answering: Partial<Answering>
  readonly losses: readonly Loss[]
  /** Figures are asked for that the client did not ask for. */
  readonly asksUsage: boolean
}

/** @throws {UnsupportedError} if the provider's wire cannot carry it. */
export function writeQuestion(target: Target, call: Call): Question {
  return passes(target, call) ? passQuestion(target, call) : translateQuestion(target, call)
}

/**
 * Whether the wires are equal: the provider is the one whose wire it is, and nothing in the conversation shows that another one answered
 * in it. Dialects of a wire are translated, since they differ from it.
 */
export function passes({ model: { codec } }: Target, { wire, body }: Pick<Call, 'wire' | 'body'>): boolean {
  if (codec.name !== wire.name || codec.provider !== wire.provider) return false
  return !holdsEnvelope(body.text) && wire.foreign?.test(body.text) !== true
}

/** Most tokens of an answer of this entry: what is asked, within the limits. */
export function outputLimit(target: Target, { request, permit }: Pick<Call, 'request' | 'permit'>): number | undefined {
  const limit = limitOf(target, permit)
  const { maxTokens } = request.options
  return limit === undefined ? maxTokens : within(maxTokens, limit)
}

/** For some servers, a limit of 0 or -1 means no limit. */
function within(asked: Json | undefined, limit: number): number {
  return typeof asked === 'number' && asked > 0 ? Math.min(asked, limit) : limit
}

function limitOf({ maxOutputTokens = Number.POSITIVE_INFINITY }: Target, permit: Permit): number | undefined {
  const limit = Math.min(maxOutputTokens, permit.maxOutputTokens ?? Number.POSITIVE_INFINITY)
  return Number.isFinite(limit) ? limit : undefined
}

// ---- translated -------------------------------------------------------------------------------

function translateQuestion(target: Target, call: Call): Question {
  const { model } = target
  const { previousResponseId, conversationId } = call.request.context.providerState ?? {}
  if ((previousResponseId ?? conversationId) !== undefined && model.codec.rules.chains !== true) {
    const name = previousResponseId === undefined ? 'conversation' : chainField(call)
    throw refusal(400, `Stored answers cannot be gone on from: "${name}" is not supported by this model`)
  }
  const limited = withLimit(inPieces(call), outputLimit(target, call))
  const options = { path: call.path, model: model.model, ...compact({ strict: call.options.strict }) }
  const encoded = translateRequest(call.body.value, { decodeRequest: () => limited }, model.codec, options)
  const body = model.body ? { ...(encoded.body as object), ...model.body } : encoded.body
  const { path, headers, losses, question } = encoded
  return { path, headers, text: JSON.stringify(body), passes: false, answering: question, losses, asksUsage: false }
}

function chainField({ wire }: Call): string {
  return wire.name === 'gemini-interactions' ? 'previous_interaction_id' : 'previous_response_id'
}

/** The request, for a stream if one is asked for. */
function inPieces({ request, asksStream }: Call): DecodedRequest {
  return asksStream ? { ...request, options: { ...request.options, stream: true } } : request
}

function withLimit(request: DecodedRequest, maxTokens: number | undefined): DecodedRequest {
  return maxTokens === undefined ? request : { ...request, options: { ...request.options, maxTokens } }
}

// ---- passed -----------------------------------------------------------------------------------

function passQuestion(target: Target, call: Call): Question {
  const { model } = target
  const { wire, body, stream, asksStream } = call
  const asksUsage = wire.name === 'openai-chat' && asksStream && !asksForUsage(body.value)
  const fields = {
    ...namedModel(target, call),
    ...(asksStream && !stream && !inPath.has(wire.name) && { stream: true }),
    ...limitFields(body.value, wire, limitOf(target, call.permit) && outputLimit(target, call)),
    ...(asksUsage && { stream_options: { ...objectAt(body.value, 'stream_options'), include_usage: true } }),
    ...model.body,
  }
  const text = withFields(
    body.text,
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)])),
  )
  // The path does not depend on what is said.
  const { path } = model.codec.encodeRequest({ messages: [] }, { model: model.model, stream: asksStream, maxTokens: 1 })
  return { path, headers: passHeaders(target, call), text, passes: true, answering: {}, losses: [], asksUsage }
}

/** These wires have the model in their path, and whether to stream. */
const inPath: ReadonlySet<string> = new Set(['gemini', 'bedrock-converse'])

/** Gemini's body may name the model too. */
function namedModel({ model: { model } }: Target, { wire, body }: Call): JsonObject {
  if (!inPath.has(wire.name)) return { model }
  return wire.name !== 'gemini' || field(body.value, 'model') === undefined
    ? {}
    : { model: model.includes('/') ? model : `models/${model}` }
}

function limitFields(body: JsonObject, wire: Wire, limit: number | undefined): JsonObject {
  if (limit === undefined) return {}
  const set: JsonObject = {}
  for (const [name, inner] of wire.limits) {
    const asked = inner === undefined ? field(body, name) : field(field(body, name), inner)
    if (asked === undefined || asked === null) continue
    const value = within(asked, limit)
    set[name] = inner === undefined ? value : { ...objectAt({ ...body, ...set }, name), [inner]: value }
  }
  const [name, inner] = wire.limits[0] as Wire['limits'][number]
  if (Object.keys(set).length === 0)
    set[name] = inner === undefined ? limit : { ...objectAt(body, name), [inner]: limit }
  return set
}

function asksForUsage(body: JsonObject): boolean {
  return field(field(body, 'stream_options'), 'include_usage') === true
}

function objectAt(body: JsonObject, name: string): JsonObject {
  const value = field(body, name)
  return isObject(value) ? value : {}
}

/** Headers that belong to the body, such as what an `anthropic-beta` allows in it; those of the model's own dialect stay. */
export function passHeaders(
  { model }: Target,
  { wire, headers }: Pick<Call, 'wire' | 'headers'>,
): Record<string, string> {
  const own = model.codec.headers(undefined)
  const passed: Record<string, string> = {}
  for (const [name, pattern] of Object.entries(wire.headers)) {
    const value = headers.get(name)
    if (value === null || !pattern.test(value)) continue
    passed[name] = name === 'anthropic-beta' && own[name] !== undefined ? `${own[name]},${value}` : value
  }
  return passed
}
