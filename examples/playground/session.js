/**
 * The page's session at the Worker. A token is valid for some minutes, and the SDK renews it shortly before its end. The page never has a
 * provider's key.
 */
import { workerSession } from './isoglot/remote.js'
import { personAnswer } from './person.js'

/** The last token is sent for a new one, so that the page stays the same user. */
export const session = workerSession(location.origin, {
  async open(last) {
    const turnstile = await personAnswer()
    const answer = await fetch('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(last && { authorization: `Bearer ${last}` }) },
      body: JSON.stringify({ turnstile }),
    })
    const body = await answer.json().catch(() => undefined)
    if (!answer.ok) throw new Error(body?.error?.message ?? `The Worker answered ${answer.status}`)
    return body
  },
})

/** The models that the token allows, such as `anthropic:claude-haiku-4-5`. The middle part of a token is readable JSON. */
export async function permittedModels() {
  const [, payload = ''] = (await session()).split('.')
  const json = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
  /** @type {{ scope?: { models?: string[] } }} */
  const claims = JSON.parse(json)
  return claims.scope?.models ?? []
}
