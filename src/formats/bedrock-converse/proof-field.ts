/**
 * Bedrock Converse: the field that holds proofs of another provider when a gateway answers in this format.
 *
 * @module
 */
import { type ProofField, signatureField } from '../../kit/foreign-proofs.ts'
import { format, provider } from './tables.ts'

/** The proof field of this format: the signature of a reasoning text. */
export const proofField: ProofField = /* @__PURE__ */ signatureField(format, provider)
