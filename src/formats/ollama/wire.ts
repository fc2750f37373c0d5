/**
 * Ollama's own chat wire: the fields that we read or write, in Ollama's spelling.
 *
 * @see https://docs.ollama.com/api/chat
 * @see https://github.com/ollama/ollama/blob/main/api/types.go
 *
 * @module
 */
import type { Json, JsonObject } from '../../core/model.ts'

/** A call: always whole, its arguments always an object. */
export interface WireToolCall {
  /** Newer servers make one; older ones have none. */
  id?: string
  type?: 'function'
  function: { index?: number; name: string; arguments: JsonObject }
}

/** A message. `content` is a string on every one of them, if an empty one. */
export interface WireMessage {
  role: string
  content: string
  thinking?: string
  /** Raw base64: no `data:` prefix, no media type, no URL. */
  images?: string[]
  tool_calls?: WireToolCall[]
  tool_name?: string
  /** Read by newer servers. */
  tool_call_id?: string
}

export interface WireTool {
  type: 'function'
  function: { name: string; description?: string; parameters: { type: string; [keyword: string]: unknown } }
}

/** How the model is run; the server takes more of them than we have words for. */
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
  /** Absent means true: it is always sent. */
  stream: boolean
  tools?: WireTool[]
  format?: 'json' | { [keyword: string]: unknown }
  think?: WireThink
  options?: WireOptions
}

/** The counts of the last line; a zero is left out. Durations are nanoseconds. */
export interface WireFigures {
  prompt_eval_count?: number
  eval_count?: number
  total_duration?: number
  load_duration?: number
  prompt_eval_duration?: number
  eval_duration?: number
}

/** A whole answer, or the last line of a streamed one. */
export interface WireResponse extends WireFigures {
  model: string
  /** RFC 3339. */
  created_at: string
  message: WireMessage
  done: boolean
  done_reason?: string
  logprobs?: Json[]
}

export interface WireError {
  error: string
}
