/**
 * Session tokens: the user, the lifetime, the allowed models, the limits of output and money. Tokens are signed, not stored.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7519 (read 2026-11)
 * @module
 */
import * as v from 'valibot'
import type { Config } from '../config.ts'
import { refuse } from '../refusal.ts'
import { openToken, signToken } from './jwt.ts'
import { checkFrom } from './origins.ts'

/** The maximum lifetime of a token, in seconds. */
export const lifetimeSeconds: number = 15 * 60
const typ = 'session+jwt'
const issuer = 'isoglot-worker'
const audience = 'isoglot-worker/v1'
/** Our tokens have about 500 characters, and some more for each model. */
const maxTokenLength = 8192

/** The content of a token. Plain JSON. */
export interface Session {
  /** The user's id. */
  readonly sub: string
  /** The id of the token. */
  readonly jti: string
  /** Ids such as `anthropic:claude-haiku-4-5`. */
  readonly models: readonly string[]
  readonly maxOutputTokens: number
  /** In micro-USD. */
  readonly dailyBudget: number
  /** The origin of the page that got the token: it is valid only from there. `undefined`: valid from everywhere. */
  readonly origin: string | undefined
  /**
   * For an anonymous visitor, who may renew it: the time of the first token, in seconds since 1970. `undefined`: your server requested it.
   */
  readonly anonymousSince: number | undefined
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** The permissions of a new token. */
export type Grant = Omit<Session, 'jti' | 'expiresAt'> & { readonly lifetimeSeconds: number }

/** A token is valid this long before its time, in seconds: clocks of machines differ. */
const clockSkewSeconds = 5

/** The time for which an anonymous visitor can renew tokens, in seconds. It limits the use of a stolen token. */
const renewableSeconds = 24 * 60 * 60

/** The allowed form of user ids. */
export const userId: v.GenericSchema<string> = v.pipe(v.string(), v.regex(/^[\w.@:+-]{1,128}$/))
const natural = v.pipe(v.number(), v.integer(), v.minValue(1))

const claims = v.object({
  iss: v.literal(issuer),
  aud: v.literal(audience),
  sub: userId,
  jti: v.pipe(v.string(), v.maxLength(64)),
  iat: natural,
  nbf: v.optional(natural),
  exp: natural,
  anonymous_since: v.optional(natural),
  scope: v.strictObject({
    models: v.array(v.string()),
    maxOutputTokens: natural,
    dailyBudget: v.pipe(v.number(), v.integer(), v.minValue(0)),
    origin: v.optional(v.string()),
  }),
})

type Claims = v.InferOutput<typeof claims>

/** A new token. `expiresAt` is an ISO 8601 time. @throws {ApiError} if it would be too long to be read again. */
export async function mintSession(grant: Grant, config: Config): Promise<{ token: string; expiresAt: string }> {
  const { sub, lifetimeSeconds: seconds, models, maxOutputTokens, dailyBudget, origin, anonymousSince } = grant
  const iat = Math.floor(Date.now() / 1000)
  const last = anonymousSince === undefined ? Number.POSITIVE_INFINITY : anonymousSince + renewableSeconds
  const exp = Math.min(iat + Math.min(seconds, lifetimeSeconds), last)
  const scope = { models, maxOutputTokens, dailyBudget, origin }
  const registered = { iss: issuer, aud: audience, sub, jti: crypto.randomUUID(), iat, exp }
  const token = await signToken({ ...registered, scope, anonymous_since: anonymousSince }, typ, config.secrets.session)
  if (token.length > maxTokenLength)
    throw refuse(
      'invalid_request',
      `a token of ${models.length} models is too long: name fewer in "models" or policy.models`,
    )
  return { token, expiresAt: new Date(exp * 1000).toISOString() }
}

/** @throws {ApiError} `invalid_session`, with the same message for every reason but one: the header that shows the page is missing. */
export async function readSession(request: Request, config: Config): Promise<Session> {
  const claims = await readClaims(request, config).catch(() => undefined)
  if (claims === undefined) throw refuse('invalid_session')
  const { sub, jti, exp, scope, anonymous_since: anonymousSince } = claims
  checkFrom(scope.origin, request, 'invalid_session')
  if (config.revoked.has(sub) || config.revoked.has(jti)) throw refuse('invalid_session')
  return { sub, jti, ...scope, origin: scope.origin, anonymousSince, expiresAt: exp * 1000 }
}

/**
 * A cache of tokens with a valid signature, and their claims, because a page sends the same token for minutes. Times are checked at each
 * request.
 */
const opened = new WeakMap<Config, Map<string, Claims>>()
/** The maximum number of cached tokens. Each has about 1 KB. */
const mostOpened = 1000

async function openClaims(token: string, config: Config): Promise<Claims> {
  const ofConfig = opened.get(config) ?? new Map<string, Claims>()
  opened.set(config, ofConfig)
  const known = ofConfig.get(token)
  if (known !== undefined) return known
  const { session, nextSession } = config.secrets
  const payload = await openToken(token, typ, nextSession === undefined ? [session] : [session, nextSession])
  const read = v.parse(claims, payload)
  if (ofConfig.size >= mostOpened) ofConfig.clear()
  ofConfig.set(token, read)
  return read
}

/** `undefined`, or an error, if they are not good now. */
async function readClaims({ headers }: Request, config: Config): Promise<Claims | undefined> {
  const token = shownToken(headers)
  if (!token || token.length > maxTokenLength) return undefined
  const read = await openClaims(token, config)
  const now = Math.floor(Date.now() / 1000)
  const begins = Math.max(read.iat, read.nbf ?? 0)
  return read.exp <= now || begins > now + clockSkewSeconds || now - read.iat > lifetimeSeconds ? undefined : read
}

/** Where official clients show a key: all of them in `Authorization`, Anthropic's older ones and Google's elsewhere. */
function shownToken(headers: Headers): string | undefined {
  const authorization = headers.get('authorization')
  const elsewhere = headers.get('x-api-key') ?? headers.get('x-goog-api-key')
  return authorization === null ? (elsewhere ?? undefined) : /^Bearer ([^\s,]+)$/i.exec(authorization)?.[1]
}
