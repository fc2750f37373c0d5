/**
 * Anthropic Messages: where a proof of another provider has place, when a gateway answers in this wire.
 *
 * @module
 */
import type { Slot } from '../../carry.ts'
import { textOr } from '../../lookup.ts'
import { format } from './tables.ts'

/** The signature of a thinking block, which every client sends back. */
export const slot: Slot = {
  format,
  owners: ['anthropic'],
  onCalls: false,
  write: (signature) => ({ signature }),
  read: ({ signature }) => [textOr(signature, '')],
}
