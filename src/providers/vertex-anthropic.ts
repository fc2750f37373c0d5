/**
 * Claude on Vertex AI: Anthropic's format, with the model in the path and the version in the body.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai (read 2026-11)
 * @module
 */

import { httpModel } from '../ask/http-model.ts'
import { checkOptions } from '../core/checks.ts'
import type { ClientCodec, ModelSettings } from '../core/codec.ts'
import { compact } from '../core/json.ts'
import type { JsonObject } from '../core/messages.ts'
import type { HttpModel } from '../core/question.ts'
import { type AnthropicDialect, createClientCodec } from '../formats/anthropic/index.ts'
import { bearer } from '../formats/shared/bearer.ts'
import { vertexAddress } from '../formats/shared/vertex.ts'

/** The settings of {@link vertexAnthropic}. */
export interface VertexAnthropicSettings
  extends ModelSettings,
    Pick<AnthropicDialect, 'beta' | 'maxTokens' | 'lateInstructions'> {
  /** The id of the project. Required without `baseUrl`. */
  readonly project?: string
  /** The location, such as `europe-west1` or `eu`. Default `global`. Not every location has every model. */
  readonly location?: string
}

/**
 * Claude on Vertex AI. It does not have file ids, and lacks some server tools and beta features.
 *
 * @param model The model's id, for example `claude-sonnet-4-5@20250929`.
 * @param settings `apiKey` is an access token, or a function that returns one: `googleServiceAccount` of `isoglot/cloud-auth`.
 * @throws {TypeError} if neither `project` nor `baseUrl` is given.
 * @example
 * ```ts
 * const apiKey = googleServiceAccount(JSON.parse(env.GOOGLE_CREDENTIALS))
 * const model = vertexAnthropic('claude-sonnet-4-5@20250929', { project: 'my-project', apiKey })
 * ```
 */
export function vertexAnthropic(model: string, settings: VertexAnthropicSettings): HttpModel {
  checkOptions('model', settings)
  const { project, location = 'global', baseUrl, beta, maxTokens, lateInstructions, ...rest } = settings
  if (project === undefined && baseUrl === undefined) {
    throw new TypeError('Cannot ask Vertex AI: neither "project" nor "baseUrl" is given')
  }
  const dialect = compact({ provider: 'vertex-anthropic', beta, maxTokens, lateInstructions })
  const codec = createClientCodec(dialect)
  const providerUrl = vertexAddress(project, location)
  const own: ClientCodec = {
    ...codec,
    title: 'Vertex AI',
    headers: bearer,
    encodeRequest(context, options) {
      const encoded = codec.encodeRequest(context, options)
      const { model: name, ...body } = encoded.body as JsonObject
      const method = options.stream ? 'streamRawPredict' : 'rawPredict'
      return {
        ...encoded,
        path: `/publishers/anthropic/models/${encodeURIComponent(String(name)).replace('%40', '@')}:${method}`,
        body: { anthropic_version: 'vertex-2023-10-16', ...body },
      }
    },
  }
  return httpModel(own, model, { ...rest, baseUrl: baseUrl ?? providerUrl, providerUrl })
}
