/** The validators by format and provider. */
import { validate as anthropic } from './anthropic.ts'
import { validate as bedrock } from './bedrock-converse.ts'
import { validate as cohere } from './cohere.ts'
import { object, type Validator } from './findings.ts'
import { validate as gemini } from './gemini.ts'
import { validate as interactions } from './gemini-interactions.ts'
import { validate as ollama } from './ollama.ts'
import { validatorOf as chatOf } from './openai-chat.ts'
import { validatorOf as responsesOf } from './openai-responses.ts'

/** @throws {RangeError} for a format that has no validator yet. */
export function validatorOf(format: string, provider: string): Validator {
  switch (format) {
    case 'anthropic':
      return inPath[provider] ?? anthropic
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

/** cloud-auth.md §3 and §4: the model is in the path, and a version in the body. Bedrock has `stream` in the path too, and betas in the body. */
function withVersion(expected: string): Validator {
  return (body) => {
    const { anthropic_version: version, anthropic_beta: _, ...rest } = object(body)
    const findings = anthropic({ model: 'in the path', ...rest })
    const wrong = [...(version === expected ? [] : ['anthropic_version']), ...('model' in rest ? ['model'] : [])]
    return [...findings, ...wrong.map((name) => `${name}: is not as the cloud has it`)]
  }
}

const inPath: Readonly<Record<string, Validator>> = {
  'vertex-anthropic': withVersion('vertex-2023-10-16'),
  'bedrock-invoke': withVersion('bedrock-2023-05-31'),
}
