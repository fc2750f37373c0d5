/** Fields that several wire formats have, and their limits. @module */
import * as v from 'valibot'
import { isPublicUrl } from './public-url.ts'

/** Limits of counts: a body within its limit of bytes could still contain too many items. */
export const max = { messages: 1000, parts: 100, tools: 128, name: 128, description: 16_384, stops: 16 } as const

export const text: v.GenericSchema<string> = v.string()
export const name: v.GenericSchema<string> = v.pipe(v.string(), v.regex(/^[\w.:-]+$/), v.maxLength(max.name))
export const description: v.GenericSchema<string> = v.pipe(v.string(), v.maxLength(max.description))
export const id: v.GenericSchema<string> = v.pipe(v.string(), v.maxLength(256))
export const natural: v.GenericSchema<number> = v.pipe(v.number(), v.integer(), v.minValue(1))
export const whole: v.GenericSchema<number> = v.pipe(v.number(), v.integer())
const between = (least: number, most: number): v.GenericSchema<number> =>
  v.pipe(v.number(), v.minValue(least), v.maxValue(most))
/** From 0 to `limit`. */
export const fraction = (limit: number): v.GenericSchema<number> => between(0, limit)
/** A penalty for words that the answer has already. */
export const penalty: v.GenericSchema<number> = between(-2, 2)
/** Not `v.record`: it would lose keys such as `constructor`, which a schema or an argument may have. */
export const object: v.GenericSchema<Record<string, unknown>> = v.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)
/** The fields of a function in Chat Completions and in Ollama, apart from `strict`. */
export const functionFields: v.ObjectEntries = {
  name,
  description: v.optional(description),
  parameters: v.optional(object),
}
/** One or more. */
export const several = <Item extends v.GenericSchema>(
  item: Item,
  most: number,
): v.GenericSchema<v.InferInput<Item>[], v.InferOutput<Item>[]> =>
  v.pipe(v.array(item), v.minLength(1), v.maxLength(most))
/** Types of pictures that every provider accepts. */
export const imageTypes: v.GenericSchema<string> = v.picklist(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])
/** The URL of a picture that the provider fetches. */
export const publicUrl: v.GenericSchema<string> = v.pipe(v.string(), v.check(isPublicUrl))
export const imageUrl: v.GenericSchema<string> = v.pipe(
  v.string(),
  v.check((url) => /^data:image\/(png|jpeg|gif|webp);base64,/.test(url) || isPublicUrl(url)),
)
/**
 * Data about a text of an answer, such as its sources, that a client sends back. Left out if it contains an id of a file, a container or an
 * item of the account, because that may belong to another user.
 */
export const facts: v.GenericSchema<unknown> = v.nullish(
  v.pipe(
    v.array(object),
    v.transform((all) => all.filter((fact) => !namesThings.test(JSON.stringify(fact)))),
  ),
)
const namesThings = /"\w*(?:file|container|item|store|response|object|upload|batch)_?ids?":(?!null)/i
/**
 * Fields that OpenAI's own helpers add when they parse an answer. A client sends them back, but they are not part of the format and are not
 * sent to the provider.
 */
export const helpers: v.GenericSchema<unknown> = v.optional(
  v.pipe(
    v.unknown(),
    v.transform(() => undefined),
  ),
)
