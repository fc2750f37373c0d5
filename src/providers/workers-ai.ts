/**
 * Cloudflare Workers AI: OpenAI Chat Completions, and how it differs. Its older models have their own frames.
 *
 * @see https://developers.cloudflare.com/workers-ai/ (read 2026-09)
 * @see https://github.com/cloudflare/workerd/blob/main/src/cloudflare/internal/ai-api.ts
 * @module
 */
import type { ClientCodec, EncodedRequest, Model, ModelSettings } from '../core/codec.ts'
import { refuseDeep } from '../core/depth.ts'
import { arrayOf, compact, field, isObject, stringOr } from '../core/lookup.ts'
import type { Json, JsonObject, ReasoningEffort, RequestOptions } from '../core/model.ts'
import {
  byEffort,
  byTemplate,
  type ChatDialect,
  chatModel,
  choosing,
  compatible,
  type Encoding,
  type WireRequest,
} from '../formats/openai-chat/index.ts'
import { newLosses, reportLoss } from '../kit/losses.ts'

/** How much the answer of an older model may be, in tokens, where the request does not say: the server's own default is 256. */
const defaultMaxTokens = 2048

/** The code of an error: the free allowance of the day is used up, and waiting does not help. */
const usedUp = '3036'

const chooseAny = /* @__PURE__ */ choosing(['none', 'required', 'named'])
const chooseNone = /* @__PURE__ */ choosing([])

/** How Workers AI differs. */
export const workersAiDialect: ChatDialect = {
  ...compatible,
  provider: 'workers-ai',
  title: 'Workers AI',
  baseUrl: '', // everyone has their own
  asksForUsage: false, // it comes unasked
  inlineImages: true,
  chooseTools: (choice, tools, to) => (isOlder(to.model) ? chooseNone : chooseAny)(choice, tools, to),
  askReasoning,
  stopReasons: { model_length: 'length' },
  errors: {
    kinds: {
      5007: 'not_found',
      3042: 'not_found',
      5016: 'permission', // the model's licence waits for consent
      5018: 'permission',
      3041: 'permission',
      3023: 'permission',
      2021: 'permission',
      3007: 'timeout',
      3008: 'timeout',
      [usedUp]: 'rate_limit',
      3040: 'overloaded',
      10000: 'authentication',
    },
  },
  adapt,
}

/** The binding `AI` of a Worker. */
export interface WorkersAiBinding {
  run(model: string, inputs: object, options: object): Promise<unknown>
}

/** A Cloudflare account, for asking by REST. */
export interface WorkersAiAccount {
  readonly accountId: string
  /** A token with the permission "Workers AI: Read", or a function that gets it at each call. */
  readonly apiToken: string | (() => string | Promise<string>)
}

/** Options of {@link workersAi} beside the model's name. */
export interface WorkersAiSettings extends Pick<ModelSettings, 'headers' | 'body'> {
  /** The name of an AI Gateway that requests go through. Default: none. */
  readonly gateway?: string
}

/**
 * A model of Cloudflare Workers AI: by the binding of a Worker, which needs no key, or by REST with the token of an account.
 *
 * @param service `env.AI`, or an account. The token of an account must not be in a page.
 * @param model Such as `@cf/qwen/qwen3-30b-a3b-fp8`.
 * @throws {TypeError} if `service` is neither a binding nor an account, and `baseUrl` is not given.
 * @example
 * ```ts
 * import { generate } from 'isoglot'
 * import { type WorkersAiBinding, workersAi } from 'isoglot/workers-ai'
 *
 * export default {
 *   async fetch(_request: Request, env: { AI: WorkersAiBinding }) {
 *     const model = workersAi(env.AI, '@cf/qwen/qwen3-30b-a3b-fp8')
 *     const { text } = await generate({ model, prompt: 'Why is the sky blue?' })
 *     return new Response(text)
 *   },
 * }
 * ```
 */
export function workersAi(service: WorkersAiBinding, model: string, settings?: WorkersAiSettings): Model
export function workersAi(
  service: WorkersAiAccount,
  model: string,
  settings?: WorkersAiSettings & Pick<ModelSettings, 'baseUrl' | 'fetch'>,
): Model
export function workersAi(
  service: WorkersAiBinding | WorkersAiAccount,
  model: string,
  { gateway, ...settings }: WorkersAiSettings & Pick<ModelSettings, 'baseUrl' | 'fetch'> = {},
): Model {
  if (isObject(service) && 'run' in service && typeof service.run === 'function') {
    const fetch = bindingFetch(service as unknown as WorkersAiBinding, gateway)
    // Its code asks this address, so that errors of the network name it.
    const { providerUrl: _, ...asked } = chatModel(workersAiDialect, model, {
      ...settings,
      baseUrl: 'https://workers-binding.ai',
      fetch,
    })
    return asked
  }
  const { accountId = '', apiToken = '' } = (service ?? {}) as Partial<WorkersAiAccount>
  if (settings.baseUrl === undefined && (accountId === '' || apiToken === '')) {
    throw new TypeError(
      'Cannot ask Workers AI: there is neither a binding ("ai" in the configuration of the Worker) nor "accountId" and "apiToken"',
    )
  }
  const baseUrl = `https://api.cloudflare.com/client/v4/accounts/${encodeURIComponent(accountId)}/ai/v1`
  const headers = { ...compact({ 'cf-aig-gateway-id': gateway }), ...settings.headers }
  return chatModel({ ...workersAiDialect, baseUrl }, model, { ...settings, headers, apiKey: apiToken })
}

/** The fields of a Worker's `env` that {@link workersAiModels} reads. */
export interface WorkersAiEnv {
  /** Declared in `wrangler.toml` by `[ai]` and `binding = "AI"`. */
  readonly AI?: WorkersAiBinding
  /** Names of models, separated by commas. Default: `@cf/qwen/qwen3-30b-a3b-fp8`, which calls tools and is in the free allowance. */
  readonly AI_MODELS?: string
}

/**
 * The models of a Worker that has the binding `AI`, by their names, for `createGateway`: no provider's key is needed. None without the
 * binding.
 *
 * @example
 * ```ts
 * export default { fetch: createGateway({ models: workersAiModels }).fetch }
 * ```
 */
export function workersAiModels({
  AI,
  AI_MODELS = '@cf/qwen/qwen3-30b-a3b-fp8',
}: WorkersAiEnv): Readonly<Record<string, Model>> {
  if (AI === undefined) return {}
  const names = AI_MODELS.split(',').map((name) => name.trim())
  return Object.fromEntries(names.filter(Boolean).map((name) => [name, workersAi(AI, name)]))
}

/** A `fetch` that asks the binding. Raw answers have a status and headers, and errors do not throw. */
function bindingFetch(ai: WorkersAiBinding, gateway: string | undefined): typeof fetch {
  return async (_url, init) => {
    const { model, ...inputs } = JSON.parse(init?.body as string)
    const headers = new Headers(init?.headers)
    headers.delete('content-type')
    const extraHeaders = Object.fromEntries(headers)
    const options = {
      returnRawResponse: true,
      ...(gateway !== undefined && { gateway: { id: gateway } }),
      ...(Object.keys(extraHeaders).length > 0 && { extraHeaders }),
      ...(init?.signal && { signal: init.signal }),
    }
    return (await ai.run(model, inputs, options)) as Response
  }
}

// ---- models -----------------------------------------------------------------------------------

/** Models from before 2026: their requests and answers have a form of their own, and no field for a choice among tools. */
function isOlder(model: string): boolean {
  return /\/(?:llama|meta-llama|mistral|gemma-(?:2b|3|7b)|qwen(?:1|2)\.5|qwq|deepseek-(?:r1|coder|math)|granite|hermes|phi-|sqlcoder)/i.test(
    model,
  )
}

/** Least first. A model that is not listed gets the effort as it is. */
const efforts: readonly (readonly [RegExp, readonly ReasoningEffort[]])[] = [
  [/glm-5\.3/, ['low', 'high', 'max']],
  [/glm-5\.2/, ['none', 'high', 'max']],
  [/kimi-k2/, ['none', 'high']],
  [/qwen3\.8/, ['none', 'low', 'medium', 'xhigh']],
  [/deepseek-v4/, ['none', 'low', 'high', 'max']],
  [/gemma-4/, ['none', 'high']],
  [/nemotron-3/, ['none', 'low', 'medium', 'high']],
  [/gpt-oss/, ['low', 'medium', 'high']],
]
type Reasoning = NonNullable<RequestOptions['reasoning']>
const everyEffort: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

function askReasoning(reasoning: Reasoning, to: Encoding): JsonObject {
  const { model, dialect } = to
  if (/glm-4\.7-flash/.test(model)) return byTemplate(reasoning, to)
  const known = isOlder(model) ? [] : (efforts.find(([name]) => name.test(model))?.[1] ?? everyEffort)
  // `none` is not the smallest effort: it is sent only if it was asked for.
  const isOff = (reasoning.effort ?? (reasoning.budgetTokens === 0 && 'none')) === 'none'
  const taken = isOff ? known : known.filter((effort) => effort !== 'none')
  return byEffort(reasoning, { ...to, dialect: { ...dialect, efforts: taken } })
}

// ---- requests and answers ---------------------------------------------------------------------

function adapt(codec: ClientCodec): ClientCodec {
  return {
    ...codec,
    encodeRequest(context, options) {
      const encoded = codec.encodeRequest(context, options)
      return adaptRequest(encoded as EncodedRequest<WireRequest>, options)
    },
    decodeResponse: (body, options) => codec.decodeResponse(adaptWhole(body), options),
    decodeStream: ({ parse = JSON.parse, ...options } = {}) =>
      codec.decodeStream({ ...options, parse: (text) => adaptAnswer(parse(text)) }),
    decodeToolCalls: (body, options) => codec.decodeToolCalls(adaptWhole(body), options),
    decodeError(answer) {
      const error = codec.decodeError({ ...answer, headers: answer.headers, body: unwrapped(answer.body) })
      return error.providerCode === usedUp ? Object.assign(error, { retryable: false }) : error
    },
  }
}

function adaptRequest(encoded: EncodedRequest<WireRequest>, options: RequestOptions): EncodedRequest<WireRequest> {
  const { model, strict } = options
  const { messages, ...fields } = encoded.body
  const body: WireRequest = {
    ...fields,
    // A turn with only calls: null is refused.
    messages: messages.map((message) => (message.content === null ? { ...message, content: '' } : message)),
  }
  if (!isOlder(model)) return { ...encoded, body }
  const into = newLosses(workersAiDialect.title, strict)
  delete body.tool_choice // `auto`, which is all that they have
  if (body.max_tokens === undefined) {
    body.max_tokens = defaultMaxTokens
    reportLoss(into, 'invented', 'options.maxTokens', 'the model would stop after 256 tokens', 'info')
  }
  const { response_format: format } = body
  const schema = field(field(format, 'json_schema'), 'schema')
  // The schema stands where others have its name and the schema, and such an answer has no stream.
  const structured = {
    ...(format !== undefined && { stream: false }),
    ...(schema !== undefined && { response_format: { type: 'json_schema', json_schema: schema } }),
  }
  return {
    ...encoded,
    body: { ...body, ...structured } as unknown as WireRequest,
    losses: [...encoded.losses, ...into.list],
  }
}

// ---- answers ----------------------------------------------------------------------------------

/** JSON in an answer is written as text, which a body that is too deep does not survive. */
function adaptWhole(body: unknown): unknown {
  refuseDeep(body, 'Cannot decode Workers AI response')
  return adaptAnswer(body)
}

/** Without the envelope of REST, and with the errors of the binding as those of REST. */
function unwrapped(body: unknown): unknown {
  if (!isObject(body)) return body
  const { result, internalCode } = body
  if (isObject(result) && body.success === true) return unwrapped(result)
  if (internalCode === undefined) return body
  const message = stringOr(body.description, stringOr(body.message, ''))
  return { errors: [{ message, code: internalCode }] }
}

/** The frames of older models as those of Chat. */
function adaptAnswer(answer: unknown): unknown {
  const body = unwrapped(answer)
  if (!isObject(body)) return body
  if (Array.isArray(body.choices)) return { ...body, choices: body.choices.map(withTextContent) }
  if (!('response' in body || 'tool_calls' in body)) return body
  const { response, tool_calls: calls, p: _padding, ...others } = body
  const delta = { content: textOf(response ?? ''), tool_calls: arrayOf(calls).map(nested) }
  return { ...others, choices: [{ index: 0, delta }] }
}

/** Structured output may come parsed. */
function withTextContent(choice: Json): Json {
  const message = field(choice, 'message')
  const content = field(message, 'content')
  if (!isObject(choice) || !isObject(message) || !isObject(content)) return choice
  return { ...choice, message: { ...message, content: textOf(content) } }
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Some models have name and arguments beside each other, without `function`. */
function nested(call: Json): Json {
  if (!isObject(call) || 'function' in call) return call
  const { name, arguments: args, ...others } = call
  return { ...others, type: 'function', function: { name: name ?? null, arguments: args ?? {} } }
}
