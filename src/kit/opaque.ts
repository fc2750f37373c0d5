/** Which provider a proof belongs to: what a provider signed goes back only to that provider. @module */
import type { AssistantMessage, ContentBlock, JsonObject, Opaque } from '../core/model.ts'

/**
 * The data of a proof, if it may be sent to this wire, provider and model; else `undefined`.
 * A target whose model is empty (unknown) takes the proofs of all of its provider's models.
 */
export function ownProof(
  opaque: Opaque | undefined,
  target: { readonly format: string; readonly provider: string; readonly model: string },
): JsonObject | undefined {
  if (opaque === undefined || opaque.format !== target.format || opaque.provider !== target.provider) return undefined
  if (target.model === '' || opaque.model === '') return opaque.data
  const isSame = modelFamily(opaque.model) === modelFamily(target.model)
  return isSame || isAliasOf(target.model, opaque.model) || isAliasOf(opaque.model, target.model)
    ? opaque.data
    : undefined
}

/** `gemini-flash-latest` stands for `gemini-3.6-flash`, which is what its answers name: an alias leaves the generation out. */
function isAliasOf(alias: string, model: string): boolean {
  if (!/-latest$/i.test(alias)) return false
  const words = modelFamily(model).split('-')
  return modelFamily(alias)
    .split('-')
    .every((word) => words.includes(word))
}

/** A model's name without the vendor before it and the date, version tag or alias after it. */
export function modelFamily(model: string): string {
  const name = model.toLowerCase().slice(model.lastIndexOf('/') + 1)
  if (name.length > 200) return name // the pattern takes time in the square of the length, and servers name models
  return name.replace(/(?:[-@:](?:\d{4}-?\d{2}-?\d{2}|\d{3,4}|latest|preview))+$/, '')
}

/**
 * The message with its proofs under the name by which its model was asked for. Deployments and aliases answer under another name
 * (`my-deployment` as `gpt-5`), and it is the asked one that the next request is held against.
 */
export function withAskedModel(message: AssistantMessage, asked: string): AssistantMessage {
  const answered = message.response?.model
  const content = message.content
  if (answered === undefined || typeof content === 'string' || content === null) return message
  if (modelFamily(answered) === modelFamily(asked)) return message
  const rename = (block: ContentBlock): ContentBlock =>
    'opaque' in block && block.opaque?.model === answered
      ? { ...block, opaque: { ...block.opaque, model: asked } }
      : block
  return { ...message, content: content.map(rename) }
}
