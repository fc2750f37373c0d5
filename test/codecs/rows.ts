/** Tables of requests and streams: what is asked, and what comes of it. Each format's tests use them. */
import { expect, it } from 'vitest'
import type { ClientCodec, EncodedRequest } from '../../src/core/codec.ts'
import type { Context, Loss, RequestOptions } from '../../src/core/messages.ts'
import { type Decoded, decodeText } from '../support/decode.ts'

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

/** The losses, as rows say them. */
export function saidLosses(losses: readonly Loss[], said: readonly string[] = []): readonly string[] {
  return losses.map(({ path, action, severity }, at) => {
    const loss = `${path} ${action} ${severity}`
    const expected = said[at]
    return expected !== undefined && `${loss} `.startsWith(`${expected} `) ? expected : loss
  })
}

export function encodesRequests<Host>(
  encode: (context: Context, options: Partial<RequestOptions>, host?: Host) => Pick<EncodedRequest, 'body' | 'losses'>,
  rows: readonly RequestRow<Host>[],
): void {
  it.each(rows)('%s', (_title, asked, fields, losses = [], host = undefined) => {
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
