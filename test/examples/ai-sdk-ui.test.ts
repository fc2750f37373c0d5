/** The example's server for `useChat`, read by the AI SDK itself, over the embedded provider. */
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { approval, type RunRequest, type ToolDefinition, tool, type Usage } from 'isoglot'
import { anthropic } from 'isoglot/anthropic'
import { openaiChat } from 'isoglot/openai-chat'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chat } from '../../examples/ai-sdk-ui/route.ts'
import { type Provider, startProvider } from '../../examples/provider/index.mjs'

type Metadata = { readonly usage: Usage }
type Answer = UIMessage<Metadata>

let provider: Provider
beforeAll(async () => {
  provider = await startProvider({ key: 'demo' })
})
afterAll(() => provider.stop())

const makers = { 'openai-chat': openaiChat, anthropic }
const modelOf = (wire: keyof typeof makers, apiKey: string) =>
  makers[wire]('m', { apiKey, baseUrl: `${provider.url}/v1` })

const said = (text: string): Answer => ({ id: text, role: 'user', parts: [{ type: 'text', text }] })

interface Read {
  readonly answer: Answer
  readonly errors: readonly string[]
}

/** Asks as `useChat` does: its transport posts the messages, and its reader makes the answer of what comes. */
async function ask(
  messages: Answer[],
  wire: keyof typeof makers = 'openai-chat',
  key = 'demo',
  tools?: RunRequest['tools'],
): Promise<Read> {
  const transport = new DefaultChatTransport<Answer>({
    api: 'http://localhost/api/chat',
    fetch: (input, init) => chat(new Request(input, init), modelOf(wire, key), tools),
  })
  const options = { trigger: 'submit-message', chatId: 'c', messageId: undefined, abortSignal: undefined } as const
  const last = messages.at(-1)
  return read(await transport.sendMessages({ ...options, messages }), last?.role === 'assistant' ? last : undefined)
}

async function read(stream: ReadableStream<UIMessageChunk>, before?: Answer): Promise<Read> {
  const errors: string[] = []
  let answer: Answer = before ?? { id: '', role: 'assistant', parts: [] }
  for await (const one of readUIMessageStream<Answer>({
    stream,
    onError: (error) => errors.push(String(error)),
    ...(before && { message: before }),
  }))
    answer = structuredClone(one)
  return { answer, errors }
}

const typesOf = ({ answer }: Read) => answer.parts.map(({ type }) => type)
const textOfParts = ({ answer }: Read) =>
  answer.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')

describe.each(['openai-chat', 'anthropic'] as const)('over %s', (wire) => {
  it('is read as text that is done, with how it ended and what it cost', async () => {
    const one = await ask([said('Hello')], wire)
    expect(one.errors).toEqual([])
    expect(typesOf(one)).toEqual(['step-start', 'text'])
    expect(one.answer.parts[1]).toMatchObject({
      state: 'done',
      text: expect.stringMatching(/^Hello from the embedded/),
    })
    expect(one.answer.metadata?.usage).toMatchObject({
      inputTokens: expect.any(Number),
      outputTokens: expect.any(Number),
    })
  })

  it('is read as reasoning, apart from the text', async () => {
    const one = await ask([said('Think: how many r?')], wire)
    expect(typesOf(one)).toEqual(['step-start', 'reasoning', 'text'])
    expect(one.answer.parts[1]).toMatchObject({ state: 'done', text: expect.stringContaining('s-t-r-a-w') })
  })

  it('is read as two tools with their input and output, and the answer in a step of its own', async () => {
    const one = await ask([said('Weather in Tokyo and Paris')], wire)
    expect(one.errors).toEqual([])
    expect(typesOf(one)).toEqual(['step-start', 'tool-get_weather', 'tool-get_weather', 'step-start', 'text'])
    expect(one.answer.parts.slice(1, 3)).toMatchObject(
      ['Tokyo', 'Paris'].map((city) => ({
        state: 'output-available',
        input: { city },
        output: `25 °C and sunny in ${city}`,
      })),
    )
    expect(textOfParts(one)).toContain('25 °C and sunny in Tokyo')
  })

  it('continues with the same conversation, calls and results with it', async () => {
    const question = said('Weather in Tokyo')
    const first = await ask([question], wire)
    await ask([question, first.answer, said('Hello')], wire)
    const messages = (provider.journal().at(-1)?.body?.messages ?? []) as readonly { readonly role: string }[]
    expect(messages.map(({ role }) => role)).toEqual(
      wire === 'anthropic'
        ? ['user', 'assistant', 'user', 'assistant', 'user']
        : ['user', 'assistant', 'tool', 'assistant', 'user'],
    )
  })
})

describe('a call that is not only for the server', () => {
  const question = said('Weather in Tokyo')
  const parameters = { type: 'object', properties: { city: { type: 'string' } } } as const
  const ran: unknown[] = []
  const careful = tool({
    name: 'get_weather',
    parameters,
    needsApproval: approval(),
    execute({ city }) {
      ran.push(city)
      return `cloudy in ${city}`
    },
  })
  const ofPage: ToolDefinition = { name: 'get_weather', parameters }
  const over = (tools: NonNullable<RunRequest['tools']>, ...messages: Answer[]) =>
    ask([question, ...messages], 'openai-chat', 'demo', tools)
  /** The answer, with its call as `useChat` leaves it. */
  const withCall = (answer: Answer, change: object): Answer => ({
    ...answer,
    parts: answer.parts.map((part) => ('toolCallId' in part ? ({ ...part, ...change } as typeof part) : part)),
  })

  it.each([
    [true, { state: 'output-available', output: 'cloudy in Tokyo' }, ['Tokyo']],
    [false, { state: 'output-denied', approval: { reason: 'not today' } }, []],
  ])(
    'waits for the page, and continues in the same message once it is said that it may run: %s',
    async (approved, part, runs) => {
      ran.length = 0
      const first = await over([careful])
      expect(first.answer.parts[1]).toMatchObject({ state: 'approval-requested' })
      const approval = { id: 'c', approved, reason: 'not today' }
      const second = await over([careful], withCall(first.answer, { state: 'approval-responded', approval }))
      expect(second.errors).toEqual([])
      expect(typesOf(second)).toEqual(['step-start', 'tool-get_weather', 'step-start', 'text'])
      expect(second.answer.parts[1]).toMatchObject(part)
      expect(ran).toEqual(runs)
    },
  )

  it('is run by the page, whose result the model reads', async () => {
    const first = await over([ofPage])
    expect(first.answer.parts[1]).toMatchObject({ state: 'input-available', input: { city: 'Tokyo' } })
    const second = await over([ofPage], withCall(first.answer, { state: 'output-available', output: { sky: 'grey' } }))
    expect(textOfParts(second)).toContain('{"sky":"grey"}')
  })
})

describe('what goes wrong', () => {
  it('is the reader’s error, beside what came before', async () => {
    const one = await ask([said('Please fail')])
    expect(one.errors).toHaveLength(1)
    expect(textOfParts(one)).not.toBe('')
  })

  it('is an error of the request where nothing came, without the words of the provider', async () => {
    const failure = await ask([said('Hello')], 'openai-chat', 'wrong').catch((error: Error) => error.message)
    expect(failure).toContain('The server cannot use its model provider')
    expect(failure).not.toContain('Invalid API key')
  })
})
