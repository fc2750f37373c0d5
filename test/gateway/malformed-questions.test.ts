/**
 * The same for isoglot's own wire as `malformed.test.ts` says of the other formats, at a gateway and with the Worker's policy before it: a question
 * that is wrong at one place is a 4xx that names a place, and no provider is asked; nor is one asked before the policy has allowed the body.
 */
import { describe, expect, it } from 'vitest'
import { httpModel } from '../../src/ask/http-model.ts'
import type { JsonObject } from '../../src/core/messages.ts'
import { type CheckedRequest, type GatewayOptions, isoglotFormat } from '../../src/gateway/index.ts'
import { remote } from '../../src/remote/index.ts'
import { permit } from '../../src/worker/policy/permit.ts'
import { isExhaustive } from '../support/cuts.ts'
import { formats } from '../support/formats.ts'
import { madeRequests } from '../support/made-requests.ts'
import { mutations, placesOf, replaceAt, shapeOf, stringify } from '../support/mutations.ts'
import { seeded } from '../support/random.ts'
import { gatewayOf } from './gateway-of.ts'

/** The questions that a page sends for every field of the model. */
async function questions(): Promise<readonly JsonObject[]> {
  const sent: JsonObject[] = []
  const fetch = async (_: unknown, init?: RequestInit) => {
    sent.push(JSON.parse(String(init?.body)))
    return new Response('', { status: 400 })
  }
  const page = remote('m', { url: 'https://page.test/answer', fetch })
  const call = { signal: new AbortController().signal, retries: 1, onlyWhole: true, takenIds: () => ['call_of_old'] }
  for (const question of madeRequests('m'))
    await page
      .answer(question, call)
      [Symbol.asyncIterator]()
      .next()
      .catch(() => {})
  return sent
}

/** A gateway whose providers refuse all, and what became of the last question. */
function rig(check?: GatewayOptions['check']) {
  const seen = { sent: 0, allowed: 0, body: '' }
  const fetch = async (_: unknown, init?: RequestInit) => {
    seen.sent++
    seen.body = String(init?.body)
    return Response.json({ error: { message: 'of the provider' } }, { status: 400 })
  }
  const models = formats.map(({ folder, client }) => {
    const model = httpModel(client, 'm', { baseUrl: 'https://provider.test', apiKey: 'k'.repeat(20), fetch })
    return [folder, model] as const
  })
  const gateway = gatewayOf({
    ...{ formats: [isoglotFormat], models: Object.fromEntries(models) },
    check(checked) {
      const allowed = check?.(checked, undefined)
      seen.allowed++
      return allowed
    },
  })
  async function ask(question: unknown) {
    Object.assign(seen, { sent: 0, allowed: 0 })
    const response = await gateway.post('/answer', stringify(question))
    return { status: response.status, text: await response.text(), ...seen }
  }
  return ask
}

describe.each([
  ['at a gateway', undefined],
  ['at the policy of the Worker', (checked: CheckedRequest) => permit(checked, 'ada', new Set())],
])('a malformed question %s', (_, check) => {
  it('is a 4xx with its place, or is sent', { timeout: 1_200_000 }, async () => {
    const ask = rig(check)
    const random = seeded(49)
    const oneOf = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
    const bodies = (await questions()).map((body) => ({ body, places: [...placesOf(body)].slice(1) }))
    const ways = Object.entries(mutations)
    const faults: string[] = []
    const seen = { sent: 0, refused: 0 }
    // Any of them can show a kind of fault; all of them take minutes.
    for (let turn = 0; turn < (isExhaustive ? 20_000 : 500); turn++) {
      const { body, places } = oneOf(bodies)
      const path = oneOf(places)
      const [way, mutate] = oneOf(ways)
      const named = path[0] === 'model' ? body : { ...body, model: oneOf(formats).folder }
      const question = replaceAt(named, path, (before) => mutate(before, random))
      const { status, text, sent, allowed } = await ask(question)
      seen[sent > 0 ? 'sent' : 'refused']++
      const hasPlace = path[0] === 'model' || /\\"[\w$.[\]-]+\\"/.test(text) || text.includes('nested deeper')
      const isRefused = status >= 400 && status < 500 && (sent > 0 ? allowed > 0 : hasPlace)
      if (!isRefused) faults.push(`${way} at ${shapeOf(path)}: ${status}, sent ${sent}: ${text.slice(0, 200)}`)
    }
    expect(seen.sent).toBeGreaterThan(5)
    expect(seen.refused).toBeGreaterThan(100)
    expect(faults).toEqual([])
  })
})

it.each(formats)('a block that only $folder knows is left out if it is not an object', async ({ folder, client }) => {
  const ask = rig()
  for (const value of [null, 7777, 'odd-text', ['odd-item']]) {
    const block = { type: 'unknown', format: client.name, providerType: 'odd', value }
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }, block] },
      { role: 'assistant', content: [{ type: 'text', text: 'Ho' }, block] },
      { role: 'user', content: 'Go' },
    ]
    const question = { version: 1, model: folder, context: { messages }, options: { strict: false } }
    const { sent, body } = await ask(question)
    expect([value, sent]).toEqual([value, 1])
    expect(body).not.toMatch(/7777|odd-|[[,]null[\],]/)
  }
})
