/** A codec reads and writes one wire format with pure functions. Types only. @module */

import type { ApiError } from './errors.ts'
import type {
  AssistantMessage,
  ChatResponse,
  CitationBlock,
  ContentBlock,
  Context,
  ContextTool,
  InvalidToolCall,
  JsonObject,
  Loss,
  MessageEvent,
  Opaque,
  ProviderData,
  ProviderState,
  RequestOptions,
  StopReason,
  ToolCall,
  Usage,
} from './messages.ts'
import type { Machine } from './reducer.ts'
import type { Target } from './target.ts'

/** Takes the bytes of one streamed answer, in chunks of any size. */
export interface AnswerDecoder extends Machine<Uint8Array, MessageEvent> {
  /** The answer is complete, so later bytes are not needed. */
  readonly isEnded: boolean
  /** The model has stopped: the answer is complete, although its end may still come. */
  readonly hasStopped: boolean
  /** How many frames were decoded. */
  readonly taken: number
  /** The next bytes come from another connection, so an incomplete frame is dropped. */
  reconnect(): void
  /** Ends an incomplete answer, and appends its last events. */
  stop(stopReason: 'interrupted' | 'error' | 'aborted', out: MessageEvent[]): AssistantMessage
}

/** One frame of a stream: an SSE event, an NDJSON line, or a message of Amazon's event stream. */
export interface Frame {
  /** The SSE `event:` name, or the type of the message, if it has one. */
  readonly event?: string
  /** The text of `data:`, or the line. */
  readonly data: string
}

/** Identifies the block that a fragment belongs to, as the format does. */
export type BlockKey = string | number

/**
 * A decoded piece of a stream: part of a block. The assembler joins the pieces of all formats in the same way.
 *
 * Pieces with the same `key` make one block. A piece without a `key` continues the last block if that is open and of its kind; otherwise it
 * opens a new block.
 */
export type Fragment =
  /** A later one only adds fields that were not known, unless it is a change: then another model answers from here on. */
  | {
      readonly type: 'start'
      readonly id?: string
      readonly model?: string
      readonly createdAt?: number
      readonly isChange?: true
    }
  | { readonly type: 'text'; readonly text: string; readonly key?: BlockKey; readonly refusal?: true }
  | { readonly type: 'reasoning'; readonly text: string; readonly key?: BlockKey }
  | CallFragment
  /** Opens a block of any kind with fields other than its text, or is a whole block. It is closed at once unless `open` is set. */
  | { readonly type: 'block'; readonly block: ContentBlock; readonly key?: BlockKey; readonly open?: true }
  /** Adds fields to an open block (without a key: the last one), but no text and no arguments. */
  | {
      readonly type: 'patch'
      readonly key?: BlockKey
      readonly opaque?: Opaque
      readonly citations?: readonly CitationBlock[]
      readonly providerData?: ProviderData
      readonly id?: string
      /** For generated media. */
      readonly data?: string
      readonly transcript?: string
    }
  /** The block is complete. `end` closes the blocks that are still open. */
  | { readonly type: 'close'; readonly key: BlockKey }
  /** The usage so far. Each field that is set replaces the earlier value. */
  | { readonly type: 'usage'; readonly usage: Usage }
  /** Unknown fields of the answer. They are merged over earlier ones. */
  | { readonly type: 'extra'; readonly providerData: ProviderData; readonly on?: 'message' | 'response' }
  | { readonly type: 'warning'; readonly warning: Loss }
  /** The model has stopped. Only figures may follow, and the end: if neither comes soon, the answer is complete without them. */
  | { readonly type: 'stop' }
  /** The end of an answer in this format. An answer without it counts as interrupted. */
  | {
      readonly type: 'end'
      readonly stopReason: StopReason
      readonly rawStopReason?: string
      readonly providerState?: ProviderState
    }

/**
 * A piece of a call. Its call is found by `key`, `id`, `position` or `name` (a name starts a call). A piece without any of them belongs to
 * the latest open call. Empty and placeholder ids count as absent.
 */
export interface CallFragment {
  readonly type: 'call'
  readonly key?: BlockKey
  readonly id?: string | null
  /** The index among the calls, as the format counts. */
  readonly position?: number
  readonly name?: string | null
  /** A piece of text; or all arguments as an object, in formats that send them so. */
  readonly arguments?: string | JsonObject
  /** The text of `arguments` as the provider sent it, if they are an object and their text is known. */
  argumentsText?: string | undefined
  /** `arguments` is the whole text, and replaces the pieces before it. */
  readonly final?: boolean
  /** The answer does not show which call this is: it ends as an invalid call. */
  readonly unclear?: boolean | undefined
  /** The provider runs the call. */
  readonly server?: true
  /** isoglot made the id, because the provider sent none. */
  readonly generatedId?: true
  readonly opaque?: Opaque
  readonly providerData?: ProviderData
  /** The item as the provider announced it. Only the chunk has it, so that a server can announce the item too. */
  readonly announced?: ProviderData
}

/**
 * The caller's names of parameters that were sent under other names, because the provider does not take theirs: by the name of the tool,
 * and by the name that was sent.
 */
export type ParameterNames = ReadonlyMap<string, ReadonlyMap<string, string>>

/** A request in a wire format. */
export interface EncodedRequest<Body = unknown> {
  /** Appended to the model's base URL, such as `/chat/completions`. */
  readonly path: string
  /** The headers that the body needs. The codec's `headers` adds keys and versions. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
  readonly losses: readonly Loss[]
  /** The tools, for the decoders of the answer. Default: names are the same. */
  readonly offered?: Offered
}

/** A client's request, decoded. */
export interface DecodedRequest {
  readonly context: Context
  readonly options: RequestOptions
  readonly losses: readonly Loss[]
  /** Ids of calls that the conversation had before: no new call gets one of them. Default: none beside those of `context`. */
  readonly takenIds?: readonly string[]
  /** The client wants the arguments of a call that come as an object as soon as they come. Default false. */
  readonly live?: boolean
  /** The client reads only the last event: see `Call`. Default: if it does not ask for a stream. */
  readonly onlyWhole?: boolean
  /** How often the server repeats a request that the provider refuses because of load. Default 0: the client does that. */
  readonly retries?: number
}

/** An answer with an error status, or an error in mid-stream. */
export interface ErrorAnswer {
  /** 0 in mid-stream, which has no status. */
  readonly status: number
  /** Names are in lower case. */
  readonly headers: { get(name: string): string | null }
  /** Parsed if it is JSON; otherwise text. */
  readonly body: unknown
}

/** The calls in a body. */
export interface DecodedCalls {
  readonly toolCalls: readonly ToolCall[]
  readonly invalidToolCalls: readonly InvalidToolCall[]
}

/**
 * Options that the functions of every codec take as their last argument. `createClientCodec` binds a dialect: the methods of a
 * {@link ClientCodec} take the same options without it, and so do the functions of a format that has no dialects (Ollama).
 */
export interface CodecOptions<Dialect = never> {
  /** How the server differs from the format's own provider. Default: it is that provider. */
  readonly dialect?: Dialect
}

/** How a request is encoded. */
export interface EncodeRequestOptions<Dialect = never> extends RequestOptions, CodecOptions<Dialect> {}

/** The tools of a request, for the decoder of its answer. `prepare` returns them. */
export interface Offered {
  /** The caller's name of each tool, by the name that was sent. Calls come back under the caller's name. Default: names are the same. */
  readonly toolNames?: ReadonlyMap<string, string> | undefined
  /** The tools as the caller gave them. Default: unknown. */
  readonly offeredTools?: readonly ContextTool[] | undefined
  /** Parameters that were renamed. */
  readonly parameterNames?: ParameterNames | undefined
}

/** The request of an answer, as far as the answer is read by it. */
export interface Requested {
  /** The body of the request. Default: unknown. Chat reads `n`: without it, an answer may be one of several. */
  readonly request?: unknown
}

/** How a whole answer is decoded. */
export interface DecodeResponseOptions<Dialect = never> extends CodecOptions<Dialect>, Offered, Requested {
  /** The number of the first id that has to be made, higher than that of any made id in the conversation. Default 0. */
  readonly callsBefore?: number
  /** An empty list, which receives the events of the answer, as its stream would have them. */
  readonly events?: MessageEvent[] | undefined
}

/** How a stream is decoded. */
export interface DecodeStreamOptions<Dialect = never> extends CodecOptions<Dialect>, Offered, Requested {}

/** How the calls in a body are decoded. */
export interface DecodeToolCallsOptions<Dialect = never> extends CodecOptions<Dialect> {
  /** The tools that were encoded. Parameters that were renamed get their own names back. Default: names stay as they came. */
  readonly tools?: readonly ContextTool[]
}

/** How a client's request is decoded. The `dialect` says for whom the client wrote it: whose the proofs in its history are. */
export interface DecodeRequestOptions<Dialect = never> extends CodecOptions<Dialect> {
  /** The path of the request's URL. Gemini has the model there and whether to stream; other formats do not read it. Default: empty. */
  readonly path?: string
}

/** How the provider keeps a streamed answer, so that it goes on where a connection broke. */
export interface StoredStream {
  /** The id of the answer and the id of this event, as far as the event has them. */
  placeOf(frame: Frame): { readonly id?: string; readonly event?: string }
  /** The path of the events that follow one; of all without one. It is appended to the base URL. */
  pathOf(id: string, event: string | undefined): string
  /** The path that ends the answer, by POST. */
  stopPathOf(id: string): string
}

/** The client's half: what a web page needs to talk to a provider. */
export interface ClientCodec {
  /** The name of the format: `openai-chat`, `anthropic` … */
  readonly name: string
  /** The name of the provider: that of the dialect. */
  readonly provider: string
  /** The provider's name for people, in errors. Default: `provider`. */
  readonly title?: string
  /** Another likely cause where a page got no answer. It is appended to the error's message. */
  readonly pageHint?: string
  readonly framing: 'sse' | 'ndjson' | 'event-stream'
  /** Reads the frames of that framing. A program loads the framings of the codecs that it names. */
  readonly decodeFrames: (limits: { readonly maxEventBytes?: number }) => Machine<Uint8Array, Frame>
  /** What the newest models take of a request there: see `prepare`. `encodeRequest` goes by the model that is asked. */
  readonly rules: Target
  /** Calls that come without an id get this and a number that no other call of the conversation has. */
  readonly idPrefix: string
  /** Default: the provider does not keep streams. */
  readonly stored?: StoredStream
  /** Headers of every request: the key's, and versions. */
  headers(apiKey: string | undefined): Record<string, string>
  encodeRequest(context: Context, options: RequestOptions): EncodedRequest
  decodeResponse(body: unknown, options?: DecodeResponseOptions): ChatResponse
  /** Starts to decode one stream. If it is cut off, by an error too, `end` returns what was kept of a block that is not complete. */
  decodeStream(options?: DecodeStreamOptions): Machine<Frame, Fragment>
  decodeError(answer: ErrorAnswer, options?: CodecOptions): ApiError
}

/** For whom a client's request is written again. */
export interface PortTarget {
  /** The name of the format. */
  readonly format: string
  readonly provider: string
  /** The model's name, as the provider has it. */
  readonly model: string
  /** The client's headers that belong to the body. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** A call in the client's own form: its name, and the fields that its format keeps. */
export interface OwnCall {
  readonly name: string
  readonly providerData: ProviderData
}

/** A client's request without what its target does not know. */
export interface PortedRequest {
  readonly body: JsonObject
  /** The client's own calls, by the names of the functions that stand for its tools. */
  readonly calls: ReadonlyMap<string, OwnCall>
  readonly losses: readonly Loss[]
}

/** How an answer should present itself. */
export interface Reply {
  /** Default: what the message says, else one made from nothing (`chatcmpl-0`). */
  readonly id?: string
  /** Default: what the message says, else an empty string. */
  readonly model?: string
  /** Seconds since 1970. Default: what the message says, else 0; codecs have no clock. */
  readonly createdAt?: number
  /** Returns the time, in seconds since 1970. Responses: when the answer was completed. Default: unknown. */
  readonly clock?: () => number
  /** Responses: the body of the client's request, whose settings the answer repeats. Default: those of the answer, else OpenAI's defaults. */
  readonly request?: unknown
  /** The provider that answers a stream. Values that only it can read reach the client in envelopes. Default: the format's own provider. */
  readonly provider?: string
  /** The format in which it answers. Default: the same. */
  readonly format?: string
  /** Losses of the request, and of a whole answer, for a format that reports them. */
  readonly losses?: readonly Loss[]
  /** Chat: the client asked for usage in the stream. Default true. */
  readonly includeUsage?: boolean
  /** Anthropic: an estimate of the input's tokens, for the start of a stream. Default: what the provider reports by then, else 0. */
  readonly inputTokens?: number
}

/** A whole answer, as a wire has it. */
export interface EncodedResponse<Body = unknown> {
  readonly body: Body
  readonly losses: readonly Loss[]
}

/** Writes a stream of a format. The stream ends with exactly one end or one error. */
export interface StreamEncoder extends Machine<MessageEvent, Frame> {
  /** Ends the stream with an error of the wire. */
  fail(error: ApiError, out: Frame[]): void
  /** Losses so far. */
  readonly losses: readonly Loss[]
}

/** The gateway's half: what a server needs to be that provider. */
export interface ServerCodec {
  readonly name: string
  readonly framing: 'sse' | 'ndjson' | 'event-stream'
  /** Writes the frames of `event-stream`. The other framings are text. */
  readonly encodeFrame?: (frame: Frame) => Uint8Array
  decodeRequest(body: unknown, options?: DecodeRequestOptions): DecodedRequest
  /**
   * Writes a client's request again for a target that does not know all of it: tools that only this format has, and that the client runs, become
   * functions. Returns `undefined` if the target knows all of it. Default: no request has such a part.
   */
  port?(body: JsonObject, target: PortTarget): PortedRequest | undefined
  encodeResponse(response: ChatResponse, reply?: Reply): EncodedResponse
  /** Starts to encode one stream. */
  encodeStream(reply?: Reply): StreamEncoder
  encodeError(error: ApiError): {
    readonly status: number
    /** Default: none beside those that every answer has. */
    readonly headers?: Readonly<Record<string, string>>
    readonly body: unknown
  }
}

/** The settings that every provider's function takes, after the model's name. */
export interface ModelSettings {
  /** The key, or a function that returns it for each request. Without one, no key is sent. A provider's own address needs one. */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined
  /** The address of the API, with its version, such as `/v1`. Default: the provider's own. Paths are appended to it. */
  readonly baseUrl?: string | undefined
  /** Headers that are added to each request. They override isoglot's own. */
  readonly headers?: Readonly<Record<string, string>>
  /** Fields that are added to the body of each request. They override isoglot's own. */
  readonly body?: JsonObject
  /** The function that sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

/**
 * Where system and developer messages go that stand after the first other message, on a wire that takes instructions only at its head.
 * Either way is a `minor` loss. Default: they stay where they are, as tagged text of the user, so that a longer conversation begins with
 * the bytes of the shorter one and prompt caches hold.
 *
 * - `hoist`: they join the system text, and keep their rank. Each new one changes the beginning of the request.
 * - `inline`: they stay where they are as `role: "system"`. Only newer Anthropic models take that: others answer 400.
 */
export type LateInstructions = 'inline' | 'hoist'
