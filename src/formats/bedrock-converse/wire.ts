/**
 * Types of the Bedrock Converse API. They have only the fields that isoglot reads or writes.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (read 2026-11)
 *
 * @module
 */

/** The data of a medium. `bytes` is base64 without a `data:` prefix. */
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

/** A block. Each has exactly one key. A block that isoglot kept is sent unchanged. */
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
  | WireCachePoint

/** The end of a prefix to cache. `ttl` is `5m` by default. */
export interface WireCachePoint {
  cachePoint: { type: 'default'; ttl?: '5m' | '1h' }
}

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
  system?: ({ text: string } | WireCachePoint)[]
  inferenceConfig?: { maxTokens?: number; temperature?: number; topP?: number; stopSequences?: string[] }
  toolConfig?: { tools: (WireTool | WireCachePoint)[]; toolChoice?: WireToolChoice }
  /** `schema` is JSON text. */
  outputConfig?: {
    textFormat: {
      type: 'json_schema'
      structure: { jsonSchema: { schema: string; name?: string; description?: string } }
    }
  }
  /** Fields that are specific to the model. */
  additionalModelRequestFields?: { [field: string]: unknown }
}

export interface WireUsage {
  inputTokens: number
  outputTokens: number
  totalTokens: number
  cacheReadInputTokens?: number
  cacheWriteInputTokens?: number
}

/** An answer. It does not have an id, a model or a date. */
export interface WireResponse {
  output: { message: { role: 'assistant'; content: WireBlock[] } }
  stopReason: string
  usage: WireUsage
  metrics: { latencyMs: number }
}

export interface WireError {
  message: string
}
