/** What five wires take of a conversation, written by hand from their documents, and not read from the codecs. */
import type { Target } from '../../src/core/target.ts'

const chat: Target = {
  format: 'openai-chat',
  provider: 'openai',
  title: 'Chat',
  callId: { pattern: /^[\w-]+$/, maxLength: 40 },
  toolName: { pattern: /^[\w-]+$/, maxLength: 64 },
  resultMedia: new Set(),
  foreignReasoning: 'drop',
  lateInstructions: 'keep',
  userFirst: false,
  refusesEmpty: false,
}

export const wires: Readonly<Record<'chat' | 'mistral' | 'responses' | 'anthropic' | 'gemini' | 'ollama', Target>> = {
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
    title: 'Anthropic',
    callId: { pattern: /^[\w-]+$/, maxLength: 64 },
    toolName: { pattern: /^[\w-]+$/, maxLength: 128 },
    resultMedia: new Set(['image', 'file']),
    foreignReasoning: 'drop',
    lateInstructions: 'user',
    userFirst: true,
    refusesEmpty: true,
  },
  gemini: {
    format: 'gemini',
    provider: 'google',
    title: 'Gemini',
    callId: { pattern: /^.+$/s, maxLength: 256 },
    toolName: { pattern: /^[A-Za-z_][\w.:-]*$/, maxLength: 128 },
    resultMedia: new Set(),
    foreignReasoning: 'text',
    lateInstructions: 'user',
    userFirst: true,
    refusesEmpty: true,
  },
  ollama: {
    format: 'ollama',
    provider: 'ollama',
    title: 'Ollama',
    callId: { pattern: /^.+$/s, maxLength: 256 },
    toolName: { pattern: /^.+$/s, maxLength: 256 },
    resultMedia: new Set(['image']),
    foreignReasoning: 'keep',
    lateInstructions: 'keep',
    userFirst: false,
    refusesEmpty: false,
  },
}
