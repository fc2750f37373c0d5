/**
 * Makes the request to a provider from a client's request: a translation, or the client's own bytes with another model name.
 *
 * @module
 */

import { answerOverHttp } from '../ask/http-model.ts'
import type { DecodedRequest } from '../core/codec.ts'
import { compact, field, objectIn } from '../core/json.ts'
import { isOfAccount } from '../core/media.ts'
import type { Json, JsonObject, Loss } from '../core/messages.ts'
import type { Question } from '../core/question.ts'
import { holdsEnvelope } from '../formats/shared/envelope.ts'
import { firstSet, type GatewayFormat, type LimitField, unsupportedThread } from '../formats/shared/gateway-format.ts'
import { checkLoss } from '../formats/shared/losses.ts'
import { bodyOf, type JsonBody } from './body.ts'
import type { Call } from './call.ts'
import { refusal, refuseBody } from './errors.ts'
import { type HttpTarget, isHttp, type ModelTarget } from './models.ts'
import type { OwnCalls } from './own-calls.ts'
import { withFields } from './splice.ts'
import { asNewTurn, translateRequest } from './translate.ts'
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

/** Refuses a request whose history is with a provider: only that provider can read it, from the client's own bytes. */
export function checkThread({ value }: JsonBody, { threadField }: GatewayFormat): void {
  if (threadField === undefined || firstSet(value, [threadField]) === undefined) return
  const message = `This model cannot continue a stored conversation: "${threadField}" is not supported`
  throw refusal(400, message, 'invalid_request', unsupportedThread)
}

/**
 * Refuses a client's address of a file that a provider reads with the rights of the gateway's key: a client could name any file of a bucket.
 * Ids that providers make, such as `file-6F2k…`, cannot be guessed, and pass.
 */
export function refuseAccountFiles(blocks: unknown, path: string): void {
  for (const [at, { type, content, url, fileId }] of (Array.isArray(blocks) ? blocks : []).entries()) {
    const place = `${path}[${at}]`
    refuseAccountFiles(content, `${place}.content`)
    const isFile = type !== 'citation' && [url, fileId].some((one) => hasScheme.test(one) && isOfAccount(one))
    if (isFile) throw refusal(400, `"${place}" is a file of the gateway's account, which no client may name`)
  }
}

const hasScheme = /^\s*(?:[a-z][a-z\d+.-]*:|files\/)/i

/** A request in the client's own format. */
export interface PassedQuestion {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The gateway asks for usage, although the client did not. */
  readonly asksUsage: boolean
}

/** The path of the provider, which does not depend on the conversation. */
export function pathOf({ model: { codec, model } }: HttpTarget, { asksStream = false }: Partial<Call>): string {
  const messages = [{ role: 'user', content: 'Hi' }] as const
  return codec.encodeRequest({ messages }, { model, stream: asksStream, maxTokens: 1 }).path
}

/**
 * The error of a request that cannot be put to a model, before the model was asked: the client's mistake.
 *
 * @throws the error of the entry of the table, if no request can be put to it.
 */
export function unwritable(target: ModelTarget, call: Call, error: unknown): unknown {
  if (isHttp(target)) pathOf(target, call)
  return refuseBody(error)
}

/**
 * Whether the client's bytes can pass through: the format is the provider's own, and no part of the conversation comes from another
 * provider. Requests to dialects of the format are translated, since they differ from it.
 */
export function passes(target: ModelTarget, { wire, body }: Pick<Call, 'wire' | 'body'>): target is HttpTarget {
  if (!isHttp(target) || target.model.answer !== answerOverHttp) return false // a wrapped model has to be asked as it is
  const { codec } = target.model
  if (codec.name !== wire.name || codec.provider !== wire.provider) return false
  return !holdsEnvelope(body.text) && wire.foreign?.test(body.text) !== true
}

/** The maximum number of output tokens for this entry: the requested number, within the limits. */
export function outputLimit(
  target: ModelTarget,
  { request, permit }: Pick<Call, 'request' | 'permit'>,
): number | undefined {
  const limit = limitOf(target, permit)
  const { maxTokens } = request.options
  return limit === undefined ? maxTokens : lesser(maxTokens, limit)
}

/** For some servers, a limit of 0 or -1 means no limit. */
function lesser(asked: Json | undefined, limit: number): number {
  return typeof asked === 'number' && asked > 0 ? Math.min(asked, limit) : limit
}

function limitOf({ maxOutputTokens = Number.POSITIVE_INFINITY }: ModelTarget, permit: Permit): number | undefined {
  const limit = Math.min(maxOutputTokens, permit.maxOutputTokens ?? Number.POSITIVE_INFINITY)
  return Number.isFinite(limit) ? limit : undefined
}

// ---- translated -------------------------------------------------------------------------------

/** A question of a client's request. */
export interface AskedQuestion extends Question {
  /** Losses of reading the request. */
  readonly losses: readonly Loss[]
  /** The client's own calls, by the names of the functions that stand for its tools. */
  readonly calls: OwnCalls | undefined
}

/**
 * The question for a model that does not speak the client's format.
 *
 * @throws {ApiError} for a question that only the provider of the client's format can answer.
 */
export function questionFor(target: ModelTarget, call: Call): AskedQuestion {
  const { previousResponseId, conversationId } = call.request.context.providerState ?? {}
  const isStored = (previousResponseId ?? conversationId) !== undefined
  if (isStored && isHttp(target) && !continues(target.model.codec, call.wire)) {
    const { chainField = 'previous_response_id' } = call.wire
    const name = previousResponseId === undefined ? 'conversation' : chainField
    throw refusal(400, `This model cannot continue a stored answer: "${name}" is not supported`)
  }
  checkThread(call.body, call.wire)
  const kept = call.wire.keptField?.(call.body.value)
  if (kept !== undefined && !(isHttp(target) && target.model.codec.name === call.wire.name)) {
    throw refusal(400, `This model cannot use what another provider keeps: "${kept}" is not supported`)
  }
  const { request, calls, losses } = portedFor(target, call)
  const strict = call.options.strict ?? request.options.strict
  const context = asNewTurn(request.context, call.wire.name)
  const options = withLimits(request.options, outputLimit(target, call), limitOf(target, call.permit))
  for (const loss of losses) checkLoss(loss, target.model.provider, strict)
  return { context, options: { ...options, model: target.model.model, ...compact({ strict }) }, losses, calls }
}

/** Whether a model keeps answers that clients of this format can name. */
function continues({ name, rules }: HttpTarget['model']['codec'], wire: GatewayFormat): boolean {
  return rules.chains === true && (name === wire.name || wire.name === 'isoglot')
}

function withLimits(
  options: DecodedRequest['options'],
  maxTokens: number | undefined,
  limit = Number.POSITIVE_INFINITY,
): DecodedRequest['options'] {
  const { reasoning } = options
  const budgetTokens = reasoning?.budgetTokens && Math.min(reasoning.budgetTokens, mostReasoning(limit))
  return {
    ...options,
    ...compact({ maxTokens, reasoning: reasoning && { ...reasoning, ...compact({ budgetTokens }) } }),
  }
}

/** Some providers limit reasoning by its own budget only, and others refuse a budget that is not below the limit of output. */
function mostReasoning(limit: number): number {
  return Math.max(0, limit - 1)
}

/** The request, with functions in place of tools that only the client's format has: see `port` of a server codec. */
function portedFor(
  { model }: ModelTarget,
  call: Call,
): { readonly request: DecodedRequest; readonly calls: OwnCalls | undefined; readonly losses: readonly Loss[] } {
  const { wire, body, path } = call
  const { provider } = model
  const format = 'codec' in model ? model.codec.name : provider
  const ported = wire.codec.port?.(body.value, { format, provider, model: model.model, headers: bodyHeaders(call) })
  if (ported === undefined) return { request: call.request, calls: undefined, losses: call.request.losses }
  const decoded = wire.codec.decodeRequest(ported.body, { path })
  const request = call.check?.(decoded) ?? decoded
  return { request, calls: ported.calls, losses: [...(ported.losses ?? []), ...request.losses] }
}

// ---- passed -----------------------------------------------------------------------------------

/** The request in the provider's own format: the client's bytes, or, after a check, the checked request written anew. */
export function bodyFor({ model }: HttpTarget, { body, request, check, wire }: CheckedCall): JsonBody {
  if (check === undefined) return body
  const from = { name: wire.name, decodeRequest: () => request }
  return bodyOf(translateRequest(undefined, from, model.codec, { model: model.model }).body as JsonObject)
}

/** The fields of a call that its body is made of. */
type CheckedCall = Pick<Call, 'body' | 'request' | 'check' | 'wire'>

/** The client's own request, with the model, the limit and the settings of the table. */
export function passQuestion(target: HttpTarget, call: Call): PassedQuestion {
  const { model } = target
  const { wire, stream, asksStream } = call
  const asksUsage = wire.name === 'openai-chat' && asksStream && !asksForUsage(call.body.value)
  const body = bodyFor(target, call)
  const fields = {
    ...(wire.modelFields?.(body.value, model.model) ?? { model: model.model }),
    ...(asksStream && !stream && !wire.modelFields && { stream: true }),
    ...limitFields(target, body.value, call),
    ...(asksUsage && { stream_options: { ...objectIn(body.value, 'stream_options'), include_usage: true } }),
    ...model.body,
  }
  const text = withFields(
    body.text,
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)])),
  )
  return { path: pathOf(target, call), headers: passHeaders(target, call), text, asksUsage }
}

/** The fields of the body that change so that the answer is within its limit. */
function limitFields(target: ModelTarget, body: JsonObject, call: Call): JsonObject {
  const { wire, permit } = call
  const ofPolicy = limitOf(target, permit)
  const limit = outputLimit(target, call)
  if (ofPolicy === undefined || limit === undefined) return {}
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
  for (const path of wire.budgets ?? []) {
    const before = { ...body, ...set }
    const after = withMost(before, path, mostReasoning(ofPolicy)) as JsonObject
    if (after !== before) set[path[0]] = after[path[0]] as Json
  }
  return set
}

/** The value whose number at the path is at most `most`: the same value if it is. */
function withMost(value: Json, [name, ...rest]: readonly string[], most: number): Json {
  if (name === undefined) return typeof value !== 'object' && Number(value) > most ? most : value
  const inner = field(value, name)
  const limited = inner && withMost(inner, rest, most)
  return limited === inner ? value : { ...(value as JsonObject), [name]: limited as Json }
}

function asksForUsage(body: JsonObject): boolean {
  return field(field(body, 'stream_options'), 'include_usage') === true
}

/** The client's headers that belong to the body, such as `anthropic-beta`, if their values are allowed. */
function bodyHeaders({ wire, headers }: Pick<Call, 'wire' | 'headers'>): Record<string, string> {
  const found = Object.entries(wire.headers ?? {}).map(
    ([name, pattern]) => [name, headers.get(name) ?? '', pattern] as const,
  )
  return Object.fromEntries(found.filter(([, value, pattern]) => pattern.test(value)))
}

/** The same for a body that passes through. Headers of the model's own dialect stay. */
export function passHeaders({ model }: HttpTarget, call: Pick<Call, 'wire' | 'headers'>): Record<string, string> {
  const own = model.codec.headers(undefined)['anthropic-beta']
  const { 'anthropic-beta': asked, ...others } = bodyHeaders(call)
  return { ...others, ...compact({ 'anthropic-beta': asked && own ? `${own},${asked}` : asked }) }
}
