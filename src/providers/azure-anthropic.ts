/**
 * Claude in Microsoft Foundry: Anthropic's format, at the address of your resource.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry (read 2026-11)
 * @module
 */

import { httpModel } from '../ask/http-model.ts'
import { checkOptions } from '../core/checks.ts'
import type { ClientCodec, ModelSettings } from '../core/codec.ts'
import { compact } from '../core/json.ts'
import type { HttpModel } from '../core/question.ts'
import { type AnthropicDialect, createClientCodec, headers } from '../formats/anthropic/index.ts'
import { bearer } from '../formats/shared/bearer.ts'

/** The settings of {@link azureAnthropic}. */
export interface AzureAnthropicSettings
  extends ModelSettings,
    Pick<AnthropicDialect, 'beta' | 'maxTokens' | 'lateInstructions'> {
  /** The name of the resource: `https://{resource}.services.ai.azure.com`. Required without `baseUrl`. */
  readonly resource?: string
  /** The header for `apiKey`: `api-key` for a key, `authorization` for an Entra token. Default: `api-key`. */
  readonly keyHeader?: 'api-key' | 'authorization'
}

/**
 * A deployment of Claude in Microsoft Foundry.
 *
 * @throws {TypeError} if neither `resource` nor `baseUrl` is given.
 * @example
 * ```ts
 * const model = azureAnthropic('claude-sonnet-5', { resource: 'my-resource', apiKey })
 * ```
 */
export function azureAnthropic(deployment: string, settings: AzureAnthropicSettings): HttpModel {
  checkOptions('model', settings)
  const { resource, keyHeader = 'api-key', baseUrl, beta, maxTokens, lateInstructions, ...rest } = settings
  if (resource === undefined && baseUrl === undefined) {
    throw new TypeError('Cannot ask Microsoft Foundry: neither "resource" nor "baseUrl" is given')
  }
  const dialect = compact({ provider: 'azure-anthropic', beta, maxTokens, lateInstructions })
  const codec = createClientCodec(dialect)
  const providerUrl = `https://${resource}.services.ai.azure.com/anthropic/v1`
  const own: ClientCodec = {
    ...codec,
    title: 'Microsoft Foundry',
    headers: (apiKey) => ({
      ...headers(undefined, dialect),
      ...(keyHeader === 'authorization' ? bearer(apiKey) : compact({ 'api-key': apiKey })),
    }),
  }
  return httpModel(own, deployment, { ...rest, baseUrl: baseUrl ?? providerUrl, providerUrl })
}
