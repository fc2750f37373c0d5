/**
 * Messages in the form of another library, given to every function that takes messages: each gives what it gives for the normalised
 * message, or throws a TypeError that names `normalizeMessages`. None leaves anything out silently.
 */
import { describe, expect, it } from 'vitest'
import { prepare } from '../../src/codec.ts'
import * as anthropic from '../../src/formats/anthropic/index.ts'
import * as gemini from '../../src/formats/gemini/index.ts'
import * as ollama from '../../src/formats/ollama/index.ts'
import * as chat from '../../src/formats/openai-chat/index.ts'
import * as responses from '../../src/formats/openai-responses/index.ts'
import { normalizeMessages, safeNormalizeMessages, toMessage } from '../../src/import/index.ts'
import {
  type AssistantMessage,
  createChat,
  generate,
  type Message,
  type RunRequest,
  stream,
  textOf,
} from '../../src/index.ts'
import {
  blocksOfTurn,
  canRunTools,
  contentBlocks,
  countTokensApproximately,
  createContext,
  filterMessages,
  mergeChunks,
  mergeRuns,
  prettyPrint,
  serializeContext,
  serializeMessages,
  serverToolCalls,
  serverToolResults,
  splitMessage,
  toolCalls,
  toolCallsOf,
  trimMessages,
} from '../../src/messages/index.ts'
import { answering } from '../support/answering.ts'
import { wires } from '../support/targets.ts'

const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }
const toolUse = { type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } }

/** By the library whose form it is. Each is one message. */
const foreign: Readonly<Record<string, object>> = {
  'OpenAI: calls beside text': { role: 'assistant', content: 'I look', tool_calls: [call] },
  'OpenAI: calls beside null': { role: 'assistant', content: null, tool_calls: [call] },
  'OpenAI: a call of the old form': {
    role: 'assistant',
    content: null,
    function_call: { name: 'f', arguments: '{}' },
  },
  'OpenAI: a result': { role: 'tool', content: 'sunny', tool_call_id: 'c1' },
  'OpenAI: a result beside our id': { role: 'tool', content: 'sunny', toolCallId: 'c1', tool_call_id: 'c1' },
  'OpenAI: a refusal': { role: 'assistant', content: null, refusal: 'No' },
  'OpenAI: an image': { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.example/a.png' } }] },
  'OpenAI: a file': { role: 'user', content: [{ type: 'file', file: { file_id: 'f1' } }] },
  'OpenAI: text of Responses': { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
  'DeepSeek: reasoning': { role: 'assistant', content: 'so', reasoning_content: 'hm' },
  'OpenRouter: reasoning': { role: 'assistant', content: 'so', reasoning: 'hm' },
  'Anthropic: a call': { role: 'assistant', content: [toolUse] },
  'Anthropic: a result': { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'sunny' }] },
  'Anthropic: an image': {
    role: 'user',
    content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }],
  },
  'Anthropic: thinking': { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 's' }] },
  'Anthropic: a cache mark': {
    role: 'user',
    content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }],
  },
  'Anthropic: a whole answer': {
    role: 'assistant',
    content: [{ type: 'text', text: 'hi' }],
    stop_reason: 'max_tokens',
  },
  'Gemini: parts': { role: 'user', parts: [{ text: 'hi' }] },
  'Gemini: parts beside empty text': { role: 'user', content: '', parts: [{ text: 'hi' }] },
  'Gemini: a part in content': { role: 'user', content: [{ text: 'hi' }] },
  'Ollama: pictures': { role: 'user', content: 'what is it?', images: ['iVBORw0KGgo='] },
  'Ollama: thinking': { role: 'assistant', content: 'so', thinking: 'hm' },
  'LangChain: a role': { role: 'human', content: 'hi' },
  'LangChain: an envelope': { type: 'human', data: { content: 'hi' } },
  'LangChain: a call': { role: 'assistant', content: '', tool_calls: [{ id: 'c1', name: 'f', args: { a: 1 } }] },
  'LangChain: a call in content': {
    role: 'assistant',
    content: [{ type: 'tool_call', id: 'c1', name: 'f', args: { a: 1 } }],
  },
  'LangChain: invalid calls': {
    role: 'assistant',
    content: '',
    invalid_tool_calls: [{ id: 'c1', name: 'f', args: '{"a', error: 'cut' }],
  },
  'LangChain: usage': {
    role: 'assistant',
    content: 'so',
    usage_metadata: { input_tokens: 900, output_tokens: 99, total_tokens: 999 },
  },
  'AI SDK: a call': {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'f', input: { a: 1 } }],
  },
  'AI SDK: a file': { role: 'user', content: [{ type: 'file', data: 'JVBERi0=', mediaType: 'application/pdf' }] },
  'AI SDK: calls of a page': {
    role: 'assistant',
    content: 'so',
    toolInvocations: [{ state: 'call', toolCallId: 'c1', toolName: 'f', args: {} }],
  },
  'AI SDK: parts of a page': {
    role: 'assistant',
    parts: [{ type: 'tool-f', toolCallId: 'c1', state: 'input-available', input: {} }],
  },
  'snake case: a citation': { role: 'assistant', content: [{ type: 'citation', start_index: 1, end_index: 2 }] },
  'snake case: a cache hint': {
    role: 'user',
    content: [{ type: 'text', text: 'hi', metadata: { cache_hint: 'ephemeral' } }],
  },
  'a foreign block within a result': {
    role: 'tool',
    toolCallId: 'c1',
    content: [{ type: 'image_url', image_url: { url: 'https://x.example/a.png' } }],
  },
  'a call without its text': {
    role: 'assistant',
    content: [{ type: 'tool_call', id: 'c1', name: 'f', arguments: { a: 1 } }],
  },
}

type Use = (message: Message) => unknown
const options = { model: 'm', maxTokens: 9 }
const said = { choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }] }
/** The last body that is sent. */
const sent = async (ask: (request: RunRequest) => unknown, given: Partial<RunRequest>) => {
  const { model, asked } = answering(chat.openaiChat('m', { apiKey: 'k' }), said)
  await ask({ model, ...given, onToolResult: () => {} } as RunRequest)
  return asked.at(-1)
}

const uses: Readonly<Record<string, Use>> = {
  blocksOfTurn: (message) => blocksOfTurn(message as AssistantMessage),
  canRunTools: (message) => canRunTools(message as AssistantMessage),
  contentBlocks: (message) => contentBlocks(message),
  countTokensApproximately: (message) => countTokensApproximately([message], { scaleByUsage: true }),
  createContext: (message) => createContext([message]),
  'createContext of one': (message) => createContext(message),
  'createContext with a prompt': (message) => createContext({ prompt: message }),
  filterMessages: (message) => filterMessages([message], { excludeToolCalls: true }),
  mergeRuns: (message) => mergeRuns([message]),
  mergeChunks: (message) => message.role === 'assistant' && mergeChunks([message]),
  normalizeMessages: (message) => normalizeMessages([message]),
  prepare: (message) => prepare({ messages: [message] }, wires.chat, { model: 'm' }),
  prettyPrint: (message) => prettyPrint([message]),
  serializeContext: (message) => serializeContext({ messages: [message] }),
  serializeMessages: (message) => serializeMessages([message]),
  serverToolCalls: (message) => serverToolCalls(message),
  serverToolResults: (message) => serverToolResults(message),
  splitMessage: (message) => splitMessage(message),
  textOf: (message) => textOf(message),
  toMessage: (message) => toMessage(message),
  toolCalls: (message) => toolCalls(message),
  toolCallsOf: (message) => toolCallsOf(message),
  trimMessages: (message) => trimMessages([message], { maxTokens: 9 }),
  'Chat encodes': (message) => chat.encodeRequest({ messages: [message] }, options).body,
  'Responses encodes': (message) => responses.encodeRequest({ messages: [message] }, options).body,
  'Anthropic encodes': (message) => anthropic.encodeRequest({ messages: [message] }, options).body,
  'Gemini encodes': (message) => gemini.encodeRequest({ messages: [message] }, options).body,
  'Ollama encodes': (message) => ollama.encodeRequest({ messages: [message] }, options).body,
  generate: (message) => sent(generate, { messages: [message], prompt: 'go on' }),
  'generate with a prompt': (message) => sent(generate, { prompt: message }),
  stream: (message) =>
    sent((request) => stream(request).response.catch(untilSent), { messages: [message], prompt: 'x' }),
  createChat: (message) => sent(({ model }) => createChat({ model, messages: [message] }).send('x'), {}),
  'a turn of a chat': (message) => sent(({ model }) => createChat({ model }).send(message), {}),
}

/** Errors of `stream` for an answer that is not a stream. A TypeError is about the request. */
function untilSent(cause: unknown): void {
  if (cause instanceof TypeError) throw cause
}

const outcomeOf = async (use: Use, message: unknown) => {
  try {
    return { value: await use(message as Message) }
  } catch (error) {
    return { error }
  }
}

const everything = Object.values(uses)

describe.each(Object.entries(foreign))('%s', (_form, message) => {
  it('is read as the normalised message, or refused by an error that says how to read it', {
    meta: { promise: '4.96' },
  }, async () => {
    const normalized = safeNormalizeMessages([message])
    for (const [name, use] of Object.entries(uses)) {
      const { value, error } = await outcomeOf(use, message)
      if (error instanceof TypeError) expect(error.message, name).toContain('normalizeMessages')
      else if (error !== undefined) expect(normalized.ok, `${name}: ${error}`).toBe(false)
      else if (normalized.ok) expect({ value }, name).toEqual(await outcomeOf(use, normalized.value[0]))
      else expect(value, name).toBe('an error')
    }
    expect.assertions(everything.length)
  })
})

it('refuses calls in OpenAI’s form before anything is sent, and says where they stand', {
  meta: { promise: '4.17' },
}, async () => {
  const raw = { role: 'assistant', content: 'I look', tool_calls: [call] } as AssistantMessage
  const model = chat.openaiChat('m', { fetch: () => Promise.reject(new Error('nothing may be sent')) })
  const failure = await stream({ model, messages: ['q', raw], prompt: 'go on' }).response.catch((cause) => cause)
  expect(failure).toBeInstanceOf(TypeError)
  expect(failure.message).toBe(
    'Cannot read "messages[1]": "tool_calls" is not a field of our messages; normalizeMessages of isoglot/import reads other forms',
  )
})

it('takes the empty fields that OpenAI’s own client adds to a message', () => {
  const raw = { role: 'assistant', content: 'hi', refusal: null, annotations: [], tool_calls: [], function_call: null }
  expect(textOf(raw as unknown as Message)).toBe('hi')
  expect(prettyPrint([raw as unknown as Message])).toBe('Assistant: hi')
})
