/**
 * Gemini Interactions: where a proof of another provider has place, when a gateway answers in this wire.
 *
 * @module
 */
import { textOr } from '../../core/lookup.ts'
import type { ProofField } from '../../kit/foreign-proofs.ts'
import { format, provider } from './tables.ts'

/** The signature of a thought. A stream has no place for one on a call. */
export const proofField: ProofField = {
  format,
  owners: [provider],
  onCalls: false,
  write: (signature) => ({ signature }),
  read: ({ signature }) => [textOr(signature, '')],
}
