/**
 * Session tokens: who may call, for how long, which models, how much output. Signed, not stored.
 *
 * This one is for a demonstration, and gives a token to whoever comes from an allowed origin. Before real users, check your own login (or a
 * Turnstile answer) in `mintSession` and put the user's id in `sub`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7519 and https://github.com/panva/jose (read 2026-11)
 * @module
 */
import { jwtVerify, SignJWT } from 'jose'
import * as v from 'valibot'
import type { Config, Model } from './config.ts'
import { Refusal } from './refusal.ts'

/** How long a token lives, in seconds. */
const lifetimeSeconds = 15 * 60
const algorithm = 'HS256'
const typ = 'session+jwt'
const issuer = 'isoglot-worker'
const audience = 'isoglot-worker/v1'
/** Ours have about 500 characters. */
const maxTokenLength = 4096

/** What a token permits. Plain JSON. */
export interface Session {
  /** Who: the user's id. */
  readonly sub: string
  /** Which token. */
  readonly jti: string
  /** Names such as `anthropic:claude-haiku-4-5`. */
  readonly models: readonly string[]
  readonly maxOutputTokens: number
  /** In micro-USD. */
  readonly dailyBudget: number
  /** The page it was given to: no other may show it. */
  readonly origin: string | undefined
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

const claims = v.object({
  sub: v.pipe(v.string(), v.uuid()),
  scope: v.strictObject({
    models: v.array(v.string()),
    maxOutputTokens: v.pipe(v.number(), v.integer(), v.minValue(1)),
  }),
})

/** A model's name in a token's scope, such as `anthropic:claude-haiku-4-5`. */
export function scopeName({ wire, name }: Model): string {
  return `${wire}:${name}`
}

/** A new token for all models. `expiresAt` is an ISO 8601 time. */
export async function mintSession(config: Config): Promise<{ token: string; expiresAt: string }> {
  const issuedAt = Math.floor(Date.now() / 1000)
  const expiresAt = issuedAt + lifetimeSeconds
  const scope = { models: config.models.map(scopeName), maxOutputTokens: config.maxOutputTokens }
  const token = await new SignJWT({ scope })
    .setProtectedHeader({ alg: algorithm, typ })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(crypto.randomUUID())
    .setJti(crypto.randomUUID())
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(config.sessionSecret)
  return { token, expiresAt: new Date(expiresAt * 1000).toISOString() }
}

/** @throws {Refusal} `invalid_session`, always the same, whatever is wrong. */
export async function readSession(headers: Headers, config: Config): Promise<Session> {
  try {
    const { payload } = await jwtVerify(shownToken(headers), config.sessionSecret, {
      algorithms: [algorithm],
      typ,
      issuer,
      audience,
      maxTokenAge: lifetimeSeconds,
      requiredClaims: ['sub', 'jti', 'iat', 'exp'],
    })
    const { sub, scope } = v.parse(claims, payload)
    const { jti = '', exp = 0 } = payload
    return { sub, jti, ...scope, dailyBudget: 1_000_000, origin: undefined, expiresAt: exp * 1000 }
  } catch {
    throw new Refusal('invalid_session')
  }
}

/** `Authorization: Bearer` (OpenAI, Anthropic SDK 1.x) or `x-api-key` (Anthropic SDK 0.x). */
function shownToken(headers: Headers): string {
  const authorization = headers.get('authorization')
  const token = authorization === null ? headers.get('x-api-key') : /^Bearer ([^\s,]+)$/i.exec(authorization)?.[1]
  if (!token || token.length > maxTokenLength) throw new Refusal('invalid_session')
  return token
}
