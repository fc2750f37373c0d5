/** Own data never reaches a model: in every format and dialect, at another provider, through `remote` and a gateway, and from the AI SDK. */
import { describe, expect, it } from 'vitest'
import { httpModel } from '../../src/ask/http-model.ts'
import { allFormats, createGateway, isoglotFormat } from '../../src/gateway/index.ts'
import { generate, type Message, stream, t, tool } from '../../src/index.ts'
import { ownData } from '../../src/page/response.ts'
import { remote } from '../../src/remote/index.ts'
import { call, mockModel } from '../../src/test/index.ts'
import { answering } from '../support/answering.ts'
import { wires } from '../support/answers.ts'
import { formats } from '../support/formats.ts'

const marker = 'own-7f3a'

/** It writes data of its own. */
const search = tool({
  name: 'search',
  parameters: t.object({ for: t.string() }),
  execute(_, context) {
    context.data?.write('found', `${marker}-tool`)
    return 'nothing'
  },
})

/** A conversation with data of a route and of a tool, in parts and metadata, and a question after it. */
async function history(): Promise<readonly Message[]> {
  const data = ownData()
  data.write(`${marker}-name`, { [`${marker}-key`]: `${marker}-value` }, { id: `${marker}-id` })
  data.write('status', `${marker}-transient`, { transient: true })
  data.setMetadata(`${marker}-field`, `${marker}-metadata`)
  const model = mockModel([{ text: 'Let me see.', calls: [call('search', { for: 'x' })] }, 'There is nothing.'])
  const { messages } = await stream({ model, prompt: 'Hi', tools: [search], data }).response
  expect(JSON.stringify(messages).split(marker)).toHaveLength(8) // each value that is kept
  return [...messages, { role: 'user', content: 'And now?' }]
}

describe.each(formats.map((format) => [format.folder, format] as const))('%s', (_, { client }) => {
  it('sends none of it', async () => {
    const messages = await history()
    const { body } = client.encodeRequest({ messages }, { model: 'any', maxTokens: 10, strict: false })
    expect(JSON.stringify(body)).not.toContain(marker)
    expect(JSON.stringify(body)).toContain('There is nothing.')
    expect(JSON.stringify(body)).not.toContain('dataParts')
  })

  it('sends none of what is written while it is asked, in later rounds too', async () => {
    const refused = new Response('no', { status: 400 })
    const { model, asked } = answering(httpModel(client, 'any', { baseUrl: 'http://localhost' }), refused)
    const data = ownData()
    data.write(marker, marker)
    data.setMetadata(marker, marker)
    const run = stream({ model, messages: await history(), data, retries: 0, strict: false, maxTokens: 10 })
    await run.response.catch(() => {})
    expect(asked).toHaveLength(1)
    expect(JSON.stringify(asked)).not.toContain(marker)
  })
})

it.each(wires)('%s sends none of it in the rounds of a run with a tool', async (format) => {
  const data = ownData()
  data.write(marker, marker)
  const model = mockModel([{ text: 'Let me see.', calls: [call('search', { for: 'x' })] }, 'Nothing.'], { format })
  await stream({ model, prompt: 'Hi', tools: [search], data, maxTokens: 10, strict: false }).response
  expect(model.requests).toHaveLength(2)
  expect(JSON.stringify(model.requests.map(({ body }) => body))).not.toContain(marker)
})

it('remote sends none of it to its server, and the gateway takes what it sends', async () => {
  const mock = mockModel(['Hello'])
  const gateway = createGateway({ formats: [...allFormats, isoglotFormat], models: { m: mock } })
  const sent: string[] = []
  const model = remote('m', {
    url: 'https://a.example/answer',
    fetch: async (input, init) => {
      sent.push(String(init?.body))
      return gateway.fetch(new Request(input, init))
    },
  })
  const { text } = await generate({ model, messages: await history() })
  expect(text).toBe('Hello')
  expect(sent.join()).not.toContain(marker)
  expect(JSON.stringify(mock.requests[0]?.body)).not.toContain(marker)
})
