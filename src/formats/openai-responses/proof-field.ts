/**
 * OpenAI Responses: the field for proofs of another provider, when a gateway answers in this format.
 *
 * @module
 */
import { textOr } from '../../core/lookup.ts'
import type { ProofField } from '../../kit/foreign-proofs.ts'
import { openaiDialect } from './dialect.ts'
import { format } from './tables.ts'

/** The encrypted content of a reasoning item, which clients without stored state send back. */
export const proofField: ProofField = {
  format,
  owners: [openaiDialect.provider],
  onCalls: false,
  write: (envelope) => ({ encrypted_content: envelope }),
  read: (data) => [textOr(data.encrypted_content, '')],
}
