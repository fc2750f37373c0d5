/** Options and reports of a gateway. Types only. @module */
import type { Timeouts } from '../ask/transport.ts'
import type { DecodedRequest } from '../core/codec.ts'
import type { ApiErrorKind } from '../core/errors.ts'
import type { JsonObject, Loss, RequestOptions, StopReason, Usage } from '../core/messages.ts'
import type { HttpModel, Model } from '../core/question.ts'
import type { GatewayFormat } from '../formats/shared/gateway-format.ts'

/** The name of a format that a gateway answers in. */
export type WireName = GatewayFormat['name']

/** A model that clients may use, and the provider's model that answers. */
export interface GatewayModel {
  /**
   * The model that answers: of a provider, remote, local or wrapped. No part of it comes from a request. A provider's key of at least 8
   * characters is cut out of all answers.
   */
  readonly model: Model | HttpModel
  /** Other names for it. A name that ends in `*` matches all names with the same beginning. If several match, the longest counts. */
  readonly aliases?: readonly string[]
  /** Names of other entries. They are tried in this order if this one fails before it has sent content. */
  readonly fallbacks?: readonly string[]
  /**
   * The maximum number of output tokens of one answer. A larger limit in a request is reduced to it; a request without a limit gets it.
   * Default: no limit.
   */
  readonly maxOutputTokens?: number
}

/** Models by the names that clients use. A plain model is an entry without settings. */
export type GatewayModels = Readonly<Record<string, GatewayModel | Model | HttpModel>>

/** Limits of sizes and times. */
export interface GatewayLimits {
  /** The maximum size of a request's body, in bytes. Default 16 MiB. A larger body gets 413. */
  readonly maxBodyBytes?: number
  /** The maximum depth of nested objects and arrays in a request. Default 128. A deeper body gets 400. */
  readonly maxDepth?: number
  /** The maximum number of values in a request, at any depth. Default 1,000,000. More values get 400. */
  readonly maxValues?: number
  /** Time limit for receiving a request's body, in milliseconds. Default 30,000. After it, 408. */
  readonly bodyTimeoutMs?: number
  /**
   * The maximum size of a provider's answer, whole or streamed, in bytes. Default 32 MiB. If the request has a limit of output tokens, a
   * stream is also cut off when its text is longer than 64 KiB plus 256 bytes for each token: then the provider ignores the limit.
   */
  readonly maxAnswerBytes?: number
  /** The maximum size of a single event of a provider's stream, in bytes. Default 8 MiB. */
  readonly maxEventBytes?: number
  /** Time limits for a provider: see {@link Timeouts}. `totalMs` is for a request with all its fallbacks. */
  readonly timeouts?: Timeouts
  /**
   * Time limit for the first content of a streaming provider, in milliseconds; keep-alive comments do not count. Default: no limit of its
   * own, only `timeouts`, since some models think for minutes without showing it.
   */
  readonly firstContentMs?: number
  /** Time for which the gateway holds back the headers of a stream until the first real event, in milliseconds. Default 2,000. */
  readonly commitMs?: number
  /**
   * Time for which the gateway holds back the headers of a whole answer after the provider's first content, in milliseconds. After that, it
   * sends white space to keep the connection open, which also shows whether the client is still there; but an error can then only cut the
   * connection off. Works only with {@link GatewayOptions.wholeAnswers} `stream`. Default: until the answer is complete.
   */
  readonly wholeCommitMs?: number
  /** Time without an event after which a keep-alive comment is sent, in milliseconds. Default 5,000. */
  readonly keepAliveMs?: number
}

/** The permission for one request, from your own policy. */
export interface Permit {
  /** The names of the table that this request may use. Default: all. */
  readonly models?: readonly string[]
  /** The maximum number of output tokens of one answer, if it is less than the model's own limit. */
  readonly maxOutputTokens?: number
  /** The caller, in your own terms: isoglot passes it to the hooks and does not read it. */
  readonly caller?: unknown
}

/** A client's request, before a model is asked. */
export interface CheckedRequest {
  readonly wire: WireName
  /** Whether the request asks for an answer, or for a count of its tokens. */
  readonly kind: 'answer' | 'count'
  /**
   * The request, decoded. Fields that the format's codec does not know are in `options.providerOptions`, in `providerData` of a message, a
   * block or a tool, and in `losses`.
   */
  readonly request: DecodedRequest
  /** The body that the client sent. */
  readonly body: JsonObject
  readonly caller: unknown
}

/** A request that is about to be sent. */
export interface Admission {
  readonly requestId: string
  /** The entry of the table. */
  readonly model: string
  readonly wire: WireName
  readonly stream: boolean
  /** The maximum number of output tokens: the requested number, within the limits. `undefined` if there is no limit. */
  readonly maxOutputTokens: number | undefined
  readonly caller: unknown
  /** The decoded request. */
  readonly request: DecodedRequest
}

/** The usage of one answer, as the provider reports it. */
export interface UsageReport {
  readonly requestId: string
  /** The entry of the table that answered. It may be a fallback. */
  readonly model: string
  readonly wire: WireName
  readonly caller: unknown
  readonly usage: Usage
}

/**
 * How a request ended. `answered`: normally. `refused`: no provider was asked. `failed`: no provider answered, or an answer was cut off.
 * `left`: the client disconnected before the end.
 */
export type Outcome = 'answered' | 'refused' | 'failed' | 'left'

/** The report of one request. It has no header, no body, and no text of a prompt or an answer. */
export interface EndReport {
  readonly requestId: string
  readonly outcome: Outcome
  readonly wire: WireName
  readonly caller: unknown
  /** The name that the client used, cut at 200 characters. */
  readonly asked: string | undefined
  /** The entry of the table that answered, or the last one that was tried. */
  readonly model: string | undefined
  readonly provider: string | undefined
  readonly stream: boolean
  /** The provider's bytes were passed through unchanged. */
  readonly passed: boolean
  /** The number of entries of the table that were tried. */
  readonly attempts: number
  /** The status that the client got. */
  readonly status: number
  readonly error?: { readonly kind: ApiErrorKind; readonly providerCode?: string; readonly status?: number }
  /** Also set if the connection was cut off after the last event: the usage is then complete. */
  readonly stopReason?: StopReason
  readonly usage?: Usage
  /** The provider sent more content after it reported `usage`, so `usage` does not cover the whole answer. */
  readonly usageIsOld?: true
  /** The size of the text, reasoning and arguments in the answer, in bytes of UTF-8. Useful if an answer was cut off and has no usage. */
  readonly outputBytes: number
  /** Losses between the two formats. */
  readonly losses: readonly Loss[]
  readonly durationMs: number
  /** Milliseconds from the request to the provider's first real event. */
  readonly firstEventMs?: number
}

/** A request for an answer that has arrived. */
export interface GatewayQuestion {
  readonly requestId: string
  readonly wire: WireName
  /** Its headers may contain a trace id. Do not read the body. */
  readonly request: Request
}

/** A request to a provider; with `end`, one that has ended. */
export interface GatewayAttempt extends GatewayQuestion {
  /** Starts at 1. Each entry of the table is tried once. */
  readonly attempt: number
  /** The entry of the table. */
  readonly entry: string
  readonly model: Model
  readonly end?: {
    readonly ms: number
    /** `status` is the status of the provider's response. Without `error` and `stopReason`, the client disconnected. */
    readonly error?: EndReport['error']
    readonly stopReason?: StopReason
    readonly usage?: Usage
  }
}

/**
 * Watches the requests of a gateway, for logs and telemetry: `otelGateway` of `isoglot/otel` makes one. Each function is called immediately
 * and never awaited. The gateway ignores its errors and rejections. `request` is the same object throughout one request.
 */
export interface GatewayObserver {
  /** Called for each request for an answer, before `authorize`. */
  onRequest?(question: GatewayQuestion): void
  /** Called when a provider is asked, and again, with `end`, when its answer has ended. */
  onAttempt?(attempt: GatewayAttempt): void
  /** Called when the request has ended, with the report that `onEnd` of the gateway gets. */
  onEnd?(end: GatewayQuestion & { readonly report: EndReport }): void
}

/** Options of a gateway: its models, and its operator's policy. */
export interface GatewayOptions<Env = unknown> {
  /**
   * The formats in which clients can ask: `openaiChatFormat` of `isoglot/openai-chat`, `anthropicFormat` of `isoglot/anthropic` and so on, or
   * `allFormats`. A path that several of them have, and a path of none, is answered in the first.
   */
  readonly formats: readonly GatewayFormat[]
  /** The table of models, or a function that makes it from the environment. The function is called once for each environment. */
  readonly models: GatewayModels | ((env: Env) => GatewayModels)
  /**
   * Decides which requests are allowed. To refuse, throw an `ApiError` (its `kind` decides the status) or return a `Response`. Do not read
   * the body of the request here. Default: all requests are allowed, so run a gateway without this option only on loopback.
   */
  readonly authorize?: (request: Request, env: Env) => Verdict | Promise<Verdict>
  /**
   * Checks each request, decoded: the same check for all formats. Throw an `ApiError` to refuse. Return a request to ask that in place of the
   * client's: no byte of the client's body is then sent.
   */
  readonly check?: (checked: CheckedRequest, env: Env) => DecodedRequest | undefined
  /** Called for each request before it is sent, for example to reserve its highest possible cost. Throw an `ApiError` to refuse. */
  readonly admit?: (admission: Admission, env: Env) => void | Promise<void>
  /**
   * Called once for each answer whose usage the provider reports, for the whole answer or a part of it. {@link GatewayOptions.onEnd} gets
   * the same usage: use only one of the two for billing, preferably `onEnd`, which is also called for answers without usage.
   */
  readonly onUsage?: (report: UsageReport) => void | Promise<void>
  /** Called once for each request for an answer, at its end, and for each request that `authorize` refuses, with the status. */
  readonly onEnd?: (report: EndReport) => void | Promise<void>
  /** Observers of the requests, for logs and telemetry. They cannot change a request or an answer. */
  readonly observers?: readonly GatewayObserver[]
  /** The pages that may call: exact origins, or `*` for all pages. Default: no page, and no CORS header is sent. */
  readonly origins?: readonly string[] | '*'
  /** The path below which all routes are, such as `/ai` for `/ai/v1/messages`. Default: the root. */
  readonly basePath?: string
  readonly limits?: GatewayLimits
  /**
   * How the gateway asks a provider for an answer when the client wants it without streaming. `whole`: without streaming; if the formats
   * are equal, the bytes pass through, and only the time limit of the whole answer applies. `stream`: as a stream, which the gateway joins,
   * so that all limits apply and the provider stops when the client disconnects; requests that cannot be streamed (several choices, speech,
   * background) are sent unchanged. Default `whole`.
   */
  readonly wholeAnswers?: 'whole' | 'stream'
  /** Whether a client sees the provider's own message about an invalid request, without keys. Default true. */
  readonly showsProviderMessages?: boolean
  /** Which losses of a translation are errors: see `RequestOptions.strict`. */
  readonly strict?: RequestOptions['strict']
}

/**
 * The result of `authorize`. `undefined`: the request is allowed. A `Permit`: it is allowed with limits. A `Response`: it is refused with this
 * answer.
 */
export type Verdict = Permit | Response | undefined | void

/** The part of a Worker's context that the gateway uses: it reads an answer to its end after the client has left. */
export interface ExecutionContextLike {
  waitUntil(promise: Promise<unknown>): void
}

/** A gateway: clients use it like a provider. */
export interface Gateway<Env = unknown> {
  /** Answers one request. It never rejects. */
  fetch(request: Request, env?: Env, ctx?: ExecutionContextLike): Promise<Response>
}
