/**
 * Gemini: the field in which a gateway that answers in this format sends proofs of another provider.
 *
 * @module
 */
import { textOr } from '../../core/lookup.ts'
import type { ProofField } from '../../kit/foreign-proofs.ts'
import { geminiDialect } from './tables.ts'

/** `thoughtSignature`, which any part can have, including calls. It must be base64, and a proof envelope is base64. */
export const proofField: ProofField = {
  format: 'gemini',
  owners: [geminiDialect.provider],
  onCalls: true,
  write: (thoughtSignature) => ({ thoughtSignature }),
  read: ({ thoughtSignature }) => [textOr(thoughtSignature, '')],
}
