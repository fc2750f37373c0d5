/** A token that has expired, signed by hand. */
import { createHmac } from 'node:crypto'
import { SignJWT } from 'jose'
import { sessionSecret } from './harness.ts'

/** A token of the user `ada` that ended five minutes ago, before it was too old. */
export function expiredToken(): Promise<string> {
  const issuedAt = Math.floor(Date.now() / 1000) - 600
  const scope = { models: ['openai-chat:demo-model'], maxOutputTokens: 100, dailyBudget: 1_000_000 }
  return new SignJWT({ scope, jti: 'j', sub: 'ada' })
    .setProtectedHeader({ alg: 'HS256', typ: 'session+jwt', kid: kidOf(sessionSecret) })
    .setIssuer('isoglot-worker')
    .setAudience('isoglot-worker/v1')
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + 300)
    .sign(new TextEncoder().encode(sessionSecret))
}

/** As `jwt.ts` has it: the beginning of an HMAC of "kid". */
const kidOf = (secret: string) => createHmac('sha256', secret).update('kid').digest('hex').slice(0, 16)
