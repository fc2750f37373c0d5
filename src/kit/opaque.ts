/** Decides which provider gets a proof: only the one that made it. @module */
import type { AssistantMessage, ContentBlock, JsonObject, Opaque } from '../core/model.ts'

/**
 * The data of a proof, if it may be sent to this format, provider and model; otherwise `undefined`. A target with an empty (unknown) model
 * takes the proofs of all models of its provider.
 */
export function ownProof(
  opaque: Opaque | undefined,
  target: { readonly format: string; readonly provider: string; readonly model: string },
): JsonObject | undefined {
  if (opaque?.format !== target.format || opaque.provider !== target.provider) return undefined
  const { model, data } = opaque
  const isUnknown = model === '' || target.model === ''
  const isSame = isUnknown || modelFamily(model) === modelFamily(target.model)
  return isSame || isAliasOf(target.model, model) || isAliasOf(model, target.model) ? data : undefined
}

/** `gemini-flash-latest` stands for `gemini-3.6-flash`, which is what its answers name: an alias leaves the generation out. */
function isAliasOf(alias: string, model: string): boolean {
  const words = modelFamily(model).split('-')
  const isPart = (word: string) => words.includes(word)
  return /-latest$/i.test(alias) && modelFamily(alias).split('-').every(isPart)
}

/** A model's name without the vendor before it and the date, version tag or alias after it. */
export function modelFamily(model: string): string {
  const name = model.toLowerCase().slice(model.lastIndexOf('/') + 1)
  if (name.length > 200) return name // the pattern takes time in the square of the length, and servers name models
  return name.replace(/(?:[-@:](?:\d{4}-?\d{2}-?\d{2}|\d{3,4}|latest|preview))+$/, '')
}

/**
 * The message, with the requested model's name in its proofs. Deployments and aliases answer under another name (`my-deployment` as
 * `gpt-5`), and the next request compares the requested name.
 */
export function withAskedModel(message: AssistantMessage, asked: string): AssistantMessage {
  const { content, response } = message
  const answered = response?.model
  if (answered === undefined || typeof content === 'string' || content === null) return message
  if (modelFamily(answered) === modelFamily(asked)) return message
  const rename = (block: ContentBlock): ContentBlock =>
    'opaque' in block && block.opaque?.model === answered
      ? { ...block, opaque: { ...block.opaque, model: asked } }
      : block
  return { ...message, content: content.map(rename) }
}
