/** The key as a bearer token. @module */

/** The header of a key; no header without a key. */
export function bearer(apiKey: string | undefined): Record<string, string> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
}
