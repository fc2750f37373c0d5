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
      return provider === 'vertex-anthropic' ? vertex : anthropic
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

/** cloud-auth.md §3: "`model` out of the body, into the path"; the version is in the body. */
const vertex: Validator = (body) => {
  const { anthropic_version: version, ...rest } = object(body)
  const findings = anthropic({ model: 'in the path', ...rest })
  const wrong = [
    ...(version === 'vertex-2023-10-16' ? [] : ['anthropic_version']),
    ...('model' in rest ? ['model'] : []),
  ]
  return [...findings, ...wrong.map((name) => `${name}: is not as Vertex AI has it`)]
}
