/**
 * The neutral model: plain JSON data, the same for every provider. Types only.
 *
 * Tags are `snake_case`, fields are `camelCase`. Nothing here is a class, holds a function (but {@link Tool.execute}) or a key,
 * so that whatever is built of it can be stored as it is.
 *
 * @module
 */

/** Whatever JSON can say. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
/** An object in JSON. */
export type JsonObject = { [key: string]: Json }
/** A JSON Schema, any draft. Read by own keys only, so that unknown keywords travel. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** Who speaks. Aliases (`human`, `ai`, `model`, `function`) exist at the boundary only and are never stored. */
export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool'

/** Fields of a wire that we have no word for, kept under the name of that wire and sent back to it unchanged. */
export type ProviderData = { readonly [format: string]: JsonObject }

/** Open-ended data of the application; of it only `cacheHint` ever reaches a wire, and only one that has such a thing. */
export interface Metadata {
  /** Marks the end of a prefix worth caching. `ephemeral` is the provider's default time, which on Anthropic is 5 minutes. */
  readonly cacheHint?: 'ephemeral' | { readonly ttl: '5m' | '30m' | '1h' | '12h' }
  readonly [key: string]: unknown
}

/**
 * A provider's own proof of what its model said: thinking signature, redacted or encrypted reasoning, thought signature, item id.
 * Sent back, byte for byte, to the provider and model family it came from, and nowhere else.
 */
export interface Opaque {
  /** Who made it: the provider's name, such as `anthropic` or `openrouter`. */
  readonly provider: string
  /** The model that made it, as the provider named it. */
  readonly model: string
  /** The wire format that `data` belongs to: a codec's name. */
  readonly format: string
  readonly data: JsonObject
}

// ---- content blocks: fifteen types ------------------------------------------------------------

interface BlockBase {
  /** The provider's id of the block, where it has one. */
  readonly id?: string
  readonly metadata?: Metadata
  readonly providerData?: ProviderData
}

interface MediaBlock extends BlockBase {
  readonly url?: string
  /** Raw base64, without a `data:` prefix. */
  readonly data?: string
  /** Such as `image/png`; needed with `data`. */
  readonly mimeType?: string
  /** A file stored at one provider; never valid at another. */
  readonly fileId?: string
}

/** Something said. */
export interface TextBlock extends BlockBase {
  readonly type: 'text'
  readonly text: string
  /** What the text rests on; offsets are UTF-16 units into this block's `text`. */
  readonly citations?: readonly CitationBlock[]
  /** The model declined, and this is how it said so. */
  readonly refusal?: true
  readonly opaque?: Opaque
}
/** A text document, as opposed to something said. */
export interface PlainTextBlock extends BlockBase {
  readonly type: 'plain_text'
  readonly text: string
  readonly title?: string
  readonly mimeType?: string
}
/** A picture. */
export interface ImageBlock extends MediaBlock {
  readonly type: 'image'
  readonly detail?: 'auto' | 'low' | 'high' | 'original'
  /** Gemini signs generated images too. */
  readonly opaque?: Opaque
}
/** Sound. */
export interface AudioBlock extends MediaBlock {
  readonly type: 'audio'
  /** What is said in it, where the provider tells. */
  readonly transcript?: string
}
/** Moving pictures. */
export interface VideoBlock extends MediaBlock {
  readonly type: 'video'
}
/** A PDF or another file. */
export interface FileBlock extends MediaBlock {
  readonly type: 'file'
  readonly filename?: string
}
/** What the model thought, or a summary of it. The text may be empty where only the proof travels. */
export interface ReasoningBlock extends BlockBase {
  readonly type: 'reasoning'
  readonly text: string
  readonly opaque?: Opaque
}
/** Where something stands that was said. */
export interface CitationBlock extends BlockBase {
  readonly type: 'citation'
  readonly url?: string
  readonly title?: string
  /** The passage cited. */
  readonly text?: string
  /** Start in the citing text, in UTF-16 units. */
  readonly startIndex?: number
  /** End in the citing text, exclusive, in UTF-16 units. */
  readonly endIndex?: number
}
/** The result of a call inside a user message; a {@link ToolMessage} is the usual form. */
export interface ToolResultBlock extends BlockBase {
  readonly type: 'tool_result'
  readonly toolCallId: string
  readonly name?: string
  readonly content: Content
  readonly isError?: boolean
  readonly artifacts?: readonly unknown[]
}
/** A complete call of one of our tools. */
export interface ToolCall extends BlockBase {
  readonly type: 'tool_call'
  /** Unique in the conversation. */
  readonly id: string
  readonly name: string
  /** Parsed arguments: always an object. */
  readonly arguments: JsonObject
  /** The very text that `arguments` was parsed from: the only exact form (key order, large numbers). */
  readonly argumentsText: string
  /** Position among the calls of its turn, from 0. Invalid calls count too. */
  readonly index: number
  readonly complete: true
  /** The provider gave no id and we made this one; it never goes back on a wire that may do without. */
  readonly generatedId?: true
  readonly opaque?: Opaque
}
/** A fragment of a call, as it streams. */
export interface ToolCallChunk extends BlockBase {
  readonly type: 'tool_call_chunk'
  readonly name?: string
  /** Position among the calls of its turn; may be absent on input, is always there on output. */
  readonly index?: number
  readonly argumentsDelta?: string
  /** All of the arguments so far, as far as they parse; there when the live view is on. */
  readonly argumentsSoFar?: JsonObject
}
/** A call that the provider itself runs. */
export interface ServerToolCall extends BlockBase {
  readonly type: 'server_tool_call'
  readonly name: string
  readonly arguments: JsonObject
  readonly argumentsText?: string
  readonly opaque?: Opaque
}
/** A fragment of a call that the provider runs, as it streams. */
export interface ServerToolCallChunk extends BlockBase {
  readonly type: 'server_tool_call_chunk'
  readonly name?: string
  readonly argumentsDelta?: string
}
/** What came of a call that the provider ran. */
export interface ServerToolResult extends BlockBase {
  readonly type: 'server_tool_result'
  readonly toolCallId?: string
  readonly name?: string
  readonly status?: 'success' | 'error'
  readonly output?: unknown
  readonly opaque?: Opaque
}
/** What a provider sent and we have no word for: kept, and sent back to that wire unchanged. */
export interface UnknownBlock extends BlockBase {
  readonly type: 'unknown'
  /** The wire it belongs to: a codec's name. */
  readonly format: string
  /** The provider's own word for it. */
  readonly providerType: string
  readonly value: Json
}

/** A part of what a message holds, by its `type`. */
export type ContentBlock =
  | TextBlock
  | PlainTextBlock
  | ImageBlock
  | AudioBlock
  | VideoBlock
  | FileBlock
  | ReasoningBlock
  | CitationBlock
  | ToolResultBlock
  | ToolCall
  | ToolCallChunk
  | ServerToolCall
  | ServerToolCallChunk
  | ServerToolResult
  | UnknownBlock
/** A string, or blocks whose order is their meaning. */
export type Content = string | readonly ContentBlock[]

/** What was meant as a call and cannot be one. It is kept and shown, and never run. */
export interface InvalidToolCall {
  readonly type: 'invalid_tool_call'
  readonly id?: string
  readonly name?: string
  /** Position among the calls of its turn, valid ones included. */
  readonly index: number
  /** All that came, as it came. */
  readonly argumentsText: string
  readonly reason: 'malformed_json' | 'not_an_object' | 'missing_name' | 'truncated' | 'too_deep'
  /** A sentence a person, or the model, can act upon. */
  readonly error: string
  readonly opaque?: Opaque
  readonly providerData?: ProviderData
}

// ---- messages ---------------------------------------------------------------------------------

interface MessageBase {
  readonly id?: string
  readonly metadata?: Metadata
  readonly providerData?: ProviderData
}
/** How a long text is cut into several messages when it is encoded. Nothing is cut without it. */
export interface SplitOptions {
  readonly delimiter?: string
  /** In what `countTokens` counts: words by default. Default 2048. */
  readonly maxTokens?: number
}
/** Instructions of whoever runs the application. */
export interface InstructionMessage extends MessageBase {
  readonly role: 'system' | 'developer'
  readonly content: Content
  readonly name?: string
  readonly split?: SplitOptions
}
/** What a person says. */
export interface UserMessage extends MessageBase {
  readonly role: 'user'
  readonly content: Content
  /** Who of several users speaks; sent where the wire takes it. */
  readonly name?: string
  readonly split?: SplitOptions
}
/** What the model said, with the calls that it made. */
export interface AssistantMessage extends MessageBase {
  readonly role: 'assistant'
  /** `null` is accepted for a turn of calls alone. */
  readonly content: Content | null
  readonly name?: string
  /** Accepted on input and folded into `content`, once, by id; what we make has the calls in `content`. */
  readonly toolCalls?: readonly ToolCall[]
  readonly invalidToolCalls?: readonly InvalidToolCall[]
  /** How the turn ended. Its calls may be run only if that is proper: see `canRunTools`. Absent on messages written by hand. */
  readonly stopReason?: StopReason
  /** The provider's own word for it. */
  readonly rawStopReason?: string
  readonly usage?: Usage
  readonly response?: ResponseInfo
}
/** What came of a call. */
export interface ToolMessage extends MessageBase {
  readonly role: 'tool'
  readonly toolCallId: string
  /** The tool's name. Gemini and Ollama need it; where it is missing it is found through the call. */
  readonly name?: string
  readonly content: Content
  readonly status?: 'success' | 'error'
  /** For the application: stored, never sent to a model. */
  readonly artifacts?: readonly unknown[]
  /** For the application: stored, never sent to a model. */
  readonly extra?: { readonly [key: string]: unknown }
}
/** A turn of a conversation. */
export type Message = InstructionMessage | UserMessage | AssistantMessage | ToolMessage

/** Where an answer came from. */
export interface ResponseInfo {
  readonly id?: string
  /** The provider's name, such as `openai` or `groq`. */
  readonly provider?: string
  /** The model, as the provider named it in its answer. */
  readonly model?: string
  /** Seconds since 1970, where the wire tells. */
  readonly createdAt?: number
}

/**
 * Why a turn ended.
 *
 * `stop` to `other` are proper ends. `interrupted` (the wire's own end never came), `error` and `aborted` are not: the calls
 * of such a message never run. `max_rounds` is the tool loop's.
 */
export type StopReason =
  | 'stop'
  | 'length'
  | 'tool_calls'
  | 'content_filter'
  | 'refusal'
  | 'pause'
  | 'other'
  | 'interrupted'
  | 'error'
  | 'aborted'
  | 'max_rounds'

/** Tokens. What a provider does not tell is absent, and not 0. */
export interface Usage {
  /** All input, cached or not. */
  readonly inputTokens?: number
  /** All output, reasoning included. */
  readonly outputTokens?: number
  readonly totalTokens?: number
  /** Part of `inputTokens`. */
  readonly cacheReadTokens?: number
  /** Part of `inputTokens`. */
  readonly cacheWriteTokens?: number
  /** Part of `outputTokens`. */
  readonly reasoningTokens?: number
  /** The provider's own figures, as sent, under the name of the wire. */
  readonly providerData?: ProviderData
}

// ---- tools ------------------------------------------------------------------------------------

/** What a model is told of a tool: plain data. */
export interface ToolDefinition {
  readonly name: string
  readonly description?: string
  /** A JSON Schema of type `object`. Absent: the tool takes no arguments. */
  readonly parameters?: JsonSchema
  /** Ask the provider to hold arguments to the schema, where it can. */
  readonly strict?: boolean
  /** Hints in the sense of MCP. */
  readonly annotations?: ToolAnnotations
  /** Never on a wire, but for `cacheHint`. */
  readonly metadata?: Metadata
  readonly providerData?: ProviderData
}
/** What a tool does to the world, in the sense of MCP: hints of its author, and no promises. */
export interface ToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
  readonly [key: string]: unknown
}
/** A tool that a provider runs itself, or one only its wire knows: sent to that wire as it is. */
export interface ProviderTool {
  readonly type: 'provider_tool'
  /** The wire it belongs to: a codec's name. */
  readonly format: string
  readonly value: JsonObject
}
/** Whether tools may, must or must not be called: any of them, one of this name, or some of these names. */
export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly name: string }
  /** Only these may be called; `required`: one of them must be. */
  | { readonly names: readonly string[]; readonly mode: 'auto' | 'required' }

// ---- requests and responses -------------------------------------------------------------------

/** State that one provider alone understands, carried from one response to the next request. */
export interface ProviderState {
  /** OpenAI Responses: the answer that the next request goes on from. */
  readonly previousResponseId?: string
  readonly [key: string]: Json | undefined
}
/** A conversation, as a model is asked to go on with it. */
export interface Context {
  /** System text; it comes before all messages. */
  readonly system?: Content
  readonly messages: readonly Message[]
  readonly tools?: readonly (ToolDefinition | ProviderTool)[]
  readonly providerState?: ProviderState
}
/** How much a model is to think, least first; a wire that knows fewer words gets the nearest. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'
/** The form that an answer is to have. */
export interface ResponseFormat {
  readonly type: 'json'
  /** Absent: any JSON. */
  readonly schema?: JsonSchema
  /** Two wires need one; default `response`. */
  readonly name?: string
  readonly description?: string
  readonly strict?: boolean
}
/** What is asked of a model beside the conversation. Every field but `model` may be absent, and then the provider decides. */
export interface RequestOptions {
  readonly model: string
  readonly stream?: boolean
  /** Longest answer, in tokens, hidden reasoning included. */
  readonly maxTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly seed?: number
  readonly stop?: readonly string[]
  readonly frequencyPenalty?: number
  readonly presencePenalty?: number
  readonly toolChoice?: ToolChoice
  /** `false`: at most one call a turn. */
  readonly parallelToolCalls?: boolean
  readonly responseFormat?: ResponseFormat
  readonly reasoning?: {
    readonly effort?: ReasoningEffort
    /** In tokens; wires that know efforts alone get the nearest. */
    readonly budgetTokens?: number
  }
  /** An id of the end user, for the provider's abuse watch. */
  readonly user?: string
  /** Fields of a wire that we have no word for, under the name of that wire: what we encode ourselves wins over them. */
  readonly providerOptions?: ProviderData
  /**
   * Which losses are errors. By default those of severity `major`; `true`: all but `info`; `false`: none; a function: those it
   * returns true for.
   */
  readonly strict?: boolean | ((loss: Loss) => boolean)
}

/** One thing that a target could not carry as it was. */
export interface Loss {
  /** Where in what was encoded, such as `messages[2].content[0].citations`. */
  readonly path: string
  readonly action: 'dropped' | 'changed' | 'invented'
  readonly reason: string
  /** `info`: nobody will miss it. `minor`: a faithful substitute, or a hint not taken. `major`: content is gone. */
  readonly severity: 'info' | 'minor' | 'major'
}

/** One whole answer. */
export interface ChatResponse {
  readonly message: AssistantMessage
  readonly stopReason: StopReason
  readonly usage?: Usage
  readonly providerState?: ProviderState
  /** What else the provider said of the answer as a whole, under the name of the wire. */
  readonly providerData?: ProviderData
}

// ---- stream events ----------------------------------------------------------------------------

/**
 * What a streamed answer is made of, in order. `index` is the number of the block that an event belongs to, counted in the order
 * in which blocks begin; several may be open at once. Every block ends with exactly one `content_block`, `tool_call` or
 * `invalid_tool_call`. Errors are thrown, and are not events.
 */
export type MessageEvent =
  | { readonly type: 'message_start'; readonly id?: string; readonly model?: string }
  | { readonly type: 'text_delta'; readonly index: number; readonly text: string; readonly refusal?: true }
  | { readonly type: 'reasoning_delta'; readonly index: number; readonly text: string }
  /** For those who draw arguments as they arrive; nobody has to read it. */
  | { readonly type: 'tool_call_chunk'; readonly index: number; readonly chunk: ToolCallChunk | ServerToolCallChunk }
  | { readonly type: 'tool_call'; readonly index: number; readonly call: ToolCall }
  | { readonly type: 'invalid_tool_call'; readonly index: number; readonly call: InvalidToolCall }
  /** A whole block: text and reasoning after their deltas, with citations and proof; everything else arrives only so. */
  | { readonly type: 'content_block'; readonly index: number; readonly block: ContentBlock }
  /** The figures so far; a later event replaces an earlier one. */
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'warning'; readonly warning: Loss }
  | { readonly type: 'message_end'; readonly message: AssistantMessage; readonly response: ChatResponse }
