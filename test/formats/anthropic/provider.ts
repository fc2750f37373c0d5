/** A provider of Anthropic's format, by hand from wire/anthropic.md §3, §4. */
import { anthropic } from '../../../src/formats/anthropic/index.ts'
import { proof } from '../../gateway/dialogue.ts'
import { type Answer, codeOf, event, given, halves, list, providerOf, resultOf, textOf } from '../provider.ts'

const key = 'sk-ant-canary-4Rf6Yp1Jc9'
const head = { id: 'msg_u1', type: 'message', role: 'assistant', model: 'claude-sonnet-5', stop_sequence: null }

/** Each block whole, as it begins in a stream, and its deltas. */
const blocksOf = ({ thought, text, texts, calls }: Answer) => [
  ...given(thought, (thinking) => ({
    block: { type: 'thinking', thinking, signature: proof },
    empty: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...halves(thinking).map((half) => ({ type: 'thinking_delta', thinking: half })),
      { type: 'signature_delta', signature: proof },
    ],
  })),
  ...given(text, () => ({
    block: { type: 'text', text },
    empty: { type: 'text', text: '' },
    deltas: texts.map((piece) => ({ type: 'text_delta', text: piece })),
  })),
  ...calls.map(({ id, name, args, input }) => ({
    block: { type: 'tool_use', id, name, input },
    empty: { type: 'tool_use', id, name, input: {} },
    deltas: halves(args).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  })),
]

export const provider = providerOf({
  name: 'anthropic',
  path: /^\/v1\/messages$/,
  key,
  make: (model, options) => anthropic(model, options),
  model: 'claude-sonnet-5',
  base: '/v1',
  words: { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens' },
  turnsOf: ({ messages }) =>
    list(messages).map(({ role, content }) => {
      const results = list(content).filter(({ type }) => type === 'tool_result')
      return {
        ...(role === 'user' && results.length === 0 && { prompt: textOf(content) }),
        results: results.map((result) => resultOf(result.tool_use_id, textOf(result.content))),
        isProved: list(content).some(({ type, signature }) => type === 'thinking' && signature === proof),
      }
    }),
  schemaIn: ({ output_config }) => output_config?.format?.schema,
  whole: (answer) => ({
    ...head,
    content: blocksOf(answer).map(({ block }) => block),
    stop_reason: answer.reason,
    usage: { input_tokens: 11, output_tokens: 7 },
  }),
  pieces: (answer) =>
    [
      {
        type: 'message_start',
        message: { ...head, content: [], stop_reason: null, usage: { input_tokens: 11, output_tokens: 1 } },
      },
      { type: 'ping' },
      ...blocksOf(answer).flatMap(({ empty, deltas }, index) => [
        { type: 'content_block_start', index, content_block: empty },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]),
    ].map(event),
  end: ({ reason }) => [
    event({
      ...{ type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null } },
      usage: { output_tokens: 7 },
    }),
    event({ type: 'message_stop' }),
  ],
  error: (status, message) => ({ type: 'error', error: { type: codeOf(status), message }, request_id: 'req_u1' }),
  errorPiece: (message) => event({ type: 'error', error: { type: 'overloaded_error', message } }),
  holdsKey: ({ headers }) => headers['x-api-key'] === key && headers['anthropic-version'] !== undefined,
})
