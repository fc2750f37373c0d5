/** The price of a model by its name. @module */

import { lookup } from '../core/json.ts'
import type { Model } from '../core/question.ts'
import type { Price, Prices } from './price.ts'

/** The paths and formats of a provider that differ from its name. */
const pathsByProvider: Readonly<Record<string, string>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  'xai-responses': 'xai',
  'gemini-chat': 'gemini',
  'ollama-chat': 'ollama',
}

/** Suffixes of a model's name that do not change its price: a date, a preview's number, an effort. */
const variants = /(?:-latest|-preview|-\d{2,8}|-reasoning|-non-reasoning)+$/

/** The two parts of a model's name: the provider, in the spelling of {@link Prices}, and the model. */
export function partsOf(id: string): readonly [provider: string, model: string] {
  const colon = id.indexOf(':')
  const provider = id.slice(0, Math.max(0, colon))
  return [lookup(pathsByProvider, provider) ?? provider, id.slice(colon + 1).replace(/^models\//, '')]
}

/** Such as `openai:gpt-5`. @throws {TypeError} for what is not a model. */
export function idOf(model: Model | string): string {
  if (typeof model === 'string') return model
  if (typeof model?.provider !== 'string')
    throw new TypeError('Cannot find a price: "model" is not a model and not the name of one')
  return `${model.provider}:${model.model}`
}

/** Compares whole names only: a model with a longer name may cost ten times as much. */
export function findPrice(id: string, prices: Prices): Price | undefined {
  const [provider, name] = partsOf(id)
  const plain = name.replace(variants, '')
  const keys = [id, `${provider}:${name}`, `${provider}:${plain}`, `${provider}:`]
  const key = keys.find((one) => Object.hasOwn(prices, one))
  return key === undefined ? undefined : prices[key]
}
