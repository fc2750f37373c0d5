/** All formats in which a gateway can answer. @module */
import { anthropicFormat } from '../formats/anthropic/server/format.ts'
import { bedrockConverseFormat } from '../formats/bedrock-converse/server/format.ts'
import { cohereFormat } from '../formats/cohere/server/format.ts'
import { geminiFormat } from '../formats/gemini/server/format.ts'
import { geminiInteractionsFormat } from '../formats/gemini-interactions/server/format.ts'
import { ollamaFormat } from '../formats/ollama/server/format.ts'
import { openaiChatFormat } from '../formats/openai-chat/server/format.ts'
import { openaiResponsesFormat } from '../formats/openai-responses/index.ts'
import type { GatewayFormat } from '../formats/shared/gateway-format.ts'

/**
 * All formats, for a gateway whose clients may use any. It has the code of all of them, some 40 KB (brotli) more than one format: name only
 * those that your clients use, where the size of a program counts.
 */
export const allFormats: readonly GatewayFormat[] = [
  openaiChatFormat,
  openaiResponsesFormat,
  anthropicFormat,
  geminiFormat,
  geminiInteractionsFormat,
  cohereFormat,
  bedrockConverseFormat,
  ollamaFormat,
]
