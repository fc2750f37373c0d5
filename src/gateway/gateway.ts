/**
 * A gateway: any official client can use any provider, and the keys stay on the server. It is a plain `fetch` handler, for every runtime.
 *
 * It holds no policy. Your hooks decide on access and quotas: `authorize` and `admit`.
 *
 * @module
 */
import { checkOptions } from '../core/checks.ts'
import type { DecodedRequest } from '../core/codec.ts'
import type { ApiError } from '../core/errors.ts'
import { isObject } from '../core/json.ts'
import type { GatewayFormat } from '../formats/shared/gateway-format.ts'
import { isOnlyWhole } from '../formats/shared/only-whole.ts'
import { answer } from './answer.ts'
import { readBody } from './body.ts'
import { type Call, endAttempt, type GatewayRequest, newProgress, reportOf } from './call.ts'
import { corsHeaders, idHeaders, preflight, withOwnHeaders } from './cors.ts'
import { answerCount, decodeCounted } from './count.ts'
import { errorAnswer, errorOfNoFormat, refusal, refuseBody, toClientError, unknownModel } from './errors.ts'
import { reportEnd, watchOf } from './hooks.ts'
import { answerModels } from './lists.ts'
import { type ModelTable, type ModelTarget, readModels } from './models.ts'
import { checkSpelling, checkThread, outputLimit, refuseAccountFiles } from './question.ts'
import { checkFormats, findClient, findRoute, type Route } from './routes.ts'
import type {
  CheckedRequest,
  ExecutionContextLike,
  Gateway,
  GatewayOptions,
  Outcome,
  Permit,
  Verdict,
} from './types.ts'

/**
 * Makes a gateway: a server that official clients can use, with the models in its table.
 *
 * Set the base URL of an official client to the server's URL, with `/v1` for OpenAI's client. Every model of the table answers in every
 * format of `formats`. If the provider has the client's format, its bytes are passed through. Otherwise they are translated.
 *
 * @throws {TypeError} if `formats` has no format.
 * @throws {RangeError} if a name in the table means two models, if a fallback is not in the table, or if `basePath` is malformed.
 * @example
 * ```ts
 * import { anthropic } from 'isoglot/anthropic'
 * import { createGateway } from 'isoglot/gateway'
 * import { gemini } from 'isoglot/gemini'
 * import { openaiChatFormat } from 'isoglot/openai-chat'
 *
 * const gateway = createGateway({
 *   formats: [openaiChatFormat], // the clients of OpenAI; allFormats of isoglot/gateway has all
 *   models: (env: { ANTHROPIC_API_KEY: string; GEMINI_API_KEY: string }) => ({
 *     smart: { model: anthropic('claude-sonnet-5', { apiKey: env.ANTHROPIC_API_KEY }), fallbacks: ['fast'] },
 *     fast: { model: gemini('gemini-3-flash-preview', { apiKey: env.GEMINI_API_KEY }), maxOutputTokens: 4096 },
 *   }),
 * })
 * export default { fetch: gateway.fetch }
 * ```
 */
export function createGateway<Env = unknown>(options: GatewayOptions<Env>): Gateway<Env> {
  checkOptions('createGateway', options)
  const { basePath = '', formats } = options
  checkFormats(formats)
  if (!/^(?:\/[^/?#]+)*$/.test(basePath)) {
    throw new RangeError(
      `Cannot make a gateway: basePath "${basePath}" must begin with "/" and must not end with "/", such as "/ai"`,
    )
  }
  const tableOf = tables(options.models)
  return { fetch: (request, env, ctx) => handle(request, { options, tableOf, env: env as Env, ctx }) }
}

/** The gateway's configuration for one request. */
interface GatewayConfig<Env> {
  readonly options: GatewayOptions<Env>
  readonly tableOf: (env: Env) => ModelTable
  readonly env: Env
  readonly ctx: ExecutionContextLike | undefined
}

/** A table that needs no environment is read immediately, so that its errors are thrown when the gateway is made. */
function tables<Env>(models: GatewayOptions<Env>['models']): (env: Env) => ModelTable {
  if (typeof models !== 'function') {
    const table = readModels(models)
    return () => table
  }
  const known = new WeakMap<object, ModelTable>()
  return (env) => {
    const key = isObject(env) ? env : undefined
    const table = (key && known.get(key)) ?? readModels(models(env))
    if (key !== undefined) known.set(key, table)
    return table
  }
}

async function handle<Env>(request: Request, config: GatewayConfig<Env>): Promise<Response> {
  const { origins, basePath, formats } = config.options
  const route = findRoute(request, formats, basePath)
  const id = crypto.randomUUID()
  const format = route?.format ?? findClient(request, formats, basePath)
  const wire = format ?? (formats[0] as GatewayFormat)
  const watch = watchOf({ requestId: id, wire: wire.name, request }, config.options.observers)
  const incoming: GatewayRequest = { id, wire, caller: undefined, startedAt: Date.now(), watch }
  if (route !== undefined && request.method === 'OPTIONS') return preflight(request, origins, route.method)
  const response = await serve(request, route, incoming, config).catch((error: unknown) => {
    const shown = toClientError(error)
    return format === undefined ? errorOfNoFormat(shown, formats) : errorAnswer(shown, format)
  })
  return withHeaders(response, { ...corsHeaders(request, origins), ...idHeaders(id), ...route?.format.answerHeaders })
}

/**
 * Adds the headers that every answer has. A proxy that compresses may hold keep-alive comments back: `no-transform` asks not to.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9111#name-no-transform-2
 */
function withHeaders(response: Response, more: Readonly<Record<string, string>>): Response {
  const answer = withOwnHeaders(response)
  const fixed = { 'cache-control': 'no-store, no-transform', ...more }
  for (const [name, value] of Object.entries(fixed)) answer.headers.set(name, value)
  return answer
}

async function serve<Env>(
  request: Request,
  route: Route | undefined,
  incoming: GatewayRequest,
  config: GatewayConfig<Env>,
): Promise<Response> {
  if (route === undefined) throw unknownPath(request, config.options)
  const { method } = route
  if (request.method !== method) {
    const refused = errorAnswer(refusal(405, `This path takes only ${method}`), incoming.wire)
    refused.headers.set('allow', `${method}, OPTIONS`)
    return refused
  }
  if (route.kind === 'answer') incoming.watch('onRequest', {})
  const verdict = await authorize(request, incoming, config)
  if (verdict instanceof Response) return verdict
  const permit = verdict ?? {}
  const table = config.tableOf(config.env)
  switch (route.kind) {
    case 'models':
      return answerModels(table, permit, incoming.wire, route.id, config.options.basePath)
    case 'version':
      return Response.json({ version: '0.12.0' }) // in the format of the path
    case 'count':
      return count(request, route, permit, table, { ...incoming, caller: permit.caller }, config)
    case 'answer':
      return answerRequest(request, route, permit, table, { ...incoming, caller: permit.caller }, config)
  }
}

/** The message names the base path, because a gateway is often mounted at another path than its `basePath` says. */
function unknownPath(
  { method, url }: Request,
  { basePath = '', formats }: Pick<GatewayOptions, 'basePath' | 'formats'>,
): ApiError {
  const path = JSON.stringify(new URL(url).pathname.slice(0, 200))
  const places = formats.map(({ paths, list }) => basePath + (Object.keys(paths)[0] ?? list))
  const served = `the gateway serves ${places.join(', ')} and the like`
  const message = `Cannot answer ${method} ${path}: ${served}. If it is mounted at another path, set \`basePath\``
  return refusal(404, message, 'not_found', 'unknown_url')
}

/** Calls the caller's policy. A refusal is reported too. */
async function authorize<Env>(
  request: Request,
  incoming: GatewayRequest,
  { options, env, ctx }: GatewayConfig<Env>,
): Promise<Verdict> {
  const refused = (status: number, error?: unknown) => {
    const report = reportOf(incoming, newProgress(), { outcome: 'refused', status, error })
    const reported = reportEnd(report, options, incoming.watch)
    ctx?.waitUntil(reported)
  }
  try {
    const verdict = await options.authorize?.(request, env)
    if (verdict instanceof Response) refused(verdict.status)
    return verdict
  } catch (error) {
    refused(errorAnswer(toClientError(error), incoming.wire).status, error)
    throw error
  }
}

/** A request with its body, as far as the policy lets it. */
type ReadRequest = Pick<Call, 'body' | 'request' | 'check'>

/** Reads and decodes the body, and asks the policy. */
async function readRequest<Env>(
  request: Request,
  { kind, path }: { readonly kind: CheckedRequest['kind']; readonly path: string },
  { wire, caller }: GatewayRequest,
  { options, env }: GatewayConfig<Env>,
): Promise<ReadRequest> {
  const body = await readBody(request, options.limits ?? {})
  checkSpelling(body.value, wire)
  if (options.check !== undefined) checkThread(body, wire) // the policy has to see the whole conversation
  const decoded = decode(() =>
    kind === 'count' ? decodeCounted({ wire, body }, path) : wire.codec.decodeRequest(body.value, { path }),
  )
  const ask = (one: DecodedRequest) =>
    options.check?.({ wire: wire.name, kind, request: one, body: body.value, caller }, env)
  const checked = ask(decoded)
  refuseAccountFiles(decoded.context.system, 'system')
  refuseAccountFiles(decoded.context.messages, 'messages') // of the client: `check` may name any file
  if (checked === undefined) return { body, request: decoded, check: undefined }
  return { body, request: checked, check: (one) => ask(one) ?? one }
}

function findTargets(
  table: ModelTable,
  name: string,
  permit: Permit,
  { wire }: GatewayRequest,
  { options: { basePath = '' } }: Pick<GatewayConfig<never>, 'options'>,
): readonly [ModelTarget, ...ModelTarget[]] {
  if (name === '') throw refusal(400, 'The request names no model')
  const [first, ...others] = table.find(name, permit)
  if (first === undefined) throw unknownModel(name, basePath + wire.list)
  return [first, ...others]
}

async function count<Env>(
  request: Request,
  route: Route & { readonly kind: 'count' },
  permit: Permit,
  table: ModelTable,
  incoming: GatewayRequest,
  config: GatewayConfig<Env>,
): Promise<Response> {
  const { wire } = incoming
  const { options } = config
  const read = await readRequest(request, route, incoming, config)
  const [target] = findTargets(table, read.request.options.model, permit, incoming, config)
  const gone = followClient(request)
  return answerCount(target, { ...read, wire, headers: request.headers, gone, options })
}

async function answerRequest<Env>(
  request: Request,
  route: Route & { readonly kind: 'answer' },
  permit: Permit,
  table: ModelTable,
  incoming: GatewayRequest,
  config: GatewayConfig<Env>,
): Promise<Response> {
  const { wire } = incoming
  const { options, env, ctx } = config
  const progress = newProgress()
  let asked: { readonly asked?: string; readonly stream?: boolean } = {}
  let settle = () => {}
  ctx?.waitUntil(
    new Promise<void>((resolve) => {
      settle = resolve
    }),
  )
  let isEnded = false
  const end = (outcome: Outcome, status: number, error?: unknown) => {
    if (isEnded) return
    isEnded = true
    const report = reportOf(incoming, progress, { outcome, status, error }, asked)
    endAttempt(incoming, progress, report)
    void reportEnd(report, options, incoming.watch).then(settle)
  }
  try {
    const read = await readRequest(request, route, incoming, config)
    const { model } = read.request.options
    const stream = read.request.options.stream === true
    asked = { asked: model, stream }
    const targets = findTargets(table, model, permit, incoming, config)
    const call: Call = {
      ...incoming,
      isArray: route.framing === 'array',
      path: route.path,
      headers: request.headers,
      ...read,
      stream,
      asksStream: stream || (options.wholeAnswers === 'stream' && !isOnlyWhole(read.body.value)),
      targets,
      permit,
      options,
      gone: followClient(request),
      progress,
      end,
    }
    await options.admit?.(admissionOf(call, incoming), env)
    return await answer(call)
  } catch (error) {
    const response = errorAnswer(toClientError(error), wire)
    end('refused', response.status, error)
    return response
  }
}

function admissionOf(call: Call, { caller }: GatewayRequest): Parameters<NonNullable<GatewayOptions['admit']>>[0] {
  const { id, wire, targets, stream, request } = call
  const [first] = targets as readonly [ModelTarget]
  const limits = targets.map((target) => outputLimit(target, call))
  const maxOutputTokens = limits.some((limit) => limit === undefined) ? undefined : Math.max(...(limits as number[]))
  return { requestId: id, model: first.name, wire: wire.name, stream, maxOutputTokens, caller, request }
}

function decode<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw refuseBody(error)
  }
}

/** Fires when the client disconnects. */
function followClient(request: Request): AbortController {
  const gone = new AbortController()
  const leave = () => gone.abort(request.signal.reason)
  if (request.signal.aborted) leave()
  else request.signal.addEventListener('abort', leave, { once: true })
  return gone
}
