/** Requests in the forms that a format's client does not write, though its server reads them. */
import type { WireName } from '../gateway/provider.ts'
export const ownForms: Readonly<Record<WireName, readonly object[]>> = { anthropic: [], 'bedrock-converse': [], cohere: [], gemini: [], 'gemini-interactions': [], ollama: [], 'openai-chat': [], 'openai-responses': [] }
