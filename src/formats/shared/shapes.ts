/** The types of values in a client's request: what a format says of the fields that its decoder reads. Only for servers. @module */
import { decodeErrorAt, field, hasType, listAt, objectAt } from '../../core/json.ts'

/**
 * What a value must be: a scalar, a list with entries of one shape, or an object whose known fields have shapes. `any` and `undefined` say
 * nothing. A function chooses by the value.
 */
export type Shape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'any'
  | readonly [Shape]
  | Fields
  | ((value: unknown) => Shape | undefined)

/** The shapes of the fields of an object, by name. */
export interface Fields {
  readonly [name: string]: Shape
}

/**
 * Refuses a value that a decoder would read as absent, because it has another type. A field that is `null` is absent.
 *
 * @throws {DecodeError} whose `path` is the place of the value. `what` is the request, such as `Cohere request`.
 */
export function checkShape(value: unknown, shape: Shape | undefined, path: string, what: string): void {
  if (typeof shape === 'function') checkShape(value, shape(value), path, what)
  else if (typeof shape === 'string') {
    // JSON can have numbers that are too large, such as 1e999.
    const isRight = shape === 'number' ? Number.isFinite(value) : hasType(value, shape)
    if (!isRight) throw decodeErrorAt(path, `not a ${shape}`, what, value)
  } else if (isListShape(shape)) {
    for (const [at, entry] of listAt(value, path, what).entries()) checkShape(entry, shape[0], `${path}[${at}]`, what)
  } else if (shape !== undefined) {
    const object = objectAt(value, path, what)
    for (const [name, inner] of Object.entries(shape)) {
      const found = field(object, name) ?? undefined
      if (found !== undefined) checkShape(found, inner, path === '' ? name : `${path}.${name}`, what)
    }
  }
}

function isListShape(shape: Shape | undefined): shape is readonly [Shape] {
  return Array.isArray(shape)
}

/** A citation in the form of OpenAI, which the Interactions of Gemini have too. */
export const citationShape: Fields = { url: 'string', title: 'string', start_index: 'number', end_index: 'number' }

/** A function in the form of OpenAI Chat. One without a name is a tool of the provider's own. */
export const functionShape: Fields = { description: 'string', parameters: {} }

/** A definition in the form of OpenAI Chat. The fields of other types of tools are not known. */
export const toolShape: Fields = { type: 'string', function: functionShape }

/** A call in the form of OpenAI Chat. Its arguments may have any type: broken ones become an invalid call. */
export const callShape: Fields = { id: 'string', type: 'string', function: { name: 'string' } }
