/** Our events as the AI SDK's UI message stream, read by the AI SDK itself, over the embedded provider. */
import {
  DefaultChatTransport,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from 'ai'
import {
  approval,
  type Message,
  type Run,
  type RunRequest,
  type StreamEvent,
  type ToolDefinition,
  tool,
  type Usage,
} from 'isoglot'
import { anthropic } from 'isoglot/anthropic'
import { openaiChat } from 'isoglot/openai-chat'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chat, toMessages } from '../../examples/ai-sdk-ui/route.ts'
import { uiChunks } from '../../examples/ai-sdk-ui/ui-stream.ts'
import { type Provider, startProvider } from '../../scripts/provider/index.mjs'

type Metadata = { readonly messages: readonly Message[]; readonly usage: Usage }
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

  it('goes on with the same conversation, calls and results with it', async () => {
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

describe('a call that is not for the server alone', () => {
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
    [false, { state: 'output-error', errorText: expect.stringContaining('not today') }, []],
  ])(
    'waits for the page, and goes on in the same message once it is said that it may run: %s',
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
      expect(second.answer.metadata?.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant'])
    },
  )

  it('is run by the page, whose result the model reads', async () => {
    const first = await over([ofPage])
    expect(first.answer.parts[1]).toMatchObject({ state: 'input-available', input: { city: 'Tokyo' } })
    const second = await over([ofPage], withCall(first.answer, { state: 'output-available', output: { sky: 'grey' } }))
    expect(textOfParts(second)).toContain('{"sky":"grey"}')
    expect(second.answer.metadata?.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant'])
  })
})

describe('what goes wrong', () => {
  it('is the reader’s error, beside what came before', async () => {
    const one = await ask([said('Please fail')])
    expect(one.errors).toHaveLength(1)
    expect(textOfParts(one)).not.toBe('')
  })

  it('is the reader’s error where nothing came', async () => {
    const one = await ask([said('Hello')], 'openai-chat', 'wrong')
    expect(one.errors).toEqual([expect.stringContaining('Invalid API key')])
  })

  it('of an answer that was stopped leaves its text to the next question, marked as stopped', () => {
    const half: Answer = { id: 'a', role: 'assistant', parts: [{ type: 'step-start' }, { type: 'text', text: '1, 2' }] }
    expect(toMessages([said('Count'), half])).toEqual([
      { role: 'user', content: 'Count' },
      { role: 'assistant', content: '1, 2', stopReason: 'aborted' },
    ])
  })
})

describe('every event', () => {
  const call = {
    type: 'tool_call',
    id: 'c',
    name: 'f',
    arguments: {},
    argumentsText: '{}',
    index: 0,
    complete: true,
  } as const
  const invalid = {
    type: 'invalid_tool_call',
    id: 'i',
    name: 'f',
    index: 1,
    argumentsText: '{',
    reason: 'truncated',
    error: 'The answer ended',
  } as const
  const result = { call, toolCallId: 'c', name: 'f', status: 'error', content: 'It broke' } as const
  const start = { type: 'message_start' } as const
  const block = (index: number, value: object) => ({ type: 'content_block', index, block: value }) as StreamEvent

  /** The chunks of a run of these events, each held against the AI SDK's schema. */
  async function chunksOf(...events: StreamEvent[]): Promise<UIMessageChunk[]> {
    const run = { [Symbol.asyncIterator]: () => events.values() } as unknown as Run
    const chunks: UIMessageChunk[] = []
    for await (const chunk of uiChunks(run)) {
      const checked = await uiMessageChunkSchema().validate?.(JSON.parse(JSON.stringify(chunk)))
      expect(checked).toMatchObject({ success: true })
      chunks.push(chunk)
    }
    return chunks
  }

  it('of a tool that fails, reports and waits for a person is a state of its part', async () => {
    const chunks = await chunksOf(
      start,
      { type: 'tool_call', index: 0, call },
      { type: 'invalid_tool_call', index: 1, call: invalid },
      { type: 'tool_progress', toolCallId: 'c', data: { half: true } },
      { type: 'approval_request', call },
      { type: 'tool_result', result },
    )
    expect(chunks.slice(2)).toEqual([
      { type: 'tool-input-available', toolCallId: 'c', toolName: 'f', input: {} },
      { type: 'tool-input-error', toolCallId: 'i', toolName: 'f', input: '{', errorText: 'The answer ended' },
      { type: 'tool-output-available', toolCallId: 'c', output: { half: true }, preliminary: true },
      { type: 'tool-approval-request', approvalId: 'c', toolCallId: 'c' },
      { type: 'tool-output-error', toolCallId: 'c', errorText: 'It broke' },
    ])
  })

  it('of a picture, a source and an unknown block is a part, and a warning is data', async () => {
    const citations = [{ type: 'citation', url: 'https://example.com/' }]
    const warning = { path: 'messages[0]', action: 'dropped', reason: 'why', severity: 'minor' } as const
    const chunks = await chunksOf(
      start,
      { type: 'text_delta', index: 0, text: 'Hi' },
      block(0, { type: 'text', text: 'Hi', citations }),
      block(1, { type: 'image', data: 'AAAA', mimeType: 'image/png' }),
      block(2, { type: 'file', url: 'https://example.com/a.pdf' }),
      block(3, { type: 'unknown', format: 'gemini', providerType: 'new', value: null }),
      { type: 'warning', warning },
    )
    expect(chunks.slice(2)).toEqual([
      { type: 'text-start', id: '1.0' },
      { type: 'text-delta', id: '1.0', delta: 'Hi' },
      { type: 'text-end', id: '1.0' },
      { type: 'source-url', sourceId: 'https://example.com/', url: 'https://example.com/' },
      { type: 'file', url: 'data:image/png;base64,AAAA', mediaType: 'image/png' },
      { type: 'file', url: 'https://example.com/a.pdf', mediaType: 'application/octet-stream' },
      { type: 'custom', kind: 'isoglot.unknown' },
      { type: 'data-warning', data: warning },
    ])
  })

  it('of two calls that come under one id is told of the first alone, until both are whole', async () => {
    const chunk = (index: number) =>
      ({
        type: 'tool_call_chunk',
        index,
        chunk: { type: 'tool_call_chunk', id: 'c', name: 'f', argumentsDelta: '{' },
      }) as const
    expect((await chunksOf(start, chunk(0), chunk(1))).slice(2)).toEqual([
      { type: 'tool-input-start', toolCallId: 'c', toolName: 'f' },
      { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{' },
    ])
  })
})
