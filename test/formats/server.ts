/** The answers of a format as the laws write them, and the parts of its requests that speak of tools. */
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
  /** The same in an answer that hit its length. */
  textCutAtLength(...texts: string[]): string[]
  cutAtLength(...calls: WrittenCall[]): string[]
  /** An error after a 200, as a piece of the stream. */
  readonly errorPiece: string
  wholeText(text: string): unknown
  wholeCalls(...calls: WrittenCall[]): unknown
  /** A text, and calls. */
  wholeWith(text: string, ...calls: WrittenCall[]): unknown
  resultsIn(body: unknown): SentResult[]
  /** The schema of the answer in a request. */
  schemaIn(body: Loose): unknown
}
