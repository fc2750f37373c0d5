/** The options of a Worker after they are read. Types only. @module */

import type { JsonObject } from '../core/model.ts'
import type { CheckedBody } from '../gateway/types.ts'
import type { Price } from '../prices/index.ts'
import type { Accounts } from './accounts/accounts.ts'
import type { Entry } from './keys/providers.ts'
import type { SessionOptions, WorkerOptions } from './options.ts'
import type { Fetcher, ObjectNamespace, RateLimiter } from './platform.ts'

/** Options as they were given, and what was read of them. Without a `config` every route answers 503. */
export interface Setup {
  readonly given: Partial<WorkerOptions>
  readonly config: Config | undefined
  /** The problems, in words, never with a value. Empty if there are none. */
  readonly problems: readonly string[]
}

/** Everything the routes need to know. */
export interface Config {
  readonly basePath: string
  readonly secrets: Secrets
  /** Exact origins, such as `https://chat.example`. */
  readonly allowedOrigins: ReadonlySet<string>
  readonly models: readonly Entry[]
  /** Checks a body, and returns the part of it that is passed on. */
  readonly permit: (checked: Pick<CheckedBody, 'wire' | 'kind' | 'body'>, user: string) => JsonObject
  readonly maxOutputTokens: number
  readonly spending: Spending
  readonly limits: Limits
  readonly minting: Minting
  /** Ids of users and tokens that are not good any more. */
  readonly revoked: ReadonlySet<string>
  readonly counters: { readonly perUser: RateLimiter; readonly perNetwork: RateLimiter } | undefined
  readonly runs: Runs | undefined
  readonly realtime: Realtime | undefined
  readonly assets: Fetcher | undefined
  /** How a provider is asked for an answer that the client wants whole. */
  readonly wholeAnswers: 'whole' | 'stream'
}

/** The secrets that sign tokens, and those that must never be sent to a client. */
export interface Secrets {
  /** Empty if there is none: without tokens and runs nothing is signed. */
  readonly session: Uint8Array<ArrayBuffer>
  readonly nextSession: Uint8Array<ArrayBuffer> | undefined
  /** Cuts all of them, and the providers' keys, out of a text. */
  readonly scrub: (text: string) => string
}

/** Money in micro-USD. */
export interface Spending {
  readonly accounts: Accounts | undefined
  readonly prices: Readonly<Record<string, Price>>
  /** A user's, in a day. */
  readonly dailyBudget: number
  /** The whole Worker's, in a day. */
  readonly totalDailyBudget: number
  /** A user's requests at once. */
  readonly liveStreams: number
}

/** Client secrets for OpenAI's Realtime API. */
export interface Realtime {
  /** Its names are models; as ids, they begin with `realtime:`. */
  readonly models: readonly string[]
  readonly openai: Omit<Entry, 'name'>
  /** The cost of one secret, in micro-USD. */
  readonly cost: number
  readonly seconds: number
}

/** Kept answers. */
export interface Runs {
  readonly binding: ObjectNamespace<RunStub>
  /** For how long an answer is kept after its end, in ms. */
  readonly keptMs: number
}

/** An object of the class `StreamRun`, from outside. */
export interface RunStub {
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  /** Resolves to false if there never was such an answer. */
  stop(): Promise<boolean>
}

/** The ways to get a token. */
export interface Minting {
  /** The secret that the operator's own server shows to get a token for one of its users. */
  readonly loginSecret: string | undefined
  /** The operator's own login. */
  readonly login: Extract<SessionOptions['login'], (...args: never) => unknown> | undefined
  readonly turnstile: Turnstile | undefined
  /**
   * Whether every page of an allowed origin gets one: `open` does so on the internet; `loopback` only where the Worker itself is asked at
   * an address of this machine, and then pages at any such address may ask. A caller chooses its `Origin` header itself, so that header by
   * itself permits nothing.
   */
  readonly demo: 'open' | 'loopback' | undefined
  /** Says who asks, in place of tokens. */
  readonly check: SessionOptions['check']
}

/** Cloudflare's Turnstile. */
export interface Turnstile {
  readonly secret: string
  /** The address that checks an answer. */
  readonly url: string
  readonly action: string
  /** The key of the widget on our own page, if it has one. */
  readonly siteKey: string | undefined
}

/** How much and how long: see `PolicyOptions`. */
export interface Limits {
  readonly maxBodyBytes: number
  readonly bodyTimeoutMs: number
  readonly wholeCommitMs: number
  readonly headersTimeoutMs: number
  readonly firstContentTimeoutMs: number
  readonly idleTimeoutMs: number
  readonly totalTimeoutMs: number
}
