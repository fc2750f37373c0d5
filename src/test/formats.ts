/** Both parts of each format: the codec of a model, and the codec that writes its answers. @module */
import type { ClientCodec, ServerCodec } from '../core/codec.ts'
import * as anthropic from '../formats/anthropic/index.ts'
import * as bedrockConverse from '../formats/bedrock-converse/index.ts'
import * as cohere from '../formats/cohere/index.ts'
import * as gemini from '../formats/gemini/index.ts'
import * as geminiInteractions from '../formats/gemini-interactions/index.ts'
import * as ollama from '../formats/ollama/index.ts'
import * as openaiChat from '../formats/openai-chat/index.ts'
import * as openaiResponses from '../formats/openai-responses/index.ts'
import type { FormatName } from '../formats/shared/format-names.ts'

/** The wire formats that a mock can speak. */
export type MockFormat = FormatName

// Each function by its name: a namespace as a value would keep a whole format in every bundle that shares its chunk.
export const formats: Readonly<Record<MockFormat, { readonly client: ClientCodec; readonly server: ServerCodec }>> = {
  'openai-chat': { client: openaiChat.createClientCodec(), server: openaiChat.createServerCodec() },
  'openai-responses': { client: openaiResponses.createClientCodec(), server: openaiResponses.createServerCodec() },
  anthropic: { client: anthropic.createClientCodec(), server: anthropic.createServerCodec() },
  gemini: { client: gemini.createClientCodec(), server: gemini.createServerCodec() },
  'gemini-interactions': {
    client: geminiInteractions.createClientCodec(),
    server: geminiInteractions.createServerCodec(),
  },
  cohere: { client: cohere.createClientCodec(), server: cohere.createServerCodec() },
  ollama: { client: ollama.createClientCodec(), server: ollama.createServerCodec() },
  'bedrock-converse': { client: bedrockConverse.createClientCodec(), server: bedrockConverse.createServerCodec() },
}
