/**
 * Content blocks, and the types of JSON. Types only; `model.ts` exports them with the other types.
 *
 * @module
 */

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
/** An object in JSON. */
export type JsonObject = { [key: string]: Json }
/** A JSON Schema of any draft. Unknown keywords are kept. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** The author of a message. Readers accept aliases (`human`, `ai`, `model`, `function`); messages never have them. */
export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool'

/** Unknown fields of a provider, by the name of their format. They are sent back in that format unchanged. */
export type ProviderData = { readonly [format: string]: JsonObject }

/** A value of the application in an answer, for the page: `ownData()` of `isoglot/response` writes them. It is never sent to a model. */
export interface DataPart {
  readonly name: string
  /** A later value of the same name and id replaces this one. */
  readonly id?: string
  readonly value: Json
  /** Its place: the number of the answer's blocks before it, without empty texts. */
  readonly at: number
}

/** Data of your application, which is never sent. Only `cacheHint` is sent, in formats that have prompt caching by marks. */
export interface Metadata {
  /** Values for the page, each with its place in the answer. */
  readonly dataParts?: readonly DataPart[]
  /** Marks the end of a prefix to cache. `ephemeral` is the provider's default time: on Anthropic, 5 minutes. */
  readonly cacheHint?: 'ephemeral' | { readonly ttl: '5m' | '30m' | '1h' | '12h' }
  readonly [key: string]: unknown
}

/**
 * A proof: a provider's signature, encrypted reasoning or item id. It is sent back unchanged to the provider and model family that it came
 * from, and to no other.
 */
export interface Opaque {
  /** The provider that made it, such as `anthropic` or `openrouter`; empty if it came in a request that does not say. */
  readonly provider: string
  /** The model that made it, as the provider named it. */
  readonly model: string
  /** The wire format that `data` belongs to: a codec's name. */
  readonly format: string
  readonly data: JsonObject
}

// ---- content blocks: fifteen types ------------------------------------------------------------

interface BlockBase {
  /** The provider's id of the block, if it sends one. */
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
  /** The id of a file that one provider stores. It is not valid at another. */
  readonly fileId?: string
}

/** Text of a user or a model. */
export interface TextBlock extends BlockBase {
  readonly type: 'text'
  readonly text: string
  /** Sources of the text. Offsets are UTF-16 units into this block's `text`. */
  readonly citations?: readonly CitationBlock[]
  /** The text is a refusal. */
  readonly refusal?: true
  readonly opaque?: Opaque
}
/** A text document, as opposed to the text of a message. */
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
  /** The proof of a generated image (Gemini). */
  readonly opaque?: Opaque
}
/** Sound. */
export interface AudioBlock extends MediaBlock {
  readonly type: 'audio'
  /** The spoken text, if the provider sends it. */
  readonly transcript?: string
}
/** A video. */
export interface VideoBlock extends MediaBlock {
  readonly type: 'video'
}
/** A PDF or another file. */
export interface FileBlock extends MediaBlock {
  readonly type: 'file'
  readonly filename?: string
}
/** The model's reasoning, or a summary of it. The text may be empty if the provider sends only a proof. */
export interface ReasoningBlock extends BlockBase {
  readonly type: 'reasoning'
  readonly text: string
  readonly opaque?: Opaque
}
/** The source of a passage of text. */
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
export interface ToolCall<Name extends string = string, Arguments = JsonObject> extends BlockBase {
  readonly type: 'tool_call'
  /** Unique in the conversation. */
  readonly id: string
  readonly name: Name
  /** The parsed arguments, always an object. They are not checked against the schema of the tool; `execute` gets checked arguments. */
  readonly arguments: Arguments
  /** The text that `arguments` was parsed from. Only this text has the exact order of keys and large numbers. */
  readonly argumentsText: string
  /** Position among the calls of its turn, from 0. Invalid calls count too. */
  readonly index: number
  readonly complete: true
  /** isoglot made the id, because the provider sent none. Formats that allow a call without an id do not send it. */
  readonly generatedId?: true
  /** Identifies the conversation of a call that needs approval: see `signApproval`. It is never sent. */
  readonly approvalId?: string
  /**
   * Of a call that waits for a person, if its tool has `approval({ secret })`: shows that the run asked for consent to it. Send it back as the
   * `proof` of the decision. The call in the messages does not have it.
   */
  readonly approvalProof?: string
  readonly opaque?: Opaque
}
/** A fragment of a call, as it streams. */
export interface ToolCallChunk extends BlockBase {
  readonly type: 'tool_call_chunk'
  readonly name?: string
  /** Position among the calls of its turn. Optional on input, always set on output. */
  readonly index?: number
  readonly argumentsDelta?: string
  /** The arguments so far, as far as they parse. Set with `liveArguments`. */
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
/** The result of a call that the provider ran. */
export interface ServerToolResult extends BlockBase {
  readonly type: 'server_tool_result'
  readonly toolCallId?: string
  readonly name?: string
  readonly status?: 'success' | 'error'
  readonly output?: unknown
  readonly opaque?: Opaque
}
/** A block of a provider that isoglot does not know. It is kept, and sent back in the same format unchanged. */
export interface UnknownBlock extends BlockBase {
  readonly type: 'unknown'
  /** Its format: a codec's name. */
  readonly format: string
  /** The provider's own type of the block. */
  readonly providerType: string
  readonly value: Json
}

/** A part of the content of a message. Compare its `type` to narrow it. */
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
/** The content of a message: a string, or blocks in order. */
export type Content = string | readonly ContentBlock[]

/** A call that cannot run, for example because its arguments are not valid JSON. It is kept and shown, and never runs. */
export interface InvalidToolCall {
  readonly type: 'invalid_tool_call'
  readonly id?: string
  readonly name?: string
  /** Position among the calls of its turn, valid ones included. */
  readonly index: number
  /** The text of the arguments, as it arrived. For `unclear`, the error follows it, so that it cannot be read as arguments. */
  readonly argumentsText: string
  /** `unclear`: the answer does not show which call this is, or it repeats another call. */
  readonly reason: 'malformed_json' | 'not_an_object' | 'missing_name' | 'truncated' | 'too_deep' | 'unclear'
  /** Why the call cannot run: a sentence for a person or the model. */
  readonly error: string
  readonly opaque?: Opaque
  readonly providerData?: ProviderData
}
