/** Kinds of options: the valid forms of their values. Errors never contain the value. @module */
import * as v from 'valibot'
import type { GatewayFormat } from '../kit/gateway-format.ts'
import { byteLength } from '../kit/utf8.ts'
import type { WorkersAiBinding } from '../providers/workers-ai.ts'
import type { Fetcher, ObjectNamespace, RateLimiter, StoredSecret } from './platform.ts'

type Kind<Value> = v.GenericSchema<unknown, Value>

/** HS256 requires a key that is at least as long as its hash (RFC 7518 §3.2). */
const minSecretBytes = 32

/** A secret that signs, or that a caller sends: 32 bytes or more, and not easy to guess. */
export const secret: Kind<string> = v.pipe(
  v.string(),
  v.check((text) => isLongEnough(text), `must have at least ${minSecretBytes} bytes`),
  v.check((text) => !isPoor(text), 'must be random, such as the output of "openssl rand -base64 32"'),
)
/**
 * The characters that a bearer credential may have (RFC 6750 §2.1). The minimum length is there because keys are cut out of all answers: a
 * shorter key could occur in an answer by chance.
 */
export const apiKey: Kind<string> = v.pipe(
  v.string(),
  v.regex(/^[\w.~+/=-]{12,}$/, 'must be a bearer credential of 12 characters or more'),
)
/** Exact origins, at least one. */
export const origins: Kind<string[]> = v.pipe(
  v.array(v.string()),
  v.minLength(1),
  v.everyItem(isOrigin, 'must be a list of exact origins such as https://chat.example'),
)
/** A URL that paths are appended to: https, or http on loopback. */
export const baseUrl: Kind<string> = v.pipe(
  v.string(),
  v.check(isSafeBase, 'must be an https URL, or http on loopback, without a query'),
)
/** An address of this machine. */
export const loopbackUrl: Kind<string> = v.pipe(v.string(), v.check(isLoopback, 'must be on loopback'))
/** A whole number above zero. */
export const count: Kind<number> = v.pipe(
  v.number(),
  v.check((value) => Number.isInteger(value) && value > 0 && value < 1e9, 'must be a positive whole number'),
)
/** In dollars, with at most six digits after the decimal point. Converted to micro-dollars. */
export const money: Kind<number> = v.pipe(
  v.number(),
  v.check((dollars) => dollars >= 0 && dollars < 1e6, 'must be an amount in dollars, such as 2.50'),
  v.transform((dollars) => Math.round(dollars * 1e6)),
)
/** A key in Cloudflare's Secrets Store, which is read at each call. */
export const storedKey: Kind<() => Promise<string>> = v.pipe(
  v.custom<StoredSecret>((value) => hasMethod(value, 'get')),
  v.transform((store) => () => store.get()),
)
/** Names of models, as providers spell them. A `*` is not allowed, because it could mean many models. */
export const modelNames: Kind<string[]> = v.pipe(
  v.array(v.string()),
  v.everyItem((name) => /^[\w.:@/-]{1,128}$/.test(name), 'must be a list of model names without "*"'),
)
/** Fields and tools of formats, such as `anthropic.context_management`. */
export const allowed: Kind<string[]> = v.pipe(
  v.array(v.string()),
  v.everyItem(
    (name) => /^[a-z][a-z-]+\.[\w.]{1,128}$/.test(name),
    'must be a list of names of fields, each after the name of its format, such as "anthropic.context_management"',
  ),
)
/** The id of an account at Cloudflare. */
export const accountId: Kind<string> = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/, 'must be the id of an account'))
/** The key of a Turnstile widget. It is public: the page contains it. */
export const siteKey: Kind<string> = v.pipe(v.string(), v.regex(/^[\w-]{8,64}$/, 'must be a site key of Turnstile'))
/** The action of a Turnstile widget, in the characters that Turnstile allows. */
export const widgetAction: Kind<string> = v.pipe(v.string(), v.regex(/^[\w-]{1,32}$/, 'must be an action of Turnstile'))
/** The path below which all routes are. */
export const basePath: Kind<string> = v.pipe(
  v.string(),
  v.regex(/^(?:\/[\w.~-]+)*$/, 'must begin with "/" and not end with one, such as "/ai"'),
)
/** A function that the operator wrote. */
export type Callback = (...args: never) => unknown

export const callback: Kind<Callback> = v.custom<Callback>((value) => typeof value === 'function')

/** The formats of official clients. */
export const formats: Kind<GatewayFormat[]> = v.array(
  v.custom<GatewayFormat>((value) => hasMethod(Reflect.get(Object(value), 'codec'), 'decodeRequest')),
)

export const counter: Kind<RateLimiter> = v.pipe(
  v.unknown(),
  v.check((value) => hasMethod(value, 'limit'), 'must be a rate limiting binding'),
) as never
export const fetcher: Kind<Fetcher> = v.pipe(
  v.unknown(),
  v.check((value) => hasMethod(value, 'fetch'), 'must be a binding with "fetch"'),
) as never

export const aiBinding: Kind<WorkersAiBinding> = v.pipe(
  v.unknown(),
  v.check((value) => hasMethod(value, 'run'), 'must be a binding of Workers AI'),
) as never

/** A binding to a class of Durable Objects. */
export function objects<Stub extends object>(className: string): Kind<ObjectNamespace<Stub>> {
  const check = v.check((value: unknown) => hasMethod(value, 'getByName'), `must be bound to ${className}`)
  return v.pipe(v.unknown(), check) as never
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}

function isSafeBase(text: string): boolean {
  if (!URL.canParse(text) || /[?#@]|\/$/.test(text)) return false
  return new URL(text).protocol === 'https:' || isLoopback(text)
}

/** Whether an address is on this machine. */
export function isLoopback(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
}

/** Whether a page's origin is on this machine. */
export function isLoopbackOrigin(origin: string): boolean {
  return isOrigin(origin) && isLoopback(origin)
}

/** Whether a binding has this method. */
function hasMethod(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function'
}

/** Whether a text is hard to guess, judged by its length and characters. */
export function isSecret(value: unknown): value is string {
  return isLongEnough(value) && !isPoor(value)
}

export function isLongEnough(value: unknown): value is string {
  return typeof value === 'string' && byteLength(value) >= minSecretBytes
}

/** A random secret has more different characters: of 32 random decimal digits, 9 or 10 are different, and other alphabets have more. */
const minDifferent = 8

/** Whether a text has few different characters, or repeats a shorter text. */
function isPoor(text: string): boolean {
  const period = (text + text).indexOf(text, 1)
  return new Set(text).size < minDifferent || period < text.length
}
