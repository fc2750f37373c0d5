/**
 * OpenAI Responses: types of the wire. They have only the fields that isoglot reads or writes.
 *
 * @see https://platform.openai.com/docs/api-reference/responses (as of `openai` 7.55.0)
 *
 * @module
 */
import type { JsonObject } from '../../core/messages.ts'

/** Marks the end of a prefix that the server caches. Only OpenAI has this field. */
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
/** `image_url` is a string: a URL or a data URL. In Chat Completions it is an object. */
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

/** A message in the short form: only the role and the content. */
export interface WireEasyMessage {
  type?: 'message'
  role: 'user' | 'assistant' | 'system' | 'developer'
  content: string | WireInputPart[]
}
/** A message of the model, in the long form. The official types require `id` and `status`; the server does not. */
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
/** A call of `shell`, `local_shell` or `apply_patch`, whose arguments are in a field of its type. */
export interface WireClientCall {
  type: string
  id?: string
  call_id: string
  status: unknown
  [field: string]: unknown
}
export interface WireCallOutput {
  type: 'function_call_output' | 'custom_tool_call_output'
  call_id: string
  output: string | WireInputPart[]
}
/** The official types require `id`; the server does not. */
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
  /** If the field is absent, the server uses strict mode where it can. `false` turns strict mode off. */
  strict: boolean | null
}
/** A tool that a choice names. A tool without a name has only its type. */
export type WireChosen = { type: 'function'; name: string } | { type: 'shell' | 'apply_patch' }
export type WireToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | WireChosen
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

/** An item of an answer's `output`. Any object is allowed, because OpenAI adds new types without notice. */
export type WireOutputItem = JsonObject

export interface WireUsage {
  input_tokens: number
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number }
  output_tokens: number
  output_tokens_details: { reasoning_tokens: number }
  total_tokens: number
}

/** An answer as isoglot writes it. */
export interface WireResponse {
  id: string
  object: 'response'
  created_at: number
  completed_at: number | null
  status: 'completed' | 'incomplete' | 'failed' | 'in_progress'
  model: string
  output: WireOutputItem[]
  usage: WireUsage | null
  error: { code: string; message: string } | null
  incomplete_details: { reason: string } | null
  [field: string]: unknown
}
