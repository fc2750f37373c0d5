/**
 * The Worker's settings, read once from its environment. What is missing, short or malformed closes every route: there is no open mode.
 *
 * @see https://developers.cloudflare.com/workers/configuration/environment-variables/ (read 2026-11)
 * @module
 */
import * as v from 'valibot'
import type { WireName } from './wires.ts'

/** What wrangler binds: strings from `wrangler.toml` and secrets, and the page's files. */
export interface Env {
  readonly ASSETS?: { fetch(request: Request): Promise<Response> }
  readonly [name: string]: unknown
}

/** A model this Worker answers for, and where it lives. Nothing of the destination comes from a request. */
export interface Model {
  readonly name: string
  readonly wire: WireName
  /** The whole upstream URL. */
  readonly url: string
  readonly apiKey: string
}

/** Everything the routes need to know. */
export interface Config {
  readonly sessionSecret: Uint8Array
  /** Exact origins, such as `https://chat.example`. */
  readonly allowedOrigins: ReadonlySet<string>
  readonly models: readonly Model[]
  /** Most output tokens one answer may have. Default 4096. */
  readonly maxOutputTokens: number
  readonly limits: Limits
  /** What must never leave: provider keys and the signing secret. */
  readonly secrets: readonly string[]
}

/** How much and how long. */
export interface Limits {
  /** Request body, in bytes. Default 1 MiB. */
  readonly maxBodyBytes: number
  /** Until the whole request body is here, in ms. Default 15 s. */
  readonly bodyTimeoutMs: number
  /** Until the provider's headers, in ms. Default 30 s. */
  readonly headersTimeoutMs: number
  /** Between two chunks of the provider, in ms. Default 30 s. */
  readonly idleTimeoutMs: number
  /** The whole answer, in ms. Default 10 min. */
  readonly totalTimeoutMs: number
}

/** HS256 wants a key as long as its hash (RFC 7518 §3.2). */
const minSecretBytes = 32

const secret = v.pipe(
  v.string(),
  v.check((text) => encode(text).length >= minSecretBytes, `must have at least ${minSecretBytes} bytes`),
)
/** The characters a bearer credential may have (RFC 6750 §2.1), and too many to be found by chance in an answer. */
const apiKey = v.pipe(v.string(), v.regex(/^[\w.~+/=-]{8,}$/, 'must be a bearer credential'))
const list = v.pipe(v.string(), v.transform(splitList))
const origins = v.pipe(
  list,
  v.minLength(1),
  v.everyItem(isOrigin, 'must hold exact origins such as https://chat.example'),
)
const baseUrl = v.pipe(v.string(), v.check(isSafeBase, 'must be an https URL, or http on loopback, with no query'))
const count = (fallback: string) =>
  v.pipe(
    v.optional(v.string(), fallback),
    v.regex(/^[1-9]\d{0,8}$/, 'must be a positive whole number'),
    v.transform(Number),
  )

const settings = v.object({
  SESSION_SECRET: secret,
  ALLOWED_ORIGINS: origins,
  OPENAI_MODELS: v.optional(list, ''),
  OPENAI_BASE_URL: v.optional(baseUrl, 'https://api.openai.com/v1'),
  OPENAI_API_KEY: v.optional(apiKey),
  ANTHROPIC_MODELS: v.optional(list, ''),
  ANTHROPIC_BASE_URL: v.optional(baseUrl, 'https://api.anthropic.com/v1'),
  ANTHROPIC_API_KEY: v.optional(apiKey),
  MAX_OUTPUT_TOKENS: count('4096'),
  MAX_BODY_BYTES: count('1048576'),
  BODY_TIMEOUT_MS: count('15000'),
  HEADERS_TIMEOUT_MS: count('30000'),
  IDLE_TIMEOUT_MS: count('30000'),
  TOTAL_TIMEOUT_MS: count('600000'),
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
  const result = v.safeParse(settings, env)
  if (!result.success)
    return result.issues.map((issue) => `${v.getDotPath(issue)?.split('.')[0]} is missing or unusable`)
  const s = result.output
  const unkeyed = [
    ...(s.OPENAI_MODELS.length && !s.OPENAI_API_KEY ? ['OPENAI_API_KEY is missing'] : []),
    ...(s.ANTHROPIC_MODELS.length && !s.ANTHROPIC_API_KEY ? ['ANTHROPIC_API_KEY is missing'] : []),
  ]
  if (unkeyed.length) return unkeyed
  const models = [
    ...table('openai-chat', s.OPENAI_MODELS, `${s.OPENAI_BASE_URL}/chat/completions`, s.OPENAI_API_KEY),
    ...table('anthropic', s.ANTHROPIC_MODELS, `${s.ANTHROPIC_BASE_URL}/messages`, s.ANTHROPIC_API_KEY),
  ]
  if (!models.length) return ['OPENAI_MODELS and ANTHROPIC_MODELS are empty']
  return {
    sessionSecret: encode(s.SESSION_SECRET),
    allowedOrigins: new Set(s.ALLOWED_ORIGINS),
    models,
    maxOutputTokens: s.MAX_OUTPUT_TOKENS,
    limits: {
      maxBodyBytes: s.MAX_BODY_BYTES,
      bodyTimeoutMs: s.BODY_TIMEOUT_MS,
      headersTimeoutMs: s.HEADERS_TIMEOUT_MS,
      idleTimeoutMs: s.IDLE_TIMEOUT_MS,
      totalTimeoutMs: s.TOTAL_TIMEOUT_MS,
    },
    secrets: [s.SESSION_SECRET, s.OPENAI_API_KEY, s.ANTHROPIC_API_KEY].filter((value) => value !== undefined),
  }
}

function table(wire: WireName, names: readonly string[], url: string, key: string | undefined): Model[] {
  return key ? names.map((name) => ({ name, wire, url, apiKey: key })) : []
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}

function isSafeBase(text: string): boolean {
  if (!URL.canParse(text) || /[?#@]|\/$/.test(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
