/**
 * What a model is, what it is asked, and how. Types only.
 *
 * @module
 */

import type { AnswerDecoder, ClientCodec, ModelSettings, StoredStream } from './codec.ts'
import type { AssistantMessage, Context, JsonObject, MessageEvent, RequestOptions, Usage } from './messages.ts'

/** What is asked: the conversation with its tools, and the options. Plain data. */
export interface Question {
  readonly context: Context
  readonly options: RequestOptions
}

/**
 * A model: two names and a function that answers. `generate`, `stream` and chats take it; `anthropic('claude-sonnet-5', { apiKey })` makes
 * one that asks over HTTP, `remote` one that asks a server of yours, `localModel` one of a function.
 */
export interface Model {
  /** The provider, such as `anthropic`: whose state and signatures it takes. */
  readonly provider: string
  /** The model's name, as the provider has it. */
  readonly model: string
  /**
   * Answers one question: its events in batches, a `message_end` among them. A method: it reads the settings of the object that it is
   * called on, so `{ ...model, fetch }` is another model, and `const { answer } = model` does not work.
   */
  answer(question: Question, call: Call): AsyncIterable<readonly MessageEvent[]>
}

/** A model behind an HTTP API. Its settings may be replaced: `{ ...model, baseUrl }` asks at the new address. */
export interface HttpModel extends Model, Omit<ModelSettings, 'baseUrl'> {
  readonly codec: ClientCodec
  readonly baseUrl: string
  /** The provider's own address. A request to it without a key is a `TypeError`, and is not sent. */
  readonly providerUrl?: string
}

/**
 * How a question is asked, and whom the model tells what happens. Not the call of a tool, which is a `ToolCall`. Only `signal` is required: `model.answer(question, { signal })` is a whole
 * call.
 */
export interface Call {
  /** Cancels the answer. */
  readonly signal: AbortSignal
  readonly timeouts?: Timeouts
  /** The highest number of retries of a request. Default 2. */
  readonly retries?: number
  /** Of this answer: each answer of a run has its own. */
  readonly idempotencyKey?: string
  /** The largest event of a stream, in bytes. Default 8 MiB. */
  readonly maxEventBytes?: number
  /** The largest answer that is not streamed, in bytes. Default 32 MiB. */
  readonly maxBodyBytes?: number
  readonly liveArguments?: LiveArguments
  /** Whether the provider is asked for a whole answer. Default: only with `onlyWhole`, if it has no stream. */
  readonly wholeAnswer?: boolean
  /** The caller reads only the last event. An answer that has no stream, such as several choices or speech, is then asked for whole. Default false. */
  readonly onlyWhole?: boolean
  readonly resume?: Resumable
  /** The name of an earlier answer that the server keeps: it is read, and not asked for again. */
  readonly streamId?: string
  /** Ids of calls that the conversation had and the question does not: no call gets one of them. */
  readonly takenIds?: () => Iterable<string | undefined>

  // ---- what a model reports
  /** This model is asked. Each model that answers by itself calls it first; another one may have failed before it. */
  readonly onModel?: (model: Model) => void
  /** A request is sent. The function it returns takes its end. */
  readonly onAttempt?: (url: string) => (end: AttemptEnd) => void
  /** The first chunk of a streamed answer has arrived. */
  readonly onFirstChunk?: () => void
  /** Gets a promise that settles when the server has named the answer, or does not keep it. */
  readonly onHeaders?: (arrived: Promise<unknown>) => void
  /** The server keeps the answer under this name; `stop` ends it there. */
  readonly onKept?: (id: string, stop: () => Promise<void>) => void
  /** The part of an answer that arrived before it failed or was left. */
  readonly onPartial?: (message: AssistantMessage) => void
}

/** How one request ended. */
export interface AttemptEnd {
  /** Absent if there was no answer. */
  readonly status?: number
  readonly usage?: Usage
  readonly error?: unknown
  /** The request is sent again after this number of milliseconds. */
  readonly retryMs?: number
}

/** How long a provider may take, in milliseconds. */
export interface Timeouts {
  /** From sending until the first byte of the answer's body. Default 120,000. An answer that is not streamed begins when it is complete. */
  readonly firstByteMs?: number
  /** Between two chunks of a body. Default 60,000. */
  readonly idleMs?: number
  /** For one request with all its retries. Default 600,000. */
  readonly totalMs?: number
}

/** The clocks of one answer. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Starts the timer of a phase, and stops the timer of the phase before it. */
  enter(phase: 'first_byte' | 'idle'): void
  /** Stops the timer of the phase. */
  pause(): void
  /** Aborts by hand. */
  abort(reason: unknown): void
  /** Stops all timers, removes the listener from the caller's signal, and ends what is left of the request. */
  clear(): void
}

/** The value of `liveArguments`: grows a view of arguments as their text arrives, in time linear in the text. */
export interface LiveArguments {
  /** Takes the next piece and returns all of the arguments so far. */
  push(text: string): JsonObject
  /** An empty view, for the arguments of another call. */
  fresh(): LiveArguments
}

/** The value of `resumable`: continues a streamed answer after a lost connection. */
export interface Resumable {
  /** The name of an answer that the server already stores. */
  readonly streamId: string | undefined
  /** The chunks of an answer, over as many connections as it takes; `undefined` if the server does not keep it. */
  chunks(answer: Underway, deadline: Deadline): AsyncIterable<Uint8Array> | undefined
  /** Asks the server to end an answer that it keeps. */
  stop(server: AnswerServer, id: string): Promise<void>
}

/** A server that may keep its answers. */
export interface AnswerServer {
  /** The address of its API, or one of its routes. */
  readonly baseUrl: string
  /** How it keeps them. Default: as isoglot's Worker does. */
  readonly stored?: StoredStream | undefined
  /** Sends a request, with the key or the token. @throws {ApiError} if the answer's status is not 2xx. */
  ask(url: string, init: Pick<RequestInit, 'method'> & ServerRequest): Promise<Response>
}

/** What each request to a server has. */
export interface ServerRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** An answer that is under way: what has come of it, and where the rest is. */
export interface Underway {
  readonly server: AnswerServer
  readonly timeouts: Timeouts | undefined
  /** The name by which the server keeps it, if it was asked for before. */
  readonly id: string | undefined
  /** The connection that is there already. */
  readonly response: Response | undefined
  readonly decoder: Pick<AnswerDecoder, 'isEnded' | 'taken' | 'reconnect'>
  /** The server keeps the answer under this name. */
  named(id: string): void
}
