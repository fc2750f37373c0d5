/**
 * OpenAI Responses: the field in which a gateway of this format sends the proofs of other providers to its client.
 *
 * @module
 */
import { textOr } from '../../core/lookup.ts'
import type { ProofField } from '../../kit/foreign-proofs.ts'
import { openaiDialect } from './dialect.ts'
import { format } from './tables.ts'

/** The field is `encrypted_content` of a reasoning item. Clients send it back if the server stores no answers. */
export const proofField: ProofField = {
  format,
  owners: [openaiDialect.provider],
  onCalls: false,
  write: (envelope) => ({ encrypted_content: envelope }),
  read: (data) => [textOr(data.encrypted_content, '')],
}
