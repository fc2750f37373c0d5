/**
 * The differences between the servers of this format, as a value. One decoder reads the answers of all hosts. So a dialect mostly says
 * which fields may be sent. A difference that needs code is a function in the dialect, so that a page loads only the code of the hosts
 * that it imports. This file has only types.
 *
 * @module
 */

import type { ClientCodec, Fragment } from '../../core/codec.ts'
import type { ApiErrorKind } from '../../core/errors.ts'
import type { IdRule } from '../../core/ids.ts'
import type {
  AudioBlock,
  CitationBlock,
  ContentBlock,
  ContextTool,
  FileBlock,
  JsonObject,
  Message,
  ReasoningEffort,
  RequestOptions,
  StopReason,
  ToolChoice,
  ToolDefinition,
} from '../../core/messages.ts'
import type { Feature } from '../../core/target.ts'
import type { SchemaRules } from '../shared/fit-schema.ts'
import type { Losses } from '../shared/losses.ts'
import type {
  DialectMessageFields,
  WireAssistant,
  WireMessage,
  WirePart,
  WireRefusalPart,
  WireTextPart,
  WireToolChoice,
} from './wire.ts'

/** The context of the functions that encode parts of a request. */
export interface Encoding {
  readonly dialect: ChatDialect
  /** The model of the request. Only proofs of this model are sent. */
  readonly model: string
  readonly losses: Losses
}

/** The order of messages that a host requires. */
export interface MessageOrder {
  /** Whether the first message must be a user message. */
  readonly userFirst: boolean
  /** Whether the last message must be a user message or a result. Default false. */
  readonly userLast?: boolean
  arrange(messages: WireMessage[], to: Encoding): WireMessage[]
}

/** How earlier reasoning is sent back. */
export interface ReasoningReplay {
  /** Whether reasoning is sent without a proof. */
  readonly isPlain: boolean
  /** Returns the fields of the message that hold the reasoning, if there are any. See {@link ReasoningTurn}. */
  write(turn: ReasoningTurn, to: Encoding): (Partial<Pick<WireAssistant, 'content'>> & DialectMessageFields) | undefined
}

/** A turn whose reasoning is sent back. */
export interface ReasoningTurn {
  readonly blocks: readonly ContentBlock[]
  readonly path: string
  /** Whether the turn has the first calls of the conversation or comes after them. */
  readonly inCalls: boolean
  /** The encoded content. */
  readonly content: string | readonly (WireTextPart | WireRefusalPart)[] | null
}

/** Encodes a tool choice for a host that differs from OpenAI. */
export type ToolChoosing = (
  choice: Exclude<ToolChoice, 'auto'>,
  tools: readonly ContextTool[],
  to: Encoding,
) => { readonly tools: readonly ContextTool[]; readonly choice?: WireToolChoice }

/** How one server differs from others of this format. */
export interface ChatDialect {
  /** The provider's name, in proofs, errors and `message.response`. */
  readonly provider: string
  /** The provider's name in error messages. */
  readonly title: string
  readonly baseUrl: string
  /** Default `/chat/completions`. */
  readonly path?: string
  /** The header that has the API key. Default `authorization`, as a bearer token. */
  readonly keyHeader?: 'authorization' | 'api-key'
  /** The start of generated ids, for calls without an id. Default `call_`. */
  readonly idPrefix?: string

  // ---- which fields a request may have
  readonly maxTokensField: 'max_completion_tokens' | 'max_tokens'
  /** Fields that the host refuses or ignores, by their name in this format. They are not sent, which is a minor loss. */
  readonly refuses: ReadonlySet<string>
  /** Fields that have another name at this host: from the name in this format to the host's name. */
  readonly renames?: Readonly<Record<string, string>>
  /** Whether `stream_options` requests usage in streams. */
  readonly asksForUsage: boolean
  /** Whether the host takes a JSON Schema as response format. Otherwise the format is `json_object`, and the schema is in the prompt. */
  readonly jsonSchema: boolean
  /** The maximum number of stop sequences. Default 4. */
  readonly maxStops?: number

  // ---- messages
  /** The role of developer messages in the request. */
  readonly developerRole: 'developer' | 'system'
  /** Whether every role takes arrays of text parts. Otherwise text-only content is sent as one string. */
  readonly textParts?: boolean
  /** The order of messages that the host requires: `oneSystem`, `alternating`. Default: the order does not change. */
  readonly order?: MessageOrder
  /** Whether the host refuses a user message directly after tool results. If so, `prepare` inserts a short assistant message. */
  readonly bridgesResults?: boolean
  /** The field that marks the end of a prefix to cache. Default: none. */
  readonly cacheField?: 'prompt_cache_breakpoint' | 'cache_control'
  /** Kinds of media, besides images, that a user message may have by URL. */
  readonly mediaUrls?: ReadonlySet<'file' | 'video'>
  /** Whether the host takes only text, and no media. */
  readonly textOnly?: boolean
  /** Whether the host takes images only as data, and no other media. */
  readonly inlineImages?: boolean
  /** Encodes documents and audio. Default: OpenAI's encoding. */
  readonly encodeFile?: (block: FileBlock, path: string, to: Encoding) => WirePart | undefined
  readonly encodeAudio?: (block: AudioBlock, path: string, to: Encoding) => WirePart | undefined

  // ---- tools
  /** For hosts without tools: writes earlier calls and results as text (`spellCalls`). Default: the host takes tools. */
  readonly withoutTools?: (messages: readonly Message[], to: Encoding) => readonly Message[]
  /** Encodes a tool choice: `choosing(…)`. Default: OpenAI's encoding. */
  readonly chooseTools?: ToolChoosing
  /** Whether the host has custom tools, which take free text. Default false: definitions are not sent; calls are sent as function calls. */
  readonly customTools?: boolean
  /** Returns `strict` of a tool: `withoutStrict`, `booleanStrict`, `sameStrict`. Default: the tool's own value. */
  readonly strict?: (
    tool: ToolDefinition,
    tools: readonly ContextTool[],
    note: (reason: string) => void,
  ) => boolean | undefined
  /** The schemas of tools that the host takes. Default: those that most hosts take. */
  readonly schemas?: SchemaRules
  /** Whether results must have the tool's name. */
  readonly resultName?: boolean
  /** The rule for ids of calls. Default: at most 40 characters. */
  readonly callId?: IdRule

  // ---- reasoning
  /** Writes the fields that request reasoning: `byEffort`, `byReasoning`, `byThinking`, `byEnableThinking`, `byTemplate`, `notAsked`. */
  readonly askReasoning: (reasoning: NonNullable<RequestOptions['reasoning']>, to: Encoding) => JsonObject
  /** Efforts that the host has, lowest first. Other efforts become the nearest one. Default: all; with `byThinking`, only on and off. */
  readonly efforts?: readonly ReasoningEffort[] | ((model: string) => readonly ReasoningEffort[])
  /** Whether the model will reason. Set only if a request with reasoning must have other fields. */
  readonly reasons?: (model: string, effort: ReasoningEffort | undefined) => boolean
  /** Fields that the host refuses or ignores while the model reasons. */
  readonly whileReasoning?: { readonly refuses: ReadonlySet<string>; readonly refusesForcedCalls?: boolean }
  /** Fields of an answer that have reasoning, in order. The first non-empty field is read. */
  readonly reasoningFields: readonly string[]
  /** How earlier reasoning is sent back: `replayAs(…)`, `replayThinking`, `replayDetails`. Default: not at all. */
  readonly replay?: ReasoningReplay

  // ---- answers
  /** Brings a body or an event that has another form to the form of this format. Default: no change. */
  readonly adaptAnswer?: (body: unknown) => unknown
  /**
   * Reads a part of an answer that OpenAI does not send, and returns `undefined` for other parts. Default: text, refusals and images are
   * read, and other parts are kept unchanged. `compatible` reads the parts of every host.
   */
  readonly readPart?: (part: JsonObject) => readonly Fragment[] | undefined
  /** Reads the sources of the whole text, which some answers list beside it. They become its citations. */
  readonly sourcesIn?: (answer: JsonObject) => readonly CitationBlock[] | undefined
  /** Stop reasons of this provider. They override the common ones. */
  readonly stopReasons?: Readonly<Record<string, StopReason>>
  /** Whether some streams of this host end with `[DONE]` and have no stop reason. */
  readonly endsWithoutReason?: boolean
  /** Features that the host does not have, in addition to those that follow from the other fields. */
  readonly unsupported?: readonly Feature[]
  /** Whether `completion_tokens` does not include reasoning. */
  readonly countsReasoningApart?: boolean
  readonly errors?: DialectErrors
  /** Changes the codec, for a host whose requests or answers are not in this format. Default: no change. */
  readonly adapt?: (codec: ClientCodec) => ClientCodec
}

/** Errors whose meaning at this host differs from other hosts. */
export interface DialectErrors {
  /** Kinds by the error code in the body. */
  readonly kinds?: Readonly<Record<string, ApiErrorKind>>
  /** Kinds by status, if the body has no error code. */
  readonly statuses?: Readonly<Record<string, ApiErrorKind>>
  /** Kinds by status, if the answer has no body. */
  readonly emptyStatuses?: Readonly<Record<string, ApiErrorKind>>
}
