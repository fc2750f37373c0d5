/**
 * OpenAI Responses: the wire's own types, only what we read or write.
 *
 * @see https://platform.openai.com/docs/api-reference/responses (as of `openai` 7.55.0)
 *
 * @module
 */
import type { JsonObject } from '../../core/model.ts'

/** Marks the end of a prefix worth caching; only OpenAI has it. */
export interface WireCacheBreakpoint {
  mode: 'explicit'
  ttl?: '30m' | '12h'
}
interface WirePart {
  prompt_cache_breakpoint?: WireCacheBreakpoint
}
export interface WireInputText extends WirePart {
  type: 'input_text'
  text: string
}
/** `image_url` is a string here, an address or a data URL. */
export interface WireInputImage extends WirePart {
  type: 'input_image'
  detail: 'auto' | 'low' | 'high' | 'original'
  image_url?: string
  file_id?: string
}
export interface WireInputFile extends WirePart {
  type: 'input_file'
  /** A data URL. */
  file_data?: string
  file_id?: string
  file_url?: string
  filename?: string
}
export type WireInputPart = WireInputText | WireInputImage | WireInputFile

export interface WireUrlCitation {
  type: 'url_citation'
  url: string
  title: string
  start_index: number
  end_index: number
}
export interface WireOutputText {
  type: 'output_text'
  text: string
  annotations: WireUrlCitation[]
}
export interface WireRefusal {
  type: 'refusal'
  refusal: string
}

/** A message in the short form: what is said, and by whom. */
export interface WireEasyMessage {
  type?: 'message'
  role: 'user' | 'assistant' | 'system' | 'developer'
  content: string | WireInputPart[]
}
/** A message as the model wrote it. The official types demand `id` and `status`; the server does without them. */
export interface WireOutputMessage {
  type: 'message'
  id: string
  role: 'assistant'
  status: 'in_progress' | 'completed' | 'incomplete'
  content: (WireOutputText | WireRefusal)[]
}
export interface WireFunctionCall {
  type: 'function_call'
  id?: string
  call_id: string
  name: string
  /** JSON as text. */
  arguments: string
}
export interface WireCustomCall {
  type: 'custom_tool_call'
  id?: string
  call_id: string
  name: string
  /** Free text. */
  input: string
}
export interface WireCallOutput {
  type: 'function_call_output' | 'custom_tool_call_output'
  call_id: string
  output: string | WireInputPart[]
}
/** The official types demand `id`; the server does without it. */
export interface WireReasoning {
  type: 'reasoning'
  id: string
  summary: { type: 'summary_text'; text: string }[]
  content?: { type: 'reasoning_text'; text: string }[]
  encrypted_content?: string | null
}
export type WireItem =
  | WireEasyMessage
  | WireOutputMessage
  | WireFunctionCall
  | WireCustomCall
  | WireCallOutput
  | WireReasoning

export interface WireFunctionTool {
  type: 'function'
  name: string
  description?: string
  parameters: { [keyword: string]: unknown } | null
  /** Absent is not `false`: the server then tries to be strict. */
  strict: boolean | null
}
export type WireToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { type: 'function'; name: string }
  | { type: 'allowed_tools'; mode: 'auto' | 'required'; tools: { [key: string]: unknown }[] }

export type WireTextFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | {
      type: 'json_schema'
      name: string
      schema: { [keyword: string]: unknown }
      description?: string
      strict?: boolean
    }

export interface WireRequest {
  model: string
  input: WireItem[]
  instructions?: string
  tools?: WireFunctionTool[]
  tool_choice?: WireToolChoice
  parallel_tool_calls?: boolean
  max_output_tokens?: number
  temperature?: number
  top_p?: number
  text?: { format?: WireTextFormat }
  reasoning?: { effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' }
  include?: 'reasoning.encrypted_content'[]
  store?: boolean
  previous_response_id?: string
  conversation?: string | { id: string }
  stream?: boolean
  safety_identifier?: string
  user?: string
}

/** An item of an answer's `output`: tolerant, since new kinds arrive without notice. */
export type WireOutputItem = JsonObject

export interface WireUsage {
  input_tokens: number
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number }
  output_tokens: number
  output_tokens_details: { reasoning_tokens: number }
  total_tokens: number
}

/** An answer as we write it. */
export interface WireResponse {
  id: string
  object: 'response'
  created_at: number
  status: 'completed' | 'incomplete' | 'failed' | 'in_progress'
  model: string
  output: WireOutputItem[]
  usage: WireUsage | null
  error: { code: string; message: string } | null
  incomplete_details: { reason: string } | null
  [field: string]: unknown
}
