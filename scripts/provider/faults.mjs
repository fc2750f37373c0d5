/**
 * The one conversation aimock cannot play: an answer that begins well, then says `error` in the middle of a 200.
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

/** What each wire sends, event by event, before it ends without its proper end. */
const scripts = {
  '/v1/chat/completions': [
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'So far ' }),
    chunk({ content: 'so good, but' }),
    { data: { error: { message: 'The engine stopped', type: 'server_error', param: null, code: null } } },
  ],
  '/v1/messages': [
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
}

/** Plays the failing answer of the wire that `path` belongs to. */
export async function failMidway(path, response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const { event, data } of scripts[path]) {
    response.write(`${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  response.end()
}
