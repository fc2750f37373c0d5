/** A provider on loopback that follows a script: real HTTP, with the faults that real providers have. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { provider as openaiChat } from '../formats/openai-chat/provider.ts'
import type { TestWire, WrittenCall } from '../formats/server.ts'

/** A request, and how it ended. */
export interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
  /** The client let go before the answer was whole. */
  isCancelled: boolean
  /** Resolves when the connection of this answer is closed. */
  readonly closed: Promise<void>
  /** The same: true if before its end. */
  readonly closedEarly: Promise<boolean>
}

/** How to answer one request. */
export type Answering = (response: ServerResponse, asked: Asked) => void | Promise<void>

export interface Upstream {
  readonly url: string
  readonly asked: Asked[]
  /** Answers for the next requests, in order; the last one stays. */
  answer(...answers: Answering[]): void
  stop(): Promise<void>
}

export async function startUpstream(options: { readonly keepAliveTimeout?: number } = {}): Promise<Upstream> {
  const asked: Asked[] = []
  let answers: Answering[] = []
  const server = createServer(options, async (request, response) => {
    const one = await readAsked(request, response)
    asked.push(one)
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    await answer?.(response, one)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer(...next) {
      asked.length = 0
      answers = next
    },
    stop: () => close(server),
  }
}

async function readAsked(request: IncomingMessage, response: ServerResponse): Promise<Asked> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  const one: Asked = {
    path: request.url ?? '',
    headers: request.headers,
    body: text === '' ? {} : JSON.parse(text),
    isCancelled: false,
    closedEarly: new Promise((resolve) => response.once('close', () => resolve(!response.writableEnded))),
    closed: new Promise((resolve) => {
      response.once('close', () => {
        one.isCancelled = !response.writableFinished
        resolve()
      })
    }),
  }
  return one
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Answering {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}

/** Sends each piece as a chunk of its own, `gapMs` apart or one turn of the event loop, and then ends, or does what `after` says, once `before` has come. */
export function chunks(
  pieces: readonly (string | Uint8Array)[],
  options: { gapMs?: number; after?: 'end' | 'hang' | 'reset'; before?: () => Promise<void> } = {},
): Answering {
  const { gapMs = 0, after = 'end', before } = options
  return async (response, asked) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    for (const piece of pieces) {
      if (asked.isCancelled) return
      response.write(piece)
      await (gapMs === 0 ? nextTurn() : pause(gapMs))
    }
    await before?.()
    if (after === 'end') response.end()
    if (after === 'reset') response.destroy()
  }
}

export const hang: Answering = () => {}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}

/** Lets the network do its work until it is so; the time limit of the test bounds it. Waits for no clock, so that clocks may stand still. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await nextTurn()
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

// ---- Chat Completions, as it travels ------------------------------------------------------------

const { server } = openaiChat as { readonly server: TestWire }

/** The pieces of a streamed answer of this text, and of one that calls tools: `[id, name, arguments]` each. */
export const { text: chatText, calls: chatCalls } = server

/** A whole answer. */
export function chatBody(content: string | null, calls: readonly WrittenCall[] = []): unknown {
  if (content === null) return server.wholeCalls(...calls)
  return calls.length > 0 ? server.wholeWith(content, ...calls) : server.wholeText(content)
}
