/**
 * The formats in which a gateway answers.
 *
 * @module
 */
import { anthropicWire } from '../formats/anthropic/gateway.ts'
import { bedrockConverseWire } from '../formats/bedrock-converse/gateway.ts'
import { cohereWire } from '../formats/cohere/gateway.ts'
import { geminiWire } from '../formats/gemini/gateway.ts'
import { geminiInteractionsWire } from '../formats/gemini-interactions/gateway.ts'
import { ollamaWire } from '../formats/ollama/gateway.ts'
import { openaiChatWire } from '../formats/openai-chat/gateway.ts'
import { openaiResponsesWire } from '../formats/openai-responses/gateway.ts'
import type { GatewayWire } from '../kit/gateway-wire.ts'
import type { WireName } from './types.ts'

export const wires: Readonly<Record<WireName, GatewayWire>> = {
  'openai-chat': openaiChatWire,
  'openai-responses': openaiResponsesWire,
  anthropic: anthropicWire,
  gemini: geminiWire,
  'gemini-interactions': geminiInteractionsWire,
  cohere: cohereWire,
  'bedrock-converse': bedrockConverseWire,
  ollama: ollamaWire,
}
