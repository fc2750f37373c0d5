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

/** The context of encoders of parts of a request. */
export interface Encoding {
  readonly dialect: ChatDialect
  /** The model asked, for proofs. */
  readonly model: string
  readonly losses: Losses
}

export type Tools = readonly (ToolDefinition | ProviderTool)[]

/** The order of messages that a host demands. */
export interface MessageOrder {
  /** Whether the first message has to be the user's. */
  readonly userFirst: boolean
  arrange(messages: WireMessage[], to: Encoding): WireMessage[]
}

/** How earlier reasoning is sent back. */
export interface ReasoningReplay {
  /** Whether it goes without a proof. */
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

/** How a host takes tools where it differs from OpenAI. */
export type ToolChoosing = (
  choice: Exclude<ToolChoice, 'auto'>,
  tools: Tools,
  to: Encoding,
) => { readonly tools: Tools; readonly choice?: WireToolChoice }

/** How one server differs from the others that speak this format. */
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
  /** Fields, by their name on the wire, that are refused or ignored: not sent, with a minor loss. */
  readonly refuses: ReadonlySet<string>
  /** Fields that have another name here. */
  readonly renames?: Readonly<Record<string, string>>
  /** Asks for usage in streams by `stream_options`. */
  readonly asksForUsage: boolean
  /** Whether a JSON Schema is taken as response format; else `json_object`, with the schema in the prompt. */
  readonly jsonSchema: boolean
  /** The maximum number of stop sequences. Default 4. */
  readonly maxStops?: number

  // ---- messages
  /** The role with which a developer message is sent. */
  readonly developerRole: 'developer' | 'system'
  /** Takes arrays of text parts in every role; otherwise content of only text is sent as one string. */
  readonly textParts?: boolean
  /** The order of messages that it demands: `oneSystem`, `alternating`. Default: the order stays as it is. */
  readonly order?: MessageOrder
  /** Refuses a user message right after tool results: `prepare` puts a word of the assistant's between. */
  readonly bridgesResults?: boolean
  /** Takes names of participants. Default true. */
  readonly names?: boolean
  /** How the end of a prefix worth caching is marked. Default: not at all. */
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
  /** It takes no tools: how earlier calls and results are said (`spellCalls`). Default: it takes them. */
  readonly withoutTools?: (messages: readonly Message[], to: Encoding) => readonly Message[]
  /** How a choice among tools is written: `choosing(…)`. Default: as OpenAI takes it. */
  readonly chooseTools?: ToolChoosing
  /** Has custom tools, which take free text. Default: their definitions are left out, and their calls are sent as calls of functions. */
  readonly customTools?: boolean
  /** `strict` of each of the tools: `withoutStrict`, `booleanStrict`, `sameStrict`. Default: as given. */
  readonly strict?: (tool: ToolDefinition, tools: Tools, note: (reason: string) => void) => boolean | undefined
  /** Wants the tool's name on results. */
  readonly resultName?: boolean
  /** Default: whatever has at most 40 characters. */
  readonly callId?: IdRule
  /** Takes arguments that are not valid JSON; otherwise they are sent as `{}`. */
  readonly rawArguments?: boolean

  // ---- reasoning
  /** The fields that ask for reasoning: `byEffort`, `byReasoning`, `byThinking`, `byEnableThinking`, `byTemplate`, `notAsked`. */
  readonly askReasoning: (reasoning: NonNullable<RequestOptions['reasoning']>, to: Encoding) => JsonObject
  /** Efforts that `byEffort` sends, least first: others become the nearest. Default: all; with `byThinking`, none: only on or off. */
  readonly efforts?: readonly ReasoningEffort[] | ((model: string) => readonly ReasoningEffort[])
  /** Whether a model will reason, where that changes what it takes. */
  readonly reasons?: (model: string, effort: ReasoningEffort | undefined) => boolean
  /** Fields that are refused, or ignored, while it does. */
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
  /** Reasons to stop that only this provider has; they win over the common ones. */
  readonly stopReasons?: Readonly<Record<string, StopReason>>
  /** Some of its streams reach `[DONE]` with no reason to stop. */
  readonly endsWithoutReason?: boolean
  /** Features that it lacks beside those that follow from the other fields. */
  readonly lacks?: readonly Lack[]
  /** `completion_tokens` do not count reasoning. */
  readonly countsReasoningApart?: boolean
  readonly errors?: DialectErrors
  /** Changes the codec, for a host whose requests or answers have another form. Default: they have this format's. */
  readonly adapt?: (codec: ClientCodec) => ClientCodec
}

/** Errors that mean something else at one host than at most hosts. */
export interface DialectErrors {
  /** By the body's own word. */
  readonly kinds?: Readonly<Record<string, ApiErrorKind>>
  /** By status, where the body has no word for it. */
  readonly statuses?: Readonly<Record<string, ApiErrorKind>>
  /** By status, for an answer without a body. */
  readonly emptyStatuses?: Readonly<Record<string, ApiErrorKind>>
}
