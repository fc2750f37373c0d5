/** Kinds of options: the valid forms of their values. Errors never contain the value. @module */
import * as v from 'valibot'
import { byteLength } from '../formats/shared/utf8.ts'
import type { FromEnv } from './from-env.ts'
import type { StoredSecret } from './platform.ts'
import { isLoopback } from './session/origins.ts'

type Kind<Value> = v.GenericSchema<Value> & FromEnv

/** A text of this form. */
export function text(form: RegExp, problem: string): Kind<string> {
  return v.pipe(v.string(), v.regex(form, problem))
}

/** Texts that all are valid. */
export function list(isOne: (word: string) => boolean, problem: string): Kind<readonly string[]> {
  return v.pipe(
    v.array(v.string()),
    v.check((words) => words.every(isOne), problem),
  )
}

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

/** HS256 requires a key that is at least as long as its hash (RFC 7518 §3.2). */
const minSecretBytes = 32
/** A secret that signs, or that a caller sends: 32 bytes or more, and not easy to guess. */
export const secret: Kind<string> = v.pipe(
  v.string(),
  v.check<string, string>(isLongEnough, `must have at least ${minSecretBytes} bytes`),
  v.check((text) => !isPoor(text), 'must be random, such as the output of "openssl rand -base64 32"'),
)
/**
 * The characters that a bearer credential may have (RFC 6750 §2.1). The minimum length is there because keys are cut out of all answers: a
 * shorter key could occur in an answer by chance.
 */
export const apiKey: Kind<string> = text(/^[\w.~+/=-]{12,}$/, 'must be a bearer credential of 12 characters or more')
/** A key in Cloudflare's Secrets Store, which is read at each call. */
export const storedKey: v.GenericSchema<StoredSecret, () => Promise<string>> = v.pipe(
  v.custom<StoredSecret>((value) => hasMethod(value, 'get')),
  v.transform((store) => () => store.get()),
)
/** A URL that paths are appended to: https, or http on loopback. */
export const baseUrl: Kind<string> = v.pipe(
  v.string(),
  v.check(isSafeBase, 'must be an https URL, or http on loopback, without a query'),
)
/** An address of this machine. */
export const loopbackUrl: Kind<string> = v.pipe(v.string(), v.check(isLoopback, 'must be on loopback'))

/** A function that the operator wrote. The environment has none. */
export function callback<Callback>(): Kind<Callback> {
  return { ...v.custom<Callback>((value) => typeof value === 'function'), env: '' }
}

/** A binding: an object of the platform, or of the operator, with this method. */
export function binding<Binding>(method: string, problem: string): Kind<Binding> {
  return v.custom<Binding>((value) => hasMethod(value, method), problem)
}

/** Whether an object has this method. */
export function hasMethod(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function'
}

function isSafeBase(text: string): boolean {
  if (!URL.canParse(text) || /[?#@]|\/$/.test(text)) return false
  return new URL(text).protocol === 'https:' || isLoopback(text)
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
