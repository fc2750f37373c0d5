/** With the operator's token: reads the Worker's self-test of its platform. */
import { ask, told } from './ask.mjs'
import { bearer } from './requests.mjs'

export async function trySelfTest(target) {
  const answer = await ask(target, { method: 'GET', path: '/admin/self-test', headers: bearer(target.adminToken) })
  const rows = rowsIn(answer.text).map(({ name, ok }) => ({
    what: `${name}`,
    got: ok ? 'ok' : 'failed',
    ok: ok === true,
  }))
  return [{ what: 'the answer', got: told(answer), ok: answer.status === 200 && rows.length > 0 }, ...rows]
}

function rowsIn(text) {
  try {
    const { checks } = JSON.parse(text)
    return Array.isArray(checks) ? checks : []
  } catch {
    return []
  }
}
