/**
 * The page's token for the Worker. It is valid for some minutes, and the page renews it shortly before its end. The page never has a
 * provider's key.
 */
import { personAnswer } from './person.js'

const marginMs = 30_000

/** @type {Promise<{ token: string, expiresAt: string }> | undefined} */
let current
let endsAt = 0
/** The last token. The page sends it for a new one, so that it stays the same user and can resume its answers. */
let last = ''

/** A token that is valid for at least the next half minute. The SDK gets it in place of a key. */
export async function sessionToken() {
  if (current === undefined || Date.now() > endsAt - marginMs) current = openSession()
  try {
    const { token, expiresAt } = await current
    endsAt = Date.parse(expiresAt)
    last = token
    return token
  } catch (error) {
    current = undefined
    throw error
  }
}

async function openSession() {
  endsAt = Number.POSITIVE_INFINITY
  const turnstile = await personAnswer()
  const answer = await fetch('/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(last !== '' && { authorization: `Bearer ${last}` }) },
    body: JSON.stringify({ turnstile }),
  })
  const body = await answer.json().catch(() => undefined)
  if (!answer.ok) throw new Error(body?.error?.message ?? `The Worker answered ${answer.status}`)
  return body
}

/** The models that the token allows, such as `anthropic:claude-haiku-4-5`. The middle part of a token is readable JSON. */
export async function permittedModels() {
  const [, payload = ''] = (await sessionToken()).split('.')
  const json = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
  /** @type {{ scope?: { models?: string[] } }} */
  const claims = JSON.parse(json)
  return claims.scope?.models ?? []
}
