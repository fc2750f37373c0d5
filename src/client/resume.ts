/**
 * Continues a streamed answer after a lost connection, if the server stores it. isoglot's Worker names the answer in a header, numbers its
 * frames from 1, and sends those after a given number again. For other providers, the codec says how.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#the-last-event-id-header, which is read for lines too
 * @module
 */

import { backoffMs, chunksOf, sleep, startDeadline } from '../ask/transport.ts'
import type { Frame, StoredStream } from '../core/codec.ts'
import { ApiError, ConnectionError, InterruptedError, isRetryable } from '../core/errors.ts'
import type { AnswerServer, Deadline, Resumable, Timeouts, Underway } from '../core/question.ts'
import { decodeSse } from '../framing/text.ts'

/** How many connections in a row may bring nothing new. */
const mostReconnects = 5

export type { Resumable }

/**
 * The `resume` of a request, for servers that store an answer while it streams: isoglot's Worker, and Gemini Interactions with `store:
 * true` and `background: true`. After a lost connection, the answer continues at the next event. If you leave the run, the answer continues
 * on the server; `stop()` of the run ends it.
 *
 * @param streamId the name of a stored answer (`streamId` of the earlier run). The first answer is then not requested again, but read from
 * its beginning, for example after a reload of the page.
 * @example
 * ```ts
 * const run = stream({ model, prompt: 'A long story', resume: resumable() })
 * ```
 */
export function resumable(streamId?: string): Resumable {
  return { streamId, chunks: keptChunks, stop: stopStream }
}

function streamIdOf({ headers }: Response): string | undefined {
  const id = headers.get('x-isoglot-stream') ?? ''
  return /^[\w-]{1,128}$/.test(id) ? id : undefined
}

function keptChunks(answer: Underway, deadline: Deadline): AsyncIterable<Uint8Array> | undefined {
  const id = answer.id ?? (answer.response && streamIdOf(answer.response))
  if (id === undefined && answer.server.stored === undefined) return undefined
  if (id !== undefined) answer.named(id)
  return allChunks({ ...answer, id }, deadline)
}

/** The chunks of an answer, over as many connections as it takes; each event of it comes once, in order. */
async function* allChunks(answer: Underway, deadline: Deadline): AsyncGenerator<Uint8Array> {
  const { response, decoder, timeouts } = answer
  const rest = restOf(answer)
  let connection = response
  let failures = 0
  for (;;) {
    const before = decoder.taken
    const line = startLine(timeouts, deadline)
    let cause: unknown
    try {
      connection ??= await rest.ask(line)
      if (connection.status === 204) return
      for await (const chunk of chunksOf(connection, line)) {
        rest.see(chunk)
        yield chunk
      }
    } catch (error) {
      if (deadline.signal.aborted || !isRetryable(error)) throw giveUp(error, decoder.taken)
      cause = error
    } finally {
      line.clear()
    }
    if (decoder.isEnded) return
    if (!rest.isKnown()) {
      if (cause === undefined) return
      throw cause
    }
    failures = decoder.taken > before ? 0 : failures + 1
    if (failures > mostReconnects) throw giveUp(cause, decoder.taken)
    connection = undefined
    decoder.reconnect()
    rest.reconnect()
    await sleep(waitMs(cause, failures), deadline.signal)
  }
}

/** Where the rest of an answer is. */
interface RestOfAnswer {
  ask(line: Deadline): Promise<Response>
  /** Reads along, to know where to go on. */
  see(chunk: Uint8Array): void
  isKnown(): boolean
  reconnect(): void
}

function restOf(answer: Underway): RestOfAnswer {
  const { server, id, response, decoder } = answer
  const { stored } = server
  if (stored !== undefined && (response === undefined || streamIdOf(response) === undefined)) {
    return storedRest(answer, stored)
  }
  return {
    ask: (line) => askForRest(server, id ?? '', decoder.taken, line),
    see() {},
    isKnown: () => true,
    reconnect() {},
  }
}

/** The rest of an answer that the provider itself keeps: its events say where they are. */
function storedRest({ server, id: given, named }: Underway, stored: StoredStream): RestOfAnswer {
  const connect = () => decodeSse({ maxEventBytes: Number.POSITIVE_INFINITY }) // the decoder sees to the limit
  let framing = connect()
  let id = given
  let event: string | undefined
  return {
    ask: ({ signal }) =>
      server.ask(server.baseUrl + stored.pathOf(id ?? '', event), { method: 'GET', headers: {}, signal }),
    see(chunk) {
      const frames: Frame[] = []
      framing.push(chunk, frames)
      for (const frame of frames) {
        const place = stored.placeOf(frame)
        id = place.id ?? id
        if (id !== undefined) named(id)
        event = place.event ?? event
      }
    },
    isKnown: () => id !== undefined && event !== undefined,
    reconnect() {
      framing = connect()
    },
  }
}

/** The clocks of one connection: if it sends nothing more, only the connection has failed, not the answer. */
function startLine(timeouts: Timeouts | undefined, deadline: Deadline): Deadline {
  deadline.pause()
  const line = startDeadline({ ...timeouts, totalMs: Number.POSITIVE_INFINITY }, deadline.signal)
  line.enter('first_byte')
  return line
}

/** How long a server may take to hear that an answer is to end, in milliseconds. */
const stopTimeoutMs = 10_000

async function stopStream(server: AnswerServer, id: string): Promise<void> {
  const signal = AbortSignal.timeout(stopTimeoutMs)
  const { stored, baseUrl } = server
  const [method, url] = stored ? ['POST', baseUrl + stored.stopPathOf(id)] : ['DELETE', urlOfStored(server, id)]
  const response = await server.ask(url, { method, headers: {}, signal })
  await response.body?.cancel()
}

function askForRest(server: AnswerServer, id: string, taken: number, { signal }: Deadline): Promise<Response> {
  return server.ask(urlOfStored(server, id), { method: 'GET', headers: { 'last-event-id': `${taken}` }, signal })
}

/** Below the server's own path, if it has one. Before it stands what the format adds to that: `/answer`, `/v1`, `/v2` or `/v1beta`. */
function urlOfStored({ baseUrl }: AnswerServer, id: string): string {
  return `${baseUrl.replace(/\/*(?:\/answer|\/v\d\w*)?\/*(?:[?#].*)?$/, '')}/v1/streams/${id}`
}

/** The first attempt to go on is made at once. */
function waitMs(cause: unknown, failures: number): number {
  const asked = cause instanceof ApiError ? cause.retryAfterMs : undefined
  return asked ?? (failures === 0 ? 0 : backoffMs(failures - 1))
}

/** An answer that was cut counts as cut, even if the server later reports another error. */
function giveUp(cause: unknown, taken: number): unknown {
  const isOfRest = cause === undefined || cause instanceof ApiError || cause instanceof ConnectionError
  if (cause !== undefined && (taken === 0 || !isOfRest)) return cause
  return new InterruptedError('Cannot finish the answer: the connection broke, and the rest of it is not to be had', {
    cause,
  })
}
