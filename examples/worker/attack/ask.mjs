/** Sends requests that a normal client does not send, each with a time limit. Keeps all answers, for the search for keys. */
import { Agent as PlainAgent, request as plain } from 'node:http'
import { Agent as SecureAgent, request as secure } from 'node:https'

const timeoutMs = 8000
/** The time limit of all attacks together: if the Worker does not answer, the attack ends within a minute. */
const totalMs = 50_000
const maxBytes = 4 * 1024 * 1024

/** The target: its URL, and the facts about it so far. */
export function createTarget(url, { origin, token } = {}) {
  const base = new URL(url)
  const agent = base.protocol === 'https:' ? new SecureAgent({ keepAlive: true }) : new PlainAgent({ keepAlive: true })
  return {
    base,
    agent,
    origin: origin ?? base.origin,
    token,
    seen: [],
    routes: [],
    startedAt: Date.now(),
    deadline: Date.now() + totalMs,
  }
}

/**
 * One request. `headers` is an object, or pairs where a name comes twice; `host` and a body's length are added unless they, or a coding, are there.
 *
 * Never rejects: a connection that is closed without an answer has the status 0.
 */
export function ask(target, { method = 'POST', path, headers = {}, body }) {
  const pairs = Array.isArray(headers) ? headers : Object.entries(headers)
  const names = new Set(pairs.map(([name]) => name.toLowerCase()))
  const bytes =
    body === undefined
      ? undefined
      : Buffer.from(typeof body === 'object' && !Buffer.isBuffer(body) ? JSON.stringify(body) : body)
  const all = [
    ...(names.has('host') ? [] : [['host', target.base.host]]),
    ...pairs,
    ...(bytes === undefined || names.has('content-length') || names.has('transfer-encoding')
      ? []
      : [['content-length', `${bytes.length}`]]),
  ]
  return send(target, { method, path, headers: all.flat() }, bytes).then((answer) => {
    const all = { method, path: path.slice(0, 100), ...answer }
    target.seen.push(all)
    return all
  })
}

function send({ base, agent, deadline }, options, bytes) {
  const { hostname, port, protocol } = base
  return new Promise((resolve) => {
    const chunks = []
    const end = (status, headers, problem) =>
      resolve({ status, headers, problem, text: Buffer.concat(chunks).toString() })
    const closed = (error) =>
      end(
        0,
        {},
        error.name === 'AbortError' || error.name === 'TimeoutError'
          ? 'no answer in time'
          : (error.code ?? error.message),
      )
    const restMs = deadline - Date.now()
    if (restMs <= 0) return end(0, {}, 'no time left')
    const ask = protocol === 'https:' ? secure : plain
    let request
    try {
      // A wrong Host header must not become the server name in TLS.
      request = ask({
        ...options,
        hostname,
        servername: hostname,
        port,
        agent,
        signal: AbortSignal.timeout(Math.min(timeoutMs, restMs)),
      })
    } catch (error) {
      closed(error)
      return
    }
    request.on('error', closed)
    request.on('response', (answer) => {
      const done = () => end(answer.statusCode, answer.headers)
      let size = 0
      answer.on('data', (chunk) => {
        chunks.push(chunk)
        size += chunk.length
        if (size > maxBytes) answer.destroy()
      })
      answer.on('close', done)
      answer.on('error', done)
    })
    request.end(bytes)
  })
}

/** Sends all requests, six at a time, and returns the answers in order. */
export async function askAll(target, tries) {
  const answers = []
  let at = 0
  async function work() {
    for (let mine = at++; mine < tries.length; mine = at++) {
      const [what, request] = tries[mine]
      answers[mine] = { what, ...(await ask(target, request)) }
    }
  }
  await Promise.all(Array.from({ length: 6 }, work))
  return answers
}

/** An answer for the table: its status, or the reason why no answer came. */
export const told = ({ status, problem }) => (status === 0 ? (problem ?? 'closed') : `${status}`)
