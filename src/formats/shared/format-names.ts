/** The names of the formats: those that `providerOptions` may have. */
export const formats = [
  'openai-chat',
  'openai-responses',
  'anthropic',
  'gemini',
  'gemini-interactions',
  'ollama',
  'cohere',
  'bedrock-converse',
] as const
/** The name of a format. */
export type FormatName = (typeof formats)[number]
