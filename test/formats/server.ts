/** The facts of a format without I/O: answers written by hand from its documents, the parts of a request that speak of tools, and a model. */
import type { HttpModel } from '../../src/core/question.ts'
import type { FormatName } from '../../src/formats/shared/format-names.ts'

/** A call as a model writes it: its id (where the wire has one), its tool, and the text of its arguments. */
export type WrittenCall = readonly [id: string, name: string, args: string]

/** One result in a request. */
export interface SentResult {
  /** The id, or the name where the wire goes by that. */
  readonly of: string
  readonly text: string
}

export interface ServerFacts {
  /** `undefined` for a binary stream. */
  readonly server: TestWire | undefined
  /** The key of its provider behind a gateway. */
  readonly key: string
  /** A model of that provider. */
  readonly modelAt: (url: string) => HttpModel
}

/** Values whose fields a test reads without checks. */
export type Loose = ReturnType<typeof JSON.parse>

export interface TestWire {
  readonly name: FormatName
  model(baseUrl: string): HttpModel
  /** A streamed answer in pieces; its last `endPieces` are its normal end. */
  text(...texts: string[]): string[]
  calls(...calls: WrittenCall[]): string[]
  readonly endPieces: number
  /** How many pieces follow the one that says why the model stopped: `[DONE]`, `message_stop`. */
  readonly piecesAfterReason: number
  /** The last piece says nothing, and a client that was cut off before it does not ask for it. */
  readonly isLastPieceEmpty: boolean
  /** How many of them follow the end: a cut before them loses nothing. */
  readonly piecesAfterEnd: number
  /** The same calls in an answer that hit its length. */
  cutAtLength(...calls: WrittenCall[]): string[]
  /** An error after a 200, as a piece of the stream. */
  readonly errorPiece: string
  wholeText(text: string): unknown
  wholeCalls(...calls: WrittenCall[]): unknown
  resultsIn(body: unknown): SentResult[]
  /** The schema of the answer in a request. */
  schemaIn(body: Loose): unknown
}

/** Input is taken to have the right type: a test fails if it does not. */
export type Body = { readonly [field: string]: string }
export type Bodies = { readonly [field: string]: Body }
export const list = (value: unknown) => (Array.isArray(value) ? value : []) as Body[]
export const said = (value: string | undefined) => value ?? '(none)'
export const sse = (data: object) => `data: ${JSON.stringify(data)}\n\n`
export const named = (data: { readonly type: string }) => `event: ${data.type}\n${sse(data)}`

/** Arguments as an object, or as the text that they are where they are none: some hosts write that. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export function textIn(content: unknown): string {
  return typeof content === 'string'
    ? content
    : list(content)
        .map(({ text }) => text)
        .join('')
}
