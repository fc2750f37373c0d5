/**
 * The embedded provider: a model API on loopback that needs no account and no network.
 *
 * aimock serves five formats with the conversations of `conversations.mjs`. This server is in front of it, because a demonstration of
 * hidden keys needs a provider that checks the key, records the requests, and notices when a client disconnects.
 *
 * @module
 */

import { timingSafeEqual } from 'node:crypto'
import { createServer, request as forward } from 'node:http'
import { LLMock } from '@copilotkit/aimock'
import { handwritten, play } from './by-hand.mjs'
import { conversations, lastUserText } from './conversations.mjs'

/** The paths of answers; the group is the part that identifies the format. */
const routes = [
  /^\/v1\/(chat\/completions|responses|messages)$/,
  /^\/v1beta\/models\/[^/:]+:(generateContent|streamGenerateContent)(?:\?alt=sse)?$/,
  /^\/(api\/chat)$/,
]
const routeOf = (path) => routes.map((route) => route.exec(path)?.[1]).find((found) => found !== undefined)

/** Starts the provider on loopback; `key` is the only API key it takes. Port 0 means any free one. */
export async function startProvider({ key, port = 0 }) {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', journalMaxEntries: 100 }).addFixtures(
    conversations,
  )
  await mock.start()
  const journal = []
  const door = createServer((request, response) => {
    const entry = {
      method: request.method,
      path: request.url,
      headers: request.headers,
      body: undefined,
      status: 0,
      closedEarly: false,
    }
    journal.push(entry)
    response.on('close', () =>
      Object.assign(entry, { status: response.statusCode, closedEarly: !response.writableEnded }),
    )
    answer(request, response, entry).catch(() => response.destroy())
  })

  async function answer(request, response, entry) {
    const route = routeOf(request.url)
    if (route === undefined || request.method !== 'POST')
      return refuse(response, 404, 'not_found_error', 'No such route')
    if (!holdsKey(request.headers, key)) return refuse(response, 401, 'authentication_error', 'Invalid API key')
    const bytes = await readAll(request)
    try {
      entry.body = JSON.parse(bytes.toString())
    } catch {
      return refuse(response, 400, 'invalid_request_error', 'The body is not JSON')
    }
    const isStream = route === 'streamGenerateContent' || (entry.body.stream ?? route === 'api/chat')
    const script = isStream && handwritten(lastUserText(messagesOf(entry.body)), route)
    if (script) return play(script, route, response)
    relay(mock.url + request.url, bytes, response)
  }

  await new Promise((resolve, reject) => door.once('error', reject).listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${door.address().port}`,
    journal: () => journal,
    async stop() {
      door.closeAllConnections()
      await new Promise((resolve) => door.close(resolve))
      await mock.stop()
    },
  }
}

/** The messages, in whichever field the format has them. */
function messagesOf({ messages, input, contents }) {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  return messages ?? input ?? contents?.map(({ role, parts }) => ({ role, content: parts })) ?? []
}

/** The places of the key in the formats. */
function holdsKey(headers, key) {
  const named = headers['x-api-key'] ?? headers['x-goog-api-key']
  const shown = named ?? headers.authorization?.replace(/^Bearer /i, '') ?? ''
  const [a, b] = [Buffer.from(shown), Buffer.from(key)]
  return a.length === b.length && timingSafeEqual(a, b)
}

async function readAll(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function refuse(response, status, type, message) {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ type: 'error', error: { type, message } }))
}

/** Passes the request to aimock and returns its answer. A cut connection is passed on as a cut connection. */
function relay(url, bytes, response) {
  const onward = forward(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': bytes.length },
  })
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode, answer.headers)
    answer.on('error', () => response.destroy())
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  response.on('close', () => onward.destroy())
  onward.end(bytes)
}
