/**
 * Azure OpenAI: OpenAI's models at the address of your resource, with the key of your resource.
 *
 * @module
 */
import { checkOptions } from '../core/checks.ts'
import type { ModelSettings } from '../core/codec.ts'
import type { HttpModel } from '../core/question.ts'
import { type ChatDialect, chatModel, openai } from '../formats/openai-chat/index.ts'

/** The dialect of Azure OpenAI. */
export const azureOpenaiDialect: ChatDialect = {
  ...openai,
  provider: 'azure-openai',
  title: 'Azure OpenAI',
  baseUrl: '', // each resource has its own address
  keyHeader: 'api-key',
}

/** The settings of {@link azureOpenai}. */
export interface AzureSettings extends ModelSettings {
  /** The name of the resource: `https://{resource}.openai.azure.com`. Required without `baseUrl`. */
  readonly resource?: string
  /** If set, requests use the older path, which contains the deployment and this version. Default: the `v1` path, without them. */
  readonly apiVersion?: string
  /** The header for `apiKey`: `api-key` for a key, `authorization` for an Entra token. Default: `api-key`. */
  readonly keyHeader?: 'api-key' | 'authorization'
}

/**
 * A deployment of Azure OpenAI.
 *
 * @throws {TypeError} if neither `resource` nor `baseUrl` is given.
 * @example
 * ```ts
 * const model = azureOpenai('my-gpt', { resource: 'my-resource', apiKey })
 * ```
 */
export function azureOpenai(deployment: string, settings: AzureSettings): HttpModel {
  checkOptions('model', settings)
  const { resource, apiVersion, keyHeader = 'api-key', ...others } = settings
  if (resource === undefined && others.baseUrl === undefined) {
    throw new TypeError('Cannot ask Azure OpenAI: neither "resource" nor "baseUrl" is given')
  }
  const host = `https://${resource}.openai.azure.com/openai/`
  const older = apiVersion !== undefined && {
    baseUrl: `${host}deployments/${encodeURIComponent(deployment)}`,
    path: `/chat/completions?api-version=${encodeURIComponent(apiVersion)}`,
  }
  return chatModel({ ...azureOpenaiDialect, keyHeader, baseUrl: `${host}v1`, ...older }, deployment, others)
}
