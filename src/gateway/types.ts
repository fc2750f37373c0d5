/** Options and reports of a gateway. Types only. @module */
import type { Timeouts } from '../client/deadline.ts'
import type { DecodedRequest, Model } from '../core/codec.ts'
import type { ApiErrorKind } from '../core/errors.ts'
import type { JsonObject, Loss, RequestOptions, StopReason, Usage } from '../core/model.ts'

/** The wires that a gateway answers in: the names of their formats. */
export type WireName =
  | 'openai-chat'
  | 'openai-responses'
  | 'anthropic'
  | 'gemini'
  | 'gemini-interactions'
  | 'ollama'
  | 'cohere'
  | 'bedrock-converse'

/** A model that clients may ask for, and the provider's model that answers. */
export interface GatewayModel {
  /** Where it lives. Nothing of that comes from a request. A key of at least 8 characters is cut out of all answers. */
  readonly model: Model
  /** Other names for it. One that ends in `*` stands for all names that begin so; of several, the longest counts. */
  readonly aliases?: readonly string[]
  /** Names of other entries that are asked, in this order, while nothing has been said and this one fails. */
  readonly fallbacks?: readonly string[]
  /** Most tokens of one answer: what a client asks beyond it is cut to it, and who asks for none gets it. Default: no limit of ours. */
  readonly maxOutputTokens?: number
}

/** Models by the names that clients ask for. A model by itself is an entry without settings. */
export type GatewayModels = Readonly<Record<string, GatewayModel | Model>>

/** Limits of sizes and times. */
export interface GatewayLimits {
  /** Largest body of a request, in bytes. Default 16 MiB; beyond it, 413. */
  readonly maxBodyBytes?: number
  /** Objects and arrays inside one another in a request. Default 128; beyond it, 400. */
  readonly maxDepth?: number
  /** Values in a request, at any depth. Default 1,000,000; beyond it, 400. */
  readonly maxValues?: number
  /** Until a request's body is here, in milliseconds. Default 30,000; beyond it, 408. */
  readonly bodyTimeoutMs?: number
  /**
   * Largest answer of a provider, whole or streamed, in bytes. Default 32 MiB. If the request has a limit of output tokens, a stream is also
   * cut off when its text is longer than 64 KiB and 256 bytes for each of these tokens: the provider ignores the limit then.
   */
  readonly maxAnswerBytes?: number
  /** Largest single event of a provider's stream, in bytes. Default 8 MiB. */
  readonly maxEventBytes?: number
  /** How long a provider may take: see {@link Timeouts}. `totalMs` is for a request with all its fallbacks. */
  readonly timeouts?: Timeouts
  /**
   * Until a provider that streams has said something, in milliseconds; keep-alive comments do not count. Default: as long as `timeouts` let it,
   * since some models think for minutes and show none of it.
   */
  readonly firstContentMs?: number
  /** How long headers of a stream are held back for the first real event, in milliseconds. Default 2,000. */
  readonly commitMs?: number
  /**
   * How long headers of a whole answer are held back for it once the provider has said something, in milliseconds. White space in front
   * of it keeps the line warm from then on, which is how a runtime notices that the client left; but what goes wrong can then only break
   * the line off. Only with {@link GatewayOptions.wholeAnswers} `stream` is it known when that is. Default: until it is here.
   */
  readonly wholeCommitMs?: number
  /** A keep-alive comment is sent after so much silence of an answer, in milliseconds. Default 5,000. */
  readonly keepAliveMs?: number
}

/** The permission for one request, from your own policy. */
export interface Permit {
  /** Names of the table that may be asked. Default: all. */
  readonly models?: readonly string[]
  /** Most tokens of one answer, if less than the model's own limit. */
  readonly maxOutputTokens?: number
  /** The caller, in your own terms: passed to the hooks, and not read. */
  readonly caller?: unknown
}

/** A request whose body has arrived, before the gateway reads its fields. */
export interface CheckedBody {
  readonly wire: WireName
  /** Whether an answer is asked for, or how many tokens the request has. */
  readonly kind: 'answer' | 'count'
  /** As it came. */
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
  /** Most tokens of the answer: what was asked, within the limits; `undefined` if there is no limit. */
  readonly maxOutputTokens: number | undefined
  readonly caller: unknown
  /** The decoded request. */
  readonly request: DecodedRequest
}

/** The usage of one answer, as the provider reports it. */
export interface UsageReport {
  readonly requestId: string
  /** The entry of the table that answered: a fallback, if it was one. */
  readonly model: string
  readonly wire: WireName
  readonly caller: unknown
  readonly usage: Usage
}

/**
 * How a request ended. `answered`: properly. `refused`: no provider was asked. `failed`: no provider answered, or one broke off. `left`: the
 * client went before the end.
 */
export type Outcome = 'answered' | 'refused' | 'failed' | 'left'

/** The report of one request: no header, no body, no text of a prompt or an answer. */
export interface EndReport {
  readonly requestId: string
  readonly outcome: Outcome
  readonly wire: WireName
  readonly caller: unknown
  /** The name that the client asked for, cut at 200 characters. */
  readonly asked: string | undefined
  /** The entry of the table that answered, or was asked last. */
  readonly model: string | undefined
  readonly provider: string | undefined
  readonly stream: boolean
  /** The bytes of the provider went through as they came. */
  readonly passed: boolean
  /** How many entries of the table were asked. */
  readonly attempts: number
  /** The status that the client got. */
  readonly status: number
  readonly error?: { readonly kind: ApiErrorKind; readonly providerCode?: string; readonly status?: number }
  /** Also set for an answer whose connection broke after its last event: its usage is then complete. */
  readonly stopReason?: StopReason
  readonly usage?: Usage
  /** The provider said more after it reported `usage`, so `usage` does not cover the whole answer. */
  readonly usageIsOld?: true
  /** How much text, reasoning and arguments there was in the answer, in bytes of UTF-8: an answer that broke off may have no usage. */
  readonly outputBytes: number
  /** Losses between the two formats. */
  readonly losses: readonly Loss[]
  readonly durationMs: number
  /** From the request to the provider's first real event. */
  readonly firstEventMs?: number
}

/** A request for an answer that has arrived. */
export interface GatewayQuestion {
  readonly requestId: string
  readonly wire: WireName
  /** Its headers may name a trace. Do not read the body. */
  readonly request: Request
}

/** A request to a provider; with `end`, one that has ended. */
export interface GatewayAttempt extends GatewayQuestion {
  /** From 1; each entry of the table is asked once. */
  readonly attempt: number
  /** The entry of the table. */
  readonly entry: string
  readonly model: Model
  readonly end?: {
    readonly ms: number
    /** `status` is the status of the provider's response. Without `error` and `stopReason`, the client left. */
    readonly error?: EndReport['error']
    readonly stopReason?: StopReason
    readonly usage?: Usage
  }
}

/**
 * Watches the requests of a gateway, for logs and telemetry: `otelGateway` of `isoglot/otel` makes one. Each function is called at once and
 * never awaited. The gateway ignores its errors and rejections. `request` is the same object throughout one request.
 */
export interface GatewayObserver {
  /** Called for each request for an answer, before `authorize`. */
  onRequest?(question: GatewayQuestion): void
  /** Called when a provider is asked, and again, with `end`, when its answer is over. */
  onAttempt?(attempt: GatewayAttempt): void
  /** Called when the request has ended, with the report that `onEnd` of the gateway gets. */
  onEnd?(end: GatewayQuestion & { readonly report: EndReport }): void
}

/** Options of a gateway: its models, and the policy of its operator. */
export interface GatewayOptions<Env = unknown> {
  /** The table of models, or a function that makes it of the environment; it is called once for each. */
  readonly models: GatewayModels | ((env: Env) => GatewayModels)
  /**
   * The caller's policy: who may ask. Throw an `ApiError` (its `kind` decides the status) or return a `Response` to refuse. The body of
   * the request must not be read here. Default: everybody may, so a gateway without it belongs on loopback.
   */
  readonly authorize?: (request: Request, env: Env) => Verdict | Promise<Verdict>
  /**
   * Sees each body before anything is made of it, such as to let only known fields through. Throw an `ApiError` to refuse; return an
   * object to go on with that in place of what the client sent.
   */
  readonly check?: (checked: CheckedBody, env: Env) => JsonObject | undefined
  /** Sees each request before it is sent, such as to reserve what it may cost. Throw an `ApiError` to refuse. */
  readonly admit?: (admission: Admission, env: Env) => void | Promise<void>
  /**
   * Called once for each answer whose usage the provider reports, in full or so far. {@link GatewayOptions.onEnd} gets the same usage: bill
   * from one of the two, best from `onEnd`, which is called for answers without usage as well.
   */
  readonly onUsage?: (report: UsageReport) => void | Promise<void>
  /** Called once for each request for an answer, at its end, and for each request that `authorize` refuses, with the status. */
  readonly onEnd?: (report: EndReport) => void | Promise<void>
  /** Watch the requests, for logs and telemetry. They change nothing. */
  readonly observers?: readonly GatewayObserver[]
  /** Pages that may call: exact origins, or `*` for all of them. Default: none, and no CORS header is sent. */
  readonly origins?: readonly string[] | '*'
  /** The path that all routes are below, such as `/ai` for `/ai/v1/messages`. Default: none. */
  readonly basePath?: string
  readonly limits?: GatewayLimits
  /**
   * How a provider is asked for an answer that the client wants whole. `whole`: as it is wanted; where the wires are equal its bytes go
   * through, and of the limits in time only that of the whole answer applies. `stream`: as a stream that is put together here, so that all
   * limits apply and a provider that is left stops writing; requests that only have a whole answer (several choices, speech, background)
   * are asked as they are. Default `whole`.
   */
  readonly wholeAnswers?: 'whole' | 'stream'
  /** Whether a client sees the provider's own words about an invalid request; keys are cut out of them. Default true. */
  readonly showsProviderMessages?: boolean
  /** Which losses of a translation are errors: see `RequestOptions.strict`. */
  readonly strict?: RequestOptions['strict']
}

/**
 * The result of `authorize`. Nothing: the request is allowed. A `Permit`: it is allowed with limits. A `Response`: it is refused with this
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
