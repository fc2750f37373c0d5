/** The facts of each format: all tests that loop over formats have them from here. */
import type { FormatName } from '../../src/formats/shared/format-names.ts'
import { anthropic } from './anthropic/index.ts'
import { bedrockConverse } from './bedrock-converse/index.ts'
import { cohere } from './cohere/index.ts'
import type { FormatFacts } from './facts.ts'
import { gemini } from './gemini/index.ts'
import { geminiInteractions } from './gemini-interactions/index.ts'
import { ollama } from './ollama/index.ts'
import { openaiChat } from './openai-chat/index.ts'
import { openaiResponses } from './openai-responses/index.ts'

export const facts: Readonly<Record<FormatName, FormatFacts>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  anthropic,
  gemini,
  'gemini-interactions': geminiInteractions,
  ollama,
  cohere,
  'bedrock-converse': bedrockConverse,
}
