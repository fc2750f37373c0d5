/** The options of a Worker after they are read. Types only. @module */

import type { DecodedRequest } from '../core/codec.ts'
import type { CheckedRequest } from '../gateway/types.ts'
import type { GatewayFormat } from '../kit/gateway-format.ts'
import type { Price } from '../prices/index.ts'
import type { Accounts } from './accounts/accounts.ts'
import type { Entry } from './keys/providers.ts'
import type { SessionOptions, WorkerOptions } from './options.ts'
import type { Fetcher, ObjectNamespace, RateLimiter } from './platform.ts'

/** The given options, and the result of reading them. Without a `config`, every route answers 503. */
export interface Setup {
  readonly given: Partial<WorkerOptions>
  /** Those in which the Worker answers, also while an option is wrong. */
  readonly formats: readonly GatewayFormat[]
  readonly config: Config | undefined
  /** The problems as text, without any value. Empty if there are none. */
  readonly problems: readonly string[]
}

/** The data that the routes need. */
export interface Config {
  readonly basePath: string
  readonly secrets: Secrets
  /** Exact origins, such as `https://chat.example`. */
  readonly allowedOrigins: ReadonlySet<string>
  readonly models: readonly Entry[]
  readonly formats: readonly GatewayFormat[]
  /** Checks a request, and returns the one that is sent to the provider. */
  readonly permit: (checked: CheckedRequest, user: string) => DecodedRequest
  readonly maxOutputTokens: number
  readonly spending: Spending
  readonly limits: Limits
  readonly minting: Minting
  /** Revoked ids of users and tokens. */
  readonly revoked: ReadonlySet<string>
  readonly counters: { readonly perUser: RateLimiter; readonly perNetwork: RateLimiter } | undefined
  readonly runs: Runs | undefined
  readonly assets: Fetcher | undefined
  /** How the Worker asks a provider for an answer when the client wants it without streaming. */
  readonly wholeAnswers: 'whole' | 'stream'
}

/** The secrets that sign tokens, and those that must never be sent to a client. */
export interface Secrets {
  /** Empty if there is no signing secret: without tokens and runs, nothing is signed. */
  readonly session: Uint8Array<ArrayBuffer>
  readonly nextSession: Uint8Array<ArrayBuffer> | undefined
  /** Cuts all these secrets, and the providers' keys, out of a text. */
  readonly scrub: (text: string) => string
}

/** Money in micro-USD. */
export interface Spending {
  readonly accounts: Accounts | undefined
  readonly prices: Readonly<Record<string, Price>>
  /** The daily budget of a user. */
  readonly dailyBudget: number
  /** The daily budget of the whole Worker. */
  readonly totalDailyBudget: number
  /** The maximum number of a user's concurrent requests. */
  readonly liveStreams: number
}

/** Stored answers. */
export interface Runs {
  readonly binding: ObjectNamespace<RunStub>
  /** The time that an answer is stored after its end, in ms. */
  readonly keptMs: number
}

/** An object of the class `StreamRun`, as its callers see it. */
export interface RunStub {
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  /** Resolves to false if there was never such an answer. */
  stop(): Promise<boolean>
}

/** The ways to get a token. */
export interface Minting {
  /** The secret that the operator's own server sends to get a token for one of its users. */
  readonly loginSecret: string | undefined
  /** The operator's own login. */
  readonly login: Extract<SessionOptions['login'], (...args: never) => unknown> | undefined
  readonly turnstile: Turnstile | undefined
  /**
   * Whether every page of an allowed origin gets a token. `open`: also on the internet. `loopback`: only if the Worker runs at an address
   * of this machine; pages at any such address may then ask. A caller chooses its own `Origin` header, so this header is not enough for a
   * permission.
   */
  readonly demo: 'open' | 'loopback' | undefined
  /** Identifies the user of each request, in place of tokens. */
  readonly check: SessionOptions['check']
}

/** Cloudflare's Turnstile. */
export interface Turnstile {
  readonly secret: string
  /** The address of the check. */
  readonly url: string
  readonly action: string
  /** The key of the widget on our own page, if it has one. */
  readonly siteKey: string | undefined
}

/** Limits of amount and time: see `PolicyOptions`. */
export interface Limits {
  readonly maxBodyBytes: number
  readonly bodyTimeoutMs: number
  readonly wholeCommitMs: number
  readonly headersTimeoutMs: number
  readonly firstContentTimeoutMs: number
  readonly idleTimeoutMs: number
  readonly totalTimeoutMs: number
}
