/**
 * Anthropic Messages: where a proof of another provider has place, when a gateway answers in this wire.
 *
 * @module
 */

import { textOr } from '../../core/lookup.ts'
import type { ProofField } from '../../kit/foreign-proofs.ts'
import { format } from './tables.ts'

/** The signature of a thinking block, which every client sends back. */
export const proofField: ProofField = {
  format,
  owners: ['anthropic'],
  onCalls: false,
  write: (signature) => ({ signature }),
  read: ({ signature }) => [textOr(signature, '')],
}
