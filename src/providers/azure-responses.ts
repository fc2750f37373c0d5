/**
 * Azure OpenAI: the format OpenAI Responses, at the address of your resource.
 *
 * @see https://learn.microsoft.com/azure/ai-foundry/openai/how-to/responses (read 2026-11)
 * @module
 */
import { checkOptions } from '../core/checks.ts'
import type { ModelSettings } from '../core/codec.ts'
import type { HttpModel } from '../core/question.ts'
import { azureDialect, responsesModel } from '../formats/openai-responses/index.ts'

/** The settings of {@link azureResponses}. */
export interface AzureResponsesSettings extends ModelSettings {
  /** The name of the resource: `https://{resource}.openai.azure.com`. Required without `baseUrl`. */
  readonly resource?: string
  /** The header for `apiKey`: `api-key` for a key, `authorization` for an Entra token. Default: `api-key`. */
  readonly keyHeader?: 'api-key' | 'authorization'
}

/**
 * A deployment of Azure OpenAI, in the format OpenAI Responses. Stateless by default, like `openaiResponses`.
 *
 * @throws {TypeError} if neither `resource` nor `baseUrl` is given.
 * @example
 * ```ts
 * const apiKey = entraClient({ tenant: 'acme.example', clientId: 'my-app', clientSecret: env.CLIENT_SECRET })
 * const model = azureResponses('my-gpt', { resource: 'my-resource', apiKey, keyHeader: 'authorization' })
 * ```
 */
export function azureResponses(deployment: string, settings: AzureResponsesSettings): HttpModel {
  checkOptions('model', settings)
  const { resource, keyHeader = 'api-key', ...others } = settings
  if (resource === undefined && settings.baseUrl === undefined) {
    throw new TypeError('Cannot ask Azure OpenAI: neither "resource" nor "baseUrl" is given')
  }
  const baseUrl = `https://${resource}.openai.azure.com/openai/v1`
  return responsesModel(deployment, others, { ...azureDialect, title: 'Azure OpenAI', keyHeader, baseUrl })
}
