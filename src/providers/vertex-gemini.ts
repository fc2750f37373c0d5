/**
 * Gemini on Vertex AI: Gemini's format, at the address of your project.
 *
 * @see https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference (read 2026-11)
 * @module
 */
import type { Model, ModelSettings } from '../core/codec.ts'
import { createClientCodec, type GeminiDialect, geminiDialect } from '../formats/gemini/index.ts'
import { bearer } from '../kit/bearer.ts'
import { vertexAddress } from '../kit/vertex.ts'

/** How Gemini differs on Vertex AI: neither calls nor results have ids. */
export const vertexGeminiDialect: GeminiDialect = { ...geminiDialect, provider: 'vertex', callIds: false }

/** The settings of {@link vertexGemini}. */
export interface VertexGeminiSettings extends ModelSettings {
  /** The id of the project. With it, `apiKey` is an access token; without it, a key of express mode. */
  readonly project?: string
  /** The location, such as `europe-west1` or `eu`. Default `global`. Not every location has every model. */
  readonly location?: string
}

/**
 * Gemini on Vertex AI: with a project and an access token, or in express mode with only a key.
 *
 * @param model Such as `gemini-3-flash`; `endpoints/…` for your own model.
 * @param settings `apiKey` is an access token, or a function that returns one: `googleServiceAccount` of `isoglot/cloud-auth`.
 * @example
 * ```ts
 * const apiKey = googleServiceAccount(JSON.parse(env.GOOGLE_CREDENTIALS))
 * const model = vertexGemini('gemini-3-flash', { project: 'my-project', location: 'europe-west1', apiKey })
 * ```
 */
export function vertexGemini(model: string, settings: VertexGeminiSettings = {}): Model {
  const { project, location = 'global', baseUrl, ...rest } = settings
  const codec = createClientCodec(vertexGeminiDialect)
  const providerUrl = vertexAddress(project, location)
  return {
    ...rest,
    codec: {
      ...codec,
      title: 'Vertex AI',
      // A project refuses keys of its API; express mode has nothing else.
      headers: project === undefined ? codec.headers : bearer,
      encodeRequest(context, options) {
        const encoded = codec.encodeRequest(context, options)
        return encoded.path.startsWith('/models/') ? { ...encoded, path: `/publishers/google${encoded.path}` } : encoded
      },
    },
    model,
    baseUrl: baseUrl ?? providerUrl,
    providerUrl,
  }
}
