/**
 * A mistake of the client is the client's: for every wrong value in every place of a request, to every other format, the answer of a gateway
 * that asked no provider is a 4xx whose message names a place. Official clients repeat 5xx, and their users look for the fault at the
 * provider.
 */

import { describe, expect, it } from 'vitest'
import { httpModel } from '../../src/ask/http-model.ts'
import { facts } from '../formats/index.ts'
import { casesOf } from '../support/corpus.ts'
import { isExhaustive } from '../support/cuts.ts'
import { formats } from '../support/formats.ts'
import { writtenBodies } from '../support/made-requests.ts'
import { mutations, replaceAt, shapeOf, stringify, trialsOf } from '../support/mutations.ts'
import { seeded } from '../support/random.ts'
import { gatewayOf } from './gateway-of.ts'
import { type WireName, wireNames } from './provider.ts'

/** Texts that clients write where base64, a URL, JSON or a word of a list belongs. */
const texts: readonly string[] = [
  'data:image/png;base64,iVBORw0KGgo=',
  'data:image/png,not base64',
  'data:',
  'not base64 %&',
  'AAAAA',
  'https://example.com/a.png',
  'file:///etc/passwd',
  '{"a":',
  '\u0000',
  'é',
]
const ways = [
  ...Object.entries(mutations),
  ...texts.map((text) => [text, (before: unknown) => (typeof before === 'string' ? text : undefined)] as const),
]

/** Bodies that have every field of the format: recorded ones, and what its client writes for every field of the model. */
function bodiesOf(wire: WireName): readonly unknown[] {
  return [...casesOf(wire).flatMap(({ request }) => request ?? []), ...writtenBodies(wire, 5)]
}

/** A gateway with a provider of each format, which refuses all, and the number of requests that it got. */
function rig() {
  const rig = { sent: 0, ask }
  const fetch = async () => {
    rig.sent++
    return Response.json({ error: { message: 'of the provider' } }, { status: 400 })
  }
  const models = formats
    .filter(({ folder }) => folder in facts)
    .map(({ folder, client: codec }) => {
      const model = httpModel(codec, 'm', { baseUrl: 'https://provider.test', apiKey: 'k'.repeat(20), fetch })
      return [folder, model] as const
    })
  const gateway = gatewayOf({ models: Object.fromEntries(models) })
  async function ask(path: string, body: unknown) {
    rig.sent = 0
    const response = await gateway.post(path, stringify(body))
    return { status: response.status, text: await response.text(), isSent: rig.sent > 0 }
  }
  return rig
}

/** Paths of counts, by the path of an answer. */
const counts: Partial<Record<WireName, (path: string) => string>> = {
  anthropic: (path) => `${path}/count_tokens`,
  gemini: (path) => path.replace('generateContent', 'countTokens'),
}

/** The test tries one in this many places, ways and targets: a prime number, so that each way meets each place of some kind. */
const share = isExhaustive ? 1 : 83

describe.each(wireNames)('a malformed request of %s', (wire) => {
  const trials = trialsOf(bodiesOf(wire))
  const others = wireNames.filter((name) => name !== wire)

  it('is a 4xx with its place, or is sent', { timeout: 1_200_000 }, async () => {
    const { ask } = rig()
    const random = seeded(48)
    const faults: string[] = []
    const seen = { sent: 0, refused: 0, counted: 0 }
    let turn = 0
    const tried = new Set<string>()
    for (const [number, { body, path }] of trials.entries()) {
      const isNew = !tried.has(shapeOf(path))
      tried.add(shapeOf(path))
      for (const [index, [way, mutate]] of ways.entries()) {
        // A place that was tried beside other fields gets one of three ways, and the next such place the next one.
        if (isExhaustive && !isNew && (index + number) % 3 > 0) continue
        if (turn++ % share > 0) continue
        const wrong = replaceAt(body, path, (before) => mutate(before, random))
        if (wrong === undefined || typeof wrong === 'symbol') continue
        const target = others[turn % others.length] as WireName
        const { path: url, minimal } = facts[wire].gateway.minimal(target, 'Hi', false)
        const isOfModel = path[0] === 'model'
        const named = { ...(wrong as object), ...('model' in minimal && !isOfModel && { model: target }) }
        // A count reads the same body by the same code: it gets one of three ways.
        const count = !isExhaustive || (index + number) % 3 === 0 ? counts[wire] : undefined
        for (const place of [url, ...(count === undefined ? [] : [count(url)])]) {
          const { status, text, isSent } = await ask(place, named)
          seen[isSent ? 'sent' : status === 200 && place !== url ? 'counted' : 'refused']++
          if (isSent || (status === 200 && place !== url)) continue
          const hasPlace = isOfModel || /\\"[\w$.[\]-]+\\"/.test(text) || text.includes('nested deeper')
          if (status >= 400 && status < 500 && hasPlace) continue
          faults.push(`${place}: ${way} at ${shapeOf(path)}: ${status} ${text.slice(0, 200)}`)
        }
      }
    }
    expect(seen.sent).toBeGreaterThan(5)
    expect(seen.refused).toBeGreaterThan(0)
    expect(faults).toEqual([])
  })
})

const saidBy = (content: object) => ({ messages: [{ role: 'user', content: [content] }] })
/** Where each format has base64 without a prefix. */
const base64Places: Partial<Record<WireName, (data: string) => object>> = {
  'openai-chat': (data) => saidBy({ type: 'input_audio', input_audio: { data, format: 'wav' } }),
  anthropic: (data) => ({
    max_tokens: 9,
    ...saidBy({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }),
  }),
  gemini: (data) => ({ contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data } }] }] }),
  'gemini-interactions': (data) => ({ input: [{ type: 'image', data, mime_type: 'image/png' }] }),
  'bedrock-converse': (bytes) => saidBy({ image: { format: 'png', source: { bytes } } }),
}

describe.each(Object.entries(base64Places))('a data URL where %s has base64', (wire, bodyWith) => {
  const others = wireNames.filter((name) => name !== wire)

  it.each(others)('is a 400 that says so, for a model of %s', async (target) => {
    const { ask } = rig()
    for (const stream of [false, true]) {
      const { path, minimal } = facts[wire as WireName].gateway.minimal(target, 'Hi', stream)
      for (const data of ['data:image/png;base64,iVBORw0KGgo=', 'data:']) {
        const { status, text, isSent } = await ask(path, { ...minimal, ...bodyWith(data) })
        expect([status, isSent]).toEqual([400, false])
        const counted = counts[wire as WireName]?.(path)
        if (counted !== undefined) expect((await ask(counted, { ...minimal, ...bodyWith(data) })).status).toBe(400)
        expect(text).toMatch(/\\"messages\[0\]\\": \\"data\\" of a block of type \\"\w+\\" is not base64/)
      }
    }
  })
})

it('an entry of the table that cannot be asked is the mistake of its owner: a 500', async () => {
  const { client } = formats.find(({ folder }) => folder === 'gemini') as (typeof formats)[number]
  const gateway = gatewayOf({
    models: { m: httpModel(client, 'tuned//mine', { baseUrl: 'https://provider.test', apiKey: 'k'.repeat(20) }) },
  })
  expect((await gateway.ask('openai-chat', 'm', 'Hi', { stream: false })).status).toBe(500)
})
