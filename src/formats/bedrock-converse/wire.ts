/**
 * Bedrock Converse as it travels: only the fields we read or write, in the vendor's own spelling.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (read 2026-11)
 *
 * @module
 */

/** Bytes are base64 in JSON, without a `data:` prefix. */
export type WireSource = { bytes: string } | { s3Location: { uri: string } } | { text: string }
export interface WireMedia {
  format: string
  source: WireSource
}
export interface WireDocument extends WireMedia {
  name: string
}
export interface WireToolUse {
  toolUseId: string
  name: string
  input: { [key: string]: unknown }
  type?: string
}
export interface WireToolResult {
  toolUseId: string
  content: WireBlock[]
  status?: 'success' | 'error'
}
export interface WireCitation {
  title?: string
  source?: string
  sourceContent?: { text: string }[]
  location?: { [kind: string]: unknown }
}

/** A union with exactly one key each. Blocks that we kept are handed on as they came. */
export type WireBlock =
  | { text: string }
  | { image: WireMedia }
  | { video: WireMedia }
  | { audio: WireMedia }
  | { document: WireDocument }
  | { toolUse: WireToolUse }
  | { toolResult: WireToolResult }
  | { reasoningContent: { reasoningText: { text: string; signature?: string } } | { redactedContent: string } }
  | { citationsContent: { content: { text: string }[]; citations: WireCitation[] } }

export interface WireMessage {
  role: 'user' | 'assistant'
  content: WireBlock[]
}

export interface WireTool {
  toolSpec: { name: string; description?: string; inputSchema: { json: { [keyword: string]: unknown } } }
}
export type WireToolChoice = { auto: object } | { any: object } | { tool: { name: string } }

export interface WireRequest {
  messages: WireMessage[]
  system?: { text: string }[]
  inferenceConfig?: { maxTokens?: number; temperature?: number; topP?: number; stopSequences?: string[] }
  toolConfig?: { tools: WireTool[]; toolChoice?: WireToolChoice }
  /** `schema` is the text of JSON. */
  outputConfig?: {
    textFormat: { type: 'json_schema'; structure: { jsonSchema: { schema: string; name: string } } }
  }
  /** Fields of the model's own body. */
  additionalModelRequestFields?: { [field: string]: unknown }
}

export interface WireUsage {
  inputTokens: number
  outputTokens: number
  totalTokens: number
  cacheReadInputTokens?: number
  cacheWriteInputTokens?: number
}

/** There is no id, no model and no date. */
export interface WireResponse {
  output: { message: { role: 'assistant'; content: WireBlock[] } }
  stopReason: string
  usage: WireUsage
  metrics: { latencyMs: number }
}

export interface WireError {
  message: string
}
