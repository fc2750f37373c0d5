/** Tokens of users, signed by hand as `session.ts` and `jwt.ts` do. */
import { createHmac } from 'node:crypto'
import { SignJWT } from 'jose'
import { sessionSecret } from './harness.ts'

/** The beginning of an HMAC of "kid", which says which secret signed it. */
export const kidOf = (secret: string): string => createHmac('sha256', secret).update('kid').digest('hex').slice(0, 16)

/** A good token of a new user for ten minutes, except for these fields. The secret is named by its id. */
export async function sign(header: object = {}, claims: object = {}, secret = sessionSecret): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  return new SignJWT({
    iss: 'isoglot-worker',
    aud: 'isoglot-worker/v1',
    sub: crypto.randomUUID(),
    jti: crypto.randomUUID(),
    iat: now,
    exp: now + 600,
    scope: {
      models: ['openai-chat', 'anthropic', 'gemini', 'ollama'].map((provider) => `${provider}:demo-model`),
      maxOutputTokens: 4096,
      dailyBudget: 1_000_000,
    },
    ...claims,
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'session+jwt', kid: kidOf(sessionSecret), ...header })
    .sign(new TextEncoder().encode(secret))
}

/** A token of the user `ada` that ended five minutes ago, before it was too old. */
export function expiredToken(): Promise<string> {
  const iat = Math.floor(Date.now() / 1000) - 600
  return sign({}, { sub: 'ada', iat, exp: iat + 300 })
}

/** What a token says. */
export const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
