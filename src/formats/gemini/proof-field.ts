/**
 * Gemini: the field for proofs of another provider, when a gateway answers in this format.
 *
 * @module
 */
import { textOr } from '../../core/lookup.ts'
import type { ProofField } from '../../kit/foreign-proofs.ts'
import { geminiDialect } from './tables.ts'

/** The signature of any part, calls included. It has to be base64, and an envelope is. */
export const proofField: ProofField = {
  format: 'gemini',
  owners: [geminiDialect.provider],
  onCalls: true,
  write: (thoughtSignature) => ({ thoughtSignature }),
  read: ({ thoughtSignature }) => [textOr(thoughtSignature, '')],
}
