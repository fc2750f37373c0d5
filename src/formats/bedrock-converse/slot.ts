/**
 * Bedrock Converse: where a proof of another provider has place, when a gateway answers in this wire.
 *
 * @module
 */
import { textOr } from '../../core/lookup.ts'
import type { Slot } from '../../kit/carry.ts'
import { format, provider } from './tables.ts'

/** The signature of a text of reasoning, which every client sends back. */
export const slot: Slot = {
  format,
  owners: [provider],
  onCalls: false,
  write: (signature) => ({ signature }),
  read: ({ signature }) => [textOr(signature, '')],
}
