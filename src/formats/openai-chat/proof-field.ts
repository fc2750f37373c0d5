/**
 * OpenAI Chat Completions: the field for proofs of another provider, when a gateway answers in this format.
 *
 * @module
 */
import { arrayOf, field, textOr } from '../../core/lookup.ts'
import type { ProofField } from '../../kit/foreign-proofs.ts'
import { format, proofOwners } from './tables.ts'

/** Writes proofs as OpenRouter's `reasoning_details`. Clients that store the answer's message unchanged send this field back. */
export const proofField: ProofField = {
  format,
  owners: [proofOwners.reasoning_details, proofOwners.extra_content],
  onCalls: false,
  write: (data) => ({ reasoning_details: [{ type: 'reasoning.encrypted', data }] }),
  read: (proof) => arrayOf(proof.reasoning_details).map((detail) => textOr(field(detail, 'data'), '')),
}
