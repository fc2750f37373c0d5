/** W4: bodies that are too large, too deep or too many, with a token that is good; what does the Worker keep of them? */
import { eachOf, models } from './rig.mjs'

const rounds = 40

export async function bodies({ worker, token }) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const send = async (body) => {
    const response = await fetch(`${worker.url}/v1/messages`, { method: 'POST', headers, body })
    await response.text()
    return response.status
  }
  const hostile = bodiesOf(models.anthropic)
  const all = async (count) =>
    (await eachOf(Array.from({ length: count }), 4, () => Promise.all(hostile.map(send)))).flat()
  await all(4)
  const before = await worker.heldKiB()
  const statuses = await all(rounds)
  const grown = (await worker.heldKiB()) - before
  const letIn = statuses.filter((status) => status !== 413 && status !== 400).length
  return [
    {
      what: `memory after ${statuses.length} hostile bodies`,
      figure: `${grown.toFixed(0)} KiB more`,
      bar: '8 MiB',
      met: grown <= 8 * 1024,
    },
    { what: 'of these, not refused', figure: `${letIn}`, bar: '0', met: letIn === 0 },
  ]
}

function bodiesOf(model) {
  const asked = (messages) => JSON.stringify({ model, max_tokens: 10, messages })
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  return [
    asked([{ role: 'user', content: 'x'.repeat(1024 * 1024) }]),
    asked(Array.from({ length: 50_000 }, () => ({ role: 'user', content: 'x' }))),
    `{"model":"${model}","max_tokens":10,"messages":${deep}}`,
  ]
}
