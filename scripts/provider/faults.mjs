/**
 * The conversation that aimock cannot simulate: an answer with status 200 that begins normally, and then has an `error` event.
 *
 * @see https://docs.claude.com/en/api/messages-streaming#error-events
 * @module
 */

const chunk = (delta) => ({
  data: {
    id: 'chatcmpl-fail',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'demo-model',
    choices: [{ index: 0, delta, finish_reason: null }],
  },
})
const event = (data) => ({ event: data.type, data })
const numbered = (data, sequence_number) => event({ ...data, sequence_number })
const candidate = (text) => ({ data: { candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] } })
const line = (content) => ({
  line: {
    model: 'demo-model',
    created_at: '2026-11-01T00:00:00Z',
    message: { role: 'assistant', content },
    done: false,
  },
})
const response = {
  id: 'resp_fail',
  object: 'response',
  created_at: 1,
  status: 'in_progress',
  model: 'demo-model',
  output: [],
}
const item = { type: 'message', id: 'msg_fail', role: 'assistant', status: 'in_progress', content: [] }
const part = { output_index: 0, content_index: 0, item_id: 'msg_fail' }
const stopped = 'The engine stopped'

/** The events that each format sends, by the end of its path, before the stream ends without its last event. */
const scripts = {
  'chat/completions': [
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'So far ' }),
    chunk({ content: 'so good, but' }),
    { data: { error: { message: stopped, type: 'server_error', param: null, code: null } } },
  ],
  messages: [
    event({
      type: 'message_start',
      message: {
        id: 'msg_fail',
        type: 'message',
        role: 'assistant',
        model: 'demo-model',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 9, output_tokens: 1 },
      },
    }),
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'So far ' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'so good, but' } }),
    event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  ],
  responses: [
    { type: 'response.created', response },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.content_part.added', ...part, part: { type: 'output_text', text: '', annotations: [] } },
    { type: 'response.output_text.delta', ...part, delta: 'So far ' },
    { type: 'response.output_text.delta', ...part, delta: 'so good, but' },
    { type: 'error', code: 'server_error', message: stopped, param: null },
  ].map(numbered),
  streamGenerateContent: [
    candidate('So far '),
    candidate('so good, but'),
    { data: { error: { code: 500, message: stopped, status: 'INTERNAL' } } },
  ],
  'api/chat': [line('So far '), line('so good, but'), { line: { error: stopped } }],
}

/** Sends the failing answer in the format of this path. */
export async function failMidway(route, answer) {
  const type = route === 'api/chat' ? 'application/x-ndjson' : 'text/event-stream'
  answer.writeHead(200, { 'content-type': type })
  for (const piece of scripts[route]) {
    answer.write(textOf(piece))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  answer.end()
}

function textOf({ event, data, line }) {
  if (line !== undefined) return `${JSON.stringify(line)}\n`
  return `${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`
}
