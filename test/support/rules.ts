/** The rules of five wires for a conversation, written by hand from their documents, and not read from the codecs. */
import type { Rules } from '../../src/core/codec.ts'

const chat: Rules = {
  format: 'openai-chat',
  provider: 'openai',
  callId: { pattern: /^[\w-]+$/, maxLength: 40 },
  toolName: { pattern: /^[\w-]+$/, maxLength: 64 },
  resultMedia: new Set(),
  foreignReasoning: 'drop',
  lateInstructions: 'keep',
  userFirst: false,
  refusesEmpty: false,
  pairs: 'id',
}

export const wires: Readonly<Record<'chat' | 'mistral' | 'responses' | 'anthropic' | 'gemini' | 'ollama', Rules>> = {
  chat,
  mistral: {
    ...chat,
    provider: 'mistral',
    callId: { pattern: /^[A-Za-z0-9]{9}$/, maxLength: 9 },
    bridgesResults: true,
  },
  responses: {
    ...chat,
    format: 'openai-responses',
    callId: { pattern: /^[\w-]+$/, maxLength: 64 },
    resultMedia: new Set(['image', 'file']),
    chains: true,
  },
  anthropic: {
    format: 'anthropic',
    provider: 'anthropic',
    callId: { pattern: /^[\w-]+$/, maxLength: 64 },
    toolName: { pattern: /^[\w-]+$/, maxLength: 128 },
    resultMedia: new Set(['image', 'file']),
    foreignReasoning: 'drop',
    lateInstructions: 'user',
    userFirst: true,
    refusesEmpty: true,
    pairs: 'id',
  },
  gemini: {
    format: 'gemini',
    provider: 'google',
    callId: { pattern: /^.+$/s, maxLength: 256 },
    toolName: { pattern: /^[A-Za-z_][\w.:-]*$/, maxLength: 128 },
    resultMedia: new Set(),
    foreignReasoning: 'text',
    lateInstructions: 'user',
    userFirst: true,
    refusesEmpty: true,
    pairs: 'name',
  },
  ollama: {
    format: 'ollama',
    provider: 'ollama',
    callId: { pattern: /^.+$/s, maxLength: 256 },
    toolName: { pattern: /^.+$/s, maxLength: 256 },
    resultMedia: new Set(['image']),
    foreignReasoning: 'keep',
    lateInstructions: 'keep',
    userFirst: false,
    refusesEmpty: false,
    pairs: 'name',
  },
}
