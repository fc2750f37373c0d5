/**
 * Types of Ollama's own chat API. They have only the fields that isoglot reads or writes.
 *
 * @see https://docs.ollama.com/api/chat
 * @see https://github.com/ollama/ollama/blob/main/api/types.go
 *
 * @module
 */
import type { Json, JsonObject } from '../../core/messages.ts'

/** A call. It is always complete, and its arguments are always an object. */
export interface WireToolCall {
  /** Newer servers send an id; older servers do not. */
  id?: string
  type?: 'function'
  function: { index?: number; name: string; arguments: JsonObject }
}

/** A message. `content` is always a string; it can be empty. */
export interface WireMessage {
  role: string
  content: string
  thinking?: string
  /** Raw base64: no `data:` prefix, no media type, no URL. */
  images?: string[]
  tool_calls?: WireToolCall[]
  tool_name?: string
  /** Only newer servers read this field. */
  tool_call_id?: string
}

export interface WireTool {
  type: 'function'
  function: { name: string; description?: string; parameters: { type: string; [keyword: string]: unknown } }
}

/** Options for running the model. The server accepts more options than isoglot has. */
export interface WireOptions {
  num_predict?: number
  temperature?: number
  top_p?: number
  top_k?: number
  seed?: number
  stop?: string[]
  frequency_penalty?: number
  presence_penalty?: number
}

export type WireThink = boolean | 'low' | 'medium' | 'high' | 'max'

export interface WireRequest {
  model: string
  messages: WireMessage[]
  /** Always sent, since a missing field means true. */
  stream: boolean
  tools?: WireTool[]
  format?: 'json' | { [keyword: string]: unknown }
  think?: WireThink
  options?: WireOptions
}

/** The usage on the last line. Counts are in tokens, and a zero is omitted. Durations are in nanoseconds. */
export interface WireFigures {
  prompt_eval_count?: number
  eval_count?: number
  total_duration?: number
  load_duration?: number
  prompt_eval_duration?: number
  eval_duration?: number
}

/** A whole answer, or the last line of a streamed answer. */
export interface WireResponse extends WireFigures {
  model: string
  /** The time of the answer, in RFC 3339. */
  created_at: string
  message: WireMessage
  done: boolean
  done_reason?: string
  logprobs?: Json[]
}

export interface WireError {
  error: string
}
