/**
 * The neutral model: content blocks, and the JSON that they are made of. Types only; `model.ts` exports them with the rest.
 *
 * @module
 */

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
/** An object in JSON. */
export type JsonObject = { [key: string]: Json }
/** A JSON Schema, any draft. Read by own keys only, so that unknown keywords travel. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** The author of a message. Aliases (`human`, `ai`, `model`, `function`) exist at the boundary only and are never stored. */
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
  /** The provider that made it, such as `anthropic` or `openrouter`. */
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
  /** Sources of the text. Offsets are UTF-16 units into this block's `text`. */
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
  /** The spoken text, if the provider sends it. */
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
/** The model's reasoning, or a summary of it. The text may be empty if the provider sends only a proof. */
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
export interface ToolCall<Name extends string = string, Arguments = JsonObject> extends BlockBase {
  readonly type: 'tool_call'
  /** Unique in the conversation. */
  readonly id: string
  readonly name: Name
  /** Parsed arguments: always an object. They were not checked against the schema of the tool; `execute` gets those that were. */
  readonly arguments: Arguments
  /** The very text that `arguments` was parsed from: the only exact form (key order, large numbers). */
  readonly argumentsText: string
  /** Position among the calls of its turn, from 0. Invalid calls count too. */
  readonly index: number
  readonly complete: true
  /** The provider gave no id and we made this one; it never goes back on a wire that may do without. */
  readonly generatedId?: true
  /** Which conversation a call of a tool with `needsApproval` is of: see `signApproval`. Never on a wire. */
  readonly approvalId?: string
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

/** A call that cannot run, for example because its arguments are not valid JSON. It is kept and shown, and never runs. */
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
