/**
 * Gemini Interactions: the wire's own types, only what we read or write.
 *
 * @see https://ai.google.dev/api/interactions-api (as of `@google/genai` 3.1.0)
 *
 * @module
 */
import type { JsonObject } from '../../core/model.ts'

/** A citation of a text. Offsets are UTF-8 bytes into the text, the end exclusive. */
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
/** Data is raw base64; `uri` stands in place of it. */
export interface WireMedia {
  type: 'image' | 'audio' | 'video' | 'document'
  data?: string
  uri?: string
  mime_type?: string
  /** Of images and videos. */
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
  /** Undocumented: Gemini 3 refuses a first call without it. */
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
/** A request. Fields that only one wire has may stand beside these. */
export interface WireRequest {
  /** Absent with an `agent`. */
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

/** The total is the sum of input, output, thoughts and what tools brought in. */
export interface WireUsage {
  total_input_tokens: number
  /** Part of the input. */
  total_cached_tokens: number
  /** Without thoughts. */
  total_output_tokens: number
  total_thought_tokens: number
  /** Input that tools added; not part of the input tokens. */
  total_tool_use_tokens: number
  total_tokens: number
}

/** An answer as we write it. */
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
