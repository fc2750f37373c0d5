/**
 * Anthropic Messages: types of the JSON, with only the fields that isoglot reads or writes.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 *
 * @module
 */

export interface WireCacheControl {
  type: 'ephemeral'
  /** The lifetime of the cache entry. Default: 5 minutes. */
  ttl?: '5m' | '1h'
}

export type WireImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'
export type WireImageSource =
  | { type: 'base64'; media_type: WireImageType; data: string }
  | { type: 'url'; url: string }
  | { type: 'file'; file_id: string }
export type WireDocumentSource =
  | { type: 'base64'; media_type: 'application/pdf'; data: string }
  | { type: 'text'; media_type: 'text/plain'; data: string }
  | { type: 'url'; url: string }
  | { type: 'file'; file_id: string }

export interface WireText {
  type: 'text'
  text: string
  cache_control?: WireCacheControl
}
export interface WireImage {
  type: 'image'
  source: WireImageSource
  cache_control?: WireCacheControl
}
export interface WireDocument {
  type: 'document'
  source: WireDocumentSource
  title?: string
  cache_control?: WireCacheControl
}
export interface WireThinking {
  type: 'thinking'
  thinking: string
  signature: string
}
export interface WireRedactedThinking {
  type: 'redacted_thinking'
  data: string
}
export interface WireToolUse {
  type: 'tool_use'
  id: string
  name: string
  input: { [key: string]: unknown }
  cache_control?: WireCacheControl
}
export interface WireToolResult {
  type: 'tool_result'
  tool_use_id: string
  content?: string | (WireText | WireImage | WireDocument)[]
  is_error?: boolean
  cache_control?: WireCacheControl
}
/** Blocks that isoglot writes. Stored blocks are sent back unchanged. */
export type WireBlock =
  | WireText
  | WireImage
  | WireDocument
  | WireThinking
  | WireRedactedThinking
  | WireToolUse
  | WireToolResult

export type WireMessage =
  | { role: 'user' | 'assistant'; content: string | WireBlock[] }
  | { role: 'system'; content: string | WireText[] }

export interface WireTool {
  name: string
  description?: string
  input_schema: { type: 'object'; [keyword: string]: unknown }
  strict?: boolean
  cache_control?: WireCacheControl
}
export type WireToolChoice =
  | { type: 'auto' | 'any'; disable_parallel_tool_use?: boolean }
  | { type: 'tool'; name: string; disable_parallel_tool_use?: boolean }
  | { type: 'none' }
export type WireThinkingConfig =
  | { type: 'enabled'; budget_tokens: number }
  | { type: 'adaptive' }
  | { type: 'disabled' }
export type WireEffort = 'low' | 'medium' | 'high' | 'xhigh' | 'max'
export interface WireOutputConfig {
  effort?: WireEffort
  format?: { type: 'json_schema'; schema: { [keyword: string]: unknown } }
}

export interface WireRequest {
  model: string
  max_tokens: number
  messages: WireMessage[]
  system?: string | WireText[]
  stream?: boolean
  tools?: WireTool[]
  tool_choice?: WireToolChoice
  stop_sequences?: string[]
  thinking?: WireThinkingConfig
  output_config?: WireOutputConfig
  metadata?: { user_id?: string }
  /** An id, or an object with an id and skills. */
  container?: string | { [field: string]: unknown }
  /** Only version `2023-06-01` has the sampling fields. */
  temperature?: number
  top_p?: number
  top_k?: number
}

export interface WireUsage {
  input_tokens: number
  output_tokens: number
  cache_read_input_tokens?: number
  cache_creation_input_tokens?: number
  output_tokens_details?: { thinking_tokens: number }
}

/** Blocks that isoglot does not know stay in `content` unchanged. */
export interface WireResponse {
  id: string
  type: 'message'
  role: 'assistant'
  model: string
  content: WireBlock[]
  stop_reason: string | null
  stop_sequence: string | null
  usage: WireUsage
}

export interface WireError {
  type: 'error'
  error: { type: string; message: string; details?: { error_code: string } }
  request_id?: string
}
