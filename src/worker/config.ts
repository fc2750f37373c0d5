/** The options of a Worker after they are read. Types only. @module */

import type { GatewayFormat } from '../formats/shared/gateway-format.ts'
import type { Accounts } from './accounts/accounts.ts'
import type { ServedModel } from './keys/providers.ts'
import type * as options from './options.ts'
import type { ObjectNamespace } from './platform.ts'

/** The given options, and the result of reading them. Without a `config`, every route answers 503. */
export interface Setup {
  readonly given: Partial<options.WorkerOptions>
  /** Those in which the Worker answers, also while an option is wrong. */
  readonly formats: readonly GatewayFormat[]
  readonly config: Config | undefined
  /** The problems as text, without any value. Empty if there are none. */
  readonly problems: readonly string[]
}

/** Some options of a part, with their defaults. */
type Filled<Options, Names extends keyof Options> = { readonly [Name in Names]-?: NonNullable<Options[Name]> }

/** The data that the routes need. */
export interface Config
  extends Filled<options.WorkerOptions, 'basePath' | 'formats'>,
    Filled<options.PolicyOptions, 'maxOutputTokens' | 'wholeAnswers'> {
  readonly secrets: Secrets
  /** Exact origins, such as `https://chat.example`. */
  readonly allowedOrigins: ReadonlySet<string>
  readonly models: readonly ServedModel[]
  /** Checks a request, and returns the one that is sent to the provider. */
  readonly permit: NonNullable<options.PolicyOptions['check']>
  readonly spending: Spending
  /** Limits of size and time. */
  readonly limits: Filled<options.PolicyOptions, Extract<keyof options.PolicyOptions, `${string}Bytes` | `${string}Ms`>>
  readonly minting: Minting
  /** Revoked ids of users and tokens. */
  readonly revoked: ReadonlySet<string>
  readonly counters: options.LimitOptions | undefined
  readonly runs: (Filled<options.RunOptions, 'keptMs'> & { readonly binding: ObjectNamespace<RunStub> }) | undefined
  readonly assets: options.PageOptions['assets'] | undefined
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
export interface Spending extends Filled<options.AccountOptions, 'prices' | 'liveStreams'> {
  readonly accounts: Accounts | undefined
  /** The daily budget of a user. */
  readonly dailyBudget: number
  /** The daily budget of the whole Worker. */
  readonly totalDailyBudget: number
}

/** An object of the class `StreamRun`, as its callers see it. */
export interface RunStub {
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  /** Resolves to false if there was never such an answer. */
  stop(): Promise<boolean>
}

/** The ways to get a token, or `check` in place of tokens. */
export interface Minting extends Pick<options.SessionOptions, 'check'> {
  /** The secret that the operator's own server sends to get a token for one of its users. */
  readonly loginSecret: string | undefined
  /** The operator's own login. */
  readonly login: Extract<options.SessionOptions['login'], (...args: never) => unknown> | undefined
  readonly turnstile: Turnstile | undefined
  /**
   * Whether every page of an allowed origin gets a token. `open`: also on the internet. `loopback`: only if the Worker runs at an address
   * of this machine; pages at any such address may then ask. A caller chooses its own `Origin` header, so this header is not enough for a
   * permission.
   */
  readonly demo: options.SessionOptions['demo']
}

/** Turnstile, with its defaults. */
export type Turnstile = options.TurnstileOptions & Filled<options.TurnstileOptions, 'action' | 'url'>
