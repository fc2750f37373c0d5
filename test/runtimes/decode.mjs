/** Bytes through the built decoders, and what came of them. */
import { createClientCodec as anthropic } from '../../dist/anthropic.js'
import { decodeAnswer } from '../../dist/codec.js'
import { createClientCodec as gemini } from '../../dist/gemini.js'
import { blocksOf, IsoglotError } from '../../dist/index.js'
import { createClientCodec as ollama } from '../../dist/ollama.js'
import { createClientCodec as openaiChat } from '../../dist/openai-chat.js'
import { createClientCodec as openaiResponses } from '../../dist/openai-responses.js'

/** The client's half of each format, by its name. */
export const codecs = {
  anthropic: anthropic(),
  gemini: gemini(),
  ollama: ollama(),
  'openai-chat': openaiChat(),
  'openai-responses': openaiResponses(),
}

/** Decodes one answer that arrives in these chunks, up to its error if it has one. */
export function decodeChunks(codec, chunks) {
  const events = []
  const decoder = decodeAnswer(codec)
  let error
  try {
    for (const chunk of chunks) decoder.push(chunk, events)
    decoder.end(events)
  } catch (cause) {
    if (!(cause instanceof IsoglotError)) throw cause
    error = cause
  }
  return { events, error, response: events.find(({ type }) => type === 'message_end')?.response }
}

export const bytesOf = (text) => new TextEncoder().encode(text)

export const decodeText = (codec, text) => decodeChunks(codec, [bytesOf(text)])

/** An answer in few words: what of it a wire's document lets one say by hand. */
export function summary({ message, stopReason, usage }) {
  const { inputTokens, outputTokens, totalTokens } = usage ?? {}
  return {
    blocks: blocksOf(message.content).map(inFewWords),
    stopReason,
    usage: usage && [inputTokens, outputTokens, totalTokens],
  }
}

function inFewWords(block) {
  if (block.type === 'tool_call') return ['tool_call', block.id, block.name, block.arguments]
  return [block.type, block.text]
}

/** All that a decoder said, in a form that two runs can be compared by. Why a text is not valid JSON each engine says in words of its own. */
export function transcript({ events, error }) {
  const { name, code, message, partial } = error ?? {}
  return JSON.stringify([events, error && { name, code, message, partial }], (key, value) =>
    key === 'error' && typeof value === 'string' ? value.replace(/(are not JSON): .*/s, '$1') : value,
  )
}

/** A fingerprint of a text: 64 bits of FNV-1a: pages of some engines have no `crypto.subtle`. */
export function fingerprint(text) {
  let [high, low] = [0x811c9dc5, 0x01000193]
  for (let at = 0; at < text.length; at++) {
    high = Math.imul(high ^ text.charCodeAt(at), 0x01000193)
    low = Math.imul(low ^ text.charCodeAt(at), 0x85ebca6b)
  }
  return [high, low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
}
