/** A page sends back what the Worker answered: every recorded answer is a history that the policy takes, in the own wire. */
import { expect, it } from 'vitest'
import { callsOf } from '../../src/core/content.ts'
import { type AssistantMessage, generate, type Message } from '../../src/index.ts'
import { remote } from '../../src/remote/index.ts'
import { recordedHistories } from '../handoff/histories.ts'
import { permittedRequest } from './permitted.ts'

/** What a page sends to its server with these messages. */
async function bodyOf(messages: readonly Message[]): Promise<object> {
  let body = ''
  const fetch = async (_: unknown, init?: RequestInit) => {
    body = String(init?.body)
    return new Response('', { status: 400 })
  }
  await generate({ model: remote('m', { url: 'https://w.example/answer', fetch }), messages, retries: 0 }).catch(
    () => {},
  )
  return JSON.parse(body)
}

const histories = recordedHistories().map(({ name, format, context }) => {
  return { name: `${format}: ${name}`, message: context.messages.at(-1) as AssistantMessage }
})
/** Blocks that the policy takes from nobody: they are billed by another meter. */
const isMetered = (content: Message['content']) =>
  typeof content !== 'string' && content?.some(({ type }) => ['audio', 'video', 'file'].includes(type))

it.each(histories.map((one) => [one.name, one.message] as const))('%s', async (_name, answer) => {
  if (isMetered(answer.content)) return expect(answer.content).toBeDefined()
  const results = callsOf(answer).map(({ id = '', name }): Message => {
    return { role: 'tool', toolCallId: id, content: 'ok', ...(name !== undefined && { name }) }
  })
  const body = await bodyOf([
    { role: 'user', content: 'Hi' },
    answer,
    ...results,
    { role: 'user', content: 'And now?' },
  ])
  const hosted = ['anthropic.tools.any', 'gemini.tools.any', 'openai-responses.tools.any']
  expect(() => permittedRequest('isoglot', body, hosted)).not.toThrow()
})

it('has enough of them', () => {
  expect(histories.length).toBeGreaterThan(100)
  expect(histories.filter(({ message }) => isMetered(message.content)).length).toBeLessThan(histories.length / 20)
})

it.each(['files/read.v1', 'urn:tool:1', 'my tool!', 'météo_東京', `deep.${'x'.repeat(195)}`])(
  'the name of a tool: %s',
  async (name) => {
    const tools = [{ name, parameters: { type: 'object' } }]
    const messages = [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: [{ type: 'tool_call', id: 'c', name, arguments: {}, argumentsText: '{}', index: 0, complete: true }],
      },
      { role: 'tool', toolCallId: 'c', name, content: 'ok' },
    ]
    for (const toolChoice of [{ name }, { names: [name], mode: 'auto' }]) {
      const { context } = permittedRequest('isoglot', {
        version: 1,
        model: 'm',
        context: { messages, tools },
        options: { toolChoice },
      })
      expect(context).toMatchObject({ messages, tools })
    }
  },
)
