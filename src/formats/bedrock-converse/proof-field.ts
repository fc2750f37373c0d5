/**
 * Bedrock Converse: the field for proofs of another provider, when a gateway answers in this format.
 *
 * @module
 */
import { textOr } from '../../core/lookup.ts'
import type { ProofField } from '../../kit/foreign-proofs.ts'
import { format, provider } from './tables.ts'

/** The signature of a reasoning text: every client sends it back. */
export const proofField: ProofField = {
  format,
  owners: [provider],
  onCalls: false,
  write: (signature) => ({ signature }),
  read: ({ signature }) => [textOr(signature, '')],
}
