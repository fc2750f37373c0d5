/**
 * Gemini on Vertex AI: Gemini's format, at the address of your project.
 *
 * @see https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference (read 2026-11)
 * @module
 */

import { httpModel } from '../ask/http-model.ts'
import { checkOptions } from '../core/checks.ts'
import type { ClientCodec, ModelSettings } from '../core/codec.ts'
import type { GeminiModel, Known } from '../core/model-names.ts'
import type { HttpModel } from '../core/question.ts'
import { createClientCodec, type GeminiDialect, geminiDialect } from '../formats/gemini/index.ts'
import { bearer } from '../formats/shared/bearer.ts'
import { vertexAddress } from '../formats/shared/vertex.ts'

/** The dialect of Gemini on Vertex AI: calls and results do not have ids. */
export const vertexGeminiDialect: GeminiDialect = { ...geminiDialect, provider: 'vertex', callIds: false }

/** The settings of {@link vertexGemini}. */
export interface VertexGeminiSettings extends ModelSettings {
  /** The id of the project. With a project, `apiKey` is an access token. Without it, `apiKey` is a key of express mode. */
  readonly project?: string
  /** The location, such as `europe-west1` or `eu`. Default `global`. Not every location has every model. */
  readonly location?: string
}

/**
 * Gemini on Vertex AI: with a project and an access token, or in express mode with only a key.
 *
 * @param model The model's name, for example `gemini-3-flash`, or `endpoints/…` for your own model.
 * @param settings `apiKey` is an access token, or a function that returns one: `googleServiceAccount` of `isoglot/cloud-auth`.
 * @example
 * ```ts
 * const apiKey = googleServiceAccount(JSON.parse(env.GOOGLE_CREDENTIALS))
 * const model = vertexGemini('gemini-3-flash', { project: 'my-project', location: 'europe-west1', apiKey })
 * ```
 */
export function vertexGemini(model: Known<GeminiModel>, settings: VertexGeminiSettings = {}): HttpModel {
  checkOptions('model', settings)
  const { project, location = 'global', baseUrl, ...rest } = settings
  const codec = createClientCodec(vertexGeminiDialect)
  const providerUrl = vertexAddress(project, location)
  const own: ClientCodec = {
    ...codec,
    title: 'Vertex AI',
    // With a project, Vertex AI refuses API keys. Express mode takes only API keys.
    headers: project === undefined ? codec.headers : bearer,
    encodeRequest(context, options) {
      const encoded = codec.encodeRequest(context, options)
      return { ...encoded, path: encoded.path.replace(/^\/models\//, '/publishers/google$&') }
    },
  }
  return httpModel(own, model, { ...rest, baseUrl: baseUrl ?? providerUrl, providerUrl })
}
