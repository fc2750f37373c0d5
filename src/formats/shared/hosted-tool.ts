/**
 * Tools that a provider runs: what is the same in all formats.
 *
 * @module
 */
import { compact, isObject } from '../../core/json.ts'
import type { Json, JsonObject, ProviderTool } from '../../core/messages.ts'

/** A {@link ProviderTool} whose format is known. The functions that make them are in the path of its format, such as `isoglot/anthropic`. */
export interface HostedTool<Format extends string> extends ProviderTool {
  readonly format: Format
}

/** The approximate location of the user. A search answers for that place. */
export type UserLocation = {
  readonly city?: string
  /** Such as `California`. */
  readonly region?: string
  /** Two letters of ISO 3166-1, such as `US`. */
  readonly country?: string
  /** A name of the IANA, such as `America/Los_Angeles`. */
  readonly timezone?: string
}

/** The fields with their names in `snake_case`, at all depths, without those that are `undefined`. */
export function snakeCase(fields: object): JsonObject {
  const given = Object.entries(compact(fields) as JsonObject)
  return Object.fromEntries(given.map(([name, value]) => [snakeName(name), withSnakeNames(value)]))
}

function withSnakeNames(value: Json): Json {
  if (Array.isArray(value)) return value.map(withSnakeNames)
  return isObject(value) ? snakeCase(value) : value
}

function snakeName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
