/** The facts of a format that the tests of the gateway use. They come from its documents, and use no code of ours. */
import type { Loose } from './server.ts'

/** The mark of the end in one event; `undefined` if it has none. */
export type Mark = 'end' | 'error' | undefined

export type Channel = 'text' | 'thought' | 'arguments'

export interface GatewayFacts {
  /** The smallest request. */
  minimal(model: string, prompt: string, stream: boolean): { readonly path: string; readonly minimal: object }
  mark(event: Loose): Mark
  /** The events of a stream; comments are left out. */
  eventsOf(text: string): Loose[]
  /** Whether a body is an error of the wire, as its official client reads it. */
  isErrorBody(body: Loose): boolean
  /** The path of the list of models. */
  readonly list: string
  /** The headers of a request to its provider, beside those that every request has. */
  readonly headers: readonly string[]
  /** The field that limits the length of an answer: a request with it, and its value in a request. */
  limit(tokens: unknown): object
  limitIn(body: Loose): unknown
  /** The status of a request without a valid key. */
  readonly unauthorized: 401 | 403
  /** The number of pieces before the first content of its provider. */
  readonly silentPieces: number
  /** Where the finish reason comes before the end, the connection may close after it. Default: only at the end. */
  readonly reasonPiece?: string
  /** Where its provider's text comes in pieces that a client joins. */
  readonly channels: readonly Channel[]
  /** Whether its provider reports reasoning. */
  readonly thinks: boolean
  /** Whether its provider signs its reasoning, and requires the proof. */
  readonly signs: boolean
}

/** The data of server-sent events. */
export function sseEventsOf(text: string): Loose[] {
  const events = text.split('\n\n').filter((event) => event.trim() !== '' && !event.startsWith(':'))
  return events.map((event) => {
    const data = event
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => line.slice(6))
      .join('\n')
    return data === '[DONE]' ? data : JSON.parse(data)
  })
}
