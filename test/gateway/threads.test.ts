/**
 * A client may leave its conversation with the provider and send only what is new. A gateway passes that to this provider, and refuses it
 * for every other: they would answer without the history. The official client reads the refusal, and sends the whole conversation.
 */
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/messages.ts'
import type { HttpModel } from '../../src/core/question.ts'
import { allFormats, type GatewayOptions } from '../../src/gateway/index.ts'
import { azureAnthropic } from '../../src/providers/azure-anthropic.ts'
import { call, type MockModel, mockModel } from '../../src/test/index.ts'
import { facts } from '../formats/index.ts'
import { gatewayOf } from './gateway-of.ts'
import type { WireName } from './provider.ts'

const names = Object.keys(facts) as WireName[]

const weather = betaTool({
  name: 'get_weather',
  description: 'The weather',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
  run: ({ city }) => `sunny in ${city}`,
})
const asked = {
  model: 'smart',
  max_tokens: 99,
  system: 'Answer in Dutch',
  messages: [{ role: 'user', content: 'Order 4711. Weather?' }],
  tools: [weather],
} as const

const answers = () => [{ calls: [call('get_weather', { city: 'Tokyo' })] }, 'It is sunny.']

function gatewayTo(model: HttpModel, options: Partial<GatewayOptions<unknown>> = {}) {
  const gateway = gatewayOf({ models: { smart: model }, ...options })
  const { fetch } = gateway
  return { gateway, client: new Anthropic({ apiKey: 'k', baseURL: 'http://gateway', fetch, maxRetries: 0 }) }
}

/** The conversation of each request as its provider reads it, without what the formats write in different places. */
const historiesOf = ({ requests }: MockModel) =>
  requests.map(({ context }) => ({
    roles: context.messages.map(({ role }) => role).filter((role) => role !== 'system'),
    tools: context.tools?.length,
    isWhole: /Answer in Dutch/.test(JSON.stringify(context)) && /Order 4711/.test(JSON.stringify(context)),
  }))

const whole = [
  { roles: ['user'], tools: 1, isWhole: true },
  { roles: ['user', 'assistant', 'tool'], tools: 1, isWhole: true },
]

describe.each(names.filter((name) => name !== 'anthropic'))('%s', (format) => {
  it.each([false, true])(
    'gets the whole conversation of the tool runner of the official client, stream: %s',
    async (stream) => {
      const model = mockModel(answers(), { format })
      const { client } = gatewayTo(model)
      const runner = client.beta.messages.toolRunner({
        ...asked,
        tools: [weather],
        messages: [...asked.messages],
        stream,
      })
      const { content } = (await runner.runUntilDone()) as Anthropic.Beta.BetaMessage
      expect(content).toMatchObject([{ type: 'text', text: 'It is sunny.' }])
      expect(historiesOf(model)).toEqual(whole)
    },
  )
})

it('gets it also after a policy read the request, which has to see all of it', async () => {
  const model = mockModel(answers(), { format: 'anthropic' })
  const seen: number[] = []
  const { client } = gatewayTo(model, { check: ({ request }) => void seen.push(request.context.messages.length) })
  await client.beta.messages.toolRunner({ ...asked, tools: [weather], messages: [...asked.messages] })
  expect(historiesOf(model)).toEqual(whole)
  expect(seen).toEqual([1, 3])
})

it('gets it also as Claude of a cloud, which has no threads', async () => {
  const mock = mockModel(answers(), { format: 'anthropic' })
  const model = azureAnthropic('claude-opus-4-8', { resource: 'r', apiKey: 'k', fetch: mock.fetch })
  await gatewayTo(model).client.beta.messages.toolRunner({
    ...asked,
    tools: [weather],
    messages: [...asked.messages],
  })
  expect(historiesOf(mock)).toEqual(whole)
})

it('Anthropic gets the thread itself', async () => {
  const model = mockModel(answers(), { format: 'anthropic' })
  const { client } = gatewayTo(model)
  await client.beta.messages.toolRunner({ ...asked, tools: [weather], messages: [...asked.messages] })
  const threads = model.requests.map(({ body }) => body.thread)
  expect(threads).toMatchObject([{ type: 'create' }, { type: 'continue', previous_message_id: expect.any(String) }])
})

/** A request of each format that names what its provider keeps, and the name of that field. */
const keptElsewhere: readonly (readonly [path: string, body: JsonObject, field: string])[] = [
  ['/v1/messages', { ...asked, tools: [], thread: { type: 'continue', previous_message_id: 'msg_1' } }, 'thread'],
  ['/v1/responses', { model: 'smart', input: 'and?', previous_response_id: 'resp_1' }, 'previous_response_id'],
  ['/v1/responses', { model: 'smart', input: 'and?', conversation: 'conv_1' }, 'conversation'],
  ['/v1/interactions', { model: 'smart', input: 'and?', previous_interaction_id: 'i_1' }, 'previous_interaction_id'],
  [
    '/v1beta/models/smart:generateContent',
    { contents: [{ role: 'user', parts: [{ text: 'and?' }] }], cachedContent: 'cachedContents/x' },
    'cachedContent',
  ],
] as unknown as typeof keptElsewhere

it.each(keptElsewhere)('no other provider answers without the history: %s %j', async (path, body, name) => {
  const own = allFormats.find(({ paths }) => path in paths)?.name ?? 'gemini'
  for (const format of names.filter((one) => one !== own)) {
    const model = mockModel(['fine'], { format })
    const response = await gatewayTo(model).gateway.post(path, body)
    expect({ format, status: response.status, text: await response.text() }).toEqual({
      format,
      status: 400,
      text: expect.stringContaining(`\\"${name}\\" is not supported`),
    })
    expect(model.requests).toEqual([])
  }
})
