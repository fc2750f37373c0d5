/**
 * A format as a gateway takes it: the server's codec, and the facts that only a gateway needs. `server/format.ts` in the folder of each format has its
 * value. Bundles of pages do not contain it, because only gateways name it.
 *
 * @module
 */
import type { Frame, ModelSettings, ServerCodec } from '../../core/codec.ts'
import type { JsonObject } from '../../core/messages.ts'
import type { HttpModel } from '../../core/question.ts'
import type { FormatName } from './format-names.ts'

/** The thing that a request for a path asks for, apart from lists of models. With `framing: 'array'` the stream is one JSON array. */
export type PathPurpose =
  | { readonly kind: 'answer'; readonly framing?: 'array' }
  | { readonly kind: 'count' }
  | { readonly kind: 'version' }
  | { readonly kind: 'models' }

/** A model in a list of models. */
export interface ListedModel {
  readonly name: string
  readonly maxOutputTokens?: number
}

/** The list of models, as the clients of the format read it. */
export interface Listing {
  entry(model: ListedModel): JsonObject
  list(entries: readonly JsonObject[]): JsonObject
}

/** How the format counts the tokens of a request. */
export interface Counting {
  /** The provider's path, from its path for an answer. */
  path(answerPath: string): string
  /** The fields that name the model, as JSON. The table decides the model, wherever the client's body names one. */
  fields(body: JsonObject, model: string): { readonly [name: string]: string }
  /** The request in a body. Default: the body. */
  request?(body: JsonObject): JsonObject
  /** The body that asks for the count of a request, from the body that asks for its answer. */
  ofAnswer(body: JsonObject): JsonObject
  answer(tokens: number): JsonObject
}

/** A field of a body that limits the length of the answer. */
export interface LimitField {
  readonly name: string
  /** The field of the body whose value is an object that has it. Default: the body itself has it. */
  readonly within?: string
}

/** A date for formats that require one. A gateway's table of models has no dates. */
export const noDate = '1970-01-01T00:00:00Z'

/** Whether a client of Google sent the request. */
export function isGoogle(headers: Headers): boolean {
  return headers.has('x-goog-api-client') || headers.has('x-goog-api-key')
}

/** The first of these fields that is set. */
export function firstSet(body: JsonObject, names: readonly string[]): string | undefined {
  return names.find((name) => body[name] !== undefined && body[name] !== null && body[name] !== false)
}

/** The code of the error that refuses a `threadField`. */
export const unsupportedThread = 'thread_unsupported_request'

/** One format, from the side of a server: `openaiChatFormat` of `isoglot/openai-chat` and so on. For `formats` of `createGateway`. */
export interface GatewayFormat {
  readonly name: FormatName | 'isoglot'
  readonly codec: ServerCodec
  /** The provider to which this format belongs. Bytes pass to it and from it unchanged. */
  readonly provider: string
  /** Makes a model of that provider for this format, if the provider has another format that more servers speak. */
  readonly model?: (name: string, settings: ModelSettings) => HttpModel
  /** The paths of its requests. */
  readonly paths: { readonly [name: string]: PathPurpose }
  /** Reads a path that names the model. */
  readonly route?: (path: string, url: URL) => PathPurpose | undefined
  /**
   * For a path that names the model and says whether to stream: the fields of a body that name the model too. Default: the body does both, and
   * `model` has the name.
   */
  readonly modelFields?: (body: JsonObject, model: string) => JsonObject
  /** The path of the list of models. */
  readonly list: string
  /** Default: OpenAI's form. */
  readonly listing?: Listing
  /** Default: the format has no counts. */
  readonly counting?: Counting
  /** The prefix of its answers' ids. `undefined` if an id means that the answer is stored, because a gateway does not store answers. */
  readonly idPrefix: string | undefined
  /** Headers of each answer, those of errors too. Default: none. */
  readonly answerHeaders?: { readonly [name: string]: string }
  /** Whether a stream begins with the number of input tokens. Then it is estimated. Default false. */
  readonly countsFirst?: true
  /** A piece that a client reads and ignores. Default: an SSE comment. */
  readonly keepAlive?: string
  /** The fields that limit the length of an answer. If a request has none of them, the first one is written. */
  readonly limits: readonly LimitField[]
  /** The paths of the fields that limit reasoning, in tokens. Default: the format has none. */
  readonly budgets?: readonly (readonly [string, ...string[]])[]
  /** Client headers that belong to the body, and their allowed values. */
  readonly headers?: { readonly [name: string]: RegExp }
  /** Finds parts of a conversation that another provider answered: the format's own provider would refuse them. */
  readonly foreign?: RegExp
  /** The field that continues a stored answer. Default: `previous_response_id`. */
  readonly chainField?: string
  /**
   * The first field of a request that names work or content which the format's own provider keeps. Without it, another provider would
   * answer another request. Default: the format has none.
   */
  readonly keptField?: (body: JsonObject) => string | undefined
  /**
   * The field of a request that leaves its history with the format's own provider. Only the client's own bytes can have it; a client that
   * gets `thread_unsupported_request` sends all of its conversation without it. Default: the format has none.
   */
  readonly threadField?: string
  /** Whether the official client of the format sent a request with these headers, at any path. Default: it cannot be recognised. */
  readonly isClient?: (headers: Headers, path: string) => boolean
  /** The frame that ends a stream after its last event, for a provider that left it out. */
  readonly lastFrame?: Frame
  /** Whether an event is the last of its stream: the normal end, or an error. */
  isEnd(event: unknown): boolean
  /** The frames that end a stream with an error. `before` is the number of frames that the provider has sent. Default: unchanged. */
  readonly errorFrames?: (frames: readonly Frame[], before: number) => readonly Frame[]
}
