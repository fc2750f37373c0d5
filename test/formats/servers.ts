/** The provider of each format: it needs neither I/O nor an official client, so that a Worker and a page can have it too. */
import type { FormatName } from '../../src/formats/shared/format-names.ts'
import { provider as anthropic } from './anthropic/provider.ts'
import { provider as bedrockConverse } from './bedrock-converse/provider.ts'
import { provider as cohere } from './cohere/provider.ts'
import { provider as gemini } from './gemini/provider.ts'
import { provider as geminiInteractions } from './gemini-interactions/provider.ts'
import { provider as ollama } from './ollama/provider.ts'
import { provider as openaiChat } from './openai-chat/provider.ts'
import { provider as openaiResponses } from './openai-responses/provider.ts'
import type { Provider } from './provider.ts'

export const servers: Readonly<Record<FormatName, Provider>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  anthropic,
  gemini,
  'gemini-interactions': geminiInteractions,
  ollama,
  cohere,
  'bedrock-converse': bedrockConverse,
}
