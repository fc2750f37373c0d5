/**
 * A provider of a format, by hand from its documents: what it reads of a request, and what it answers. The tests of the gateway talk to it, and
 * the laws write its answers call by call. No I/O, so that a Worker and a page can have it too.
 */
import type { HttpModel } from '../../src/core/question.ts'
import { type Heard, proof, type Said } from '../gateway/dialogue.ts'
import type { Asked } from '../support/upstream.ts'
import type { SentResult, TestWire, WrittenCall } from './server.ts'

/** Input from the network: each provider reads the fields that it knows. */
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

export interface Provider extends Speaker {
  readonly key: string
  /** A model of this provider, which is below the URL. */
  readonly modelAt: (url: string) => HttpModel
  /** `undefined` for a binary stream. */
  readonly server: TestWire | undefined
}

/** What a turn or an item of a request says. */
export interface Turn {
  /** The words of the user. */
  readonly prompt?: string
  readonly results?: readonly SentResult[]
  /** It has the proof of what the model thought. */
  readonly isProved?: boolean
}

/** An answer that a format writes. */
export interface Answer {
  readonly thought: string | undefined
  readonly text: string | undefined
  /** The text in pieces. */
  readonly texts: readonly string[]
  /** Arguments as the text that the model wrote, and as the value that it stands for. */
  readonly calls: readonly { readonly id: string | undefined; name: string; args: string; input: unknown }[]
  /** The word of the format for its end. */
  readonly reason: string
  readonly proof: string | undefined
}

/** The facts of a provider: all else is the same for each. */
interface Dialect extends Pick<Speaker, 'path' | 'error' | 'errorPiece'>, Pick<TestWire, 'name' | 'schemaIn'> {
  readonly key: string
  readonly make: (model: string, options: { readonly apiKey: string; readonly baseUrl: string }) => HttpModel
  /** One of its models, and where they are. */
  readonly model: string
  readonly base: string
  /** Its words for the end of an answer. */
  readonly words: Readonly<Record<'stop' | 'calls' | 'length', string>>
  turnsOf(body: Json): readonly Turn[]
  whole(answer: Answer): Json
  /** A stream before its end, and the end: the first piece says why the model stopped. */
  pieces(answer: Answer): string[]
  end(answer: Answer): string[]
  /** The last piece says nothing, and a client that was cut off before it does not ask for it. */
  readonly isLastPieceEmpty?: true
  /** The answer has ended before the last piece: a cut there loses nothing. */
  readonly endsBeforeLastPiece?: true
  /** Most of its models call without ids. */
  readonly callsWithoutIds?: true
  readonly isBinary?: true
  /** Default: by the field `stream`. */
  readonly isStream?: Speaker['isStream']
  /** Default: a bearer. */
  readonly holdsKey?: Speaker['holdsKey']
}

export function providerOf(dialect: Dialect): Provider {
  const { name, path, key, make, words, turnsOf, schemaIn, error, errorPiece } = dialect
  const { isLastPieceEmpty = false, endsBeforeLastPiece = false } = dialect
  const none = { thought: undefined, text: undefined, texts: [], calls: [], proof: undefined }
  const heard = ({ thought, text, calls = [] }: Said): Answer => ({
    ...{ thought, text, texts: text ? halves(text) : [], proof },
    calls: calls.map(({ id, name, args }) => ({
      ...{ id: dialect.callsWithoutIds ? undefined : id, name },
      ...{ args: JSON.stringify(args), input: args },
    })),
    reason: words[calls.length > 0 ? 'calls' : 'stop'],
  })
  const said = (texts: readonly string[], reason = words.stop): Answer => ({
    ...none,
    ...{ text: texts.join(''), texts, reason },
  })
  const called = (written: readonly WrittenCall[], reason = words.calls, text?: string): Answer => ({
    ...none,
    ...{ text, reason },
    calls: written.map(([id, name, args]) => ({ id, name, args, input: parsed(args) })),
  })
  const stream = (answer: Answer) => [...dialect.pieces(answer), ...dialect.end(answer)]
  const endPieces = dialect.end(said([''])).length
  const server: TestWire = {
    name,
    model: (baseUrl) => make('m', { apiKey: 'k', baseUrl }),
    text: (...texts) => stream(said(texts)),
    calls: (...written) => stream(called(written)),
    textCutAtLength: (...texts) => stream(said(texts, words.length)),
    cutAtLength: (...written) => stream(called(written, words.length)),
    endPieces,
    piecesAfterReason: endPieces - 1,
    isLastPieceEmpty,
    piecesAfterEnd: endsBeforeLastPiece ? 1 : 0,
    errorPiece: errorPiece('The oven burns'),
    wholeText: (text) => dialect.whole(said([text])),
    wholeCalls: (...written) => dialect.whole(called(written)),
    wholeWith: (text, ...written) => dialect.whole(called(written, words.calls, text)),
    resultsIn: (body) => turnsOf(body as Json).flatMap(({ results = [] }) => results),
    schemaIn,
  }
  return {
    ...{ path, key, error, errorPiece },
    hear(body) {
      const turns = turnsOf(body)
      const last = turns.findLastIndex(({ prompt }) => prompt !== undefined)
      return {
        prompt: turns[last]?.prompt ?? '',
        results: turns.slice(last).flatMap(({ results = [] }) => results.map(({ text }) => text)),
        hasProof: turns.some(({ isProved }) => isProved),
        hasSchema: (schemaIn(body) as Loose)?.properties?.city !== undefined,
      }
    },
    whole: (answer) => dialect.whole(heard(answer)),
    pieces(answer) {
      const pieces = stream(heard(answer))
      // What ends the answer is the last piece.
      return isLastPieceEmpty || endsBeforeLastPiece ? [...pieces.slice(0, -2), pieces.slice(-2).join('')] : pieces
    },
    isStream: dialect.isStream ?? (({ body }) => body.stream === true),
    holdsKey: dialect.holdsKey ?? (({ headers }) => headers.authorization === `Bearer ${key}`),
    modelAt: (url) => make(dialect.model, { baseUrl: url + dialect.base, apiKey: key }),
    server: dialect.isBinary ? undefined : server,
  }
}

export const list = (value: unknown): Loose[] => (Array.isArray(value) ? value : [])
export const event = (data: Json) => `event: ${data.type}\n${sse(data)}`
export const sse = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`
export const halves = (text: string): string[] => [text.slice(0, text.length / 2), text.slice(text.length / 2)]
/** A part of an answer, if it has the thing. */
export const given = <T, Part>(thing: T | undefined, part: (thing: T) => Part): Part[] =>
  thing === undefined ? [] : [part(thing)]

/** A result by the id of its call, or by its name where the wire goes by that. */
export const resultOf = (of: string | undefined, text: string): SentResult => ({ of: of ?? '(none)', text })

/** The turns of a wire whose results are messages of their own. */
export const turnsOfChat: Dialect['turnsOf'] = ({ messages }) =>
  list(messages).map(({ role, content, tool_call_id, tool_name }) => ({
    ...(role === 'user' && { prompt: textOf(content) }),
    ...(role === 'tool' && { results: [resultOf(tool_call_id ?? tool_name, textOf(content))] }),
  }))

/** Arguments as an object, or as the text that they are where they are none: some hosts write that. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A call in the form of Chat Completions. */
export const chatCall = ({ id, name, args }: Answer['calls'][number]) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
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
