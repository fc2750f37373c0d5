/**
 * Gemini: code for parts of all kinds: their origin, their signatures, and the fields that isoglot has no field for.
 *
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures (read 2026-11)
 *
 * @module
 */

import { field, isObject, otherFields } from '../../core/lookup.ts'
import type { Json, JsonObject, Opaque, ProviderData } from '../../core/model.ts'
import { textOfArguments } from '../../core/tool-call.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import { ownProof } from '../../kit/opaque.ts'
import * as lackReasons from '../../kit/reasons.ts'
import type { GeminiDialect } from './tables.ts'
import type { WirePart } from './wire.ts'

// ---- decode -----------------------------------------------------------------------------------

/** The provider and the model that made the input. */
export interface Origin {
  readonly provider: string
  readonly model: string
}

/** Reads the signature of a part. It is valid for this part only. */
export function proofOf(part: JsonObject, { provider, model }: Origin): Opaque | undefined {
  const thoughtSignature = field(part, 'thoughtSignature')
  if (typeof thoughtSignature !== 'string') return undefined
  return { provider, model, format: 'gemini', data: { thoughtSignature } }
}

/** Keeps the fields of a wire object that isoglot has no field for. */
export function keptFields(fields: JsonObject | undefined): ProviderData | undefined {
  return fields === undefined || Object.keys(fields).length === 0 ? undefined : { gemini: fields }
}

/** Keeps the fields of a part, and of the object in its data field `name`, that isoglot has no field for. */
export function kept(
  part: JsonObject,
  name: string,
  known: ReadonlySet<string>,
  isSigned: boolean,
): ProviderData | undefined {
  const inner = field(part, name)
  const isKnown = (other: string) => other === name || (isSigned && other === 'thoughtSignature')
  const rest = otherFields(part, { has: isKnown })
  const innerRest = isObject(inner) ? otherFields(inner, known) : undefined
  if (rest === undefined && innerRest === undefined) return undefined
  return keptFields({ ...rest, ...(innerRest && { [name]: innerRest }) })
}

/** Returns a value as JSON text; `undefined` if it is nested too deep. */
export function jsonText(value: Json): string | undefined {
  return textOfArguments({ value }) === undefined ? undefined : JSON.stringify(value)
}

// ---- encode -----------------------------------------------------------------------------------

/** The values that all encoders of blocks need. */
export interface Scope {
  readonly losses: Losses
  readonly dialect: GeminiDialect
  /** The model of the request. If empty, proofs of all models of this provider may be sent. */
  readonly model: string
}

/** A part that may have a signature. */
export interface Signable {
  readonly opaque?: Opaque
  readonly providerData?: ProviderData
}

/** Returns the block's signature if it may be sent to the target; otherwise reports the loss. */
export function signatureOf(block: Signable, scope: Scope, path: string): Pick<WirePart, 'thoughtSignature'> {
  if (block.opaque === undefined) return {}
  const target = { format: 'gemini', provider: scope.dialect.provider, model: scope.model }
  const thoughtSignature = field(ownProof(block.opaque, target), 'thoughtSignature')
  if (typeof thoughtSignature === 'string') return { thoughtSignature }
  reportLoss(scope.losses, 'dropped', `${path}.opaque`, lackReasons.foreignProof, 'info')
  return {}
}

/** Leaves a block out, and reports the loss. */
export function drop(scope: Scope, path: string, reason: string): undefined {
  reportLoss(scope.losses, 'dropped', path, reason, 'minor')
}

/** Whether a value kept from the wire still decodes to the current value. If so, the kept value can be sent unchanged. */
export function isUnchanged(kept: Json | undefined, read: (kept: Json) => unknown, now: unknown): boolean {
  return kept !== undefined && JSON.stringify(read(kept)) === JSON.stringify(now)
}
