/** A client that can be made to leave: plain HTTP, one request at a time. */
import { Agent, request } from 'node:http'
import { eventsOf } from '../../test/gateway/wire.ts'

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, scheduling: 'lifo' })

const messages = (content) => [{ role: 'user', content }]
/** By wire: path and body of the smallest request. */
const requests = {
  'openai-chat': (model, say, stream, max) => [
    '/v1/chat/completions',
    { model, messages: messages(say), stream, max_completion_tokens: max },
  ],
  'openai-responses': (model, input, stream, max) => [
    '/v1/responses',
    { model, input, stream, max_output_tokens: max },
  ],
  anthropic: (model, say, stream, max) => ['/v1/messages', { model, messages: messages(say), stream, max_tokens: max }],
  gemini: (model, text, stream, max) => [
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: [{ role: 'user', parts: [{ text }] }], generationConfig: { maxOutputTokens: max } },
  ],
  ollama: (model, say, stream, max) => [
    '/api/chat',
    { model, messages: messages(say), stream, options: { num_predict: max } },
  ],
}

/** Goes on with an answer that is kept, or asks something else that has no body. */
export function readOn(base, { method = 'GET', path, token, headers = {} }) {
  const asking = request(base + path, { method, agent, headers: { authorization: `Bearer ${token}`, ...headers } })
  return answerOf(asking.end())
}

/** Sends one request. `answer` resolves at the headers, and has all of the text in `whole`. */
export function send(base, { wire, model, token, say = 'Hello', stream = true, maxTokens = 1000, headers = {} }) {
  const [path, fields] = requests[wire](model, say, stream, maxTokens)
  const body = JSON.stringify(fields)
  const asking = request(base + path, {
    method: 'POST',
    agent,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: `Bearer ${token}`,
      ...headers,
    },
  })
  return answerOf(asking.end(body))
}

function answerOf(asking) {
  const answer = new Promise((resolve, reject) => asking.on('error', reject).on('response', resolve))
  answer.catch(() => {})
  return { answer, leave: () => asking.destroy() }
}

/** An answer to its end, and whether the line broke before it. */
export async function readAll(answer) {
  const chunks = []
  let isBroken = false
  try {
    for await (const chunk of answer) chunks.push(chunk)
  } catch {
    isBroken = true
  }
  return { status: answer.statusCode, headers: answer.headers, text: Buffer.concat(chunks).toString(), isBroken }
}

/** Sends one, and reads its answer. */
export async function ask(base, what) {
  return readAll(await send(base, what).answer)
}

/** The first bytes of an answer have come. */
export const begun = (answer) => new Promise((resolve) => answer.once('data', resolve))

/** How many characters of text the events of a stream carry, in any wire of ours. */
export function textOf(wire, text) {
  return eventsOf(wire, text)
    .map((event) => pieceOf[wire](event) ?? '')
    .join('')
}

const pieceOf = {
  'openai-chat': (event) => event.choices?.[0]?.delta?.content,
  'openai-responses': (event) => (event.type === 'response.output_text.delta' ? event.delta : ''),
  anthropic: (event) => event.delta?.text,
  gemini: (event) => event.candidates?.[0]?.content?.parts?.map(({ text }) => text ?? '').join(''),
  ollama: (event) => event.message?.content,
}
