/** The options of a Worker. Types only. @module */

import type { DecodedRequest } from '../core/codec.ts'
import type { GatewayFormat } from '../formats/shared/gateway-format.ts'
import type { CheckedRequest } from '../gateway/types.ts'
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
  /**
   * The formats of official clients that may ask too, such as `anthropicFormat` of `isoglot/anthropic`, or `allFormats` of
   * `isoglot/gateway`. Default: none. Pages ask on isoglot's own wire, which is always there.
   */
  readonly formats?: readonly GatewayFormat[] | undefined
  /** The keys of the providers. */
  readonly keys: KeyOptions
  /** The amount that users may spend. `'off'`: without limit. This is an error if unknown visitors get tokens. */
  readonly accounts: AccountOptions | 'off'
  /** Rate limits. Default: no limit. */
  readonly limits?: LimitOptions | undefined
  /** Stores answers that have an `Idempotency-Key`, so that a client can resume them. Default: the key has no effect. */
  readonly runs?: RunOptions | undefined
  /** The operator's pages below `/admin/`. Default: no such pages. */
  readonly admin?: AdminOptions | undefined
  /** The files of a page. Default: no files. */
  readonly page?: PageOptions | undefined
  /** The path below which all routes are, such as `/ai` for `/ai/v1/messages`. Default: the root. */
  readonly basePath?: string | undefined
}

/**
 * How a page gets a token by `POST /session`: through your server (`login.secret`), your own function (`login`), Turnstile, or a
 * demonstration. Or your own `check` identifies the user of each request, without tokens.
 */
export interface SessionOptions {
  /** Exact origins of the pages that may call, such as `https://chat.example`. A request without an `Origin` is not from a page. */
  readonly origins: readonly string[]
  /** Signs tokens: random, 32 bytes or more. Required for tokens and for `runs`. */
  readonly secret?: string | undefined
  /** A second secret: its tokens are valid too. Use it while you replace one secret by the other. */
  readonly nextSecret?: string | undefined
  /**
   * `secret`: your own server sends it, with the {@link User} of the token in the body. A function: returns the user of the new token, for
   * example from a cookie, or `undefined` to refuse. `body` is the body of the request. The function gets only requests from `origins`.
   */
  readonly login?:
    | { readonly secret: string }
    | ((request: Request, body: unknown) => User | undefined | Promise<User | undefined>)
    | undefined
  /** Tokens for unknown visitors who pass Turnstile. */
  readonly turnstile?: TurnstileOptions | undefined
  /**
   * Gives a token to each visitor, without `login` and `turnstile`. `open`: for every page of `origins`. `loopback`: only if the Worker
   * runs at an address of this machine.
   */
  readonly demo?: 'open' | 'loopback' | undefined
  /** Revoked ids of users and tokens (`sub`, `jti`). */
  readonly revoked?: readonly string[] | undefined
  /** In place of tokens: returns the user of each request, or `undefined` to refuse it. Do not read the body here. */
  readonly check?: ((request: Request) => User | undefined | Promise<User | undefined>) | undefined
}

/** The user of a token, and its limits. The Worker's limits apply to limits that are left out. */
export interface User {
  /** Your id of the user: 1 to 128 letters, digits and `_.@:+-`. */
  readonly user: string
  /** Ids such as `anthropic:claude-haiku-4-5`. */
  readonly models?: readonly string[] | undefined
  /** The maximum number of output tokens of one answer. */
  readonly maxOutputTokens?: number | undefined
  readonly dailyBudgetUsd?: number | undefined
  /**
   * The origin of the page that will send the token: it is valid only from there. Default: with your own `login` function, the page that
   * asks; otherwise any page.
   */
  readonly origin?: string | undefined
  /** Lifetime of the token in seconds. Default and maximum: 900. */
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
  /** The address of the check. For tests: an address on loopback. Default: Cloudflare's. */
  readonly url?: string | undefined
}

/** The allowed models, the limits of an answer, and the allowed fields of a body. */
export interface PolicyOptions {
  /** The models of each provider, as it spells them. All other models are refused. */
  readonly models: { readonly [Name in ProviderName]?: readonly string[] | undefined }
  /** The maximum number of output tokens of one answer. Default 4096. */
  readonly maxOutputTokens?: number | undefined
  /** The maximum size of a request's body, in bytes. Default 1 MiB. A larger body gets 413. */
  readonly maxBodyBytes?: number | undefined
  /** Time limit for receiving the whole request, in ms. Default 15 s. */
  readonly bodyTimeoutMs?: number | undefined
  /** How the Worker asks a provider for an answer when the client wants it without streaming. Default `stream`. */
  readonly wholeAnswers?: 'whole' | 'stream' | undefined
  /**
   * Time before the Worker sends white space ahead of a whole answer, to keep the connection open, in ms. After that, an error can only cut
   * the answer off. Default 10 s.
   */
  readonly wholeCommitMs?: number | undefined
  /** Time limit for the first byte of a streamed answer, in ms. Default 30 s. */
  readonly headersTimeoutMs?: number | undefined
  /** Time limit for the first content of a streamed answer, in ms. Keep-alive comments do not count. Default 60 s. */
  readonly firstContentTimeoutMs?: number | undefined
  /** Time limit between two chunks of the provider, in ms. Default 30 s. */
  readonly idleTimeoutMs?: number | undefined
  /** Time limit for the whole answer, in ms. Default 10 min. */
  readonly totalTimeoutMs?: number | undefined
  /**
   * Fields and tools that isoglot has no word for, and that clients may send to a provider all the same: by format and name, such as
   * `anthropic.context_management`, `openai-responses.tools.web_search` or `gemini.tools.googleSearch`. They may be billed separately, and no
   * budget counts that. Default: none.
   */
  readonly allow?: readonly string[] | undefined
  /**
   * Checks a request in place of the Worker's own policy. Returns the request to send, or throws an `ApiError`. This function must then
   * refuse hosted tools, stored items and fields that are billed in another way.
   */
  readonly check?: ((checked: CheckedRequest, user: string) => DecodedRequest) | undefined
}

/** A key, or a secret of the Secrets Store. The Worker reads it for each request, so a new key is used immediately. */
export type ProviderKey = string | StoredSecret

/** The address of a provider, and its key. */
export interface ProviderAccess {
  readonly key?: ProviderKey | undefined
  /** Default: the provider's own address. */
  readonly baseUrl?: string | undefined
  /** Used in place of the internet: a binding to another Worker, or to a private network. */
  readonly service?: Fetcher | undefined
  /** A service token of Cloudflare Access, for a server that a Tunnel reaches. */
  readonly access?: { readonly id: string; readonly secret: string } | undefined
}

/** The keys of the providers, or Cloudflare's AI Gateway, which has them. */
export type KeyOptions = {
  readonly [Name in Exclude<ProviderName, 'workersAi'>]?: ProviderKey | ProviderAccess | undefined
} & {
  /**
   * Workers AI: by the binding of the Worker (`env.AI`), which needs no key; or by the id of your account and a token with the permission
   * to run models. You must set the prices of its models: {@link AccountOptions.prices}.
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

/** Money: a request reserves it before it is sent, and settles it when it ends. */
export interface AccountOptions {
  /** A binding to the class `UserAccount`, or your own accounts. */
  readonly binding: Accounts | ObjectNamespace
  /** Daily budget of one user, in US dollars. Default 1. */
  readonly dailyBudgetUsd?: number | undefined
  /** Daily budget of all users together, in US dollars. Default 10. */
  readonly totalDailyBudgetUsd?: number | undefined
  /** The maximum number of one user's concurrent answers and counts. Default 4. */
  readonly liveStreams?: number | undefined
  /**
   * Prices that take precedence over the Worker's own table, by id, by name, or by the start of a name with `*` after it. A table of
   * `isoglot/prices`, such as the result of `fromModelsDev`, is one too.
   */
  readonly prices?: Readonly<Record<string, Price>> | undefined
}

/** Counters of the platform, or your own. They stop floods but are not exact; `accounts` is exact. */
export interface LimitOptions {
  readonly perUser: RateLimiter
  /** The key is an IPv4 address, or a /64 of IPv6. */
  readonly perNetwork: RateLimiter
}

/** Answers that continue after their connection is lost. */
export interface RunOptions {
  /** A binding to the class `StreamRun` of this Worker. */
  readonly binding: ObjectNamespace
  /** The time that an answer is stored after its end, in ms. Default 10 min. */
  readonly keptMs?: number | undefined
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
