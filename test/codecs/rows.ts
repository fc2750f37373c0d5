/** Tables of requests and streams: what is asked, and what comes of it. Each format's tests use them. */
import { expect, it } from 'vitest'
import type { ClientCodec, EncodedRequest, Frame, Reply, ServerCodec } from '../../src/core/codec.ts'
import type { ApiError } from '../../src/core/errors.ts'
import type {
  AssistantMessage,
  ChatResponse,
  Context,
  Loss,
  MessageEvent,
  RequestOptions,
} from '../../src/core/messages.ts'
import { type Decoded, decodeText } from '../support/decode.ts'
import { toFrames } from '../support/encode.ts'

type Fields = Readonly<Record<string, unknown>>
type Asked = Partial<RequestOptions> & Partial<Context>
/**
 * What is asked beside the model and the message "Hi"; fields of the body, each of which is exactly so, or is not there if it is `undefined`;
 * and its losses, each by the begin of `path action severity`.
 */
export type RequestRow<Host = unknown> = readonly [
  title: string,
  asked: Asked,
  fields: Fields,
  losses?: readonly string[],
  host?: Host,
]

export const hi = { role: 'user', content: 'Hi' } as const

/** Options and the conversation, which one object of a row has. */
export function askedOf({ system, messages = [hi], tools, providerState, ...options }: Asked) {
  const context: Context = {
    messages,
    ...(system !== undefined && { system }),
    ...(tools !== undefined && { tools }),
    ...(providerState !== undefined && { providerState }),
  }
  return { context, options }
}

/** The losses, as rows say them. Rows leave out the names of tools in results, which the calls have. */
export function saidLosses(losses: readonly Loss[], said: readonly string[] = []): readonly string[] {
  return withoutNames(losses).map(({ path, action, severity }, at) => {
    const loss = `${path} ${action} ${severity}`
    const expected = said[at]
    return expected !== undefined && `${loss} `.startsWith(`${expected} `) ? expected : loss
  })
}

export function withoutNames(losses: readonly Loss[]): readonly Loss[] {
  return losses.filter(({ reason }) => !reason.startsWith('its call is one of'))
}

export function encodesRequests<Host>(
  encode: (context: Context, options: Partial<RequestOptions>, host?: Host) => Pick<EncodedRequest, 'body' | 'losses'>,
  rows: readonly RequestRow<Host>[],
): void {
  it.each(rows.map((row) => ({ row })))('$row.0', ({ row: [, asked, fields, losses = [], host] }) => {
    const { context, options } = askedOf(asked)
    const { body, losses: found } = encode(context, options, host)
    for (const [name, value] of Object.entries(fields)) expect((body as Fields)[name], name).toEqual(value)
    expect(saidLosses(found, losses)).toEqual(losses)
  })
}

/** Server-sent events of these values, or of texts as they are. */
export const sse = (...events: readonly unknown[]): string =>
  events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('')

/** What a codec reads in a stream; it throws what is not an answer. */
export function readStream(codec: ClientCodec, ...events: readonly unknown[]): NonNullable<Decoded['response']> {
  const { response, error } = decodeText(codec, sse(...events))
  if (response === undefined) throw error
  return response
}

/** A stream that a server of the format writes of these events: its frames, and what they say. */
export function writeStream(server: Pick<ServerCodec, 'encodeStream'>, events: readonly MessageEvent[], reply?: Reply) {
  const encoder = server.encodeStream(reply)
  const frames = toFrames(encoder, events)
  const data = frames.map((frame) => frame.data)
  return { frames, data, losses: encoder.losses, values: data.filter((one) => one !== '[DONE]').map(parse) }
}
/** Values of the wire, whose fields a test reads without checks. */
export type Loose = ReturnType<typeof JSON.parse>
const parse = (data: string): Loose => JSON.parse(data)

/** The end of a streamed answer. */
export function endOf(message: Partial<AssistantMessage> = {}, more: Partial<ChatResponse> = {}): MessageEvent {
  const whole: AssistantMessage = { role: 'assistant', content: [], stopReason: 'stop', ...message }
  return {
    type: 'message_end',
    message: whole,
    response: { message: whole, stopReason: whole.stopReason ?? 'stop', ...more },
  }
}

/** The events of a text that comes in pieces. */
export function textEvents(index: number, ...pieces: readonly string[]): readonly MessageEvent[] {
  return [
    ...pieces.map((text) => ({ type: 'text_delta', index, text }) as const),
    { type: 'content_block', index, block: { type: 'text', text: pieces.join('') } },
  ]
}

/** A stream that fails after its first text, twice, and goes on as if it had not: the values of its frames. */
export function failStream(server: ServerCodec, error: ApiError): readonly Loose[] {
  const encoder = server.encodeStream()
  const frames: Frame[] = []
  encoder.push({ type: 'message_start', id: 'a', model: 'm' }, frames)
  encoder.push({ type: 'text_delta', index: 0, text: 'half' }, frames)
  encoder.fail(error, frames)
  encoder.fail(error, frames)
  encoder.push(endOf(), frames)
  encoder.end(frames)
  return frames.map(({ data }) => parse(data))
}
