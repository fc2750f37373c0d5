/**
 * Gemini `generateContent`: the types of the wire. They have only the fields that isoglot reads or writes.
 *
 * @see https://ai.google.dev/api/generate-content (read 2026-11)
 *
 * @module
 */
import type { JsonObject } from '../../core/messages.ts'

export interface WireBlob {
  readonly mimeType?: string
  /** Base64, without the prefix of a data URL. */
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
  /** Media of a result. Only Gemini 3 and later accept them. */
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
/** A call of a tool that Google runs. It is sent only if the request asks for it. */
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
/** A part has exactly one data field. */
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
  /** A schema in a subset of OpenAPI 3.0. Cannot be combined with `parametersJsonSchema`. */
  readonly parameters?: JsonObject
  readonly parametersJsonSchema?: unknown
}
/** Declarations of functions, or one hosted tool under its own field, such as `googleSearch`. */
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
  /** In tokens; 0 is off, -1 is automatic. Cannot be combined with `thinkingLevel`. */
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
/** The body of a request. The path contains the model. */
export interface WireRequest {
  readonly contents: readonly WireContent[]
  readonly systemInstruction?: { readonly parts: readonly WirePart[] }
  readonly tools?: readonly WireTool[]
  readonly toolConfig?: WireToolConfig
  readonly generationConfig?: WireGenerationConfig
  readonly continuationToken?: string
}

export interface WireUsage {
  /** Input tokens, including cached ones, without the input that tools added. */
  readonly promptTokenCount?: number
  readonly toolUsePromptTokenCount?: number
  readonly cachedContentTokenCount?: number
  /** Output tokens without thoughts. */
  readonly candidatesTokenCount?: number
  readonly thoughtsTokenCount?: number
  readonly totalTokenCount?: number
}
/** A range of an answer's text. Offsets are UTF-8 bytes, and the end is exclusive. */
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
/** A whole answer, or one chunk of a streamed answer. */
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
