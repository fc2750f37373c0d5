/**
 * Gemini Interactions: the field in which a gateway that answers in this format sends proofs of another provider.
 *
 * @module
 */
import { type ProofField, signatureField } from '../../kit/foreign-proofs.ts'
import { format, provider } from './tables.ts'

/** `signature` of a thought. Calls are not used, because a stream has no field for the signature of a call. */
export const proofField: ProofField = /* @__PURE__ */ signatureField(format, provider)
