/** The functions of each format, as its path exports them: the compiler checks that all paths have them in one signature. */
import type { ClientCodec, DecodedCalls, ServerCodec } from '../../src/core/codec.ts'
import type { ToolDefinition, ToolMessage } from '../../src/core/messages.ts'
import * as anthropic from '../../src/formats/anthropic/index.ts'
import * as bedrockConverse from '../../src/formats/bedrock-converse/index.ts'
import * as cohere from '../../src/formats/cohere/index.ts'
import * as gemini from '../../src/formats/gemini/index.ts'
import * as interactions from '../../src/formats/gemini-interactions/index.ts'
import * as ollama from '../../src/formats/ollama/index.ts'
import * as openaiChat from '../../src/formats/openai-chat/index.ts'
import * as openaiResponses from '../../src/formats/openai-responses/index.ts'
import type { Wire } from './answers.ts'

type ClientFunctions = Pick<ClientCodec, 'encodeRequest' | 'decodeResponse' | 'decodeStream' | 'decodeError'>
type ServerFunctions = Pick<ServerCodec, 'decodeRequest' | 'encodeResponse' | 'encodeStream' | 'encodeError'>

export interface FormatFunctions extends ClientFunctions, ServerFunctions {
  createClientCodec(): ClientCodec
  createServerCodec(): ServerCodec
  encodeDefinitions(tools: readonly ToolDefinition[]): readonly unknown[]
  decodeToolCalls(body: unknown): DecodedCalls
  encodeResult(result: ToolMessage): unknown
}

export const functionsOf: Readonly<Record<Wire, FormatFunctions>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  anthropic,
  gemini,
  'gemini-interactions': interactions,
  ollama,
  cohere,
  'bedrock-converse': bedrockConverse,
}
