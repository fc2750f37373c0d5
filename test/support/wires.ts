/** The wires on the provider's side: answers written by hand from their documents, and what a request says of tools. */
import type { Model } from '../../src/core/codec.ts'
import { anthropic } from '../../src/formats/anthropic/index.ts'
import { cohere } from '../../src/formats/cohere/index.ts'
import { gemini } from '../../src/formats/gemini/index.ts'
import { geminiInteractions } from '../../src/formats/gemini-interactions/index.ts'
import { ollama } from '../../src/formats/ollama/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { openaiResponses } from '../../src/formats/openai-responses/index.ts'

/** A call as a model writes it: its id (where the wire has one), its tool, and the text of its arguments. */
export type WrittenCall = readonly [id: string, name: string, args: string]

/** One result in a request. */
export interface SentResult {
  /** The id, or the name where the wire goes by that. */
  readonly of: string
  readonly text: string
}

export interface TestWire {
  readonly name: string
  model(baseUrl: string): Model
  /** A streamed answer in pieces; its last `endPieces` are its normal end. */
  text(...texts: string[]): string[]
  calls(...calls: WrittenCall[]): string[]
  readonly endPieces: number
  /** The same calls in an answer that hit its length. */
  cutAtLength(...calls: WrittenCall[]): string[]
  /** An error after a 200, as a piece of the stream. */
  readonly errorPiece: string
  wholeText(text: string): unknown
  wholeCalls(...calls: WrittenCall[]): unknown
  resultsIn(body: unknown): SentResult[]
}

/** Input is taken to have the right type: a test fails if it does not. */
type Body = { readonly [field: string]: string }
type Bodies = { readonly [field: string]: Body }
const list = (value: unknown) => (Array.isArray(value) ? value : []) as Body[]
const said = (value: string | undefined) => value ?? '(none)'
const sse = (data: object) => `data: ${JSON.stringify(data)}\n\n`
const named = (data: { readonly type: string }) => `event: ${data.type}\n${sse(data)}`

/** Arguments as an object, or as the text that they are where they are none: some hosts write that. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

// ---- Chat Completions ---------------------------------------------------------------------------

const chatChunk = (delta: object, finish: string | null = null) =>
  sse({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
const chatEnd = (reason: string) => [chatChunk({}, reason), 'data: [DONE]\n\n']
const chatPieces = (calls: readonly WrittenCall[]) => [
  chatChunk({ role: 'assistant', content: null }),
  ...calls.flatMap(([id, name, args], index) => [
    chatChunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    chatChunk({ tool_calls: [{ index, function: { arguments: args.slice(0, 4) } }] }),
    chatChunk({ tool_calls: [{ index, function: { arguments: args.slice(4) } }] }),
  ]),
]
const chatBody = (message: object, finish_reason: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
})

const chat: TestWire = {
  name: 'openai-chat',
  model: (baseUrl) => openaiChat('m', { apiKey: 'k', baseUrl }),
  text: (...texts) => [
    chatChunk({ role: 'assistant', content: '' }),
    ...texts.map((content) => chatChunk({ content })),
    ...chatEnd('stop'),
  ],
  calls: (...calls) => [...chatPieces(calls), ...chatEnd('tool_calls')],
  cutAtLength: (...calls) => [...chatPieces(calls), ...chatEnd('length')],
  endPieces: 2,
  errorPiece: sse({ error: { message: 'The oven burns', type: 'server_error', param: null, code: null } }),
  wholeText: (content) => chatBody({ content }, 'stop'),
  wholeCalls: (...calls) =>
    chatBody(
      {
        content: null,
        tool_calls: calls.map(([id, name, args]) => ({ id, type: 'function', function: { name, arguments: args } })),
      },
      'tool_calls',
    ),
  resultsIn: (body) =>
    list((body as Body).messages)
      .filter(({ role }) => role === 'tool')
      .map(({ tool_call_id, content }) => ({ of: said(tool_call_id), text: said(content) })),
}

// ---- Responses ----------------------------------------------------------------------------------

const response = (status: string, output: object[], more: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status,
  output,
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  ...more,
})
const callItem = ([call_id, name, args]: WrittenCall, at: number, status = 'completed') => ({
  type: 'function_call',
  id: `fc_${at}`,
  call_id,
  name,
  arguments: args,
  status,
})
const textItem = (text: string) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
})
const responsesPieces = (calls: readonly WrittenCall[]) => [
  named({ type: 'response.created', response: response('in_progress', []) } as never),
  ...calls.flatMap((call, at) => [
    named({
      type: 'response.output_item.added',
      output_index: at,
      item: callItem([call[0], call[1], ''], at, 'in_progress'),
    } as never),
    named({
      type: 'response.function_call_arguments.delta',
      output_index: at,
      item_id: `fc_${at}`,
      delta: call[2],
    } as never),
    named({
      type: 'response.function_call_arguments.done',
      output_index: at,
      item_id: `fc_${at}`,
      arguments: call[2],
    } as never),
    named({ type: 'response.output_item.done', output_index: at, item: callItem(call, at) } as never),
  ]),
]

const responses: TestWire = {
  name: 'openai-responses',
  model: (baseUrl) => openaiResponses('m', { apiKey: 'k', baseUrl }),
  text: (...texts) => [
    named({ type: 'response.created', response: response('in_progress', []) } as never),
    named({
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...textItem(''), status: 'in_progress', content: [] },
    } as never),
    named({
      type: 'response.content_part.added',
      output_index: 0,
      content_index: 0,
      item_id: 'msg_1',
      part: { type: 'output_text', text: '', annotations: [] },
    } as never),
    ...texts.map((delta) =>
      named({
        type: 'response.output_text.delta',
        output_index: 0,
        content_index: 0,
        item_id: 'msg_1',
        delta,
      } as never),
    ),
    named({ type: 'response.output_item.done', output_index: 0, item: textItem(texts.join('')) } as never),
    named({ type: 'response.completed', response: response('completed', [textItem(texts.join(''))]) } as never),
  ],
  calls: (...calls) => [
    ...responsesPieces(calls),
    named({
      type: 'response.completed',
      response: response(
        'completed',
        calls.map((call, at) => callItem(call, at)),
      ),
    } as never),
  ],
  cutAtLength: (...calls) => [
    ...responsesPieces(calls),
    named({
      type: 'response.incomplete',
      response: response(
        'incomplete',
        calls.map((call, at) => callItem(call, at)),
        { incomplete_details: { reason: 'max_output_tokens' } },
      ),
    } as never),
  ],
  endPieces: 1,
  errorPiece: named({
    type: 'error',
    sequence_number: 9,
    code: 'server_error',
    message: 'The oven burns',
    param: null,
  } as never),
  wholeText: (text) => response('completed', [textItem(text)]),
  wholeCalls: (...calls) =>
    response(
      'completed',
      calls.map((call, at) => callItem(call, at)),
    ),
  resultsIn: (body) =>
    list((body as Body).input)
      .filter(({ type }) => type === 'function_call_output')
      .map(({ call_id, output }) => ({ of: said(call_id), text: said(output) })),
}

// ---- Messages -----------------------------------------------------------------------------------

const anthropicStart = named({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  },
} as never)
const anthropicEnd = (stop_reason: string) => [
  named({
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: 5 },
  } as never),
  named({ type: 'message_stop' }),
]
const anthropicPieces = (calls: readonly WrittenCall[]) => [
  anthropicStart,
  ...calls.flatMap(([id, name, args], index) => [
    named({ type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } } as never),
    named({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: args } } as never),
    named({ type: 'content_block_stop', index } as never),
  ]),
]
const anthropicBody = (content: object[], stop_reason: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5 },
})

const messages: TestWire = {
  name: 'anthropic',
  model: (baseUrl) => anthropic('m', { apiKey: 'k', baseUrl }),
  text: (...texts) => [
    anthropicStart,
    named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never),
    ...texts.map((text) =>
      named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as never),
    ),
    named({ type: 'content_block_stop', index: 0 } as never),
    ...anthropicEnd('end_turn'),
  ],
  calls: (...calls) => [...anthropicPieces(calls), ...anthropicEnd('tool_use')],
  cutAtLength: (...calls) => [...anthropicPieces(calls), ...anthropicEnd('max_tokens')],
  endPieces: 2,
  errorPiece: named({ type: 'error', error: { type: 'api_error', message: 'The oven burns' } } as never),
  wholeText: (text) => anthropicBody([{ type: 'text', text }], 'end_turn'),
  wholeCalls: (...calls) =>
    anthropicBody(
      calls.map(([id, name, args]) => ({ type: 'tool_use', id, name, input: parsed(args) })),
      'tool_use',
    ),
  resultsIn: (body) =>
    list((body as Body).messages).flatMap(({ content }) =>
      list(content)
        .filter(({ type }) => type === 'tool_result')
        .map((block) => ({ of: said(block.tool_use_id), text: textIn(block.content) })),
    ),
}

function textIn(content: unknown): string {
  return typeof content === 'string'
    ? content
    : list(content)
        .map(({ text }) => text)
        .join('')
}

// ---- Gemini -------------------------------------------------------------------------------------

const candidate = (parts: object[], finishReason?: string) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason && { finishReason }) }],
  modelVersion: 'm',
  responseId: 'r1',
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
})
const functionCall = ([id, name, args]: WrittenCall) => ({ functionCall: { id, name, args: parsed(args) } })

const generateContent: TestWire = {
  name: 'gemini',
  model: (baseUrl) => gemini('m', { apiKey: 'k', baseUrl }),
  text: (...texts) => [...texts.map((text) => sse(candidate([{ text }]))), sse(candidate([{ text: '' }], 'STOP'))],
  calls: (...calls) => [...calls.map((call) => sse(candidate([functionCall(call)]))), sse(candidate([], 'STOP'))],
  cutAtLength: (...calls) => [
    ...calls.map((call) => sse(candidate([functionCall(call)]))),
    sse(candidate([], 'MAX_TOKENS')),
  ],
  endPieces: 1,
  errorPiece: sse({ error: { code: 500, message: 'The oven burns', status: 'INTERNAL' } }),
  wholeText: (text) => candidate([{ text }], 'STOP'),
  wholeCalls: (...calls) => candidate(calls.map(functionCall), 'STOP'),
  resultsIn: (body) =>
    list((body as Body).contents).flatMap(({ parts }) =>
      list(parts)
        .filter((part) => 'functionResponse' in part)
        .map((part) => (part as unknown as Bodies).functionResponse ?? {})
        .map(({ id, name, response: answer }) => ({
          of: said(id ?? name),
          text: Object.values(answer ?? {}).join(''),
        })),
    ),
}

// ---- Interactions -------------------------------------------------------------------------------

const interaction = (status: string, more: object = {}) => ({
  id: '',
  object: 'interaction',
  model: 'm',
  status,
  usage: { total_input_tokens: 10, total_output_tokens: 5, total_tokens: 15 },
  ...more,
})
const told = (event_type: string, fields: object) => `event: ${event_type}\n${sse({ ...fields, event_type })}`
const interactionStart = told('interaction.created', { interaction: interaction('in_progress') })
const interactionEnd = (status: string) => [
  told('interaction.completed', { interaction: interaction(status) }),
  'event: done\ndata: [DONE]\n\n',
]
const interactionPieces = (calls: readonly WrittenCall[]) => [
  interactionStart,
  ...calls.flatMap(([id, name, args], index) => [
    told('step.start', { index, step: { type: 'function_call', id, name, arguments: {} } }),
    told('step.delta', { index, delta: { type: 'arguments_delta', arguments: args } }),
    told('step.stop', { index }),
  ]),
]

const interactions: TestWire = {
  name: 'gemini-interactions',
  model: (baseUrl) => geminiInteractions('m', { apiKey: 'k', baseUrl }),
  text: (...texts) => [
    interactionStart,
    told('step.start', { index: 0, step: { type: 'model_output' } }),
    ...texts.map((text) => told('step.delta', { index: 0, delta: { type: 'text', text } })),
    told('step.stop', { index: 0 }),
    ...interactionEnd('completed'),
  ],
  calls: (...calls) => [...interactionPieces(calls), ...interactionEnd('requires_action')],
  cutAtLength: (...calls) => [...interactionPieces(calls), ...interactionEnd('incomplete')],
  endPieces: 2,
  errorPiece: told('error', { error: { code: 'api_error', message: 'The oven burns' } }),
  wholeText: (text) =>
    interaction('completed', { steps: [{ type: 'model_output', content: [{ type: 'text', text }] }] }),
  wholeCalls: (...calls) =>
    interaction('requires_action', {
      steps: calls.map(([id, name, args]) => ({ type: 'function_call', id, name, arguments: parsed(args) })),
    }),
  resultsIn: (body) =>
    list((body as Body).input)
      .filter(({ type }) => type === 'function_result')
      .map(({ call_id, result }) => ({ of: said(call_id), text: said(result) })),
}

// ---- Ollama -------------------------------------------------------------------------------------

const line = (message: object, done: false | string = false) =>
  `${JSON.stringify({
    model: 'm',
    created_at: '2026-11-01T00:00:00Z',
    message: { role: 'assistant', content: '', ...message },
    done: done !== false,
    ...(done !== false && { done_reason: done, prompt_eval_count: 10, eval_count: 5 }),
  })}\n`
const toolCalls = (calls: readonly WrittenCall[]) =>
  calls.map(([id, name, args], index) => ({ id, function: { index, name, arguments: parsed(args) } }))

const ollamaChat: TestWire = {
  name: 'ollama',
  model: (baseUrl) => ollama('m', { baseUrl }),
  text: (...texts) => [...texts.map((content) => line({ content })), line({}, 'stop')],
  calls: (...calls) => [line({ tool_calls: toolCalls(calls) }), line({}, 'stop')],
  cutAtLength: (...calls) => [line({ tool_calls: toolCalls(calls) }), line({}, 'length')],
  endPieces: 1,
  errorPiece: `${JSON.stringify({ error: 'The oven burns' })}\n`,
  wholeText: (content) => JSON.parse(line({ content }, 'stop')),
  wholeCalls: (...calls) => JSON.parse(line({ tool_calls: toolCalls(calls) }, 'stop')),
  resultsIn: (body) =>
    list((body as Body).messages)
      .filter(({ role }) => role === 'tool')
      .map(({ tool_call_id, tool_name, content }) => ({ of: said(tool_call_id ?? tool_name), text: said(content) })),
}

// ---- Cohere -------------------------------------------------------------------------------------

const cohereEvent = (type: string, fields: object) => named({ type, ...fields } as never)
const inMessage = (message: object) => ({ delta: { message } })
const cohereUsage = {
  billed_units: { input_tokens: 3, output_tokens: 5 },
  tokens: { input_tokens: 10, output_tokens: 5 },
}
const cohereStart = cohereEvent('message-start', { id: 'r1', ...inMessage({ role: 'assistant', content: [] }) })
const cohereEnd = (finish_reason: string) => [
  cohereEvent('message-end', { delta: { finish_reason, usage: cohereUsage } }),
  'data: [DONE]\n\n',
]
const cohereCall = ([id, name, args]: WrittenCall) => ({ id, type: 'function', function: { name, arguments: args } })
const coherePieces = (calls: readonly WrittenCall[]) => [
  cohereStart,
  ...calls.flatMap(([id, name, args], index) => [
    cohereEvent('tool-call-start', { index, ...inMessage({ tool_calls: cohereCall([id, name, '']) }) }),
    cohereEvent('tool-call-delta', { index, ...inMessage({ tool_calls: { function: { arguments: args } } }) }),
    cohereEvent('tool-call-end', { index }),
  ]),
]
const cohereBody = (message: object, finish_reason: string) => ({
  id: 'r1',
  message: { role: 'assistant', ...message },
  finish_reason,
  usage: cohereUsage,
})

const cohereChat: TestWire = {
  name: 'cohere',
  model: (baseUrl) => cohere('m', { apiKey: 'k', baseUrl }),
  text: (...texts) => [
    cohereStart,
    cohereEvent('content-start', { index: 0, ...inMessage({ content: { type: 'text', text: '' } }) }),
    ...texts.map((text) => cohereEvent('content-delta', { index: 0, ...inMessage({ content: { text } }) })),
    cohereEvent('content-end', { index: 0 }),
    ...cohereEnd('COMPLETE'),
  ],
  calls: (...calls) => [...coherePieces(calls), ...cohereEnd('TOOL_CALL')],
  cutAtLength: (...calls) => [...coherePieces(calls), ...cohereEnd('MAX_TOKENS')],
  endPieces: 2,
  errorPiece: cohereEvent('message-end', { delta: { finish_reason: 'ERROR', error: 'The oven burns' } }),
  wholeText: (text) => cohereBody({ content: [{ type: 'text', text }] }, 'COMPLETE'),
  wholeCalls: (...calls) => cohereBody({ tool_calls: calls.map(cohereCall) }, 'TOOL_CALL'),
  resultsIn: (body) =>
    list((body as Body).messages)
      .filter(({ role }) => role === 'tool')
      .map(({ tool_call_id, content }) => ({ of: said(tool_call_id), text: textIn(content) })),
}

export const wires: readonly TestWire[] = [
  chat,
  responses,
  messages,
  generateContent,
  interactions,
  ollamaChat,
  cohereChat,
]
