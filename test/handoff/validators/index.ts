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
      return clouds[provider] ?? anthropic
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

/** cloud-auth.md §3: "`model` out of the body, into the path"; the version is in the body. §6: so are Amazon's betas, and "no stream". */
const clouds: Readonly<Record<string, Validator>> = {
  'bedrock-invoke': (body) => {
    const { anthropic_beta: _, ...rest } = object(body)
    return [
      ...inCloud(rest, 'bedrock-2023-05-31'),
      ...('stream' in rest ? ['stream: is not as that cloud has it'] : []),
    ]
  },
  'vertex-anthropic': (body) => inCloud(object(body), 'vertex-2023-10-16'),
}

function inCloud(body: ReturnType<typeof object>, expected: string): readonly string[] {
  const { anthropic_version: version, ...rest } = body
  const findings = anthropic({ model: 'in the path', ...rest })
  const wrong = [...(version === expected ? [] : ['anthropic_version']), ...('model' in rest ? ['model'] : [])]
  return [...findings, ...wrong.map((name) => `${name}: is not as that cloud has it`)]
}
