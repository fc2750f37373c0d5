/**
 * Makes the request to a provider from a client's request: a translation, or the client's own bytes with another model name.
 *
 * @module
 */

import type { DecodedRequest, Requested } from '../core/codec.ts'
import { compact, field, objectIn } from '../core/json.ts'
import type { Json, JsonObject, Loss } from '../core/model.ts'
import { holdsEnvelope } from '../kit/envelope.ts'
import type { GatewayFormat, LimitField } from '../kit/gateway-format.ts'
import type { Call } from './call.ts'
import { refusal } from './errors.ts'
import type { Target } from './models.ts'
import { withFields } from './splice.ts'
import { type Question as Answering, translateRequest } from './translate.ts'
import type { Permit } from './types.ts'

/**
 * Refuses a second spelling of a field that the gateway sets. Servers in Go, such as Ollama, read `Model` as `model`, also with letters such
 * as `ſ`, and the last one counts: it could name a model that is not in the table.
 */
export function checkSpelling(body: JsonObject, { limits }: GatewayFormat): void {
  const names = new Set(['model', 'stream', ...limits.map(({ name, within = name }) => within)])
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
  /** The answer is passed through to the client. */
  readonly passes: boolean
  /** Options for reading a translated answer. */
  readonly answering: Partial<Answering> & Requested
  readonly losses: readonly Loss[]
  /** The gateway asks for usage, although the client did not. */
  readonly asksUsage: boolean
}

/** @throws {UnsupportedError} if the provider's format cannot express the request. */
export function writeQuestion(target: Target, call: Call): Question {
  return passes(target, call) ? passQuestion(target, call) : translateQuestion(target, call)
}

/**
 * Whether the client's bytes can pass through: the format is the provider's own, and no part of the conversation comes from another
 * provider. Requests to dialects of the format are translated, since they differ from it.
 */
export function passes({ model: { codec } }: Target, { wire, body }: Pick<Call, 'wire' | 'body'>): boolean {
  if (codec.name !== wire.name || codec.provider !== wire.provider) return false
  return !holdsEnvelope(body.text) && wire.foreign?.test(body.text) !== true
}

/** The maximum number of output tokens for this entry: the requested number, within the limits. */
export function outputLimit(target: Target, { request, permit }: Pick<Call, 'request' | 'permit'>): number | undefined {
  const limit = limitOf(target, permit)
  const { maxTokens } = request.options
  return limit === undefined ? maxTokens : lesser(maxTokens, limit)
}

/** For some servers, a limit of 0 or -1 means no limit. */
function lesser(asked: Json | undefined, limit: number): number {
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
    const { chainField = 'previous_response_id' } = call.wire
    const name = previousResponseId === undefined ? 'conversation' : chainField
    throw refusal(400, `This model cannot continue a stored answer: "${name}" is not supported`)
  }
  const kept = call.wire.keptField?.(call.body.value)
  if (kept !== undefined && model.codec.name !== call.wire.name) {
    throw refusal(400, `This model cannot use what another provider keeps: "${kept}" is not supported`)
  }
  const limited = withLimit(inPieces(call), outputLimit(target, call))
  const options = { path: call.path, model: model.model, ...compact({ strict: call.options.strict }) }
  const encoded = translateRequest(call.body.value, { decodeRequest: () => limited }, model.codec, options)
  const body = model.body ? { ...(encoded.body as object), ...model.body } : encoded.body
  const { path, headers, losses, question } = encoded
  const answering = { ...question, request: body }
  return { path, headers, text: JSON.stringify(body), passes: false, answering, losses, asksUsage: false }
}

/** The request body, for a stream or for a whole answer. */
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
    ...(wire.modelFields?.(body.value, model.model) ?? { model: model.model }),
    ...(asksStream && !stream && !wire.modelFields && { stream: true }),
    ...limitFields(body.value, wire, limitOf(target, call.permit) && outputLimit(target, call)),
    ...(asksUsage && { stream_options: { ...objectIn(body.value, 'stream_options'), include_usage: true } }),
    ...model.body,
  }
  const text = withFields(
    body.text,
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)])),
  )
  // The path does not depend on the conversation.
  const { path } = model.codec.encodeRequest({ messages: [] }, { model: model.model, stream: asksStream, maxTokens: 1 })
  return { path, headers: passHeaders(target, call), text, passes: true, answering: {}, losses: [], asksUsage }
}

function limitFields(body: JsonObject, wire: GatewayFormat, limit: number | undefined): JsonObject {
  if (limit === undefined) return {}
  const set: JsonObject = {}
  const setLimit = ({ name, within }: LimitField, value: number) => {
    if (within === undefined) set[name] = value
    else set[within] = { ...objectIn({ ...body, ...set }, within), [name]: value }
  }
  for (const limitField of wire.limits) {
    const { name, within } = limitField
    const asked = field(within === undefined ? body : field(body, within), name) ?? undefined
    if (asked !== undefined) setLimit(limitField, lesser(asked, limit))
  }
  if (Object.keys(set).length === 0) setLimit(wire.limits[0] as LimitField, limit)
  return set
}

function asksForUsage(body: JsonObject): boolean {
  return field(field(body, 'stream_options'), 'include_usage') === true
}

/** Headers that belong to the body, such as `anthropic-beta`. Headers of the model's own dialect stay. */
export function passHeaders(
  { model }: Target,
  { wire, headers }: Pick<Call, 'wire' | 'headers'>,
): Record<string, string> {
  const own = model.codec.headers(undefined)
  const passed: Record<string, string> = {}
  for (const [name, pattern] of Object.entries(wire.headers ?? {})) {
    const value = headers.get(name)
    if (value === null || !pattern.test(value)) continue
    passed[name] = name === 'anthropic-beta' && own[name] !== undefined ? `${own[name]},${value}` : value
  }
  return passed
}
