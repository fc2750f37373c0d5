/**
 * Gemini Interactions: the types of the wire. They have only the fields that isoglot reads or writes.
 *
 * @see https://ai.google.dev/api/interactions-api (as of `@google/genai` 3.1.0)
 *
 * @module
 */
import type { JsonObject } from '../../core/messages.ts'

/** A citation of a text. Offsets are UTF-8 bytes in the text; the end is exclusive. */
export interface WireUrlCitation {
  type: 'url_citation'
  url?: string
  title?: string
  start_index?: number
  end_index?: number
}
export interface WireText {
  type: 'text'
  text: string
  annotations?: WireUrlCitation[]
}
/** Media: either `data`, as base64 without the prefix of a data URL, or `uri`. */
export interface WireMedia {
  type: 'image' | 'audio' | 'video' | 'document'
  data?: string
  uri?: string
  mime_type?: string
  /** Only for images and videos. */
  resolution?: 'low' | 'medium' | 'high' | 'ultra_high'
}
export type WireContent = WireText | WireMedia

export interface WireUserInput {
  type: 'user_input'
  content: WireContent[]
}
export interface WireModelOutput {
  type: 'model_output'
  content: WireContent[]
}
export interface WireThought {
  type: 'thought'
  signature?: string
  summary?: WireContent[]
}
export interface WireFunctionCall {
  type: 'function_call'
  id: string
  name: string
  arguments: JsonObject
  /** Not documented. Gemini 3 refuses the first call of a turn without it. */
  signature?: string
}
export interface WireFunctionResult {
  type: 'function_result'
  call_id: string
  name?: string
  result: string | WireContent[]
  is_error?: boolean
}
export type WireStep = WireUserInput | WireModelOutput | WireThought | WireFunctionCall | WireFunctionResult

export interface WireFunctionTool {
  type: 'function'
  name: string
  description?: string
  parameters?: { [keyword: string]: unknown }
}
export type WireToolChoice =
  | 'auto'
  | 'any'
  | 'none'
  | 'validated'
  | { allowed_tools: { mode: 'auto' | 'any' | 'none' | 'validated'; tools: string[] } }

export interface WireGenerationConfig {
  max_output_tokens?: number
  temperature?: number
  top_p?: number
  seed?: number
  stop_sequences?: string[]
  thinking_level?: 'minimal' | 'low' | 'medium' | 'high'
  thinking_summaries?: 'auto' | 'none'
  tool_choice?: WireToolChoice
}
export interface WireResponseFormat {
  type: 'text'
  mime_type: 'application/json'
  schema?: { [keyword: string]: unknown }
}
/** A request. It may also have other fields, from `providerOptions`. */
export interface WireRequest {
  /** Absent if the request names an `agent`. */
  model?: string
  input?: WireStep[]
  system_instruction?: string
  tools?: WireFunctionTool[]
  generation_config?: WireGenerationConfig
  response_format?: WireResponseFormat
  previous_interaction_id?: string
  continuation_token?: string
  store?: boolean
  stream?: boolean
}

/** Token counts. The total is the sum of input, output, thoughts and the input that tools added. */
export interface WireUsage {
  total_input_tokens: number
  /** Included in the input tokens. */
  total_cached_tokens: number
  /** Output tokens without thoughts. */
  total_output_tokens: number
  total_thought_tokens: number
  /** Input that tools added. It is not included in the input tokens. */
  total_tool_use_tokens: number
  total_tokens: number
}

/** An answer as isoglot encodes it. */
export interface WireResponse {
  id: string
  object: 'interaction'
  model: string
  status: string
  created: string
  updated: string
  steps?: WireStep[]
  usage?: WireUsage
  errors?: { code: string; message: string }[]
}
