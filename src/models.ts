/**
 * Models by name, `provider:model`, if the name is a setting. This imports every codec. A program that always asks the same provider is
 * smaller with that provider's own function.
 *
 * @module
 */

import { checkOptions } from './core/checks.ts'
import { lookup } from './core/json.ts'
import type { AnthropicModel, GeminiModel, Known, OpenaiModel, XaiModel } from './core/model-names.ts'
import type { HttpModel } from './core/question.ts'
import { type AnthropicSettings, anthropic } from './formats/anthropic/index.ts'
import { type BedrockSettings, bedrockConverse } from './formats/bedrock-converse/index.ts'
import { cohere } from './formats/cohere/index.ts'
import { type GeminiSettings, gemini } from './formats/gemini/index.ts'
import { geminiInteractions } from './formats/gemini-interactions/index.ts'
import { ollama } from './formats/ollama/index.ts'
import { openaiChat } from './formats/openai-chat/index.ts'
import { openaiResponses } from './formats/openai-responses/index.ts'
import { alibaba } from './providers/alibaba.ts'
import { azureAnthropic } from './providers/azure-anthropic.ts'
import { type AzureSettings, azureOpenai } from './providers/azure-openai.ts'
import { azureResponses } from './providers/azure-responses.ts'
import { type BedrockAnthropicSettings, bedrockAnthropic } from './providers/bedrock-anthropic.ts'
import { bedrockInvoke } from './providers/bedrock-invoke.ts'
import { cerebras } from './providers/cerebras.ts'
import { deepseek } from './providers/deepseek.ts'
import { geminiChat } from './providers/gemini-chat.ts'
import { groq } from './providers/groq.ts'
import { llamacpp } from './providers/llamacpp.ts'
import { lmstudio } from './providers/lmstudio.ts'
import { mistral } from './providers/mistral.ts'
import { moonshot } from './providers/moonshot.ts'
import { ollamaChat } from './providers/ollama-chat.ts'
import { openaiCompatible } from './providers/openai-compatible.ts'
import { openrouter } from './providers/openrouter.ts'
import { perplexity } from './providers/perplexity.ts'
import { together } from './providers/together.ts'
import { vercelGateway } from './providers/vercel-gateway.ts'
import { vertexAnthropic } from './providers/vertex-anthropic.ts'
import { type VertexGeminiSettings, vertexGemini } from './providers/vertex-gemini.ts'
import { vllm } from './providers/vllm.ts'
import { type WorkersAiAccount, type WorkersAiSettings, workersAi } from './providers/workers-ai.ts'
import { xai } from './providers/xai.ts'
import { xaiResponses } from './providers/xai-responses.ts'

/** Options of any provider's function. A provider ignores the options of other providers. */
export type AnyModelSettings = AnthropicSettings &
  AzureSettings &
  BedrockAnthropicSettings &
  GeminiSettings &
  VertexGeminiSettings &
  WorkersAiSettings &
  Partial<BedrockSettings & Pick<WorkersAiAccount, 'accountId'>>

/** The names of the table of prices, for completion, or any other. */
type PricedModel = Known<
  | `${'openai' | 'openai-chat' | 'openai-responses'}:${OpenaiModel}`
  | `anthropic:${AnthropicModel}`
  | `gemini:${GeminiModel}`
  | `xai:${XaiModel}`
>

type ModelMaker = (model: string, settings: AnyModelSettings) => HttpModel

/** The public paths of the codecs and dialects; `openai` is OpenAI's Responses API, which OpenAI recommends for new projects. */
const providers: Readonly<Record<string, ModelMaker>> = {
  alibaba,
  anthropic,
  'azure-anthropic': azureAnthropic,
  'azure-openai': azureOpenai,
  'bedrock-converse': bedrockModel,
  'azure-responses': azureResponses,
  'bedrock-anthropic': bedrockAnthropic,
  'bedrock-invoke': invokeModel,
  cerebras,
  cohere,
  deepseek,
  gemini,
  'gemini-chat': geminiChat,
  'gemini-interactions': geminiInteractions,
  groq,
  llamacpp,
  lmstudio,
  mistral,
  moonshot,
  ollama,
  'ollama-chat': ollamaChat,
  openai: openaiResponses,
  'openai-chat': openaiChat,
  'openai-compatible': compatibleModel,
  'openai-responses': openaiResponses,
  openrouter,
  perplexity,
  together,
  'vercel-gateway': vercelGateway,
  'vertex-anthropic': vertexAnthropic,
  'vertex-gemini': vertexGemini,
  vllm,
  'workers-ai': workersAiModel,
  xai,
  'xai-responses': xaiResponses,
}

/** All names of providers, which are before the colon. */
export const providerNames: readonly string[] = Object.keys(providers)

/** The two parts of a model's name. */
export interface ModelName {
  readonly provider: string
  /** The model, by the provider's name, which may contain colons and slashes. */
  readonly model: string
}

/**
 * Makes a model from a name such as `anthropic:claude-sonnet-5`.
 *
 * `openai` uses the Responses API, and `openai-chat` uses Chat Completions. `openai-compatible` is any server with Chat Completions, and
 * needs a `baseUrl`. Azure's providers need a `baseUrl` or a `resource`, Bedrock's a `region`, `vertex-anthropic` a `project`, and
 * `workers-ai` an `accountId`.
 *
 * @param name The provider's name, a colon, and the model's own name, which may contain colons.
 * @param settings The settings of the provider's own function.
 * @throws {RangeError} if no provider has that name; the message lists the known providers.
 * @throws {TypeError} if a required setting of the provider is missing.
 * @example
 * ```ts
 * import { generate } from 'isoglot'
 * import { model } from 'isoglot/models'
 *
 * const { message } = await generate({ model: model('ollama:llama3:8b'), prompt: 'Why is the sky blue?' })
 * ```
 */
export function model(name: PricedModel, settings: AnyModelSettings = {}): HttpModel {
  checkOptions('model', settings)
  const { provider, model: modelName } = parseModel(name)
  const create = lookup(providers, provider) as ModelMaker
  return create(modelName, settings)
}

/**
 * Splits a name at its first colon.
 *
 * @throws {RangeError} if no provider has that name, or nothing follows the colon.
 * @throws {TypeError} if the name is not a text.
 * @example
 * ```ts
 * parseModel('ollama:llama3:8b') // { provider: 'ollama', model: 'llama3:8b' }
 * ```
 */
export function parseModel(name: string): ModelName {
  if (typeof name !== 'string') throw new TypeError(`Cannot find a model: its name is ${typeof name} and not a text`)
  const colon = name.indexOf(':')
  const provider = name.slice(0, Math.max(0, colon))
  const known = `known providers are ${providerNames.join(', ')}`
  if (colon < 0) throw new RangeError(`Cannot find model "${short(name)}": expected "provider:model"; ${known}`)
  if (lookup(providers, provider) === undefined) {
    throw new RangeError(`Cannot find model "${short(name)}": unknown provider "${short(provider)}"; ${known}`)
  }
  if (colon === name.length - 1) throw new RangeError(`Cannot find model "${short(name)}": nothing follows its colon`)
  return { provider, model: name.slice(colon + 1) }
}

function short(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function compatibleModel(name: string, { baseUrl, ...settings }: AnyModelSettings): HttpModel {
  if (baseUrl === undefined) throw new TypeError('Cannot address an OpenAI-compatible server: "baseUrl" is missing')
  return openaiCompatible({ baseUrl })(name, settings)
}

function workersAiModel(name: string, { accountId = '', apiKey = '', ...settings }: AnyModelSettings): HttpModel {
  return workersAi({ accountId, apiToken: apiKey }, name, settings)
}

function bedrockModel(name: string, settings: AnyModelSettings): HttpModel {
  return bedrockConverse(name, inRegion(settings))
}

function invokeModel(name: string, settings: AnyModelSettings): HttpModel {
  return bedrockInvoke(name, inRegion(settings))
}

function inRegion({ region = '', ...settings }: AnyModelSettings): AnyModelSettings & { readonly region: string } {
  if (region === '' && (settings.baseUrl === undefined || settings.aws !== undefined))
    throw new TypeError('Cannot address Bedrock: "region" is missing, such as us-east-1')
  return { ...settings, region }
}
