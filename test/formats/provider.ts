/** A provider behind a gateway: what it reads of a request, and what it answers. */
import type { Heard, Said } from '../gateway/dialogue.ts'
import type { Asked } from '../support/upstream.ts'

/** Input from the network: each speaker reads the fields that it knows. */
export type Loose = ReturnType<typeof JSON.parse>
export type Json = Readonly<Record<string, Loose>>

/** The answer of each wire, by hand. Pieces of a binary stream are text too: `toWire` turns them into bytes. */
export interface Speaker {
  /** The path of an answer, after the provider's own part. */
  readonly path: RegExp
  hear(body: Json): Heard
  whole(said: Said): unknown
  pieces(said: Said): string[]
  isStream(asked: Pick<Asked, 'path' | 'body'>): boolean
  error(status: number, message: string): unknown
  /** The error as it comes after a 200, in a stream. */
  errorPiece(message: string): string
  holdsKey(asked: Asked): boolean
}

export const list = (value: unknown): Loose[] => (Array.isArray(value) ? value : [])
export const event = (data: Json) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
export const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
export const halves = (text: string): string[] => [text.slice(0, text.length / 2), text.slice(text.length / 2)]

/** A call in the form of Chat Completions. */
export const chatCall = ({ id, name, args }: NonNullable<Said['calls']>[number]) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
})

export const codeOf = (status: number): string =>
  ({ 400: 'invalid_request_error', 401: 'authentication_error', 429: 'rate_limit_error' })[status] ?? 'api_error'

/** The text of a content in any of the forms that the wires have. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .map((part) => part.text ?? '')
    .join('')
}
