/**
 * Claude on Amazon Bedrock: Anthropic's format, at the address of your region.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html (read 2026-11)
 * @module
 */

import { httpModel } from '../ask/http-model.ts'
import { checkOptions } from '../core/checks.ts'
import type { ClientCodec, ModelSettings } from '../core/codec.ts'
import { compact } from '../core/json.ts'
import type { HttpModel } from '../core/question.ts'
import { type AnthropicDialect, createClientCodec, headers } from '../formats/anthropic/index.ts'
import { bearer } from '../formats/shared/bearer.ts'

/** The settings of {@link bedrockAnthropic}. */
export interface BedrockAnthropicSettings
  extends ModelSettings,
    Pick<AnthropicDialect, 'beta' | 'maxTokens' | 'lateInstructions'> {
  /** The AWS region, such as `us-east-1`. Required without `baseUrl`. */
  readonly region?: string
}

/**
 * Claude on Amazon Bedrock. Uses the endpoint `bedrock-mantle`, whose streams are the same as those of Anthropic's API.
 *
 * @param model The model's id, for example `anthropic.claude-sonnet-5`.
 * @param settings `apiKey` is a Bedrock key, or a function that returns one. Short-term keys are valid for at most 12 hours.
 * @throws {TypeError} if neither `region` nor `baseUrl` is given.
 * @example
 * ```ts
 * const model = bedrockAnthropic('anthropic.claude-sonnet-5', { region: 'us-east-1', apiKey })
 * ```
 */
export function bedrockAnthropic(model: string, settings: BedrockAnthropicSettings): HttpModel {
  checkOptions('model', settings)
  const { region, baseUrl, beta, maxTokens, lateInstructions, ...rest } = settings
  if (region === undefined && baseUrl === undefined) {
    throw new TypeError('Cannot ask Amazon Bedrock: neither "region" nor "baseUrl" is given')
  }
  const dialect = compact({ provider: 'bedrock-anthropic', beta, maxTokens, lateInstructions })
  const codec = createClientCodec(dialect)
  const providerUrl = `https://bedrock-mantle.${region}.api.aws/anthropic/v1`
  const own: ClientCodec = {
    ...codec,
    title: 'Amazon Bedrock',
    headers: (apiKey) => ({ ...headers(undefined, dialect), ...bearer(apiKey) }),
  }
  return httpModel(own, model, { ...rest, baseUrl: baseUrl ?? providerUrl, providerUrl })
}
