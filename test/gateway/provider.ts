/**
 * The providers on one loopback server, each at a path of its own and each in its own wire, written by hand from `wire/*.md`: what a
 * request says is read, what is against the rules of the wire is a 400, and what is asked for is answered, whole or in pieces.
 */
import type { ServerResponse } from 'node:http'
import { EventStreamCodec } from '@smithy/core/event-streams'
import { type Wire as WireName, wires as wireNames } from '../support/answers.ts'
import {
  type Answering,
  type Asked,
  json,
  startUpstream,
  chunks as textChunks,
  type Upstream,
} from '../support/upstream.ts'
import { wireViolations } from '../support/valid-wire.ts'
import { type Heard, proof, type Said, say } from './dialogue.ts'
import { keys } from './models.ts'

/** Input from the network: each speaker reads the fields that it knows. */
type Loose = ReturnType<typeof JSON.parse>
type Json = Readonly<Record<string, Loose>>

export { type Wire as WireName, wires as wireNames } from '../support/answers.ts'

/** The answer of each wire, by hand. Pieces of a binary stream are text too: {@link toWire} turns them into bytes. */
interface Speaker {
  hear(body: Json): Heard
  whole(said: Said): unknown
  pieces(said: Said): string[]
  isStream(asked: Pick<Asked, 'path' | 'body'>): boolean
  error(status: number, message: string): unknown
  /** The error as it comes after a 200, in a stream. */
  errorPiece(message: string): string
  holdsKey(asked: Asked): boolean
}

const list = (value: unknown): Loose[] => (Array.isArray(value) ? value : [])
const event = (data: Json) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const halves = (text: string): string[] => [text.slice(0, text.length / 2), text.slice(text.length / 2)]

// ---- openai-chat: wire/openai-chat.md §3, §4 --------------------------------------------------

const chatUsage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }
const chatHead = { id: 'chatcmpl-u1', created: 1_790_000_000, model: 'gpt-5-2026-01-01' }
const chatCall = ({ id, name, args }: NonNullable<Said['calls']>[number]) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
})
const chat: Speaker = {
  hear({ messages, response_format }) {
    const last = list(messages).findLastIndex((message) => message.role === 'user')
    const results = list(messages)
      .slice(last)
      .filter(({ role }) => role === 'tool')
    return {
      prompt: textOf(list(messages)[last]?.content),
      results: results.map(({ content }) => textOf(content)),
      hasProof: false,
      hasSchema: response_format?.json_schema?.schema?.properties?.city !== undefined,
    }
  },
  whole: ({ text = null, calls }) => ({
    ...chatHead,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text, refusal: null, ...(calls && { tool_calls: calls.map(chatCall) }) },
        finish_reason: calls ? 'tool_calls' : 'stop',
        logprobs: null,
      },
    ],
    usage: chatUsage,
  }),
  pieces({ text = '', calls = [] }) {
    const chunk = (delta: Json, finish_reason: string | null = null) =>
      data({ ...chatHead, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })
    return [
      chunk({ role: 'assistant', content: '' }),
      ...(text === '' ? [] : halves(text).map((content) => chunk({ content }))),
      ...calls.flatMap((call, index) => [
        chunk({ tool_calls: [{ index, ...chatCall(call), function: { name: call.name, arguments: '' } }] }),
        ...halves(JSON.stringify(call.args)).map((args) =>
          chunk({ tool_calls: [{ index, function: { arguments: args } }] }),
        ),
      ]),
      chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
      data({ ...chatHead, object: 'chat.completion.chunk', choices: [], usage: chatUsage }),
      'data: [DONE]\n\n',
    ]
  },
  isStream: ({ body }) => body.stream === true,
  error: (status, message) => ({ error: { message, type: 'x', param: null, code: codeOf(status) } }),
  errorPiece: (message) => data({ error: { message, type: 'server_error', param: null, code: 'server_error' } }),
  holdsKey: ({ headers }) => headers.authorization === `Bearer ${keys['openai-chat']}`,
}

// ---- openai-responses: wire/openai-responses.md §3, §4 ----------------------------------------

const responsesUsage = {
  input_tokens: 11,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 18,
}
function responsesItems({ thought, text, calls = [] }: Said): Json[] {
  return [
    ...(thought === undefined
      ? []
      : [
          {
            id: 'rs_u1',
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: thought }],
            encrypted_content: proof,
          },
        ]),
    ...(text === undefined
      ? []
      : [
          {
            id: 'msg_u1',
            type: 'message',
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
          },
        ]),
    ...calls.map(({ id, name, args }) => ({
      id: `fc_${id}`,
      type: 'function_call',
      status: 'completed',
      call_id: id,
      name,
      arguments: JSON.stringify(args),
    })),
  ]
}
const responseBody = (status: string, output: readonly Json[]) => ({
  id: 'resp_u1',
  object: 'response',
  created_at: 1_790_000_000,
  status,
  error: null,
  incomplete_details: null,
  instructions: null,
  model: 'gpt-5-2026-01-01',
  output,
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  usage: status === 'completed' ? responsesUsage : null,
})
const responses: Speaker = {
  hear({ input, text }) {
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : list(input)
    const last = items.findLastIndex((item) => item.role === 'user')
    const results = items.slice(last).filter(({ type }) => type === 'function_call_output')
    return {
      prompt: textOf(items[last]?.content),
      results: results.map(({ output }) => textOf(output)),
      hasProof: items.some(({ type, encrypted_content }) => type === 'reasoning' && encrypted_content === proof),
      hasSchema: text?.format?.schema?.properties?.city !== undefined,
    }
  },
  whole: (said) => responseBody('completed', responsesItems(said)),
  pieces(said) {
    const items = responsesItems(said)
    const events: Json[] = [
      { type: 'response.created', response: responseBody('in_progress', []) },
      { type: 'response.in_progress', response: responseBody('in_progress', []) },
      ...items.flatMap((item, output_index) => itemEvents(item, output_index)),
      { type: 'response.completed', response: responseBody('completed', items) },
    ]
    return events.map(({ type, ...rest }, sequence_number) => event({ type, sequence_number, ...rest }))
  },
  isStream: ({ body }) => body.stream === true,
  error: chat.error,
  errorPiece: (message) => event({ type: 'error', sequence_number: 2, code: 'server_error', message, param: null }),
  holdsKey: ({ headers }) => headers.authorization === `Bearer ${keys['openai-responses']}`,
}

function itemEvents(item: Json, output_index: number): Json[] {
  const at = { item_id: item.id, output_index }
  const added = { ...item, ...(item.status && { status: 'in_progress' }) }
  const around = (empty: Json, inner: Json[]) => [
    { type: 'response.output_item.added', output_index, item: { ...added, ...empty } },
    ...inner,
    { type: 'response.output_item.done', output_index, item },
  ]
  if (item.type === 'message') {
    const [part] = item.content
    const place = { ...at, content_index: 0 }
    return around({ content: [] }, [
      { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
      ...halves(part.text).map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...place, text: part.text, logprobs: [] },
      { type: 'response.content_part.done', ...place, part },
    ])
  }
  if (item.type === 'function_call') {
    return around({ arguments: '' }, [
      ...halves(item.arguments).map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta })),
      { type: 'response.function_call_arguments.done', ...at, name: item.name, arguments: item.arguments },
    ])
  }
  const [part] = item.summary
  const place = { ...at, summary_index: 0 }
  return around({ summary: [] }, [
    { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
    ...halves(part.text).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...place, delta })),
    { type: 'response.reasoning_summary_text.done', ...place, text: part.text },
    { type: 'response.reasoning_summary_part.done', ...place, part },
  ])
}

// ---- anthropic: wire/anthropic.md §3, §4 ------------------------------------------------------

function anthropicBlocks({ thought, text, calls = [] }: Said): Json[] {
  return [
    ...(thought === undefined ? [] : [{ type: 'thinking', thinking: thought, signature: proof }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
  ]
}
const anthropicHead = { id: 'msg_u1', type: 'message', role: 'assistant', model: 'claude-sonnet-5' }
const anthropic: Speaker = {
  hear({ messages, output_config }) {
    const turns = list(messages)
    const isPrompt = ({ role, content }: Json) =>
      role === 'user' && !list(content).some(({ type }) => type === 'tool_result')
    const last = turns.findLastIndex(isPrompt)
    const results = turns
      .slice(last)
      .flatMap(({ content }) => list(content).filter(({ type }) => type === 'tool_result'))
    return {
      prompt: textOf(turns[last]?.content),
      results: results.map(({ content }) => textOf(content)),
      hasProof: turns.some(({ content }) =>
        list(content).some(({ type, signature }) => type === 'thinking' && signature === proof),
      ),
      hasSchema: output_config?.format?.schema?.properties?.city !== undefined,
    }
  },
  whole: (said) => ({
    ...anthropicHead,
    content: anthropicBlocks(said),
    stop_reason: said.calls ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 7 },
  }),
  pieces(said) {
    const usage = { input_tokens: 11, output_tokens: 1 }
    const stop_reason = said.calls ? 'tool_use' : 'end_turn'
    return [
      {
        type: 'message_start',
        message: { ...anthropicHead, content: [], stop_reason: null, stop_sequence: null, usage },
      },
      { type: 'ping' },
      ...anthropicBlocks(said).flatMap((block, index) => [
        { type: 'content_block_start', index, content_block: emptied(block) },
        ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ].map(event)
  },
  isStream: ({ body }) => body.stream === true,
  error: (status, message) => ({ type: 'error', error: { type: codeOf(status), message }, request_id: 'req_u1' }),
  errorPiece: (message) => event({ type: 'error', error: { type: 'overloaded_error', message } }),
  holdsKey: ({ headers }) => headers['x-api-key'] === keys.anthropic && headers['anthropic-version'] !== undefined,
}

function emptied(block: Json): Json {
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' }
  return block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} }
}

function deltasOf(block: Json): Json[] {
  if (block.type === 'text') return halves(block.text).map((text) => ({ type: 'text_delta', text }))
  if (block.type === 'tool_use') {
    return halves(JSON.stringify(block.input)).map((partial_json) => ({ type: 'input_json_delta', partial_json }))
  }
  return [
    ...halves(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
    { type: 'signature_delta', signature: block.signature },
  ]
}

// ---- gemini: wire/gemini.md §3, §4 ------------------------------------------------------------

function geminiChunk(parts: readonly Json[], finishReason?: string): Json {
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) }],
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
    modelVersion: 'gemini-3-flash-preview',
    responseId: 'u1',
  }
}
function geminiParts({ thought, text, calls = [] }: Said): Json[] {
  return [
    ...(thought === undefined ? [] : [{ text: thought, thought: true }]),
    ...(text === undefined ? [] : [{ text }]),
    // Without ids, as most of its models call; the first of them is signed.
    ...calls.map(({ name, args }, at) => ({
      functionCall: { name, args },
      ...(at === 0 && { thoughtSignature: proof }),
    })),
  ]
}
const gemini: Speaker = {
  hear({ contents, generationConfig }) {
    const turns = list(contents)
    const partsOf = (turn: Json): Loose[] => list(turn?.parts)
    const last = turns.findLastIndex(
      (turn) => turn.role === 'user' && !partsOf(turn).some((part) => part.functionResponse),
    )
    const results = turns.slice(last).flatMap((turn) => partsOf(turn).flatMap((part) => part.functionResponse ?? []))
    return {
      prompt: textOf(partsOf(turns[last])),
      results: results.map(({ response }) => String(response.content ?? Object.values(response)[0])),
      hasProof: turns.some((turn) => partsOf(turn).some(({ thoughtSignature }) => thoughtSignature === proof)),
      hasSchema:
        (generationConfig?.responseJsonSchema ?? generationConfig?.responseSchema)?.properties?.city !== undefined,
    }
  },
  whole: (said) => geminiChunk(geminiParts(said), 'STOP'),
  pieces: (said) => [
    ...geminiParts(said).flatMap((part) =>
      part.text === undefined || part.thoughtSignature
        ? [data(geminiChunk([part]))]
        : halves(part.text).map((text) => data(geminiChunk([{ ...part, text }]))),
    ),
    data(geminiChunk([{ text: '' }], 'STOP')),
  ],
  isStream: ({ path }) => path.endsWith(':streamGenerateContent?alt=sse'),
  error: (status, message) => ({ error: { code: status, message, status: codeOf(status) } }),
  errorPiece: (message) => data({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
  holdsKey: ({ headers }) => headers['x-goog-api-key'] === keys.gemini,
}

// ---- gemini-interactions: wire/gemini-interactions.md §3, §4, §5 ------------------------------

const interactionUsage = {
  total_input_tokens: 11,
  total_cached_tokens: 0,
  total_output_tokens: 7,
  total_thought_tokens: 0,
  total_tool_use_tokens: 0,
  total_tokens: 18,
}
function interactionSteps({ thought, text, calls = [] }: Said): Json[] {
  return [
    ...(thought === undefined
      ? []
      : [{ type: 'thought', summary: [{ type: 'text', text: thought }], signature: proof }]),
    ...(text === undefined ? [] : [{ type: 'model_output', content: [{ type: 'text', text }] }]),
    ...calls.map(({ id, name, args }) => ({ type: 'function_call', id, name, arguments: args })),
  ]
}
const interactionBody = (said: Said) => ({
  id: 'v1_u1',
  status: said.calls ? 'requires_action' : 'completed',
  usage: interactionUsage,
  created: '2026-11-20T10:00:00Z',
  updated: '2026-11-20T10:00:00Z',
  object: 'interaction',
  model: 'gemini-3.8-flash',
})
const named = (event_type: string, fields: Json) => event({ type: event_type, ...fields, event_type })
function stepDeltas({ type, summary, signature, content, arguments: args }: Json): { shell: Json; deltas: Json[] } {
  if (type === 'thought') {
    const texts = halves(summary[0].text).map((text) => ({ type: 'thought_summary', content: { type: 'text', text } }))
    return { shell: {}, deltas: [...texts, { type: 'thought_signature', signature }] }
  }
  if (type === 'model_output') {
    return { shell: {}, deltas: halves(content[0].text).map((text) => ({ type: 'text', text })) }
  }
  const pieces = halves(JSON.stringify(args)).map((piece) => ({ type: 'arguments_delta', arguments: piece }))
  return { shell: { arguments: {}, signature: '' }, deltas: pieces }
}
const interactions: Speaker = {
  hear({ input, response_format }) {
    const steps = typeof input === 'string' ? [{ type: 'user_input', content: [{ text: input }] }] : list(input)
    const last = steps.findLastIndex(({ type }) => type === 'user_input')
    const results = steps.slice(last).filter(({ type }) => type === 'function_result')
    return {
      prompt: textOf(steps[last]?.content),
      results: results.map(({ result }) => textOf(result)),
      hasProof: steps.some(({ type, signature }) => type === 'thought' && signature === proof),
      hasSchema: response_format?.schema?.properties?.city !== undefined,
    }
  },
  whole: (said) => ({ ...interactionBody(said), steps: interactionSteps(said) }),
  pieces: (said) => [
    named('interaction.created', {
      interaction: { id: 'v1_u1', status: 'in_progress', object: 'interaction', model: 'gemini-3.8-flash' },
    }),
    named('interaction.status_update', { interaction_id: 'v1_u1', status: 'in_progress' }),
    ...interactionSteps(said).flatMap((step, index) => {
      const { summary: _, signature: __, content: ___, ...shell } = step
      const parts = stepDeltas(step)
      return [
        named('step.start', { index, step: { ...shell, ...parts.shell } }),
        ...parts.deltas.map((delta) => named('step.delta', { index, delta })),
        named('step.stop', { index }),
      ]
    }),
    `${named('interaction.completed', { interaction: interactionBody(said) })}event: done\ndata: [DONE]\n\n`, // the end is the first of the two
  ],
  isStream: ({ body }) => body.stream === true,
  error: (status, message) => ({ error: { code: codeOf(status), message } }),
  errorPiece: (message) => named('error', { error: { code: 'service_unavailable', message } }),
  holdsKey: ({ headers }) => headers['x-goog-api-key'] === keys['gemini-interactions'],
}

// ---- ollama: wire/ollama.md §3, §4 ------------------------------------------------------------

const ollamaHead = { model: 'qwen3:8b', created_at: '2026-11-20T10:00:00.000000Z' }
const ollamaEnd = { done: true, done_reason: 'stop', prompt_eval_count: 11, eval_count: 7, total_duration: 1 }
const ollamaCalls = (calls: Said['calls'] = []) =>
  calls.map(({ name, args }) => ({ function: { name, arguments: args } }))
const ollama: Speaker = {
  hear({ messages, format }) {
    const turns = list(messages)
    const last = turns.findLastIndex(({ role }) => role === 'user')
    return {
      prompt: textOf(turns[last]?.content),
      results: turns.slice(last).flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : [])),
      hasProof: false,
      hasSchema: format?.properties?.city !== undefined,
    }
  },
  whole: ({ thought, text = '', calls }) => ({
    ...ollamaHead,
    ...ollamaEnd,
    message: {
      role: 'assistant',
      content: text,
      ...(thought && { thinking: thought }),
      ...(calls && { tool_calls: ollamaCalls(calls) }),
    },
  }),
  pieces({ thought, text = '', calls = [] }) {
    const line = (message: Json, rest: Json = { done: false }) =>
      `${JSON.stringify({ ...ollamaHead, message: { role: 'assistant', content: '', ...message }, ...rest })}\n`
    return [
      ...(thought ? halves(thought).map((thinking) => line({ thinking })) : []),
      ...(text === '' ? [] : halves(text).map((content) => line({ content }))),
      ...ollamaCalls(calls).map((call) => line({ tool_calls: [call] })),
      line({}, ollamaEnd),
    ]
  },
  isStream: ({ body }) => body.stream !== false,
  error: (_, message) => ({ error: message }),
  errorPiece: (message) => `${JSON.stringify({ error: message })}\n`,
  holdsKey: ({ headers }) => headers.authorization === `Bearer ${keys.ollama}`,
}

// ---- cohere: wire/cohere.md §3, §4 ------------------------------------------------------------

const cohereUsage = {
  billed_units: { input_tokens: 4, output_tokens: 7 },
  tokens: { input_tokens: 11, output_tokens: 7 },
}
const coherePlace = 'f0e1d2c3-u1'
const cohere: Speaker = {
  hear({ messages, response_format }) {
    const turns = list(messages)
    const last = turns.findLastIndex(({ role }) => role === 'user')
    return {
      prompt: textOf(turns[last]?.content),
      results: turns.slice(last).flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : [])),
      hasProof: false,
      hasSchema: response_format?.json_schema?.properties?.city !== undefined,
    }
  },
  whole: ({ thought, text, calls }) => ({
    id: coherePlace,
    message: {
      role: 'assistant',
      ...((thought ?? text) !== undefined && {
        content: [
          ...(thought === undefined ? [] : [{ type: 'thinking', thinking: thought }]),
          ...(text === undefined ? [] : [{ type: 'text', text }]),
        ],
      }),
      ...(calls && { tool_calls: calls.map(chatCall) }),
    },
    finish_reason: calls ? 'TOOL_CALL' : 'COMPLETE',
    usage: cohereUsage,
  }),
  pieces({ thought, text, calls = [] }) {
    const piece = (type: string, index: number, message: Json) => event({ type, index, delta: { message } })
    const said = [thought && { type: 'thinking', thinking: thought }, text && { type: 'text', text }].filter(Boolean)
    return [
      event({ type: 'message-start', id: coherePlace, delta: { message: { role: 'assistant', content: [] } } }),
      ...said.flatMap(({ type, ...body }: Loose, index) => {
        const [[field, whole]] = Object.entries<string>(body) as [[string, string]]
        return [
          piece('content-start', index, { content: { type, [field]: '' } }),
          ...halves(whole).map((half) => piece('content-delta', index, { content: { [field]: half } })),
          event({ type: 'content-end', index }),
        ]
      }),
      ...calls
        .map(chatCall)
        .flatMap((call, index) => [
          piece('tool-call-start', index, { tool_calls: { ...call, function: { ...call.function, arguments: '' } } }),
          ...halves(call.function.arguments).map((half) =>
            piece('tool-call-delta', index, { tool_calls: { function: { arguments: half } } }),
          ),
          event({ type: 'tool-call-end', index }),
        ]),
      `${event({
        type: 'message-end',
        delta: { finish_reason: calls.length > 0 ? 'TOOL_CALL' : 'COMPLETE', usage: cohereUsage },
      })}data: [DONE]\n\n`, // the end is the first of the two
    ]
  },
  isStream: ({ body }) => body.stream === true,
  error: (_, message) => ({ id: 'e1', message }),
  errorPiece: (message) => event({ type: 'message-end', delta: { finish_reason: 'ERROR', error: message } }),
  holdsKey: ({ headers }) => headers.authorization === `Bearer ${keys.cohere}`,
}

// ---- bedrock-converse: wire/bedrock-converse.md §3, §4, §5 ------------------------------------

const messages = new EventStreamCodec(
  (bytes) => new TextDecoder().decode(bytes as Uint8Array),
  (text) => new TextEncoder().encode(text),
)
/** A message of the stream; `kind` is `event` or `exception`. */
export function bedrockMessage(type: string, payload: Json, kind: 'event' | 'exception' = 'event'): Uint8Array {
  const text = (value: string) => ({ type: 'string' as const, value })
  return messages.encode({
    headers: {
      [`:${kind}-type`]: text(type),
      ':content-type': text('application/json'),
      ':message-type': text(kind),
    },
    body: new TextEncoder().encode(JSON.stringify(payload)),
  })
}
const bedrockUsage = { inputTokens: 11, outputTokens: 7, totalTokens: 18 }
const bedrockNames: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  401: 'UnrecognizedClientException',
  429: 'ThrottlingException',
}
/** A message as text, a line of its own. */
export const bedrockLine = (type: string, payload: Json, kind: 'event' | 'exception' = 'event'): string =>
  `:${kind}-type ${type} ${JSON.stringify(payload)}\n`
const line = /^:(event|exception)-type (\w+) (.*)$/gm

/** The bytes that a provider sends for these pieces of text: for Bedrock, lines become messages. */
export function toWire(text: string): string | Uint8Array<ArrayBuffer> {
  if (!/^:\w+-type /.test(text)) return text
  const bytes = [...text.matchAll(line)].map(([, kind, type = '', payload = '']) =>
    bedrockMessage(type, JSON.parse(payload), kind as 'event' | 'exception'),
  )
  return new Uint8Array(Buffer.concat(bytes))
}

/** Sends pieces as `chunks` of `upstream.ts` does, in the bytes of their wire. */
export function chunks(
  pieces: readonly (string | Uint8Array)[],
  options?: Parameters<typeof textChunks>[1],
): Answering {
  return textChunks(
    pieces.map((piece) => (typeof piece === 'string' ? toWire(piece) : piece)),
    options,
  )
}

export const bedrock: Speaker = {
  hear({ messages: turns, outputConfig }) {
    const blocksOf = (turn: Json): Loose[] => list(turn?.content)
    const isPrompt = (turn: Json) => turn.role === 'user' && !blocksOf(turn).some(({ toolResult }) => toolResult)
    const last = list(turns).findLastIndex(isPrompt)
    const results = list(turns)
      .slice(last)
      .flatMap((turn) => blocksOf(turn).flatMap(({ toolResult }) => toolResult ?? []))
    const schema = outputConfig?.textFormat?.structure?.jsonSchema?.schema ?? '{}'
    return {
      prompt: textOf(list(turns)[last]?.content),
      results: results.map(({ content }) => textOf(content)),
      hasProof: list(turns).some((turn) =>
        blocksOf(turn).some(({ reasoningContent }) => reasoningContent?.reasoningText?.signature === proof),
      ),
      hasSchema: JSON.parse(schema).properties?.city !== undefined,
    }
  },
  whole: ({ thought, text, calls = [] }) => ({
    metrics: { latencyMs: 5 },
    output: {
      message: {
        role: 'assistant',
        content: [
          ...(thought === undefined
            ? []
            : [{ reasoningContent: { reasoningText: { text: thought, signature: proof } } }]),
          ...(text === undefined ? [] : [{ text }]),
          ...calls.map(({ id, name, args }) => ({ toolUse: { toolUseId: id, name, input: args } })),
        ],
      },
    },
    stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
    usage: bedrockUsage,
  }),
  pieces({ thought, text, calls = [] }) {
    const blocks: { readonly start?: Json; readonly deltas: readonly Json[] }[] = [
      ...(thought === undefined
        ? []
        : [
            {
              deltas: [...halves(thought).map((half) => ({ text: half })), { signature: proof }].map(
                (reasoningContent) => ({ reasoningContent }),
              ),
            },
          ]),
      ...(text === undefined ? [] : [{ deltas: halves(text).map((half) => ({ text: half })) }]),
      ...calls.map(({ id, name, args }) => ({
        start: { toolUse: { toolUseId: id, name } },
        deltas: halves(JSON.stringify(args)).map((input) => ({ toolUse: { input } })),
      })),
    ]
    return [
      bedrockLine('messageStart', { role: 'assistant', p: 'abc' }),
      ...blocks.flatMap(({ start, deltas }, contentBlockIndex) => [
        ...(start === undefined ? [] : [bedrockLine('contentBlockStart', { contentBlockIndex, start })]),
        ...deltas.map((delta) => bedrockLine('contentBlockDelta', { contentBlockIndex, delta, p: 'abcdef' })),
        bedrockLine('contentBlockStop', { contentBlockIndex }),
      ]),
      bedrockLine('messageStop', { stopReason: calls.length > 0 ? 'tool_use' : 'end_turn' }),
      bedrockLine('metadata', { metrics: { latencyMs: 5 }, usage: bedrockUsage }),
    ]
  },
  isStream: ({ path }) => path.endsWith('/converse-stream'),
  error: (status, message) => ({ __type: bedrockNames[status] ?? 'InternalServerException', message }),
  errorPiece: (message) => bedrockLine('serviceUnavailableException', { message }, 'exception'),
  holdsKey: ({ headers }) => headers.authorization === `Bearer ${keys['bedrock-converse']}`,
}

const codeOf = (status: number): string =>
  ({ 400: 'invalid_request_error', 401: 'authentication_error', 429: 'rate_limit_error' })[status] ?? 'api_error'

/** The text of a content in any of the forms that the wires have. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .map((part) => part.text ?? '')
    .join('')
}

export const speakers: Readonly<Record<WireName, Speaker>> = {
  'openai-chat': chat,
  'openai-responses': responses,
  anthropic,
  gemini,
  'gemini-interactions': interactions,
  ollama,
  cohere,
  'bedrock-converse': bedrock,
}

/** Whether a path is that of an answer of the wire, after the provider's own part. */
const paths: Readonly<Record<WireName, RegExp>> = {
  'openai-chat': /^\/v1\/chat\/completions$/,
  'openai-responses': /^\/v1\/responses$/,
  anthropic: /^\/v1\/messages$/,
  gemini: /^\/v1beta\/models\/[\w.-]+:(?:generateContent|streamGenerateContent\?alt=sse)$/,
  'gemini-interactions': /^\/v1beta\/interactions$/,
  ollama: /^\/api\/chat$/,
  cohere: /^\/v2\/chat$/,
  'bedrock-converse': /^\/model\/[^/]+\/converse(?:-stream)?$/,
}

/** The wire of a path such as `/anthropic/v1/messages`. */
export function wireOf(path: string): WireName | undefined {
  return wireNames.find((name) => path.startsWith(`/${name}/`) && paths[name].test(path.slice(name.length + 1)))
}

/** Answers as the provider of the path would. */
export const answerAll: Answering = (response, asked) => {
  const wire = wireOf(asked.path)
  if (wire === undefined) return json({ error: 'no such path' }, 404)(response, asked)
  const speaker = speakers[wire]
  if (!speaker.holdsKey(asked)) return json(speaker.error(401, 'Who are you?'), 401)(response, asked)
  const wrong = wireViolations[wire]?.(asked.body) ?? []
  if (wrong.length > 0) return json(speaker.error(400, wrong.join('; ')), 400)(response, asked)
  const heard = speaker.hear(asked.body)
  if (heard.prompt.includes('busy')) {
    return json(speaker.error(429, 'Slow down, org-secret-17'), 429, { 'retry-after': '7' })(response, asked)
  }
  const said = say(heard)
  if (!speaker.isStream(asked)) return json(speaker.whole(said))(response, asked)
  const endless = heard.prompt.includes('endless')
  const pieces = speaker.pieces(said)
  return endless ? trickle(pieces.slice(0, -1), response, asked) : chunks(pieces)(response, asked)
}

/** Says what it has to say and then nothing, until the other side goes. */
function trickle(pieces: readonly string[], response: ServerResponse, asked: Asked): void | Promise<void> {
  return chunks(pieces, { after: 'hang' })(response, asked)
}

export async function startProviders(): Promise<Upstream> {
  const upstream = await startUpstream()
  upstream.answer(answerAll)
  return upstream
}
