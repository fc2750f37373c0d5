/** A `fetch` that replays recorded answers, and one that records them. @module */
import type { Json } from '../core/messages.ts'
import { streamTypes, typeOfBody } from './body.ts'

/** A request and its answer, as plain JSON data. Headers and parts of the query that may hold a key are left out. */
export interface Recording {
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    /** Parsed if it is JSON. */
    readonly body: Json
  }
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    /** The received text. It grows while the answer is read. */
    readonly body: string
    /** Where the answer is not text, such as Bedrock's stream: the body has one character for each byte. */
    readonly encoding?: 'latin1'
  }
}

/**
 * A `fetch` that answers with these bodies in order, to any request. A body is a text, bytes, or a recording of {@link recorder} with its
 * status. It rejects if there are more requests than answers.
 *
 * @example
 * ```ts
 * import { replay } from 'isoglot/test'
 *
 * const recorded = openaiChat('gpt-5.6', { apiKey: 'test', fetch: replay(text) })
 * ```
 */
export function replay(...answers: readonly (string | Uint8Array | Recording)[]): typeof fetch {
  let asked = 0
  return async (_, init) => {
    init?.signal?.throwIfAborted()
    const answer = answers[asked++]
    if (answer === undefined) throw noAnswer('replay', answers.length, asked)
    if (typeof answer === 'object' && 'response' in answer) return new Response(bodyOf(answer), answer.response)
    return new Response(answer as BodyInit, { headers: { 'content-type': typeOfBody(answer) } })
  }
}

function bodyOf({ response: { body, encoding } }: Recording): BodyInit {
  return encoding === undefined ? body : Uint8Array.from(body, (char) => char.charCodeAt(0))
}

/** As `fetch` reports a failure: the cause has the words. */
export function noAnswer(name: string, answers: number, requests: number): TypeError {
  return new TypeError('fetch failed', {
    cause: new Error(`${name} has ${answers} ${answers === 1 ? 'answer' : 'answers'}, and this is request ${requests}`),
  })
}

/**
 * A `fetch` that records requests and answers. It leaves out keys, but records the whole conversation: read a recording before you commit
 * it.
 *
 * @param fetch Sends the requests. Default: the global `fetch`.
 * @example
 * ```ts
 * import { recorder } from 'isoglot/test'
 *
 * const recording = recorder()
 * await generate({ model: openaiChat('gpt-5.6', { apiKey, fetch: recording }), prompt: 'Hello' })
 * write(JSON.stringify(recording.recordings))
 * ```
 */
export function recorder(
  fetch: typeof globalThis.fetch = globalThis.fetch,
): typeof globalThis.fetch & { readonly recordings: readonly Recording[] } {
  const recordings: Recording[] = []
  async function record(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init)
    const { method } = request
    const headers = openHeaders(request.headers)
    const asked = {
      method,
      url: withoutKeysInAddress(request.url),
      headers,
      body: parsed(await request.clone().text()),
    }
    const response = await fetch(input, init)
    const answerHeaders = openHeaders(response.headers)
    const isBinary = answerHeaders['content-type']?.startsWith(streamTypes['event-stream'])
    const encoding = isBinary && { encoding: 'latin1' as const }
    const answer = { status: response.status, headers: answerHeaders, body: '', ...encoding }
    recordings.push({ request: asked, response: answer })
    if (response.body === null) return response
    const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
    const noting = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        answer.body += isBinary
          ? Array.from(chunk, (byte) => String.fromCharCode(byte)).join('')
          : decoder.decode(chunk, { stream: true })
        controller.enqueue(chunk as Uint8Array<ArrayBuffer>)
      },
    })
    return new Response(response.body.pipeThrough(noting), response)
  }
  return Object.assign(record, { recordings })
}

const secretName = /auth|key|token|secret|cookie/i
/** The body is recorded without compression. */
const ofTransport = /^(?:content-(?:encoding|length)|transfer-encoding)$/i

/** Headers without those that may contain a key. */
export function openHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !secretName.test(name) && !ofTransport.test(name)))
}

function withoutKeysInAddress(address: string): string {
  const url = new URL(address)
  for (const name of [...url.searchParams.keys()]) if (secretName.test(name)) url.searchParams.delete(name)
  url.username = ''
  url.password = ''
  return url.href
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
