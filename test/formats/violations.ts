/**
 * Finds why a server would answer a request's body with a 400. Written from the tables "rules that give 400" of the wire documents; it
 * imports nothing from `src`.
 */

export type Wire = Readonly<Record<string, unknown>>
export const list = (value: unknown): readonly Wire[] => (Array.isArray(value) ? value : [])
