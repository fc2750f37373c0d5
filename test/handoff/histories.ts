/**
 * Conversations as they come from each provider: its recorded answers after its recorded requests, decoded by our codecs, and the hand-off
 * histories of peers.md, written as the wires write them.
 */
import { decodeAnswer } from '../../src/ask/http-model.ts'
import type { ClientCodec } from '../../src/core/codec.ts'
import { blocksOf, toolCallsOf, withAskedModel } from '../../src/core/content.ts'
import { isObject } from '../../src/core/json.ts'
import type {
  AssistantMessage,
  Context,
  Json,
  Message,
  ToolCall,
  ToolDefinition,
  ToolMessage,
} from '../../src/core/messages.ts'
import { facts } from '../formats/index.ts'
import type { Wire } from '../support/answers.ts'
import { type CorpusCase, corpus, isAnswer } from '../support/corpus.ts'
import { decodeChunks } from '../support/decode.ts'
import { type Format, formats } from '../support/formats.ts'
import { frozen } from '../support/frozen.ts'
import { callOf } from '../support/makers.ts'

/** Contents of a history that not every wire can send. */
export const kinds = [
  'text',
  'tool round',
  'parallel calls',
  'reasoning',
  'reasoning with proof',
  'server tools',
  'citations',
  'media',
  'system text',
  'invalid call',
  'abort in the middle',
] as const
export type Kind = (typeof kinds)[number]

export interface History {
  readonly name: string
  /** The wire and the provider it comes from. */
  readonly format: string
  readonly provider: string
  /** The model that answered. */
  readonly model: string
  readonly kinds: ReadonlySet<Kind>
  /** Its last message is the model's answer, as it was decoded. */
  readonly context: Context
}

/**
 * Where a conversation goes on: directly after a tool's result, in the next turn, or with a user's message before the model's next turn.
 */
export const moments = ['tool result', 'next turn', 'interjection'] as const
export type Moment = (typeof moments)[number]

const folders = new Map(formats.map((format) => [format.folder, format]))

/** Recordings leave most of a long image out, and say so by three dots: what is left is base64 when they are gone. */
function withoutDots(one: CorpusCase): CorpusCase {
  if (!/elided-media|image-output/.test(one.meta.features.join(' '))) return one
  const whole = (text: string) => text.replace(/([A-Za-z0-9+/]{20})\.\.\./g, '$1')
  if (one.kind === 'bin') return one
  const text = whole(one.text)
  const request: unknown = one.request === undefined ? undefined : JSON.parse(whole(JSON.stringify(one.request)))
  return { ...one, text, bytes: new TextEncoder().encode(text), request }
}

let ofCorpus: readonly History[] | undefined

/** The cases in which a model answered; those with only errors have no history. Read once and frozen, since files share them. */
export function recordedHistories(): readonly History[] {
  ofCorpus ??= frozen(historiesOf(corpus))
  return ofCorpus
}

function historiesOf(cases: readonly CorpusCase[]): readonly History[] {
  // The validators refuse fields that no document has.
  const documented = cases.filter(({ name }) => name !== 'every-oddity')
  return documented.map(withoutDots).flatMap((one) => {
    const format = folders.get(one.format)
    if (format === undefined) return []
    return [...historyOf(one, format), ...abortedHistoryOf(one, format)]
  })
}

function historyOf(one: CorpusCase, format: Format): readonly History[] {
  const answer = answerOf(one, format.client)
  return answer === undefined ? [] : [history(one.name, format, modelOf(one, answer), before(one, format), answer)]
}

function answerOf(one: CorpusCase, client: ClientCodec): AssistantMessage | undefined {
  if (one.kind === 'json') {
    const body: unknown = isAnswer(one) ? JSON.parse(one.text) : undefined
    return isObject(body) ? client.decodeResponse(body).message : undefined
  }
  const { response, error } = decodeChunks(client, [one.bytes])
  return response?.message ?? error?.partial
}

/** The same stream, left when a part of it had come. */
function abortedHistoryOf(
  one: CorpusCase,
  format: Format,
  part = 0.6,
  asked: Context = before(one, format),
): readonly History[] {
  if (one.kind === 'json') return []
  const decoder = decodeAnswer(format.client)
  try {
    decoder.push(one.bytes.slice(0, one.bytes.length * part), [])
  } catch {
    return [] // an error in the middle of a stream came first: its history is the whole case's
  }
  if (decoder.isEnded) return []
  const partial = decoder.stop('aborted', [])
  return [history(`${one.name}, aborted`, format, modelOf(one, partial), asked, partial)]
}

/** The recorded streams, each left at this number of places. Read once and frozen. */
export function leftHistories(places: number): readonly History[] {
  const parts = Array.from({ length: places }, (_, at) => (at + 1) / (places + 1))
  const streams = corpus.filter(({ name, kind }) => name !== 'every-oddity' && kind !== 'json').map(withoutDots)
  return frozen(
    streams.flatMap((one) => {
      const format = folders.get(one.format)
      if (format === undefined) return []
      const asked = before(one, format)
      return parts.flatMap((part) => abortedHistoryOf(one, format, part, asked))
    }),
  )
}

function modelOf({ meta }: CorpusCase, answer: AssistantMessage): string {
  return meta.model ?? answer.response?.model ?? ''
}

/** Of each wire and provider, one history for each kind of thing that it has. */
export function oneOfEachKind(all: readonly History[]): readonly History[] {
  const chosen = new Set<History>()
  const byProvider = Map.groupBy(all, ({ format, provider }) => `${format}/${provider}`)
  for (const histories of byProvider.values()) {
    for (const kind of kinds) {
      const found = histories.find((one) => one.kinds.has(kind))
      if (found !== undefined) chosen.add(found)
    }
  }
  return [...chosen]
}

/** The request, where it was recorded. State that only the provider has does not travel. */
function before({ request, meta }: CorpusCase, { server }: Format): Context {
  const plain: Context = { messages: [{ role: 'user', content: 'What is the weather in Paris and Tokyo?' }] }
  if (request === undefined) return plain
  const { providerState: _, ...context } = server.decodeRequest(request, {
    path: `/v1beta/models/${meta.model ?? 'any'}:generateContent`,
  }).context
  return context.messages.length > 0 ? context : { ...context, ...plain }
}

function history(name: string, { client }: Format, model: string, asked: Context, answered: AssistantMessage): History {
  const messages = [...asked.messages, withAskedModel(answered, model)].map((message) => signedBy(model, message))
  const context = withTools({ ...asked, messages })
  const { name: format, provider } = client
  return { name, format, provider, model, kinds: kindsOf(context), context }
}

/** A recorded request does not say which model made the proofs in it; who stored the conversation knows. */
function signedBy(model: string, message: Message): Message {
  if (message.role !== 'assistant' || typeof message.content === 'string' || message.content === null) return message
  const content = message.content.map((block) =>
    'opaque' in block && block.opaque?.model === '' ? { ...block, opaque: { ...block.opaque, model } } : block,
  )
  return { ...message, content }
}

/** Definitions of all tools that were called, so that no call is one of nothing. */
function withTools(context: Context): Context {
  const known = new Set((context.tools ?? []).flatMap((one) => ('name' in one ? [one.name] : [])))
  const called = new Set(context.messages.flatMap(toolCallsOf).map((call) => call.name))
  const made = [...called].filter((name) => !known.has(name)).map(definition)
  const tools = [...(context.tools ?? []), ...made]
  return tools.length === 0 ? context : { ...context, tools }
}

function definition(name: string): ToolDefinition {
  return { name, description: 'A tool', parameters: { type: 'object', properties: {} } }
}

function kindsOf({ system, messages }: Context): ReadonlySet<Kind> {
  const found = new Set<Kind>()
  const last = messages.at(-1) as AssistantMessage
  if (system !== undefined || messages.some(({ role }) => role === 'system' || role === 'developer'))
    found.add('system text')
  for (const message of messages) {
    for (const block of blocksOf(message.content)) {
      if (block.type === 'text') found.add('text')
      if (block.type === 'reasoning') found.add(block.opaque === undefined ? 'reasoning' : 'reasoning with proof')
      if (block.type === 'tool_call' && block.opaque !== undefined) found.add('reasoning with proof')
      if (/^server_tool/.test(block.type)) found.add('server tools')
      if ('citations' in block && block.citations !== undefined) found.add('citations')
      if (/^(?:image|audio|video|file)$/.test(block.type)) found.add('media')
    }
    const calls = toolCallsOf(message).length
    if (calls > 0) found.add(calls > 1 ? 'parallel calls' : 'tool round')
    if (message.role === 'assistant' && message.invalidToolCalls !== undefined) found.add('invalid call')
  }
  if (last.stopReason === 'aborted' || last.stopReason === 'interrupted') found.add('abort in the middle')
  return found
}

// ---- peers.md, appendix: hand-off -------------------------------------------------------------

const signature = 'EqQBCkYICBgCKkBzaWduZWQtYnktQW50aHJvcGlj'
const redacted = 'EmwKAhgBEgyRedactedByAnthropic+/AA=='
const encrypted = 'gAAAAABencrypted-by-OpenAI-0123456789'
const thoughtSignature = 'CsMBAVSoXO5zaWduZWQtYnktR2VtaW5p'

const said = (text: string): Json => ({ type: 'text', text })
const thought = (thinking: string, signed = signature): Json => ({ type: 'thinking', thinking, signature: signed })
const anthropicAnswer = (stop_reason: string, ...content: Json[]): Json => ({
  ...{ id: 'msg_01', type: 'message', role: 'assistant', model: 'claude-sonnet-5', content },
  ...{ stop_reason, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
})
const toolUse = (id: string, city: string): Json => ({ type: 'tool_use', id, name: 'get_weather', input: { city } })
const chatAnswer = (message: Json, model = 'm', finish_reason = 'stop'): Json => ({
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model },
  choices: [{ index: 0, finish_reason, message }],
})
const responses = (...output: Json[]): Json => ({
  ...{ id: 'resp_01', object: 'response', created_at: 1, status: 'completed', model: 'gpt-5', store: false, output },
})
const gemini = (...parts: Json[]): Json => ({
  candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts } }],
})
const interaction = (...steps: Json[]): Json => ({ id: 'v1_02', status: 'completed', model: 'gemini-3.8-flash', steps })
const bedrock = (...content: Json[]): Json => ({
  output: { message: { role: 'assistant', content } },
  stopReason: 'end_turn',
})
const ollama = (message: Json, done_reason: string): Json => ({ model: 'm', message, done: true, done_reason })
const cohere = (...content: Json[]): Json => ({
  ...{ id: 'c', message: { role: 'assistant', content }, finish_reason: 'COMPLETE' },
})

const page = { url: 'https://example.com/w', title: 'Weather' }
const call = (id: string, city: string) => ({ id, name: 'get_weather', args: { city } })
const step = (id: string, city: string) => ({ type: 'function_call', id, name: 'get_weather', arguments: { city } })
const forTokyo = { name: 'get_weather', arguments: '{"city":"Tokyo"}' }

/** Whole answers, in the wires' own words. */
const written: readonly (readonly [folder: string, model: string, name: string, body: Json])[] = [
  [
    'openai-chat-moonshot',
    'kimi-k2-thinking',
    'peers: Chat with the id functions.weather:0 and reasoning',
    chatAnswer(
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'I should look at the weather.',
        tool_calls: [{ id: 'functions.weather:0', type: 'function', function: forTokyo }],
      },
      'kimi-k2-thinking',
      'tool_calls',
    ),
  ],
  [
    'openai-chat',
    'gpt-5-search-api',
    'Chat with citations',
    chatAnswer(
      {
        role: 'assistant',
        content: 'It is mild.',
        annotations: [{ type: 'url_citation', url_citation: { start_index: 0, end_index: 10, ...page } }],
      },
      'gpt-5-search-api',
    ),
  ],
  [
    'anthropic',
    'claude-sonnet-5',
    'peers: Anthropic with a server tool',
    anthropicAnswer(
      'tool_use',
      said('I will search.'),
      { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', input: { query: 'weather Tokyo' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_01',
        content: [{ type: 'web_search_result', ...page, encrypted_content: 'Enc+01==' }],
      },
      {
        type: 'text',
        text: 'It is mild.',
        citations: [
          { type: 'web_search_result_location', ...page, encrypted_index: 'Idx+0123456789==', cited_text: 'mild' },
        ],
      },
      toolUse('toolu_01', 'Tokyo'),
    ),
  ],
  [
    'anthropic',
    'claude-sonnet-5',
    'peers: Anthropic with thinking and redacted thinking',
    anthropicAnswer(
      'tool_use',
      thought('Two cities, two calls.'),
      { type: 'redacted_thinking', data: redacted },
      said('I will look.'),
      toolUse('toolu_01', 'Tokyo'),
      toolUse('toolu_02', 'Paris'),
    ),
  ],
  [
    'gemini',
    'gemini-3-flash',
    'peers: Gemini with signed calls',
    gemini(
      { text: 'I need the weather.', thought: true },
      { functionCall: call('fc1', 'Tokyo'), thoughtSignature },
      { functionCall: call('fc2', 'Paris') },
    ),
  ],
  [
    'gemini',
    'gemini-3-flash',
    'peers: Gemini with a signature on an empty text',
    gemini({ text: 'It is mild.' }, { text: '', thoughtSignature }),
  ],
  [
    'gemini-interactions',
    'gemini-3.8-flash',
    'peers: Interactions with a signed thought before its calls',
    {
      ...(interaction(
        { type: 'thought', signature: thoughtSignature, summary: [said('I need the weather.')] },
        step('fc1', 'Tokyo'),
        step('fc2', 'Paris'),
      ) as object),
      status: 'requires_action',
    },
  ],
  [
    'openai-responses',
    'gpt-5',
    'peers: Responses with encrypted reasoning',
    responses(
      {
        type: 'reasoning',
        id: 'rs_0123456789',
        summary: [{ type: 'summary_text', text: 'I should look.' }],
        encrypted_content: encrypted,
      },
      { type: 'function_call', id: 'fc_0123456789', call_id: 'call_01', ...forTokyo, status: 'completed' },
    ),
  ],
]

/** The hand-off histories of peers.md, and media where wires differ most: in a result. */
let ofPeers: readonly History[] | undefined

/** The histories of peers.md, read once as well. */
export function writtenHistories(): readonly History[] {
  ofPeers ??= frozen(readWritten())
  return ofPeers
}

function readWritten(): readonly History[] {
  const asked: Context = { system: 'Be brief.', messages: [{ role: 'user', content: 'What is the weather?' }] }
  return [
    ...written.map(([folder, model, name, body]) => {
      const format = folders.get(folder) as Format
      return history(name, format, model, asked, client(format).decodeResponse(body).message)
    }),
    ...mediaHistories(asked),
  ]
}

const client = (format: Format) => format.client

const output = [{ type: 'output_text', text: 'x', annotations: [] }]
const message: Json = { type: 'message', id: 'msg_1', role: 'assistant', content: output }
const secret: Json = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: encrypted }
const shell = { call_id: 'call_s', status: 'completed' }
const code: Json = { type: 'server_tool_use', id: 'srvtoolu_02', name: 'code_execution', input: { code: '1' } }
const withFields = (block: Json, more: object): Json => ({ ...(block as object), ...more })
const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_02' }

/** Answers as providers send them, with parts that their requests do not take, or not there. */
const odd: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  anthropic: {
    'a thought without text': anthropicAnswer('tool_use', thought(''), toolUse('toolu_01', 'Oslo')),
    'a thought without text and signature': anthropicAnswer('end_turn', thought('', ''), said('x')),
    'only a thought': anthropicAnswer('max_tokens', thought('So')),
    'a thought at the end': anthropicAnswer('max_tokens', said('x'), thought('So')),
    'a pause in a search': anthropicAnswer('pause_turn', withFields(code, { name: 'web_search' })),
    'a pause in code': anthropicAnswer(
      'pause_turn',
      code,
      withFields(code, { id: 'srvtoolu_03', name: 'web_search', caller }),
    ),
    'code that waits': anthropicAnswer('tool_use', code, withFields(toolUse('toolu_01', 'Oslo'), { caller })),
    'a citation of a file': anthropicAnswer('end_turn', {
      type: 'text',
      text: 'x',
      citations: [
        {
          ...{ type: 'page_location', cited_text: 'x', document_index: 0, document_title: null },
          ...{ start_page_number: 1, end_page_number: 2, file_id: 'file_1' },
        },
      ],
    }),
  },
  'openai-chat-deepseek': {
    'a thought without text': chatAnswer({ role: 'assistant', content: 'x', reasoning_content: '' }),
    'only a thought': chatAnswer({ role: 'assistant', content: '', reasoning_content: 'So' }),
  },
  'openai-chat-mistral': {
    'a thought without text': chatAnswer({
      role: 'assistant',
      content: [{ type: 'thinking', thinking: [said('')] }, said('x')],
    }),
  },
  'openai-responses': {
    'a thought without text': responses(secret, message),
    'a thought without a proof': responses({ type: 'reasoning', id: 'rs_1', summary: [], status: null }, message),
    'only a thought': responses(secret),
    'a shell, and who ran it': responses(
      {
        ...shell,
        type: 'shell_call',
        id: 'sh_1',
        created_by: 'x',
        environment: { type: 'container_reference', container_id: 'c' },
      } as Json,
      {
        ...shell,
        type: 'shell_call_output',
        id: 'sho_1',
        created_by: 'x',
        output: [{ stdout: '1', stderr: '', outcome: { type: 'exit', exit_code: 0 }, created_by: 'x' }],
      } as Json,
      message,
    ),
    'a shell that waits': responses(secret, { ...shell, type: 'shell_call', id: 'sh_1', action: { commands: ['ls'] } }),
  },
  gemini: {
    'a thought without text': gemini({ text: '', thought: true }, { text: 'x' }),
    'only a thought': gemini({ text: 'So', thought: true }),
    'a signature without text': gemini({ text: '', thought: true, thoughtSignature }, { text: 'x' }),
    nothing: gemini({ text: '' }),
  },
  'gemini-interactions': {
    'a thought without anything': interaction({ type: 'thought' }, { type: 'model_output', content: [said('x')] }),
    'only a signature': interaction({ type: 'thought', signature: thoughtSignature }),
  },
  ollama: {
    'a thought without text': ollama({ role: 'assistant', content: 'x', thinking: '' }, 'stop'),
    'only a thought': ollama({ role: 'assistant', content: '', thinking: 'So' }, 'length'),
  },
  cohere: {
    'a thought without text': cohere({ type: 'thinking', thinking: '' }, said('x')),
    'only a thought': cohere({ type: 'thinking', thinking: 'So' }),
  },
  'bedrock-converse': {
    'a thought without text': bedrock({ reasoningContent: { reasoningText: { text: '', signature } } }, { text: 'x' }),
    'a thought at the end': bedrock({ text: 'x' }, { reasoningContent: { reasoningText: { text: 'So', signature } } }),
    citations: bedrock({
      citationsContent: {
        content: [{ text: 'x' }],
        citations: [
          {
            title: 'a',
            sourceContent: [{ text: 'y' }],
            location: { documentChar: { documentIndex: 0, start: 0, end: 1 } },
          },
        ],
      },
    }),
    'a search of Bedrock that was left': bedrock(
      { text: 'x' },
      { toolUse: { toolUseId: 'tooluse_1', name: 'nova_grounding', input: {}, type: 'server_tool_use' } },
    ),
  },
}

/** Histories with these answers, as a run has them, and as a client of a gateway sends them, which does not say how they ended. */
export function oddHistories(): readonly History[] {
  const asked: Context = { messages: [{ role: 'user', content: 'What is the weather?' }] }
  const answers = Object.entries(odd).flatMap(([folder, bodies]) =>
    Object.entries(bodies).map(([name, body]) => [folder, name, body] as const),
  )
  return answers.flatMap(([folder, name, body]) => {
    const format = folders.get(folder) as Format
    const [model] = facts[format.client.name as Wire].models
    const own = history(name, format, model, asked, client(format).decodeResponse(body).message)
    const { stopReason: _, response: __, ...sent } = own.context.messages.at(-1) as AssistantMessage
    return [
      own,
      { ...own, name: `${name}, of a client`, context: { ...own.context, messages: [...asked.messages, sent] } },
    ]
  })
}

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** An image that a tool took, one that the user sent, and a document; a second round after them. */
function mediaHistories(asked: Context): readonly History[] {
  const format = folders.get('anthropic') as Format
  const image = { type: 'image', data: pixel, mimeType: 'image/png' } as const
  const file = { type: 'file', data: 'JVBERi0xLjQ=', mimeType: 'application/pdf', filename: 'a.pdf' } as const
  const call = (id: string, index: number) => callOf({ of: 'the sky' }, { id, index, name: 'take_picture' })
  const messages: Message[] = [
    { role: 'user', content: [{ type: 'text', text: 'Like this one, or this paper:' }, image, file] },
    { role: 'assistant', content: [call('toolu_0a', 0), call('toolu_0b', 1)], stopReason: 'tool_calls' },
    { role: 'tool', toolCallId: 'toolu_0a', name: 'take_picture', content: [{ type: 'text', text: 'Here:' }, image] },
    { role: 'tool', toolCallId: 'toolu_0b', name: 'take_picture', content: [image] },
  ]
  const answer: AssistantMessage = { role: 'assistant', content: 'Blue.', stopReason: 'stop' }
  return [history('an image in a result', format, 'claude-sonnet-5', { ...asked, messages }, answer)]
}

// ---- continuing ---------------------------------------------------------------------------------

/** Whether a history can be continued at that moment: after results only if calls were made that may run. */
export function allows({ context, kinds: found }: History, moment: Moment): boolean {
  const answer = context.messages.at(-1) as AssistantMessage
  return moment === 'next turn' || (toolCallsOf(answer).length > 0 && !found.has('abort in the middle'))
}

/** The history, and the messages after it. */
export function goOn({ context, kinds: found }: History, moment: Moment): Context {
  const answer = context.messages.at(-1) as AssistantMessage
  const results = found.has('abort in the middle') ? [] : toolCallsOf(answer).map(resultOf)
  const closing: Message[] = results.length > 0 ? [{ role: 'assistant', content: 'That is what I found.' }] : []
  const user: Message = { role: 'user', content: 'Thank you. And tomorrow?' }
  const behind: Record<Moment, readonly Message[]> = {
    'tool result': results,
    'next turn': [...results, ...closing, user],
    interjection: [...results, user],
  }
  return { ...context, messages: [...context.messages, ...behind[moment]] }
}

/** Every second one failed. */
function resultOf({ id, name }: ToolCall, at: number): ToolMessage {
  const failed = at % 2 === 1
  return {
    role: 'tool',
    toolCallId: id,
    name,
    content: failed ? 'The service is away' : '{"celsius":25}',
    status: failed ? 'error' : 'success',
  }
}
