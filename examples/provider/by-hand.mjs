/**
 * The streams that aimock cannot simulate: an answer with status 200 that begins normally, and then has an `error` event; and an answer that
 * cites its source.
 *
 * @see https://docs.claude.com/en/api/messages-streaming#error-events
 * @see https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-search-tool (read 2026-11)
 * @see https://developers.openai.com/api/docs/guides/tools-web-search (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/google-search (read 2026-11)
 * @module
 */
import { page, sourced } from './conversations.mjs'

const chunk = (delta, finish_reason = null) => ({
  data: {
    id: 'chatcmpl-hand',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'demo-model',
    choices: [{ index: 0, delta, finish_reason }],
  },
})
const event = (data) => ({ event: data.type, data })
const numbered = (data, sequence_number) => event({ ...data, sequence_number })
const candidate = (text, more = {}, usage = {}) => ({
  data: { candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...more }], ...usage },
})
const line = (content, more = { done: false }) => ({
  line: {
    model: 'demo-model',
    created_at: '2026-11-01T00:00:00Z',
    message: { role: 'assistant', content },
    ...more,
  },
})
const response = {
  id: 'resp_hand',
  object: 'response',
  created_at: 1,
  status: 'in_progress',
  model: 'demo-model',
  output: [],
}
const item = { type: 'message', id: 'msg_hand', role: 'assistant', status: 'in_progress', content: [] }
const part = { output_index: 0, content_index: 0, item_id: 'msg_hand' }
const messageStart = event({
  type: 'message_start',
  message: {
    id: 'msg_hand',
    type: 'message',
    role: 'assistant',
    model: 'demo-model',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 9, output_tokens: 1 },
  },
})
const blockStart = event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
const blockDelta = (delta) => event({ type: 'content_block_delta', index: 0, delta })
const stopped = 'The engine stopped'

/** The events that each format sends, by the end of its path, before the stream ends without its last event. */
const failing = {
  'chat/completions': [
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'So far ' }),
    chunk({ content: 'so good, but' }),
    { data: { error: { message: stopped, type: 'server_error', param: null, code: null } } },
  ],
  messages: [
    messageStart,
    blockStart,
    blockDelta({ type: 'text_delta', text: 'So far ' }),
    blockDelta({ type: 'text_delta', text: 'so good, but' }),
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

const pieces = sourced.match(/[\s\S]{1,9}/g)
const { url, title } = page
const cited = { start_index: sourced.indexOf(page.said), end_index: sourced.indexOf(page.said) + page.said.length }
/** Gemini counts bytes of UTF-8; the text is ASCII. */
const segment = { startIndex: cited.start_index, endIndex: cited.end_index, text: page.said }
const annotation = { type: 'url_citation', url, title, ...cited }
const wholePart = { type: 'output_text', text: sourced, annotations: [annotation] }
const wholeItem = { ...item, status: 'completed', content: [wholePart] }

/** The answer with its source in each format. Ollama has none. */
const citing = {
  'chat/completions': [
    chunk({ role: 'assistant', content: '' }),
    ...pieces.map((content) => chunk({ content })),
    chunk({ annotations: [{ type: 'url_citation', url_citation: { url, title, ...cited } }] }),
    chunk({}, 'stop'),
    { data: { ...chunk({}).data, choices: [], usage: { prompt_tokens: 9, completion_tokens: 90, total_tokens: 99 } } },
    { text: 'data: [DONE]\n\n' },
  ],
  messages: [
    messageStart,
    blockStart,
    ...pieces.map((text) => blockDelta({ type: 'text_delta', text })),
    blockDelta({
      type: 'citations_delta',
      citation: { type: 'web_search_result_location', url, title, cited_text: page.said, encrypted_index: 'ZGVtbw==' },
    }),
    event({ type: 'content_block_stop', index: 0 }),
    event({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 90 },
    }),
    event({ type: 'message_stop' }),
  ],
  responses: [
    { type: 'response.created', response },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.content_part.added', ...part, part: { type: 'output_text', text: '', annotations: [] } },
    ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...part, delta })),
    { type: 'response.output_text.annotation.added', ...part, annotation_index: 0, annotation },
    { type: 'response.output_text.done', ...part, text: sourced },
    { type: 'response.content_part.done', ...part, part: wholePart },
    { type: 'response.output_item.done', output_index: 0, item: wholeItem },
    {
      type: 'response.completed',
      response: {
        ...response,
        status: 'completed',
        output: [wholeItem],
        usage: { input_tokens: 9, output_tokens: 90, total_tokens: 99 },
      },
    },
  ].map(numbered),
  streamGenerateContent: [
    ...pieces.map((text) => candidate(text)),
    candidate(
      '',
      {
        finishReason: 'STOP',
        groundingMetadata: {
          groundingChunks: [{ web: { uri: url, title } }],
          groundingSupports: [{ segment, groundingChunkIndices: [0] }],
        },
      },
      { usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 90, totalTokenCount: 99 } },
    ),
  ],
  'api/chat': [
    ...pieces.map((content) => line(content)),
    line('', { done: true, done_reason: 'stop', prompt_eval_count: 9, eval_count: 90 }),
  ],
}

/** The stream for what the user says, if it is written by hand. */
export function handwritten(text, route) {
  if (/\bfail\b/i.test(text)) return { events: failing[route], paceMs: 50 }
  return /\bwith its source\b/i.test(text) ? { events: citing[route], paceMs: 15 } : undefined
}

/** Sends it in the format of this path. */
export async function play({ events, paceMs }, route, answer) {
  const type = route === 'api/chat' ? 'application/x-ndjson' : 'text/event-stream'
  answer.writeHead(200, { 'content-type': type })
  for (const piece of events) {
    answer.write(textOf(piece))
    await new Promise((resolve) => setTimeout(resolve, paceMs))
  }
  answer.end()
}

function textOf({ event, data, line, text }) {
  if (text !== undefined) return text
  if (line !== undefined) return `${JSON.stringify(line)}\n`
  return `${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`
}
