/** What a Worker is made of. Types only. @module */

import type { JsonObject } from '../core/model.ts'
import type { CheckedBody } from '../gateway/types.ts'
import type { Price } from '../prices/index.ts'
import type { WorkersAiBinding } from '../providers/workers-ai.ts'
import type { Accounts } from './accounts/accounts.ts'
import type { ProviderName } from './keys/providers.ts'
import type { Fetcher, ObjectNamespace, RateLimiter, StoredSecret } from './platform.ts'

/**
 * The parts of a Worker. A part that is left out is off; what is unsafe to leave out is an error that says so. Each part can be replaced:
 * see its own page.
 */
export interface WorkerOptions {
  /** Who may ask. */
  readonly session: SessionOptions
  /** What they may ask for. */
  readonly policy: PolicyOptions
  /** What the providers are shown. */
  readonly keys: KeyOptions
  /** What they may spend. `'off'`: as much as they like; refused if strangers get tokens. */
  readonly accounts: AccountOptions | 'off'
  /** How often they may ask. Default: as often as they like. */
  readonly limits?: LimitOptions | undefined
  /** Keeps answers that have an `Idempotency-Key`, to go on with them. Default: such an answer is like any other. */
  readonly runs?: RunOptions | undefined
  /** What the operator sees below `/admin/`. Default: nothing, to nobody. */
  readonly admin?: AdminOptions | undefined
  /** The files of a page. Default: none. */
  readonly page?: PageOptions | undefined
  /** The path that all routes are below, such as `/ai` for `/ai/v1/messages`. Default: none. */
  readonly basePath?: string | undefined
}

/**
 * How a page gets a token, by `POST /session`: from your server (`login.secret`), from your own function (`login`), for an answer of
 * Turnstile, or in a demonstration. Or without tokens, by a check of your own for each request.
 */
export interface SessionOptions {
  /** Exact origins of the pages that may call, such as `https://chat.example`. A request without an `Origin` is not from a page. */
  readonly origins: readonly string[]
  /** Signs tokens: random, 32 bytes or more. Needed for tokens, and for `runs`. */
  readonly secret?: string | undefined
  /** Another whose tokens are good as well, while one takes the place of the other. */
  readonly nextSecret?: string | undefined
  /**
   * `secret`: what your own server shows, with the {@link User} for whom it orders a token in the body. A function: says for whom a token
   * is, such as by a cookie, or returns `undefined` for nobody. `body` is that of the request. It gets requests of `origins` alone.
   */
  readonly login?:
    | { readonly secret: string }
    | ((request: Request, body: unknown) => User | undefined | Promise<User | undefined>)
    | undefined
  /** Tokens for visitors whom nobody knows, if Turnstile takes them for people. */
  readonly turnstile?: TurnstileOptions | undefined
  /** Tokens for everybody, where there is no `login` and no `turnstile`: `open` for every page of `origins`; `loopback` only at an address of this machine. */
  readonly demo?: 'open' | 'loopback' | undefined
  /** Ids of users and tokens (`sub`, `jti`) that are not good any more. */
  readonly revoked?: readonly string[] | undefined
  /** In place of tokens: says who asks, for each request, or returns `undefined` for nobody. The body must not be read here. */
  readonly check?: ((request: Request) => User | undefined | Promise<User | undefined>) | undefined
}

/** Whom a token is for, and what it permits. What is left out is as much as the Worker allows anybody. */
export interface User {
  /** Your id of the user: 1 to 128 letters, digits and `_.@:+-`. */
  readonly user: string
  /** Ids such as `anthropic:claude-haiku-4-5`. */
  readonly models?: readonly string[] | undefined
  /** Of one answer. */
  readonly maxOutputTokens?: number | undefined
  readonly dailyBudgetUsd?: number | undefined
  /** The page that will show the token: it is good from there only. Default: the page that asks a `login` of yours; otherwise everywhere. */
  readonly origin?: string | undefined
  /** How long the token lives, 900 at most and by default. */
  readonly lifetimeSeconds?: number | undefined
}

/**
 * Cloudflare's Turnstile, which tells people from scripts.
 *
 * @see https://developers.cloudflare.com/turnstile/ (read 2026-11)
 */
export interface TurnstileOptions {
  readonly secret: string
  /** Of the widget that the page of {@link PageOptions} shows. */
  readonly siteKey?: string | undefined
  /** What the widget is for. Default `session`. */
  readonly action?: string | undefined
  /** Who says whether an answer is good: for tests, on loopback. Default: Cloudflare. */
  readonly url?: string | undefined
}

/** Which models, how much of them, and what a body may hold. */
export interface PolicyOptions {
  /** The models of each provider, as it spells them. No others are asked. */
  readonly models: { readonly [Name in ProviderName]?: readonly string[] | undefined }
  /** Most output tokens of one answer. Default 4096. */
  readonly maxOutputTokens?: number | undefined
  /** Of a request, in bytes. Default 1 MiB; beyond it, 413. */
  readonly maxBodyBytes?: number | undefined
  /** Until the whole request is here, in ms. Default 15 s. */
  readonly bodyTimeoutMs?: number | undefined
  /** How a provider is asked for an answer that the client wants whole. Default `stream`. */
  readonly wholeAnswers?: 'whole' | 'stream' | undefined
  /** Until a whole answer gets signs of life in front of it, in ms; an error can then only break it off. Default 10 s. */
  readonly wholeCommitMs?: number | undefined
  /** Until the first byte of a streamed answer, in ms. Default 30 s. */
  readonly headersTimeoutMs?: number | undefined
  /** Until a streamed answer says something, signs of life aside, in ms. Default 60 s. */
  readonly firstContentTimeoutMs?: number | undefined
  /** Between two chunks of the provider, in ms. Default 30 s. */
  readonly idleTimeoutMs?: number | undefined
  /** The whole answer, in ms. Default 10 min. */
  readonly totalTimeoutMs?: number | undefined
  /**
   * What a body may hold, in place of the lists of fields that come with the Worker: returns the body as it goes on, or throws an `ApiError`.
   * Hosted tools, stored items and fields that cost money by another meter are then for this function to refuse.
   */
  readonly check?: ((checked: CheckedBody, user: string) => JsonObject) | undefined
}

/** A key, or where it is kept. It is asked for at each call, so that a new one counts at once. */
export type ProviderKey = string | StoredSecret

/** Where a provider is, and what it is shown. */
export interface ProviderAccess {
  readonly key?: ProviderKey | undefined
  /** Default: the provider's own. */
  readonly baseUrl?: string | undefined
  /** Asked in place of the internet: a binding to another Worker, or to a private network. */
  readonly service?: Fetcher | undefined
  /** A service token of Cloudflare Access, for what stands behind a Tunnel. */
  readonly access?: { readonly id: string; readonly secret: string } | undefined
}

/** The keys of the providers; or of Cloudflare's AI Gateway, which has them. */
export type KeyOptions = {
  readonly [Name in Exclude<ProviderName, 'workersAi'>]?: ProviderKey | ProviderAccess | undefined
} & {
  /**
   * Workers AI: by the binding of the Worker (`env.AI`), which needs no key; or by the id of your account and a token that may run it. Its
   * models need prices of yours: {@link AccountOptions.prices}.
   *
   * @see https://developers.cloudflare.com/workers-ai/configuration/bindings/ (read 2026-11)
   * @see https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility/ (read 2026-11)
   */
  readonly workersAi?:
    | { readonly binding: WorkersAiBinding }
    | { readonly accountId: string; readonly token: ProviderKey }
    | undefined
  /** @see https://developers.cloudflare.com/ai-gateway/configuration/bring-your-own-keys/ (read 2026-11) */
  readonly aiGateway?: { readonly url: string; readonly token: string } | undefined
}

/** Money: reserved before a request goes out, settled when it ends. */
export interface AccountOptions {
  /** Bound to the class `UserLedger`, or accounts of your own. */
  readonly binding: Accounts | ObjectNamespace
  /** Of one user. Default 1. */
  readonly dailyBudgetUsd?: number | undefined
  /** Of all users. Default 10. */
  readonly totalDailyBudgetUsd?: number | undefined
  /** Answers and counts at once, of one user. Default 4. */
  readonly liveStreams?: number | undefined
  /** Go before the table that comes with the Worker: by id, name, or beginning with `*` behind it. */
  readonly prices?: Readonly<Record<string, Price>> | undefined
}

/** Counters of the platform, or of your own. They stop floods; what counts exactly is `accounts`. */
export interface LimitOptions {
  readonly perUser: RateLimiter
  /** An address of IPv4, or a /64 of IPv6. */
  readonly perNetwork: RateLimiter
}

/** Answers that outlive their connection. */
export interface RunOptions {
  /** Bound to the class `StreamRun` of this Worker. */
  readonly binding: ObjectNamespace
  /** For how long an answer is kept behind its end, in ms. Default 10 min. */
  readonly keptMs?: number | undefined
}

/** The operator's view. */
export interface AdminOptions {
  /** What the operator shows: random, 32 bytes or more. */
  readonly token: string
}

/** The files of a page. */
export interface PageOptions {
  /** The binding of `[assets]`. */
  readonly assets: Fetcher
}
