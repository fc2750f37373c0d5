/**
 * Gemini `generateContent`: the wire's own types, with only the fields that we read or write.
 *
 * @see https://ai.google.dev/api/generate-content (read 2026-11)
 *
 * @module
 */
import type { JsonObject } from '../../core/model.ts'

export interface WireBlob {
  readonly mimeType?: string
  /** Raw base64. */
  readonly data?: string
}
export interface WireFileData {
  readonly mimeType?: string
  readonly fileUri?: string
}
export interface WireFunctionCall {
  readonly id?: string
  readonly name?: string
  readonly args?: JsonObject
}
export interface WireFunctionResponse {
  readonly id?: string
  readonly name?: string
  readonly response?: JsonObject
  /** Media of a result; Gemini 3 and later. */
  readonly parts?: readonly { readonly inlineData?: WireBlob; readonly fileData?: WireFileData }[]
}
export interface WireExecutableCode {
  readonly id?: string
  readonly language?: string
  readonly code?: string
}
export interface WireCodeExecutionResult {
  readonly id?: string
  readonly outcome?: string
  readonly output?: string
}
/** A call of a tool that Google runs, made visible. */
export interface WireToolCall {
  readonly id?: string
  readonly toolType?: string
  readonly args?: JsonObject
}
export interface WireToolResponse {
  readonly id?: string
  readonly toolType?: string
  readonly response?: JsonObject
}
/** Exactly one data field each. */
export interface WirePart {
  readonly text?: string
  readonly thought?: boolean
  readonly thoughtSignature?: string
  readonly inlineData?: WireBlob
  readonly fileData?: WireFileData
  readonly functionCall?: WireFunctionCall
  readonly functionResponse?: WireFunctionResponse
  readonly executableCode?: WireExecutableCode
  readonly codeExecutionResult?: WireCodeExecutionResult
  readonly toolCall?: WireToolCall
  readonly toolResponse?: WireToolResponse
}
export interface WireContent {
  readonly role?: 'user' | 'model'
  readonly parts: readonly WirePart[]
}
export interface WireFunctionDeclaration {
  readonly name: string
  readonly description?: string
  /** OpenAPI 3.0 subset; never beside `parametersJsonSchema`. */
  readonly parameters?: JsonObject
  readonly parametersJsonSchema?: unknown
}
/** Declarations of functions, or one built-in tool under a name of its own. */
export interface WireTool {
  readonly functionDeclarations?: readonly WireFunctionDeclaration[]
}
export interface WireFunctionCallingConfig {
  readonly mode?: 'AUTO' | 'ANY' | 'NONE' | 'VALIDATED'
  readonly allowedFunctionNames?: readonly string[]
}
export interface WireToolConfig {
  readonly functionCallingConfig?: WireFunctionCallingConfig
}
export interface WireThinkingConfig {
  readonly includeThoughts?: boolean
  /** Tokens; 0 is off, -1 is automatic. Never beside `thinkingLevel`. */
  readonly thinkingBudget?: number
  readonly thinkingLevel?: 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH'
}
export interface WireGenerationConfig {
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly maxOutputTokens?: number
  /** At most 5. */
  readonly stopSequences?: readonly string[]
  readonly seed?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly responseMimeType?: string
  readonly responseSchema?: JsonObject
  readonly responseJsonSchema?: unknown
  readonly thinkingConfig?: WireThinkingConfig
}
/** The body of a request; the model stands in the path. */
export interface WireRequest {
  readonly contents: readonly WireContent[]
  readonly systemInstruction?: { readonly parts: readonly WirePart[] }
  readonly tools?: readonly WireTool[]
  readonly toolConfig?: WireToolConfig
  readonly generationConfig?: WireGenerationConfig
  readonly continuationToken?: string
}

export interface WireUsage {
  /** Input, cached input included, what tools brought in excluded. */
  readonly promptTokenCount?: number
  readonly toolUsePromptTokenCount?: number
  readonly cachedContentTokenCount?: number
  /** Output without thoughts. */
  readonly candidatesTokenCount?: number
  readonly thoughtsTokenCount?: number
  readonly totalTokenCount?: number
}
/** Offsets are UTF-8 bytes. */
export interface WireSegment {
  readonly startIndex?: number
  readonly endIndex?: number
  readonly partIndex?: number
  readonly text?: string
}
export interface WireGroundingMetadata {
  readonly groundingChunks?: readonly { readonly web: { readonly uri?: string; readonly title?: string } }[]
  readonly groundingSupports?: readonly {
    readonly segment: WireSegment
    readonly groundingChunkIndices: readonly number[]
  }[]
}
export interface WireCandidate {
  readonly content?: WireContent
  readonly finishReason?: string
  readonly finishMessage?: string
  readonly index?: number
  readonly groundingMetadata?: WireGroundingMetadata
}
/** A whole answer, and each piece of a streamed one. */
export interface WireResponse {
  readonly candidates?: readonly WireCandidate[]
  readonly usageMetadata?: WireUsage
  readonly modelVersion?: string
  readonly responseId?: string
}
export interface WireError {
  readonly error: {
    readonly code: number
    readonly message: string
    readonly status: string
    readonly details?: readonly JsonObject[]
  }
}
