/** The validators by format and provider. */
import { validate as anthropic } from './anthropic.ts'
import { validate as bedrock } from './bedrock-converse.ts'
import { validate as cohere } from './cohere.ts'
import type { Validator } from './findings.ts'
import { validate as gemini } from './gemini.ts'
import { validate as interactions } from './gemini-interactions.ts'
import { validate as ollama } from './ollama.ts'
import { validatorOf as chatOf } from './openai-chat.ts'
import { validatorOf as responsesOf } from './openai-responses.ts'

/** @throws {RangeError} for a format that has no validator yet. */
export function validatorOf(format: string, provider: string): Validator {
  switch (format) {
    case 'anthropic':
      return anthropic
    case 'bedrock-converse':
      return bedrock
    case 'cohere':
      return cohere
    case 'gemini':
      return gemini
    case 'gemini-interactions':
      return interactions
    case 'ollama':
      return ollama
    case 'openai-chat':
      return chatOf(provider)
    case 'openai-responses':
      return responsesOf(provider)
    default:
      throw new RangeError(`Cannot judge a body: there is no validator for "${format}"`)
  }
}
