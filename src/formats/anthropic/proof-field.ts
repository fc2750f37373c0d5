/**
 * Anthropic Messages: the field for proofs of another provider, when a gateway answers in this format.
 *
 * @module
 */
import { type ProofField, signatureField } from '../../kit/foreign-proofs.ts'
import { format } from './tables.ts'

/** The signature of a thinking block. */
export const proofField: ProofField = /* @__PURE__ */ signatureField(format, format)
