/** Short ways to decode and encode in tests. */

import type { ChatResponse, ContentBlock, JsonObject, MessageEvent } from '../../../src/core/messages.ts'
import {
  type ChatDialect,
  compatible,
  createClientCodec,
  encodeStream,
  openai,
} from '../../../src/formats/openai-chat/index.ts'
import { type Decoded, decodeText } from '../../support/decode.ts'

/** One SSE event a chunk. */
export function sse(...chunks: readonly unknown[]): string {
  return chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join('')
}

/** A chunk with one delta. */
export function delta(fields: object, finish: string | null = null): JsonObject {
  const choices = [{ index: 0, delta: fields, finish_reason: finish }]
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices } as JsonObject
}

export function callDelta(...calls: readonly object[]): JsonObject {
  return delta({ tool_calls: calls })
}

export function decodeSse(text: string, dialect: ChatDialect = openai): Decoded {
  return decodeText(createClientCodec(dialect), text)
}

/** Decodes these chunks and `[DONE]`. */
export function decodeChunks(chunks: readonly unknown[], dialect: ChatDialect = compatible): Decoded {
  return decodeSse(sse(...chunks, '[DONE]'), dialect)
}

export function blocks(response: ChatResponse | undefined): readonly ContentBlock[] {
  const content = response?.message.content
  return typeof content === 'object' && content !== null ? content : []
}

/** Writes events as a stream, and gives its text. */
export function encodeEvents(events: readonly MessageEvent[], includeUsage = true): string {
  const encoder = encodeStream({ includeUsage })
  const frames: { data: string }[] = []
  for (const event of events) encoder.push(event, frames)
  encoder.end(frames)
  return frames.map((frame) => `data: ${frame.data}\n\n`).join('')
}
