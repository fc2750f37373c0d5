/**
 * OpenAI Responses over a WebSocket: a `fetch` for a model. Requests and events are the same as over HTTP. The connection stays open after an
 * answer, so the next round of tools needs no new connection, and the server still has the state of the last answer.
 *
 * @see https://platform.openai.com/docs/guides/websocket-mode (read 2026-11)
 * @module
 */
import { checkOptions } from '../core/checks.ts'
import { isObject } from '../core/json.ts'
import type { JsonObject } from '../core/model.ts'
import { encodeSse } from '../framing/text.ts'

/**
 * Opens a WebSocket with these headers. The address begins with `https:` or `http:`. If the server refuses, it returns the response.
 */
export type ConnectSocket = (
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<WebSocket | Response>

/** Connections to servers of OpenAI Responses. */
export interface ResponsesSocket {
  /** Pass it as the setting `fetch` of a model. Requests other than a `POST` to `…/responses` use the global `fetch`. */
  readonly fetch: typeof fetch
  /** Closes all connections. An answer that still streams fails. */
  close(): void
}

/**
 * Sends requests to OpenAI Responses over WebSockets. A connection has one request at a time: a request that starts during another one opens
 * a new connection. Cancelling a run closes its connection, because the API has no message to cancel.
 *
 * With `store: true`, each round sends only the messages after the last answer. Otherwise it sends the whole conversation.
 *
 * @param options `connect` opens a connection. Default: `new WebSocket(url, { headers })`, as Node 22, Deno and Bun have it. In a Worker or a Durable Object:
 * {@link connectByUpgrade}. A page cannot send a key in a header: give it a function that opens a WebSocket to a server of yours.
 * @example
 * ```ts
 * import { stream } from 'isoglot'
 * import { openaiResponses } from 'isoglot/openai-responses'
 * import { responsesSocket } from 'isoglot/responses-socket'
 *
 * const socket = responsesSocket()
 * const model = openaiResponses('gpt-5', { apiKey, fetch: socket.fetch })
 * const providerOptions = { 'openai-responses': { store: true } }
 * for await (const event of stream({ model, prompt: 'Hello', providerOptions })) console.log(event.type)
 * socket.close()
 * ```
 */
export function responsesSocket(options: { connect?: ConnectSocket } = {}): ResponsesSocket {
  checkOptions('responsesSocket', options)
  const { connect = connectDirectly } = options
  const lines = new Set<Line>()

  async function ask(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init)
    const { method, url, signal } = request
    if (method !== 'POST' || !new URL(url).pathname.endsWith('/responses')) return fetch(request)
    const { stream: _, ...body } = JSON.parse(await request.text())
    const { 'content-type': __, 'idempotency-key': ___, ...headers } = Object.fromEntries(request.headers)
    const key = JSON.stringify([url, headers])
    const text = JSON.stringify({ type: 'response.create', ...body })
    for (;;) {
      const idle = [...lines].find((line) => line.key === key && line.turn === undefined)
      const socket = idle?.socket ?? (await connect(url, headers, signal))
      if (socket instanceof Response) return socket
      const line = idle ?? (await lineOf(key, socket, lines, signal))
      const answer = await answerOf(line, text, signal)
      if (answer !== undefined) return answer // `undefined`: the connection is too old, try another one
    }
  }

  return {
    fetch: ask,
    close() {
      for (const line of lines) line.close()
    },
  }
}

/** Opens a WebSocket by `fetch`, as Cloudflare's Workers require. */
export const connectByUpgrade: ConnectSocket = async (url, headers, signal) => {
  const opening = new AbortController() // not `signal` itself: it would also close the WebSocket after this request
  const abort = () => opening.abort(signal.reason)
  signal.addEventListener('abort', abort)
  const init = { headers: { ...headers, upgrade: 'websocket' }, signal: opening.signal }
  const response = await fetch(url, init).finally(() => signal.removeEventListener('abort', abort))
  const { webSocket } = response as { readonly webSocket?: WebSocket & { accept(): void } }
  webSocket?.accept()
  return webSocket ?? response
}

/** No standard has the second argument, but Node, Deno and Bun do. */
const connectDirectly: ConnectSocket = async (url, headers) => {
  const Socket = WebSocket as unknown as new (url: string, options: object) => WebSocket
  return new Socket(url.replace(/^http/, 'ws'), { headers })
}

// ---- one connection ---------------------------------------------------------------------------

/** A connection. Only requests with the same key use it: the same address and the same headers. */
interface Line {
  readonly key: string
  readonly socket: WebSocket
  /** Closes it. No request uses it after that. */
  close(): void
  /** Handles the current answer. `undefined`: the connection is free. */
  turn: { take(data: string): void; fail(error: unknown): void } | undefined
  /** Whether a request was sent on it before. */
  isUsed: boolean
}

/** Waits until the connection is open. @throws if it does not open, or the signal fires. */
function lineOf(key: string, socket: WebSocket, lines: Set<Line>, signal: AbortSignal): Promise<Line> {
  return new Promise((resolve, reject) => {
    const close = () => {
      lines.delete(line)
      socket.close()
    }
    const line: Line = { key, socket, close, turn: { take() {}, fail: reject }, isUsed: false }
    lines.add(line)
    const opened = () => resolve(line)
    const closed = (event: Event) => {
      lines.delete(line)
      const { code = '', reason = '', message = '' } = event as Partial<CloseEvent & ErrorEvent>
      const cause = new Error(['the WebSocket closed', code, reason, message].join(' ').trim())
      line.turn?.fail(new TypeError('Cannot finish the answer', { cause }))
    }
    socket.addEventListener('open', opened)
    socket.addEventListener('close', closed)
    socket.addEventListener('error', closed)
    socket.addEventListener('message', ({ data }) => line.turn?.take(String(data)))
    signal.addEventListener('abort', () => line.turn?.fail === reject && close(), { once: true })
    if (socket.readyState === 1) opened()
  })
}

const proper: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete'])
const last: ReadonlySet<unknown> = new Set([...proper, 'response.failed', 'response.cancelled', 'error'])

/**
 * Sends the request, and returns a response as the API does over HTTP: a status if the first event is an error, a stream otherwise. Returns
 * `undefined` if the connection is too old: send the request on another one.
 */
function answerOf(line: Line, text: string, signal: AbortSignal): Promise<Response | undefined> {
  return new Promise((resolve, reject) => {
    const { socket, isUsed } = line
    const encoder = new TextEncoder()
    let events: ReadableStreamDefaultController<Uint8Array> | undefined
    const start = (controller: typeof events) => {
      events = controller
    }
    const leave = (isReusable: boolean) => {
      if (line.turn !== turn) return
      line.turn = undefined
      signal.removeEventListener('abort', abort)
      if (!isReusable) line.close()
    }
    const turn = {
      take(data: string): void {
        const event = parsed(data)
        const isLast = last.has(event.type)
        if (isLast) leave(proper.has(event.type))
        if (events === undefined) {
          const isOld = isUsed && codeOf(event) === 'websocket_connection_limit_reached'
          const { status } = event
          if (isOld || (event.type === 'error' && typeof status === 'number')) {
            resolve(isOld ? undefined : Response.json(event, { status: status as number }))
            return
          }
          const body = new ReadableStream<Uint8Array>({ start, cancel: () => leave(false) })
          resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
        }
        events?.enqueue(encoder.encode(encodeSse({ data })))
        if (isLast) events?.close()
      },
      fail(error: unknown): void {
        leave(false)
        if (events === undefined) reject(error)
        else events.error(error)
      },
    }
    const abort = () => turn.fail(signal.reason)
    line.turn = turn
    line.isUsed = true
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    else socket.send(text)
  })
}

function codeOf({ error, code }: JsonObject): unknown {
  return isObject(error) ? error.code : code
}

/** Returns an empty object for data that is not valid JSON. The decoder reports that error. */
function parsed(data: string): JsonObject {
  try {
    const event: unknown = JSON.parse(data)
    return isObject(event) ? event : {}
  } catch {
    return {}
  }
}
