/**
 * The models of Cloudflare Workers AI, in the format OpenAI Chat Completions. Older models have a different format.
 *
 * @see https://developers.cloudflare.com/workers-ai/ (read 2026-09)
 * @see https://github.com/cloudflare/workerd/blob/main/src/cloudflare/internal/ai-api.ts
 * @module
 */
import { checkOptions } from '../core/checks.ts'
import type { ClientCodec, EncodedRequest, ModelSettings } from '../core/codec.ts'
import { arrayOf, compact, field, isObject, stringOr, unlessEmpty } from '../core/json.ts'
import type { Json, JsonObject, ReasoningEffort, RequestOptions } from '../core/messages.ts'
import type { HttpModel } from '../core/question.ts'
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
import { newLosses, reportLoss } from '../formats/shared/losses.ts'

/** `max_tokens` for older models if the request does not set it. The server's default is only 256 tokens. */
const defaultMaxTokens = 2048

/** The error code for: the free allowance of the day is used up. A retry does not help. */
const usedUp = '3036'

const chooseAny = /* @__PURE__ */ choosing(['none', 'required', 'named'])
const chooseNone = /* @__PURE__ */ choosing([])

/** The dialect of Workers AI. */
export const workersAiDialect: ChatDialect = {
  ...compatible,
  provider: 'workers-ai',
  title: 'Workers AI',
  baseUrl: '', // each account has its own address
  asksForUsage: false, // Workers AI always sends usage
  inlineImages: true,
  chooseTools: (choice, tools, to) => (isOlder(to.model) ? chooseNone : chooseAny)(choice, tools, to),
  askReasoning,
  stopReasons: { model_length: 'length' },
  errors: {
    kinds: {
      5007: 'not_found',
      3042: 'not_found',
      5016: 'permission', // the account has not accepted the model's licence
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
  adaptAnswer,
}

/** The binding `AI` of a Worker. */
export interface WorkersAiBinding {
  run(model: string, inputs: object, options: object): Promise<unknown>
}

/** A Cloudflare account, for requests by REST. */
export interface WorkersAiAccount {
  readonly accountId: string
  /** A token with the permission "Workers AI: Read", or a function that returns it for each request. */
  readonly apiToken: string | (() => string | Promise<string>)
}

/** Options of {@link workersAi}. */
export interface WorkersAiSettings extends Pick<ModelSettings, 'headers' | 'body'> {
  /** The name of an AI Gateway that requests go through. Default: none. */
  readonly gateway?: string
}

/**
 * A model of Cloudflare Workers AI. Requests use the binding of a Worker, without a key, or REST with the token of an account.
 *
 * @param service `env.AI`, or an account. Do not use an account's token in a web page.
 * @param model The model's name, for example `@cf/qwen/qwen3-30b-a3b-fp8`.
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
export function workersAi(service: WorkersAiBinding, model: string, settings?: WorkersAiSettings): HttpModel
export function workersAi(
  service: WorkersAiAccount,
  model: string,
  settings?: WorkersAiSettings & Pick<ModelSettings, 'baseUrl' | 'fetch'>,
): HttpModel
export function workersAi(
  service: WorkersAiBinding | WorkersAiAccount,
  model: string,
  options: WorkersAiSettings & Pick<ModelSettings, 'baseUrl' | 'fetch'> = {},
): HttpModel {
  checkOptions('model', options)
  const { gateway, ...settings } = options
  if (isObject(service) && 'run' in service && typeof service.run === 'function') {
    const fetch = bindingFetch(service as unknown as WorkersAiBinding, gateway)
    // The binding sends requests to this address, so network errors name it.
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
 * Returns the models of a Worker that has the binding `AI`, by name, for `createGateway`. They do not need a provider's key. Without the
 * binding, there are no models.
 *
 * @example
 * ```ts
 * export default { fetch: createGateway({ formats: allFormats, models: workersAiModels }).fetch }
 * ```
 */
export function workersAiModels({
  AI,
  AI_MODELS = '@cf/qwen/qwen3-30b-a3b-fp8',
}: WorkersAiEnv): Readonly<Record<string, HttpModel>> {
  if (AI === undefined) return {}
  const names = AI_MODELS.split(',').map((name) => name.trim())
  return Object.fromEntries(names.filter(Boolean).map((name) => [name, workersAi(AI, name)]))
}

/** Returns a `fetch` that sends requests to the binding. Raw answers have a status and headers, so errors do not throw. */
function bindingFetch(ai: WorkersAiBinding, gateway: string | undefined): typeof fetch {
  return async (_url, init) => {
    const { model, ...inputs } = JSON.parse(init?.body as string)
    const headers = new Headers(init?.headers)
    headers.delete('content-type')
    const extraHeaders = Object.fromEntries(headers)
    const options = compact({
      returnRawResponse: true,
      gateway: gateway === undefined ? undefined : { id: gateway },
      extraHeaders: unlessEmpty(extraHeaders),
      signal: init?.signal ?? undefined,
    })
    return (await ai.run(model, inputs, options)) as Response
  }
}

// ---- models -----------------------------------------------------------------------------------

/** Whether a model is from before 2026. Such models have a different format, without a tool choice. */
function isOlder(model: string): boolean {
  return /\/(?:llama|meta-llama|mistral|gemma-(?:2b|3|7b)|qwen(?:1|2)\.5|qwq|deepseek-(?:r1|coder|math)|granite|hermes|phi-|sqlcoder)/i.test(
    model,
  )
}

/** The efforts of each model, lowest first. For a model that is not listed, the effort does not change. */
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
type ReasoningOption = NonNullable<RequestOptions['reasoning']>

function askReasoning(reasoning: ReasoningOption, to: Encoding): JsonObject {
  const { model, dialect } = to
  if (/glm-4\.7-flash/.test(model)) return byTemplate(reasoning, to)
  const taken = isOlder(model) ? [] : efforts.find(([name]) => name.test(model))?.[1]
  return byEffort(reasoning, { ...to, dialect: { ...dialect, ...compact({ efforts: taken }) } })
}

// ---- requests and answers ---------------------------------------------------------------------

function adapt(codec: ClientCodec): ClientCodec {
  return {
    ...codec,
    encodeRequest(context, options) {
      const encoded = codec.encodeRequest(context, options)
      return adaptRequest(encoded as EncodedRequest<WireRequest>, options)
    },
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
    // A turn with only calls has null as content, which the server refuses.
    messages: messages.map((message) => (message.content === null ? { ...message, content: '' } : message)),
  }
  if (!isOlder(model)) return { ...encoded, body }
  const losses = newLosses(workersAiDialect.title, strict)
  delete body.tool_choice // older models have only `auto`
  if (body.max_tokens === undefined) {
    body.max_tokens = defaultMaxTokens
    reportLoss(losses, 'invented', 'options.maxTokens', 'the model would stop after 256 tokens', 'info')
  }
  const { response_format: format } = body
  const schema = field(field(format, 'json_schema'), 'schema')
  // Older models take the schema itself in place of an object with its name and the schema. They cannot stream such an answer.
  const structured = compact({
    stream: format === undefined ? undefined : false,
    response_format: schema === undefined ? undefined : { type: 'json_schema', json_schema: schema },
  })
  return {
    ...encoded,
    body: { ...body, ...structured } as unknown as WireRequest,
    losses: [...encoded.losses, ...losses.list],
  }
}

// ---- answers ----------------------------------------------------------------------------------

/** Returns the answer without the envelope of REST. Converts errors of the binding to the form of REST errors. */
function unwrapped(body: unknown): unknown {
  if (!isObject(body)) return body
  const { result, internalCode } = body
  if (isObject(result) && body.success === true) return unwrapped(result)
  if (!internalCode) return body
  const message = stringOr(body.description, stringOr(body.message, ''))
  return { errors: [{ message, code: internalCode }] }
}

/** Converts an answer, or a frame of one, of an older model to a chunk of Chat Completions. */
function adaptAnswer(answer: unknown): unknown {
  const body = unwrapped(answer)
  if (!isObject(body)) return body
  if (Array.isArray(body.choices)) return { ...body, choices: body.choices.map(withTextContent) }
  if (!('response' in body || 'tool_calls' in body)) return body
  const { response, tool_calls: calls, p: _padding, ...others } = body
  const delta = { content: textOf(response ?? ''), tool_calls: arrayOf(calls).map(nestedCall) }
  return { ...others, choices: [{ index: 0, delta }] }
}

/** Writes structured output as text, since some models send it as parsed JSON. */
function withTextContent(choice: Json): Json {
  const message = field(choice, 'message')
  const content = field(message, 'content')
  if (!isObject(choice) || !isObject(message) || !isObject(content)) return choice
  return { ...choice, message: { ...message, content: textOf(content) } }
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Adds `function` to a call. Some models send `name` and `arguments` directly in the call. */
function nestedCall(call: Json): Json {
  if (!isObject(call) || isObject(call.function)) return call
  const { name, arguments: args, ...others } = call
  return { ...others, type: 'function', function: { name: name ?? null, arguments: args ?? {} } }
}
