/** The facts of each format that need neither I/O nor an official client, so that a Worker and a page can have them too. */
import type { FormatName } from '../../src/formats/shared/format-names.ts'
import * as anthropic from './anthropic/server.ts'
import * as bedrockConverse from './bedrock-converse/server.ts'
import * as cohere from './cohere/server.ts'
import * as gemini from './gemini/server.ts'
import * as geminiInteractions from './gemini-interactions/server.ts'
import * as ollama from './ollama/server.ts'
import * as openaiChat from './openai-chat/server.ts'
import * as openaiResponses from './openai-responses/server.ts'
import type { ServerFacts } from './server.ts'

export const servers: Readonly<Record<FormatName, ServerFacts>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  anthropic,
  gemini,
  'gemini-interactions': geminiInteractions,
  ollama,
  cohere,
  'bedrock-converse': bedrockConverse,
}
