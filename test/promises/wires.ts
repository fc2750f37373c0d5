/** The five wires as a program meets them: a conversation goes through preparation and a codec, as `generate` sends it. */
import type { EncodedRequest } from '../../src/core/codec.ts'
import type { Context, Loss, Message, RequestOptions } from '../../src/core/messages.ts'
import type { HttpModel } from '../../src/core/question.ts'
import { anthropic } from '../../src/formats/anthropic/index.ts'
import { gemini } from '../../src/formats/gemini/index.ts'
import { ollama } from '../../src/formats/ollama/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { openaiResponses } from '../../src/formats/openai-responses/index.ts'

export const models = {
  openaiChat: openaiChat('gpt-4.1'),
  openaiResponses: openaiResponses('gpt-4.1'),
  anthropic: anthropic('claude-sonnet-4-5'),
  gemini: gemini('gemini-2.5-flash'),
  ollama: ollama('qwen3:8b'),
}
export type Wire = keyof typeof models
export const wires: readonly Wire[] = Object.keys(models) as Wire[]

export interface Sent {
  readonly body: Record<string, unknown>
  readonly losses: readonly Loss[]
}

export function send(to: Wire | HttpModel, context: Context, options: Partial<RequestOptions> = {}): Sent {
  const model = typeof to === 'string' ? models[to] : to
  return model.codec.encodeRequest(context, { model: model.model, maxTokens: 100, ...options }) as EncodedRequest<
    Record<string, unknown>
  >
}

const listNames: Readonly<Record<Wire, string>> = {
  openaiChat: 'messages',
  openaiResponses: 'input',
  anthropic: 'messages',
  gemini: 'contents',
  ollama: 'messages',
}

/** The list that holds the conversation on this wire. */
export function listOf(wire: Wire, messages: readonly Message[], more: Partial<Context> = {}): unknown {
  return send(wire, { messages, ...more }).body[listNames[wire]]
}
