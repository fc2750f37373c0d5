/**
 * The Worker's settings, read once from its environment. What is missing, short or malformed closes every route: there is no open mode.
 *
 * @see https://developers.cloudflare.com/workers/configuration/environment-variables/ (read 2026-11)
 * @module
 */
import { createScrubber } from 'isoglot/gateway'
import type { Prices } from 'isoglot/prices'
import * as v from 'valibot'
import type { Accounts } from './accounts.ts'
import { pricesSetting } from './prices.ts'
import { type Entry, idOf, type Provider, providers, type Service } from './providers.ts'
import {
  apiKey,
  baseUrl,
  count,
  encode,
  hasMethod,
  isLongEnough,
  isLoopback,
  isPoor,
  list,
  modelNames,
  money,
  origins,
  secret,
  siteKey,
  storedKey,
  widgetAction,
} from './setting-kinds.ts'

/** What wrangler binds: strings from `wrangler.toml`, secrets, the page's files, accounts and counters. */
export interface Env {
  readonly ASSETS?: { fetch(request: Request): Promise<Response> }
  readonly LEDGERS?: Accounts
  readonly PER_USER?: RateLimiter
  readonly PER_IP?: RateLimiter
  readonly [name: string]: unknown
}

/** @see https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/ (read 2026-11) */
export interface RateLimiter {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>
}

/** Everything the routes need to know. */
export interface Config {
  readonly secrets: Secrets
  /** Exact origins, such as `https://chat.example`. */
  readonly allowedOrigins: ReadonlySet<string>
  readonly models: readonly Entry[]
  readonly prices: Prices
  /** Most output tokens one answer may have. Default 4096. */
  readonly maxOutputTokens: number
  readonly spending: Spending
  readonly limits: Limits
  readonly minting: Minting
  /** Ids of users and tokens that are not good any more. */
  readonly revoked: ReadonlySet<string>
  /** Whether the platform's counters are asked. */
  readonly limitsRates: boolean
  /** How a provider is asked for an answer that the client wants whole. Default `stream`. */
  readonly wholeAnswers: 'whole' | 'stream'
}

/** What signs tokens, and what must never leave. */
export interface Secrets {
  readonly session: Uint8Array<ArrayBuffer>
  /** Another whose tokens are good as well, while one takes the place of the other. */
  readonly nextSession: Uint8Array<ArrayBuffer> | undefined
  /** Cuts all of them, and the providers' keys, out of a text. */
  readonly scrub: (text: string) => string
}

/** Money in micro-USD. */
export interface Spending {
  /** A user's, in a day. Default 1 USD. */
  readonly dailyBudget: number
  /** The whole Worker's, in a day. Default 10 USD. */
  readonly totalDailyBudget: number
  /** A user's requests at once. Default 4. */
  readonly liveStreams: number
}

/** Who gets a token. */
export interface Minting {
  /** What the operator's own server shows, to get a token for one of its users. */
  readonly loginSecret: string | undefined
  readonly turnstile: Turnstile | undefined
  /**
   * Whether every page of an allowed origin gets one: `open` does so on the internet; `loopback` only where the Worker itself is asked at
   * an address of this machine, and then pages at any such address may ask. A caller says its `Origin` itself, so that alone opens nothing.
   */
  readonly demo: 'open' | 'loopback' | undefined
}

/** Cloudflare's Turnstile. */
export interface Turnstile {
  readonly secret: string
  /** Who says whether an answer is good. */
  readonly url: string
  readonly action: string
  /** Of the widget that our own page shows, if it shows one. */
  readonly siteKey: string | undefined
}

/** How much and how long. */
export interface Limits {
  /** Request body, in bytes. Default 1 MiB. */
  readonly maxBodyBytes: number
  /** Until the whole request body is here, in ms. Default 15 s. */
  readonly bodyTimeoutMs: number
  /** Until a whole answer gets signs of life in front of it, in ms; an error can then only break it off. Default 10 s. */
  readonly wholeCommitMs: number
  /** Until the first byte of a streamed answer, in ms. Default 30 s. */
  readonly headersTimeoutMs: number
  /** Until a streamed answer says something, signs of life aside, in ms. Default 60 s. */
  readonly firstContentTimeoutMs: number
  /** Between two chunks of the provider, in ms. Default 30 s. */
  readonly idleTimeoutMs: number
  /** The whole answer, in ms. Default 10 min. */
  readonly totalTimeoutMs: number
  /** For how long an answer that a client may go on with is kept behind its end, in ms. Default 10 min. */
  readonly runKeptMs: number
}

/** @see https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ (read 2026-11) */
const siteverify = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'

const counter = v.custom<RateLimiter>((value) => hasMethod(value, 'limit'), 'must be a rate limiting binding')

const settings = v.object({
  SESSION_SECRET: secret,
  SESSION_SECRET_NEXT: v.optional(secret),
  LOGIN_SECRET: v.optional(secret),
  TURNSTILE_SECRET: v.optional(apiKey),
  /** For the operator's view; `admin.ts` takes none that is short. */
  ADMIN_TOKEN: v.optional(v.string()),
  TURNSTILE_SITE_KEY: v.optional(siteKey),
  TURNSTILE_ACTION: widgetAction,
  TURNSTILE_URL: v.optional(v.pipe(v.string(), v.check(isLoopback, 'must be on loopback'))),
  DEMO: v.optional(v.picklist(['open', 'loopback'])),
  AI_GATEWAY_URL: v.optional(baseUrl),
  AI_GATEWAY_TOKEN: v.optional(apiKey),
  ALLOWED_ORIGINS: origins,
  PRICES: pricesSetting,
  DAILY_BUDGET_USD: money('1'),
  TOTAL_DAILY_BUDGET_USD: money('10'),
  LIVE_STREAMS: count('4'),
  REVOKED: list,
  RATE_LIMITS: v.optional(v.picklist(['on', 'off']), 'on'),
  WHOLE_ANSWERS: v.optional(v.picklist(['whole', 'stream']), 'stream'),
  LEDGERS: v.custom<Accounts>((value) => hasMethod(value, 'getByName'), 'must be bound to UserLedger'),
  PER_USER: v.optional(counter),
  PER_IP: v.optional(counter),
  MAX_OUTPUT_TOKENS: count('4096'),
  MAX_BODY_BYTES: count('1048576'),
  BODY_TIMEOUT_MS: count('15000'),
  WHOLE_COMMIT_MS: count('10000'),
  HEADERS_TIMEOUT_MS: count('30000'),
  FIRST_CONTENT_TIMEOUT_MS: count('60000'),
  IDLE_TIMEOUT_MS: count('30000'),
  TOTAL_TIMEOUT_MS: count('600000'),
  RUN_KEPT_MS: count('600000'),
})
type Settings = v.InferOutput<typeof settings>

/** A service of one's own that is not on the internet: a binding to another Worker, or to a private network. */
const service = v.custom<Service>((value) => hasMethod(value, 'fetch'), 'must be a binding with "fetch"')
/** The settings of each provider. */
const ofProvider = v.object({
  MODELS: modelNames,
  BASE_URL: v.optional(baseUrl),
  API_KEY: v.optional(v.union([apiKey, storedKey])),
  SERVICE: v.optional(service),
  ACCESS_ID: v.optional(apiKey),
  ACCESS_SECRET: v.optional(apiKey),
})

const read = new WeakMap<Env, Config | readonly string[]>()

/** The configuration, or the names of what is wrong with it; never a value. */
export function readConfig(env: Env): Config | readonly string[] {
  const known = read.get(env)
  if (known) return known
  const config = parse(env)
  read.set(env, config)
  return config
}

function parse(env: Env): Config | readonly string[] {
  const problems: string[] = []
  const result = v.safeParse(settings, env)
  const gateway = result.success ? gatewayOf(result.output) : undefined
  const models = providers.flatMap((provider) => readProvider(provider, env, gateway, problems))
  if (!result.success) problems.push(...namesOf(result.issues, ''))
  else problems.push(...holesOf(result.output))
  if (models.length === 0) problems.push('All lists of models are empty')
  const twice = models.map(idOf).find((id, at, all) => all.indexOf(id) !== at)
  if (twice !== undefined) problems.push('A list names a model twice')
  return problems.length > 0 || !result.success ? problems : configOf(result.output, models)
}

/** Cloudflare's AI Gateway, which has the providers' keys. */
interface AiGateway {
  readonly url: string
  readonly token: string
}

function gatewayOf({ AI_GATEWAY_URL: url, AI_GATEWAY_TOKEN: token }: Settings): AiGateway | undefined {
  return url !== undefined && token !== undefined ? { url, token } : undefined
}

function readProvider(provider: Provider, env: Env, gateway: AiGateway | undefined, problems: string[]): Entry[] {
  const { id, prefix, needsKey, gatewayPath } = provider
  const fields = Object.keys(ofProvider.entries).map((field) => [field, env[`${prefix}_${field}`]])
  const result = v.safeParse(ofProvider, Object.fromEntries(fields))
  if (!result.success) {
    problems.push(...namesOf(result.issues, `${prefix}_`))
    return []
  }
  const { MODELS: names, BASE_URL: url, API_KEY: apiKey, SERVICE: service, ACCESS_ID, ACCESS_SECRET } = result.output
  // A place of one's own goes before the gateway.
  const through = url === undefined && service === undefined && gatewayPath !== undefined ? gateway : undefined
  if (names.length > 0 && needsKey && !through && apiKey === undefined) problems.push(`${prefix}_API_KEY is missing`)
  if (through && apiKey !== undefined) problems.push(`${prefix}_API_KEY is set, and AI_GATEWAY_URL too`)
  if ((ACCESS_ID === undefined) !== (ACCESS_SECRET === undefined)) problems.push(`Half of ${prefix}_ACCESS is missing`)
  const access = ACCESS_ID && ACCESS_SECRET ? { id: ACCESS_ID, secret: ACCESS_SECRET } : undefined
  const baseUrl = through ? `${through.url}${gatewayPath}` : (url ?? provider.baseUrl)
  return names.map((name) => ({ provider: id, name, baseUrl, apiKey, access, service, gatewayToken: through?.token }))
}

function namesOf(issues: readonly v.BaseIssue<unknown>[], prefix: string): string[] {
  return issues.map((issue) => {
    // Words of ours alone: others may have the value in them.
    const why = issue.type === 'check' || issue.type === 'regex' ? `: it ${issue.message}` : ''
    return `${prefix}${v.getDotPath(issue)?.split('.')[0]} is missing or unusable${why}`
  })
}

/** What each setting by itself cannot say. */
function holesOf(s: Settings): string[] {
  const holes: string[] = []
  if (s.RATE_LIMITS === 'on' && (s.PER_USER === undefined || s.PER_IP === undefined)) {
    holes.push('PER_USER or PER_IP is missing, and RATE_LIMITS is not off')
  }
  if ((s.AI_GATEWAY_URL === undefined) !== (s.AI_GATEWAY_TOKEN === undefined))
    holes.push('Half of AI_GATEWAY is missing')
  if (s.TURNSTILE_SITE_KEY !== undefined && s.TURNSTILE_SECRET === undefined) {
    holes.push('TURNSTILE_SITE_KEY is set, and TURNSTILE_SECRET is missing')
  }
  // Somebody has to say who gets a token.
  if (s.LOGIN_SECRET === undefined && s.TURNSTILE_SECRET === undefined && s.DEMO === undefined)
    holes.push('LOGIN_SECRET and TURNSTILE_SECRET are missing, and DEMO is not set')
  if (isLongEnough(s.ADMIN_TOKEN) && isPoor(s.ADMIN_TOKEN)) holes.push('ADMIN_TOKEN is easy to guess')
  return [...holes, ...equalSecrets(s)]
}

/** Who has one of two equal secrets has the other too. While one signing secret takes the place of the other, those two may be equal. */
function equalSecrets(s: Settings): string[] {
  const { SESSION_SECRET, SESSION_SECRET_NEXT, LOGIN_SECRET, TURNSTILE_SECRET, ADMIN_TOKEN, AI_GATEWAY_TOKEN } = s
  const signing = Object.entries({ SESSION_SECRET, SESSION_SECRET_NEXT })
  const shown = Object.entries({ LOGIN_SECRET, TURNSTILE_SECRET, ADMIN_TOKEN, AI_GATEWAY_TOKEN })
  return shown.flatMap(([name, value], at) =>
    [...signing, ...shown.slice(at + 1)]
      .filter(([, other]) => value !== undefined && value === other)
      .map(([other]) => `${name} is equal to ${other}`),
  )
}

function configOf(s: Settings, models: readonly Entry[]): Config {
  const keys = models.flatMap(({ apiKey, access }) => [apiKey, access?.secret])
  const own = [
    s.SESSION_SECRET,
    s.SESSION_SECRET_NEXT,
    s.LOGIN_SECRET,
    s.TURNSTILE_SECRET,
    s.ADMIN_TOKEN,
    s.AI_GATEWAY_TOKEN,
  ]
  const all = [...own, ...keys]
  return {
    secrets: {
      session: encode(s.SESSION_SECRET),
      nextSession: s.SESSION_SECRET_NEXT === undefined ? undefined : encode(s.SESSION_SECRET_NEXT),
      scrub: createScrubber(all.filter((text) => typeof text === 'string')),
    },
    allowedOrigins: new Set(s.ALLOWED_ORIGINS),
    models,
    prices: s.PRICES,
    maxOutputTokens: s.MAX_OUTPUT_TOKENS,
    spending: {
      dailyBudget: s.DAILY_BUDGET_USD,
      totalDailyBudget: s.TOTAL_DAILY_BUDGET_USD,
      liveStreams: s.LIVE_STREAMS,
    },
    limits: {
      maxBodyBytes: s.MAX_BODY_BYTES,
      bodyTimeoutMs: s.BODY_TIMEOUT_MS,
      wholeCommitMs: s.WHOLE_COMMIT_MS,
      headersTimeoutMs: s.HEADERS_TIMEOUT_MS,
      firstContentTimeoutMs: s.FIRST_CONTENT_TIMEOUT_MS,
      idleTimeoutMs: s.IDLE_TIMEOUT_MS,
      totalTimeoutMs: s.TOTAL_TIMEOUT_MS,
      runKeptMs: s.RUN_KEPT_MS,
    },
    minting: {
      loginSecret: s.LOGIN_SECRET,
      turnstile:
        s.TURNSTILE_SECRET === undefined
          ? undefined
          : {
              secret: s.TURNSTILE_SECRET,
              url: s.TURNSTILE_URL ?? siteverify,
              action: s.TURNSTILE_ACTION,
              siteKey: s.TURNSTILE_SITE_KEY,
            },
      demo: s.LOGIN_SECRET === undefined && s.TURNSTILE_SECRET === undefined ? s.DEMO : undefined,
    },
    revoked: new Set(s.REVOKED),
    limitsRates: s.RATE_LIMITS === 'on',
    wholeAnswers: s.WHOLE_ANSWERS,
  }
}
