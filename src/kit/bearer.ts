/** The key as a bearer token. @module */

/** The header of a key; none if there is none. */
export function bearer(apiKey: string | undefined): Record<string, string> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
}
