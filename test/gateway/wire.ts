/** Asking a gateway by hand, and how a stream of each wire ended: read from its bytes by the rules of `wire/*.md`, with no code of ours. */
import { EventStreamCodec } from '@smithy/core/event-streams'
import { bedrockLine } from '../formats/bedrock-converse/provider.ts'
import { facts } from '../formats/index.ts'
import type { Loose } from '../formats/server.ts'
import type { Wire as WireName } from '../support/answers.ts'

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
  const { path, minimal } = facts[wire].gateway.minimal(model, prompt, stream)
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...minimal, ...body }),
    ...rest,
  })
  const isBinary = response.headers.get('content-type') === 'application/vnd.amazon.eventstream'
  return isBinary ? new Response(response.body?.pipeThrough(asText()) ?? null, response) : response
}

/** Amazon's messages, by the codec of the official client. */
export const amazonMessages = new EventStreamCodec(
  (bytes) => new TextDecoder().decode(bytes as Uint8Array),
  (text) => new TextEncoder().encode(text),
)

/** Amazon's messages as lines of text. It throws where a checksum is wrong, or where the last message is cut. */
function asText(): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  let held = new Uint8Array()
  return new TransformStream({
    transform(chunk, controller) {
      held = new Uint8Array(Buffer.concat([held, chunk]))
      for (let length = lengthOf(held); length <= held.length; length = lengthOf(held)) {
        const { headers, body } = amazonMessages.decode(held.subarray(0, length))
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

/** The events of a stream; comments are left out. */
export const eventsOf = (wire: WireName, text: string): Loose[] => facts[wire].gateway.eventsOf(text)

/** Whether a body is an error of the wire, as its official client reads it. */
export const isErrorBody = (wire: WireName, body: Loose): boolean => facts[wire].gateway.isErrorBody(body)

export function endingOf(wire: WireName, text: string): Ending {
  const events = eventsOf(wire, text)
  const last = events.at(-1)
  // After Bedrock's stop the usage may follow, which is no more of the answer, or an exception, and then the answer has failed.
  const after: ReadonlySet<unknown> = new Set(
    last?.type === 'metadata' ? ['metadata'] : last?.isError ? ['messageStop'] : [],
  )
  const found = events.filter(({ type }) => !after.has(type)).map((event) => facts[wire].gateway.mark(event))
  const first = found.findIndex((one) => one !== undefined)
  return {
    ends: found.filter((one) => one === 'end').length,
    errors: found.filter((one) => one === 'error').length,
    hasMore: first >= 0 && first < found.length - 1,
  }
}

export const ended: Ending = { ends: 1, errors: 0, hasMore: false }
export const failed: Ending = { ends: 0, errors: 1, hasMore: false }
