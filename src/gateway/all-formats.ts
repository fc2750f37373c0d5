/** All formats in which a gateway can answer. @module */
import { anthropicFormat } from '../formats/anthropic/gateway.ts'
import { bedrockConverseFormat } from '../formats/bedrock-converse/gateway.ts'
import { cohereFormat } from '../formats/cohere/gateway.ts'
import { geminiFormat } from '../formats/gemini/gateway.ts'
import { geminiInteractionsFormat } from '../formats/gemini-interactions/gateway.ts'
import { ollamaFormat } from '../formats/ollama/gateway.ts'
import { openaiChatFormat } from '../formats/openai-chat/gateway.ts'
import { openaiResponsesFormat } from '../formats/openai-responses/index.ts'
import type { GatewayFormat } from '../kit/gateway-format.ts'

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
