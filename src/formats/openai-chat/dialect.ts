/**
 * The differences between the servers of this format, as a value. One decoder reads them all, since every known difference in answers is
 * read for all hosts. So most of a dialect says which fields may be sent. A difference that needs code is a function of the dialect, so
 * that a page loads only the code of the hosts that it names. Types only.
 *
 * @module
 */
import type { ClientCodec, Fragment } from '../../core/codec.ts'
import type { ApiErrorKind } from '../../core/errors.ts'
import type {
  AudioBlock,
  ContentBlock,
  FileBlock,
  JsonObject,
  Message,
  ProviderTool,
  ReasoningEffort,
  RequestOptions,
  StopReason,
  ToolChoice,
  ToolDefinition,
} from '../../core/model.ts'
import type { IdRule } from '../../kit/ids.ts'
import type { Lack } from '../../kit/lacks.ts'
import type { Losses } from '../../kit/losses.ts'
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
  /** The model asked, for proofs. */
  readonly model: string
  readonly losses: Losses
}

export type Tools = readonly (ToolDefinition | ProviderTool)[]

/** The order of messages that a host requires. */
export interface MessageOrder {
  /** Whether the first message has to be the user's. */
  readonly userFirst: boolean
  arrange(messages: WireMessage[], to: Encoding): WireMessage[]
}

/** How earlier reasoning is sent back. */
export interface ReasoningReplay {
  /** Whether reasoning is sent without a proof. */
  readonly isPlain: boolean
  /** The fields of the message. See {@link ReasoningTurn}. */
  write(turn: ReasoningTurn, to: Encoding): Partial<Pick<WireAssistant, 'content'>> & DialectMessageFields
}

/** A turn whose reasoning is sent back. */
export interface ReasoningTurn {
  readonly blocks: readonly ContentBlock[]
  readonly path: string
  /** Whether the turn holds the first calls of the conversation, or comes after them. */
  readonly inCalls: boolean
  /** The encoded content. */
  readonly content: string | readonly (WireTextPart | WireRefusalPart)[] | null
}

/** How a host takes a tool choice, if it differs from OpenAI. */
export type ToolChoosing = (
  choice: Exclude<ToolChoice, 'auto'>,
  tools: Tools,
  to: Encoding,
) => { readonly tools: Tools; readonly choice?: WireToolChoice }

/** How one server differs from others of this format. */
export interface ChatDialect {
  /** The provider's name, in proofs, errors and `message.response`. */
  readonly provider: string
  /** The provider's name for people, in messages of errors. */
  readonly title: string
  readonly baseUrl: string
  /** Default `/chat/completions`. */
  readonly path?: string
  /** The header that the key goes into. Default `authorization`, as a bearer token. */
  readonly keyHeader?: 'authorization' | 'api-key'
  /** For calls that come without an id. Default `call_`. */
  readonly idPrefix?: string

  // ---- which fields a request may have
  readonly maxTokensField: 'max_completion_tokens' | 'max_tokens'
  /** Fields that the host refuses or ignores, by their name in the format. They are not sent, which is a minor loss. */
  readonly refuses: ReadonlySet<string>
  /** Fields that have another name here. */
  readonly renames?: Readonly<Record<string, string>>
  /** Asks for usage in streams by `stream_options`. */
  readonly asksForUsage: boolean
  /** Whether the host takes a JSON Schema as response format. Otherwise the format is `json_object`, and the schema is in the prompt. */
  readonly jsonSchema: boolean
  /** The maximum number of stop sequences. Default 4. */
  readonly maxStops?: number

  // ---- messages
  /** The role with which a developer message is sent. */
  readonly developerRole: 'developer' | 'system'
  /** Takes arrays of text parts in every role; otherwise content of only text is sent as one string. */
  readonly textParts?: boolean
  /** The order of messages that the host requires: `oneSystem`, `alternating`. Default: the order does not change. */
  readonly order?: MessageOrder
  /** Refuses a user message directly after tool results: `prepare` inserts a short message of the assistant. */
  readonly bridgesResults?: boolean
  /** Takes names of participants. Default true. */
  readonly names?: boolean
  /** The field that marks the end of a prefix to cache. Default: none. */
  readonly cacheField?: 'prompt_cache_breakpoint' | 'cache_control'
  /** Kinds of media that a user message may hold by URL beside images. */
  readonly mediaUrls?: ReadonlySet<'file' | 'video'>
  /** Takes no media at all. */
  readonly textOnly?: boolean
  /** Takes images as data, and no other media. */
  readonly inlineImages?: boolean
  /** How documents and audio are written. Default: as OpenAI takes them. */
  readonly encodeFile?: (block: FileBlock, path: string, to: Encoding) => WirePart | undefined
  readonly encodeAudio?: (block: AudioBlock, path: string, to: Encoding) => WirePart | undefined

  // ---- tools
  /** For hosts without tools: writes earlier calls and results as text (`spellCalls`). Default: the host takes tools. */
  readonly withoutTools?: (messages: readonly Message[], to: Encoding) => readonly Message[]
  /** Encodes a tool choice: `choosing(…)`. Default: as OpenAI takes it. */
  readonly chooseTools?: ToolChoosing
  /** Has custom tools, which take free text. Default: their definitions are left out, and their calls are sent as calls of functions. */
  readonly customTools?: boolean
  /** `strict` of each of the tools: `withoutStrict`, `booleanStrict`, `sameStrict`. Default: as given. */
  readonly strict?: (tool: ToolDefinition, tools: Tools, note: (reason: string) => void) => boolean | undefined
  /** Requires the tool's name in results. */
  readonly resultName?: boolean
  /** The legal ids of calls. Default: at most 40 characters. */
  readonly callId?: IdRule
  /** Takes arguments that are not valid JSON; otherwise they are sent as `{}`. */
  readonly rawArguments?: boolean

  // ---- reasoning
  /** Writes the fields that request reasoning: `byEffort`, `byReasoning`, `byThinking`, `byEnableThinking`, `byTemplate`, `notAsked`. */
  readonly askReasoning: (reasoning: NonNullable<RequestOptions['reasoning']>, to: Encoding) => JsonObject
  /** Efforts that `byEffort` sends, least first: others become the nearest. Default: all; with `byThinking`, none: only on or off. */
  readonly efforts?: readonly ReasoningEffort[] | ((model: string) => readonly ReasoningEffort[])
  /** Whether a model will reason, if its request then has other fields. */
  readonly reasons?: (model: string, effort: ReasoningEffort | undefined) => boolean
  /** Fields that the host refuses or ignores while the model reasons. */
  readonly whileReasoning?: { readonly refuses: ReadonlySet<string>; readonly refusesForcedCalls?: boolean }
  /** Fields of an answer that hold reasoning, in order: the first that is not empty counts. */
  readonly reasoningFields: readonly string[]
  /** How earlier reasoning is sent back: `replayAs(…)`, `replayThinking`, `replayDetails`. Default: not at all. */
  readonly replay?: ReasoningReplay

  // ---- answers
  /**
   * Reads a part of an answer's content that OpenAI does not send, and returns `undefined` for others. Default: text, refusals and images are
   * read, other parts are kept whole. `compatible` reads the parts of every host.
   */
  readonly readPart?: (part: JsonObject) => readonly Fragment[] | undefined
  /** The provider's own stop reasons. They override the common ones. */
  readonly stopReasons?: Readonly<Record<string, StopReason>>
  /** Some of its streams reach `[DONE]` without a stop reason. */
  readonly endsWithoutReason?: boolean
  /** Features that the host lacks, in addition to those of the other fields. */
  readonly lacks?: readonly Lack[]
  /** `completion_tokens` do not count reasoning. */
  readonly countsReasoningApart?: boolean
  readonly errors?: DialectErrors
  /** Changes the codec, for a host whose requests or answers have another form. Default: they have this format's. */
  readonly adapt?: (codec: ClientCodec) => ClientCodec
}

/** Errors that have another meaning at this host than at most hosts. */
export interface DialectErrors {
  /** By the code in the body. */
  readonly kinds?: Readonly<Record<string, ApiErrorKind>>
  /** By status, if the body has no code. */
  readonly statuses?: Readonly<Record<string, ApiErrorKind>>
  /** By status, for an answer without a body. */
  readonly emptyStatuses?: Readonly<Record<string, ApiErrorKind>>
}
