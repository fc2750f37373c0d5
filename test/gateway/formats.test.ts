/** The formats of a gateway are values: it answers in those that it is given, and a program has the code of no others. */
import { describe, expect, it } from 'vitest'
import { anthropicFormat } from '../../src/formats/anthropic/index.ts'
import { geminiFormat } from '../../src/formats/gemini/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { allFormats, createGateway, findRoute, type GatewayOptions } from '../../src/gateway/index.ts'
import { facts } from '../formats/index.ts'

const origin = 'http://gateway.test'
const models = { m: openaiChat('m', { apiKey: 'k', fetch: () => Promise.reject(new Error('is not asked')) }) }

async function answer(
  formats: GatewayOptions['formats'],
  path: string,
  init: RequestInit = {},
): Promise<[number, unknown]> {
  const response = await createGateway({ formats, models }).fetch(new Request(origin + path, init))
  return [response.status, await response.json()]
}

const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }

describe('a gateway with some formats', () => {
  it('answers 404 at the paths of other formats, in the form of its first, and says which paths it has', async () => {
    const [status, body] = await answer([anthropicFormat], '/v1/chat/completions', post)
    expect(status).toBe(404)
    expect(body).toMatchObject({ type: 'error', error: { type: 'not_found_error' } })
    expect(JSON.stringify(body)).toContain('/v1/messages')
    expect(JSON.stringify(body)).not.toContain('/v1/responses')
  })

  it('does not put its own code into a form that has another kind of code', async () => {
    const [, body] = await answer([geminiFormat], '/v1/chat/completions', post)
    expect(body).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } })
    const [, ofOpenai] = await answer(allFormats, '/v1/nowhere', post)
    expect(ofOpenai).toMatchObject({ error: { code: 'unknown_url', param: null } })
  })

  it('answers at its own paths', async () => {
    expect((await answer([anthropicFormat], '/v1/messages', post))[0]).toBe(400) // the body has no model
    expect((await answer([geminiFormat], '/v1/messages', post))[0]).toBe(404)
  })

  it('lists models in the format of the client, or else in the first that has its list at the path', async () => {
    const ofAnthropic = { first_id: 'm' }
    expect((await answer([geminiFormat, anthropicFormat], '/v1/models'))[1]).toMatchObject(ofAnthropic)
    expect((await answer(allFormats, '/v1/models'))[1]).toMatchObject({ object: 'list' })
    const headers = { 'anthropic-version': '2023-06-01' }
    expect((await answer(allFormats, '/v1/models', { headers }))[1]).toMatchObject(ofAnthropic)
    expect((await answer([anthropicFormat], '/v1beta/models'))[0]).toBe(404)
  })
})

it('all formats are those of the codecs', () => {
  expect(allFormats.map(({ name }) => name).sort()).toEqual(Object.keys(facts).sort())
})

it.each([
  [undefined, 'is missing'],
  [[], 'is not a list of formats'],
  [['openai-chat'], 'is not a list of formats'],
  ['all', 'is not a list of formats'],
])('refuses %j as formats, and says where they come from', (formats, finding) => {
  const make = () => createGateway({ formats, models } as unknown as GatewayOptions)
  expect(make).toThrow(TypeError)
  const find = () => findRoute(new Request(origin), formats as unknown as GatewayOptions['formats'])
  expect(find).toThrow(new RegExp(`"formats" ${finding}`))
  expect(make).toThrow(new RegExp(`"formats" ${finding}; .*openaiChatFormat.*allFormats`))
})
