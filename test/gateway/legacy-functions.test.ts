/**
 * A client that declares `functions`, the form before tools, gets the call in the form that it reads, from every provider: one
 * `function_call`, whole and streamed. Its result goes back to the provider.
 */
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { toolCallsOf } from '../../src/core/content.ts'
import type { HttpModel } from '../../src/core/question.ts'
import { openaiChatFormat } from '../../src/formats/openai-chat/index.ts'
import { deepseek } from '../../src/providers/deepseek.ts'
import { call, type MockModel, mockModel } from '../../src/test/index.ts'
import { gatewayOf } from './gateway-of.ts'
import { wireNames } from './provider.ts'

type Asked = OpenAI.ChatCompletionCreateParamsNonStreaming
type Turn = OpenAI.ChatCompletionMessageParam

const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const asked: Omit<Asked, 'messages'> = {
  model: 'smart',
  functions: [{ name: 'weather', parameters }],
  function_call: 'auto',
}

const answers = [
  { text: 'I look.', calls: [call('weather', { city: 'Tokyo' }), call('weather', { city: 'Oslo' })] },
  'It is sunny.',
]
/** Each with what it makes of the script: most are the script in another format. */
const providers: readonly (readonly [
  name: string,
  script: () => MockModel,
  model: (script: MockModel) => HttpModel,
])[] = [
  ...wireNames
    .filter((name) => name !== 'openai-chat')
    .map((format) => [format, () => mockModel(answers, { format }), (mock: MockModel) => mock] as const),
  ['deepseek', () => mockModel(answers), ({ fetch }) => deepseek('deepseek-v4', { apiKey: 'k', fetch })],
]

function clientOf(model: HttpModel): OpenAI {
  const { fetch } = gatewayOf({ formats: [openaiChatFormat], models: { smart: model } })
  return new OpenAI({ apiKey: 'k', baseURL: 'http://gateway/v1', fetch })
}

const ways = {
  whole: (client: OpenAI, body: Asked) => client.chat.completions.create(body),
  streamed: (client: OpenAI, body: Asked) =>
    client.chat.completions.stream({ ...body, stream: true }).finalChatCompletion(),
}

describe.each(providers)('%s', (_, script, modelOf) => {
  it.each(Object.entries(ways))('calls a function, and reads its result: %s', async (_, ask) => {
    const mock = script()
    const client = clientOf(modelOf(mock))
    const messages: Turn[] = [{ role: 'user', content: 'Weather?' }]
    const [choice] = (await ask(client, { ...asked, messages })).choices
    expect(choice?.finish_reason).toBe('function_call')
    expect(choice?.message.tool_calls ?? []).toEqual([])
    const made = choice?.message.function_call
    expect({ ...made, arguments: JSON.parse(made?.arguments ?? '') }).toEqual({
      name: 'weather',
      arguments: { city: 'Tokyo' },
    })
    messages.push(
      { role: 'assistant', content: choice?.message.content ?? '', function_call: made ?? null },
      { role: 'function', name: 'weather', content: 'sunny' },
    )
    const [last] = (await ask(client, { ...asked, messages })).choices
    expect(last?.message.content).toBe('It is sunny.')
    expect(last?.finish_reason).toBe('stop')
    const sent = mock.requests[1]?.context.messages ?? []
    const calls = sent.flatMap((message) => (message.role === 'assistant' ? toolCallsOf(message) : []))
    expect(calls.map((one) => one.arguments)).toEqual([{ city: 'Tokyo' }])
    const results = sent.filter((message) => message.role === 'tool')
    expect(results).toMatchObject([{ toolCallId: calls[0]?.id }])
    expect(JSON.stringify(sent)).toContain('I look.')
  })
})
