/**
 * The features and quirks of recordings, by family of formats, and how each is seen in the bytes: what a case claims, its bytes must show.
 * `test/laws/recordings.test.ts` holds all recordings to this.
 */
import type { Claims } from '../formats/claims.ts'
import { facts } from '../formats/index.ts'
import type { CorpusCase } from './corpus.ts'

export { bytesOf } from '../formats/claims.ts'

/** The format without its vendor. */
export function familyOf({ format }: Pick<CorpusCase, 'format'>): string {
  return /^(?:openai-(?:chat|responses)|gemini-interactions)/.exec(format)?.[0] ?? format
}

/** Claims that recordings of a family may make. */
export const claims: Readonly<Record<string, Claims>> = Object.fromEntries(
  Object.entries(facts).flatMap(([family, { claims }]) => (claims === undefined ? [] : [[family, claims]])),
)
