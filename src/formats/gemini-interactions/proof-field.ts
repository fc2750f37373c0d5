/**
 * Gemini Interactions: the field for proofs of another provider, when a gateway answers in this format.
 *
 * @module
 */
import { type ProofField, signatureField } from '../../kit/foreign-proofs.ts'
import { format, provider } from './tables.ts'

/** The signature of a thought. A stream has no place for one on a call. */
export const proofField: ProofField = /* @__PURE__ */ signatureField(format, provider)
