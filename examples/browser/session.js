/** The page's pass to the Worker: a token that lives for minutes, fetched again when it is about to end. The page never sees a key. */
import { personAnswer } from './person.js'

const marginMs = 30_000

/** @type {Promise<{ token: string, expiresAt: string }> | undefined} */
let current
let endsAt = 0
/** The last token: who shows it stays who they were, and can go on with what they began. */
let last = ''

/** A token that is good for the next half minute at least; what the SDK is given in place of a key. */
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

/** Which models the token is good for, such as `anthropic:claude-haiku-4-5`: its middle part is plain to read. */
export async function permittedModels() {
  const [, payload = ''] = (await sessionToken()).split('.')
  const json = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
  /** @type {{ scope?: { models?: string[] } }} */
  const claims = JSON.parse(json)
  return claims.scope?.models ?? []
}
