/**
 * The wire of Bedrock Converse, whose streams are binary: what `clients.test.ts` does not ask. Bytes are read and written by the codec of
 * the official client.
 */
import { expect, it } from 'vitest'
import type { GatewayOptions } from '../../src/gateway/index.ts'
import { provider as bedrock } from '../formats/bedrock-converse/provider.ts'
import { json } from '../support/upstream.ts'
import { greeting } from './dialogue.ts'
import { gatewayOf } from './gateway-of.ts'
import { modelsAt } from './models.ts'
import { bedrockMessage, chunks, speakers, toWire } from './provider.ts'
import { ownProviders } from './rig.ts'

const providers = ownProviders()

let gateway: ReturnType<typeof gatewayOf>
function ask(model: string, more: { readonly way?: string; readonly body?: object } & Partial<GatewayOptions> = {}) {
  const { way = 'converse-stream', body, ...options } = more
  gateway = gatewayOf({ models: modelsAt(providers.url), ...options })
  const request = { messages: [{ role: 'user', content: [{ text: 'Hello' }] }], ...body }
  return gateway.post(`/model/${encodeURIComponent(model)}/${way}`, request)
}

it('passes on what Bedrock says byte for byte', async () => {
  const response = await ask('bedrock-converse')
  expect(response.headers.get('content-type')).toBe('application/vnd.amazon.eventstream')
  expect(await response.bytes()).toEqual(toWire(bedrock.pieces({ text: greeting }).join('')))
  expect(providers.asked[0]?.path).toBe(
    '/bedrock-converse/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse-stream',
  )
  expect(gateway.reports[0]).toMatchObject({
    outcome: 'answered',
    passed: true,
    usage: { inputTokens: 11, outputTokens: 7 },
  })
})

it('finds the end of an answer that came in any cut', async () => {
  const bytes = toWire(bedrock.pieces({ text: greeting }).join('')) as Uint8Array
  providers.answer(
    chunks(Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.slice(7 * at, 7 * at + 7))),
  )
  expect(await (await ask('bedrock-converse')).bytes()).toEqual(bytes)
})

it.each([
  ['anthropic', 'wrong in the words of its provider', [speakers.anthropic.errorPiece('org-12345 is tired')]],
  ['anthropic', 'cut', []],
  ['bedrock-converse', 'an exception', [bedrock.errorPiece('org-12345 is tired')]],
  ['bedrock-converse', 'cut in the middle of a message', [bedrockMessage('metadata', {}).slice(0, 20)]],
] as const)('ends in one exception when the answer of %s is %s', async (model, _, last) => {
  const said =
    model === 'anthropic' ? speakers.anthropic.pieces({ text: greeting }) : bedrock.pieces({ text: greeting })
  providers.answer(chunks([...said.slice(0, -3), ...last]))
  const text = await (await gatewayOf({ models: modelsAt(providers.url) }).ask('bedrock-converse', model)).text()
  const found = [...text.matchAll(/^:(\w+)-type (\w+) (.*)$/gm)].map(([, kind, type, payload = '']) => {
    return { kind, type, payload: JSON.parse(payload) }
  })
  expect(found.map(({ kind }) => kind)).toEqual([...found.slice(1).map(() => 'event'), 'exception'])
  expect(found.map(({ payload }) => payload.delta?.text ?? '').join('')).toBe(greeting)
  expect(found.at(-1)?.type).toMatch(/^[a-z]\w+Exception$/)
  expect(JSON.stringify(found)).not.toContain('org-12345')
})

it.each(['converse', 'converse-stream'])('refuses an invalid request with the name of an error (%s)', async (way) => {
  const response = await ask('anthropic', { way, body: { messages: 'Hi' } })
  expect(response.status).toBe(400)
  expect(response.headers.get('x-amzn-errortype')).toBe('ValidationException')
  expect(await response.json()).toEqual({ message: expect.stringContaining('messages') })
  const unknown = await ask('gpt-9', { way })
  expect([unknown.status, unknown.headers.get('x-amzn-errortype')]).toEqual([404, 'ResourceNotFoundException'])
})

it('asks Bedrock for a stream where the client wants the answer whole', async () => {
  const response = await ask('bedrock-converse', { way: 'converse', wholeAnswers: 'stream' })
  expect(providers.asked[0]?.path).toMatch(/\/converse-stream$/)
  expect(providers.asked[0]?.body).not.toHaveProperty('stream')
  expect(await response.json()).toMatchObject({ output: { message: { content: [{ text: greeting }] } } })
  providers.answer(json(bedrock.whole({ text: 'Hi' })))
  const whole = await ask('bedrock-converse', { way: 'converse' })
  expect(await whole.json()).toEqual(bedrock.whole({ text: 'Hi' }))
})
