/**
 * OpenAI Responses: where a proof of another provider has place, when a gateway answers in this wire.
 *
 * @module
 */

import { textOr } from '../../core/lookup.ts'
import type { Slot } from '../../kit/carry.ts'
import { openaiDialect } from './dialect.ts'
import { format } from './tables.ts'

/** The encrypted content of a reasoning item, which clients without stored state send back. */
export const slot: Slot = {
  format,
  owners: [openaiDialect.provider],
  onCalls: false,
  write: (carrier) => ({ encrypted_content: carrier }),
  read: (data) => [textOr(data.encrypted_content, '')],
}
