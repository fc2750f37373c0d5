/**
 * OpenAI Chat Completions: types of the JSON that isoglot writes. Input has the type `unknown` until it is read.
 *
 * @module
 */
import type { JsonObject } from '../../core/messages.ts'

export interface WireTextPart {
  type: 'text'
  text: string
}
export interface WireRefusalPart {
  type: 'refusal'
  refusal: string
}
export interface WireImagePart {
  type: 'image_url'
  image_url: { url: string; detail?: 'auto' | 'low' | 'high' }
}
export interface WireAudioPart {
  type: 'input_audio'
  /** Base64, not a data URL. */
  input_audio: { data: string; format: 'wav' | 'mp3' }
}
export interface WireFilePart {
  type: 'file'
  /** `file_data` is a data URL. */
  file: { file_data?: string; filename?: string; file_id?: string }
}
/** Parts that a user may send to OpenAI. */
export type WirePart = WireTextPart | WireImagePart | WireAudioPart | WireFilePart
/** A part in a message of any role. */
export type WireAnyPart = WirePart | WireRefusalPart

/** Parts that only other hosts take. The official client's types do not have them. */
export type DialectPart =
  | { type: 'image_url'; image_url: { url: string; detail: 'original' } }
  | { type: 'video_url'; video_url: { url: string } }
  | { type: 'document_url'; document_url: string }
  | { type: 'input_audio'; input_audio: string }
  | { type: 'thinking'; thinking: WireTextPart[] }
/** Fields of messages that only other hosts take. */
export interface DialectMessageFields {
  reasoning_content?: string
  reasoning?: string
  reasoning_details?: JsonObject[]
  /** Mistral: the answer continues this message. */
  prefix?: true
  /** Mistral: the name of the tool in a result. OpenAI uses this field for names of participants. */
  name?: string
}
/** Fields of requests that only other hosts take. */
export interface DialectRequestFields {
  top_k?: number
  reasoning?: { enabled: true } | { effort: string } | { max_tokens: number }
  thinking?: { type: 'enabled' | 'disabled' }
  enable_thinking?: boolean
  thinking_budget?: number
  chat_template_kwargs?: { enable_thinking: boolean }
}
/** Values that only other hosts take. */
export type DialectToolChoice = 'any'

export interface WireFunctionCall {
  id: string
  type: 'function'
  /** `arguments` is the text of a JSON object. */
  function: { name: string; arguments: string }
}
export interface WireCustomCall {
  id: string
  type: 'custom'
  custom: { name: string; input: string }
}
export type WireCall = WireFunctionCall | WireCustomCall

export interface WireInstruction {
  role: 'system' | 'developer'
  content: string | WireTextPart[]
  name?: string
}
export interface WireUser {
  role: 'user'
  content: string | WirePart[]
  name?: string
}
export interface WireAssistant extends DialectMessageFields {
  role: 'assistant'
  /** `null` only if the message has calls or audio. */
  content: string | (WireTextPart | WireRefusalPart)[] | null
  name?: string
  tool_calls?: WireCall[]
  audio?: { id: string }
}
export interface WireToolResult extends Pick<DialectMessageFields, 'name'> {
  role: 'tool'
  tool_call_id: string
  content: string | WireTextPart[]
}
/** A message, of any role. */
export type WireMessage = WireInstruction | WireUser | WireAssistant | WireToolResult

export interface WireTool {
  type: 'function'
  function: { name: string; description?: string; parameters?: Record<string, unknown>; strict?: boolean }
}
export type WireToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | WireNamedChoice
  | { type: 'allowed_tools'; allowed_tools: { mode: 'auto' | 'required'; tools: WireNamedChoice[] } }

export type WireNamedChoice =
  | { type: 'function'; function: { name: string } }
  | { type: 'custom'; custom: { name: string } }

export type WireResponseFormat =
  | { type: 'json_object' }
  | {
      type: 'json_schema'
      json_schema: { name: string; description?: string; schema?: Record<string, unknown>; strict?: boolean }
    }

/** The request's fields, of OpenAI and of the dialects. */
export interface WireRequest extends DialectRequestFields {
  model: string
  messages: WireMessage[]
  tools?: WireTool[]
  tool_choice?: WireToolChoice
  parallel_tool_calls?: boolean
  stream?: boolean
  stream_options?: { include_usage?: boolean }
  max_completion_tokens?: number
  max_tokens?: number
  temperature?: number
  top_p?: number
  seed?: number
  stop?: string[]
  frequency_penalty?: number
  presence_penalty?: number
  reasoning_effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'
  response_format?: WireResponseFormat
  safety_identifier?: string
  /** Older name of `safety_identifier`. */
  user?: string
}

/** Token counts. */
export interface WireUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details?: JsonObject
  completion_tokens_details?: JsonObject
}
export interface WireAnnotation {
  type: 'url_citation'
  url_citation: { start_index: number; end_index: number; title: string; url: string }
}
export type WireFinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call'

export interface WireAnswer {
  role: 'assistant'
  content: string | null
  refusal: string | null
  tool_calls?: WireCall[]
  annotations?: WireAnnotation[]
  reasoning_content?: string
}
/** A complete answer. */
export interface WireResponse {
  id: string
  object: 'chat.completion'
  created: number
  model: string
  choices: { index: number; message: WireAnswer; finish_reason: WireFinishReason; logprobs: null }[]
  usage?: WireUsage
}
