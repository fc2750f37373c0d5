/**
 * Types of the Cohere Chat v2 API. They have only the fields that isoglot reads or writes.
 *
 * @see https://docs.cohere.com/reference/chat (read 2026-11)
 *
 * @module
 */

export interface WireText {
  type: 'text'
  text: string
}
export interface WireThinking {
  type: 'thinking'
  thinking: string
}
export interface WireImage {
  type: 'image_url'
  image_url: { url: string; detail?: 'auto' | 'low' | 'high' }
}
/** A document. Its `data` may have any fields; models expect `text` and `title`. */
export interface WireDocument {
  id?: string
  data: { [field: string]: unknown }
}
export interface WireDocumentPart {
  type: 'document'
  document: WireDocument
}

export interface WireCall {
  id: string
  type: 'function'
  /** `arguments` is JSON text. */
  function: { name: string; arguments: string }
}

export interface WireSource {
  type: 'document' | 'tool'
  id?: string
  document?: { [field: string]: unknown }
  tool_output?: { [field: string]: unknown }
}
/** A citation. `start` and `end` are offsets in characters within one content; `text` is the cited text. */
export interface WireCitation {
  start: number
  end: number
  text: string
  sources: WireSource[]
  type?: string
  /** The index of the cited content. If it is missing, the first text is cited. */
  content_index?: number
}

export interface WireAssistant {
  role: 'assistant'
  content?: string | (WireText | WireThinking)[]
  /** The plan that a model without thinking writes before its calls. */
  tool_plan?: string
  tool_calls?: WireCall[]
  citations?: WireCitation[]
}
export interface WireToolResult {
  role: 'tool'
  tool_call_id: string
  content: string | (WireText | WireDocumentPart)[]
}
export type WireMessage =
  | { role: 'system'; content: string | WireText[] }
  | { role: 'user'; content: string | (WireText | WireImage)[] }
  | WireAssistant
  | WireToolResult

export interface WireTool {
  type: 'function'
  function: { name: string; description?: string; parameters: { [keyword: string]: unknown } }
}

export interface WireRequest {
  model: string
  messages: WireMessage[]
  stream: boolean
  tools?: WireTool[]
  tool_choice?: 'REQUIRED' | 'NONE'
  /** Applies to all tools. */
  strict_tools?: boolean
  documents?: WireDocument[]
  response_format?: { type: 'json_object'; json_schema?: { [keyword: string]: unknown } }
  thinking?: { type: 'enabled' | 'disabled'; token_budget?: number }
  max_tokens?: number
  stop_sequences?: string[]
  temperature?: number
  p?: number
  k?: number
  seed?: number
  frequency_penalty?: number
  presence_penalty?: number
}

export interface WireUsage {
  /** The billed units. */
  billed_units: { [unit: string]: number }
  /** Tokens that the model read and wrote; images are not in `input_tokens`. */
  tokens: { input_tokens: number; output_tokens: number; reasoning_tokens?: number; image_tokens?: number }
  cached_tokens?: number
}

export interface WireResponse {
  id: string
  message: WireAssistant
  finish_reason: string
  usage: WireUsage
}

export interface WireError {
  message: string
  error_type?: string
}
