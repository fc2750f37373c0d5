/** The options of a Worker. Types only. @module */

import type { JsonObject } from '../core/model.ts'
import type { CheckedBody } from '../gateway/types.ts'
import type { Price } from '../prices/index.ts'
import type { WorkersAiBinding } from '../providers/workers-ai.ts'
import type { Accounts } from './accounts/accounts.ts'
import type { ProviderName } from './keys/providers.ts'
import type { Fetcher, ObjectNamespace, RateLimiter, StoredSecret } from './platform.ts'

/**
 * The parts of a Worker. A part that is absent is off. If a part is unsafe to leave out, its absence is an error. Each part can be replaced
 * by your own.
 */
export interface WorkerOptions {
  /** The users and pages that may send requests. */
  readonly session: SessionOptions
  /** The models and fields that clients may ask for. */
  readonly policy: PolicyOptions
  /** The keys of the providers. */
  readonly keys: KeyOptions
  /** How much users may spend. `'off'`: without limit; refused if unknown visitors get tokens. */
  readonly accounts: AccountOptions | 'off'
  /** How often they may ask. Default: as often as they like. */
  readonly limits?: LimitOptions | undefined
  /** Keeps answers that have an `Idempotency-Key`, to go on with them. Default: such an answer is like any other. */
  readonly runs?: RunOptions | undefined
  /** Lets pages talk to OpenAI's Realtime API: `POST /v1/realtime/client_secrets`. Default: no such route. */
  readonly realtime?: RealtimeOptions | undefined
  /** The operator's pages below `/admin/`. Default: none. */
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
   * `secret`: your own server sends it, with the {@link User} for the token in the body. A function: returns the user for a token, for
   * example from a cookie, or `undefined` to refuse. `body` is that of the request. It gets only requests of `origins`.
   */
  readonly login?:
    | { readonly secret: string }
    | ((request: Request, body: unknown) => User | undefined | Promise<User | undefined>)
    | undefined
  /** Tokens for unknown visitors who pass Turnstile. */
  readonly turnstile?: TurnstileOptions | undefined
  /**
   * Tokens for each visitor, without `login` and `turnstile`: `open` for every page of `origins`; `loopback` only at an address of this
   * machine.
   */
  readonly demo?: 'open' | 'loopback' | undefined
  /** Ids of users and tokens (`sub`, `jti`) that are not good any more. */
  readonly revoked?: readonly string[] | undefined
  /** In place of tokens: returns the user of each request, or `undefined` to refuse it. The body must not be read here. */
  readonly check?: ((request: Request) => User | undefined | Promise<User | undefined>) | undefined
}

/** The user of a token, and its limits. Limits that are left out are those of the Worker. */
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
 * Cloudflare's Turnstile, which keeps scripts out.
 *
 * @see https://developers.cloudflare.com/turnstile/ (read 2026-11)
 */
export interface TurnstileOptions {
  readonly secret: string
  /** The key of the widget on the page of {@link PageOptions}. */
  readonly siteKey?: string | undefined
  /** The action of the widget. Default `session`. */
  readonly action?: string | undefined
  /** The address that checks an answer: for tests, on loopback. Default: Cloudflare's. */
  readonly url?: string | undefined
}

/** The allowed models, the limits of an answer, and the allowed fields of a body. */
export interface PolicyOptions {
  /** The models of each provider, as it spells them. No others are asked. */
  readonly models: { readonly [Name in ProviderName]?: readonly string[] | undefined }
  /** Most output tokens of one answer. Default 4096. */
  readonly maxOutputTokens?: number | undefined
  /** Largest body of a request, in bytes. Default 1 MiB; beyond it, 413. */
  readonly maxBodyBytes?: number | undefined
  /** Until the whole request is here, in ms. Default 15 s. */
  readonly bodyTimeoutMs?: number | undefined
  /** How a provider is asked for an answer that the client wants whole. Default `stream`. */
  readonly wholeAnswers?: 'whole' | 'stream' | undefined
  /**
   * Wait before white space is sent ahead of a whole answer, to keep the connection open, in ms. After that an error can only break the
   * answer off. Default 10 s.
   */
  readonly wholeCommitMs?: number | undefined
  /** Until the first byte of a streamed answer, in ms. Default 30 s. */
  readonly headersTimeoutMs?: number | undefined
  /** Longest wait for the first content of a streamed answer, keep-alive comments not counted, in ms. Default 60 s. */
  readonly firstContentTimeoutMs?: number | undefined
  /** Between two chunks of the provider, in ms. Default 30 s. */
  readonly idleTimeoutMs?: number | undefined
  /** The whole answer, in ms. Default 10 min. */
  readonly totalTimeoutMs?: number | undefined
  /**
   * Checks a body, in place of the Worker's own lists of fields: returns the body to send, or throws an `ApiError`. This function must then
   * refuse hosted tools, stored items and fields that are billed in another way.
   */
  readonly check?: ((checked: CheckedBody, user: string) => JsonObject) | undefined
}

/** A key, or a secret of the Secrets Store. The Worker reads it for each request, so a new key is used at once. */
export type ProviderKey = string | StoredSecret

/** The address of a provider, and its key. */
export interface ProviderAccess {
  readonly key?: ProviderKey | undefined
  /** Default: the provider's own. */
  readonly baseUrl?: string | undefined
  /** Asked in place of the internet: a binding to another Worker, or to a private network. */
  readonly service?: Fetcher | undefined
  /** A service token of Cloudflare Access, for a server that a Tunnel reaches. */
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
  /** Bound to the class `UserAccount`, or accounts of your own. */
  readonly binding: Accounts | ObjectNamespace
  /** Of one user. Default 1. */
  readonly dailyBudgetUsd?: number | undefined
  /** Daily budget of all users together, in US dollars. Default 10. */
  readonly totalDailyBudgetUsd?: number | undefined
  /** Answers and counts at once, of one user. Default 4. */
  readonly liveStreams?: number | undefined
  /** Take precedence over the Worker's own table: by id, by name, or by the start of a name with `*` after it. */
  readonly prices?: Readonly<Record<string, Price>> | undefined
}

/** Counters of the platform, or your own. They stop floods but are not exact; `accounts` is exact. */
export interface LimitOptions {
  readonly perUser: RateLimiter
  /** An address of IPv4, or a /64 of IPv6. */
  readonly perNetwork: RateLimiter
}

/** Answers that outlive their connection. */
export interface RunOptions {
  /** Bound to the class `StreamRun` of this Worker. */
  readonly binding: ObjectNamespace
  /** For how long an answer is kept after its end, in ms. Default 10 min. */
  readonly keptMs?: number | undefined
}

/**
 * Client secrets for OpenAI's Realtime API. A page with a secret talks to OpenAI directly, and can change the session. The secret limits the
 * time in which a session may begin, but not its model or its cost. Sign users in, and set `usd` above the cost of a session.
 */
export interface RealtimeOptions {
  /** Models for which a page may request a secret, as OpenAI spells them. In `models` of a token they are named `realtime:…`. */
  readonly models: readonly string[]
  /** Dollars that each secret takes from the budget of its user. The Worker does not see the session, so it cannot measure the cost. */
  readonly usd: number
  /** How long a session can be started with it, in seconds, from 10 to 7200. Default 60. */
  readonly seconds?: number | undefined
}

/** The operator's view. */
export interface AdminOptions {
  /** The operator's token: random, 32 bytes or more. */
  readonly token: string
}

/** The files of a page. */
export interface PageOptions {
  /** The binding of `[assets]`. */
  readonly assets: Fetcher
}
