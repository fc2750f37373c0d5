/** Asking a gateway by hand, and how a stream of each wire ended: read from its bytes by the rules of `wire/*.md`, with no code of ours. */
import { EventStreamCodec } from '@smithy/core/event-streams'
import type { Wire as WireName } from '../support/answers.ts'
import { bedrockLine } from './provider.ts'

/** The smallest request for a stream. A binary stream comes as lines of text: see {@link asText}. */
export async function ask(
  url: string,
  wire: WireName,
  model: string,
  prompt = 'Hello',
  init: {
    readonly stream?: boolean
    readonly body?: object
    readonly headers?: object
    readonly signal?: AbortSignal
    /** Default: the network. */
    readonly fetch?: typeof globalThis.fetch
  } = {},
): Promise<Response> {
  const { stream = true, body, headers, fetch = globalThis.fetch, ...rest } = init
  const { path, minimal } = requests[wire](model, prompt, stream)
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...minimal, ...body }),
    ...rest,
  })
  const isBinary = response.headers.get('content-type') === 'application/vnd.amazon.eventstream'
  return isBinary ? new Response(response.body?.pipeThrough(asText()) ?? null, response) : response
}

const messages = new EventStreamCodec(
  (bytes) => new TextDecoder().decode(bytes as Uint8Array),
  (text) => new TextEncoder().encode(text),
)

/** Amazon's messages as lines of text, by the codec of the official client. It throws where a checksum is wrong, or where the last message is cut. */
function asText(): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  let held = new Uint8Array()
  return new TransformStream({
    transform(chunk, controller) {
      held = new Uint8Array(Buffer.concat([held, chunk]))
      for (let length = lengthOf(held); length <= held.length; length = lengthOf(held)) {
        const { headers, body } = messages.decode(held.subarray(0, length))
        held = held.subarray(length)
        const kind = String(headers[':message-type']?.value) as 'event' | 'exception'
        const payload = JSON.parse(new TextDecoder().decode(body))
        const line = bedrockLine(String(headers[`:${kind}-type`]?.value), payload, kind)
        controller.enqueue(new TextEncoder().encode(line))
      }
    },
    flush() {
      if (held.length > 0) throw new Error(`The stream ends within a message: ${held.length} bytes of it`)
    },
  })
}

function lengthOf(bytes: Uint8Array): number {
  return bytes.length < 4 ? 4 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
}

type Minimal = (model: string, prompt: string, stream: boolean) => { readonly path: string; readonly minimal: object }

const requests: Readonly<Record<WireName, Minimal>> = {
  'openai-chat': (model, content, stream) => ({
    path: '/v1/chat/completions',
    minimal: { model, messages: [{ role: 'user', content }], stream },
  }),
  'openai-responses': (model, input, stream) => ({ path: '/v1/responses', minimal: { model, input, stream } }),
  anthropic: (model, content, stream) => ({
    path: '/v1/messages',
    minimal: { model, max_tokens: 1000, messages: [{ role: 'user', content }], stream },
  }),
  gemini: (model, text, stream) => ({
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    minimal: { contents: [{ role: 'user', parts: [{ text }] }] },
  }),
  'gemini-interactions': (model, input, stream) => ({
    path: '/v1beta/interactions',
    minimal: { model, input, stream },
  }),
  cohere: (model, content, stream) => ({
    path: '/v2/chat',
    minimal: { model, messages: [{ role: 'user', content }], stream },
  }),
  ollama: (model, content, stream) => ({
    path: '/api/chat',
    minimal: { model, messages: [{ role: 'user', content }], stream },
  }),
  'bedrock-converse': (model, text, stream) => ({
    path: `/model/${model}/converse${stream ? '-stream' : ''}`,
    minimal: { messages: [{ role: 'user', content: [{ text }] }] },
  }),
}

/** An answer, as it comes in. */
export interface Hearing {
  /** The text so far. */
  text: string
  status?: number
  /** Resolves when there is no more to come. */
  readonly over: Promise<void>
}

/** Reads an answer as it comes. */
export function hear(asking: Promise<Response>): Hearing {
  const hearing: Hearing = { text: '', over: read() }
  hearing.over.catch(() => {}) // its waiters get the error
  return hearing

  async function read(): Promise<void> {
    const { status, body } = await asking
    hearing.status = status
    for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) hearing.text += part
  }
}

/** The outcome of a stream. */
export interface Ending {
  /** How often it ended properly. */
  readonly ends: number
  /** How often it ended in an error. */
  readonly errors: number
  /** There was more after the end. */
  readonly hasMore: boolean
}

type Loose = ReturnType<typeof JSON.parse>
type Mark = 'end' | 'error' | undefined

/** The mark of the end in one event; `undefined` if it has none. */
const marks: Readonly<Record<WireName, (event: Loose) => Mark>> = {
  'openai-chat': (event) => (event === '[DONE]' ? 'end' : event.error ? 'error' : undefined),
  'openai-responses': ({ type }) =>
    type === 'response.completed' ? 'end' : type === 'response.failed' ? 'error' : undefined,
  anthropic: ({ type }) => (type === 'message_stop' ? 'end' : type === 'error' ? 'error' : undefined),
  gemini: (event) => (event.error ? 'error' : event.candidates?.[0]?.finishReason ? 'end' : undefined),
  'gemini-interactions': (event) => (event === '[DONE]' ? 'end' : event.event_type === 'error' ? 'error' : undefined),
  cohere: ({ type, delta }) => (type !== 'message-end' ? undefined : delta.error ? 'error' : 'end'),
  ollama: (event) => (event.error ? 'error' : event.done ? 'end' : undefined),
  'bedrock-converse': ({ type, isError }) => (isError ? 'error' : type === 'messageStop' ? 'end' : undefined),
}

/** The events of a stream; comments are left out. */
export function eventsOf(wire: WireName, text: string): Loose[] {
  if (wire === 'ollama') return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : JSON.parse(line)))
  if (wire === 'bedrock-converse') {
    return [...text.matchAll(/^:(\w+)-type (\w+) (.*)$/gm)].map(([, kind, type, payload = '']) => ({
      ...JSON.parse(payload),
      type,
      isError: kind === 'exception',
    }))
  }
  // Cohere's streams have ended when this comes.
  const said = wire === 'cohere' ? text.replace(/data: \[DONE\]\n\n$/, '') : text
  const events = said.split('\n\n').filter((event) => event.trim() !== '' && !event.startsWith(':'))
  return events.map((event) => {
    const data = event
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => line.slice(6))
      .join('\n')
    return data === '[DONE]' ? data : JSON.parse(data)
  })
}

export function endingOf(wire: WireName, text: string): Ending {
  const events = eventsOf(wire, text)
  const last = events.at(-1)
  // After Bedrock's stop the usage may follow, which is no more of the answer, or an exception, and then the answer has failed.
  const after: ReadonlySet<unknown> = new Set(
    last?.type === 'metadata' ? ['metadata'] : last?.isError ? ['messageStop'] : [],
  )
  const found = events.filter(({ type }) => !after.has(type)).map((event) => marks[wire](event))
  const first = found.findIndex((mark) => mark !== undefined)
  return {
    ends: found.filter((mark) => mark === 'end').length,
    errors: found.filter((mark) => mark === 'error').length,
    hasMore: first >= 0 && first < found.length - 1,
  }
}

export const ended: Ending = { ends: 1, errors: 0, hasMore: false }
export const failed: Ending = { ends: 0, errors: 1, hasMore: false }

/** Whether a body is an error of the wire, as its official client reads it. */
export function isErrorBody(wire: WireName, body: Loose): boolean {
  switch (wire) {
    case 'anthropic':
      return body.type === 'error' && typeof body.error?.type === 'string' && typeof body.error.message === 'string'
    case 'gemini':
      return typeof body.error?.code === 'number' && typeof body.error.status === 'string'
    case 'gemini-interactions':
      return typeof body.error?.code === 'string' && typeof body.error.message === 'string'
    case 'cohere':
    case 'bedrock-converse':
      return typeof body.message === 'string'
    case 'ollama':
      return typeof body.error === 'string'
    default:
      return typeof body.error?.message === 'string' && 'type' in body.error && 'code' in body.error
  }
}
